import { type SqlBool, sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import { findIssueById, findPullByIssue, findRepositoryById, findUserById } from "../../../access/store.ts"
import { anonymous, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, type ObjectId, objectId } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import { presentPullOf } from "../../review/pulls/present.ts"
import { headRef } from "../../review/pulls/refs.ts"
import { findWorkflowFiles, newBudget, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { filteredPaths, filtersPaths, requestsSkip, startsOnAction, startsOnPaths, startsOnRef } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { startRun } from "./start.ts"

/** Starts workflows for events of pull requests. */

const StartForPull = Type.Object({
  /** Identifies the event, so that its workflows are not started twice. */
  cause: Type.String(),
  issueId: int64(),
  actorId: int64(),
  /** The name of the event's action in workflows. */
  action: Type.String(),
  /** The head commit of the event; "" for the current one when the job runs. */
  headId: Type.String(),
})

/** The pull request of an event, as it is when the job runs, and the user who caused it. */
interface PullContext extends Owned {
  readonly issue: Issue
  readonly pull: Pull
  readonly actor: User
  readonly action: string
  readonly head: Commit
  /** The last commit of the base branch; undefined where that is gone. */
  readonly base: Commit | undefined
}

/** The first reads the workflows of the head, the second those of the base, which may do more because a pull request can't change them. */
const EVENTS = ["pull_request", "pull_request_target"] as const

interface TriggeredWorkflow {
  readonly event: (typeof EVENTS)[number]
  readonly file: WorkflowFile
  readonly workflow: Workflow
}

// Literal, because a partial index is only used for the exact condition that it was created with.
const isCaused = sql<SqlBool>`cause <> ''`

const findCaused = query("actions.findCaused", (db, p: Params<{ cause: string }>) =>
  db.selectFrom("action_runs").select("id").where("cause", "=", p.cause).where(isCaused).limit(1),
)

export const startForPullJob = defineJob({
  kind: "actions.startForPull",
  payload: StartForPull,
  run: async (payload, { context: services }) => {
    const context = await findContext(services, payload)
    if (!context) return
    const triggered = [
      ...(await triggeredBy(services, context, "pull_request")),
      ...(await triggeredBy(services, context, "pull_request_target")),
    ]
    if (triggered.length === 0) return
    const { repository, owner, issue, pull, actor, action, head, base } = context
    await services.database.write(async (tx) => {
      await lockRow(tx, "repositories", repository.id)
      if (await findCaused.first(tx, { cause: payload.cause })) return
      const disabled = await disabledWorkflows(tx, repository.id)
      const needsApproval = await requiresApproval(tx, context)
      const about = {
        action,
        number: issue.number,
        pull_request: await presentPullOf(tx, services, anonymous, issue, { repository, owner }),
      }
      for (const { event, file, workflow } of triggered) {
        if (disabled.has(file.name)) continue
        const ofBase = event === "pull_request_target" && base !== undefined
        await startRun(tx, services, {
          repositoryId: repository.id,
          actorId: actor.id,
          file,
          workflow,
          event,
          payload: about,
          ref: ofBase ? branchRef(pull.base_branch) : headRef(issue.number),
          commit: ofBase ? base : head,
          checked: head,
          title: issue.title,
          needsApproval: needsApproval && event === "pull_request",
          pullId: pull.id,
          cause: payload.cause,
        })
      }
    })
  },
})

/** The pull request of an event; undefined where nothing is started for it. Fails where the head's commit doesn't exist yet. */
async function findContext(
  services: Services,
  { issueId, actorId, action, headId }: Static<typeof StartForPull>,
): Promise<PullContext | undefined> {
  const { database, git } = services
  const db = database.read
  const issue = await findIssueById.first(db, { id: issueId })
  const pull = issue && (await findPullByIssue.first(db, { issueId }))
  const row = pull && (await findRepositoryById.first(db, { id: pull.repository_id }))
  const owner = row && (await findUserById.first(db, { id: row.owner_id }))
  const actor = await findUserById.first(db, { id: actorId })
  if (!pull || !owner || !actor || row.has_actions === 0 || row.is_archived === 1 || requestsSkip(issue.title)) return undefined
  const repository = git.at(row.storage, row.object_format)
  const head = await peel(git, repository, objectId(headId || pull.head_id))
  if (!head) throw new Error("the head of the pull request is not there yet")
  const tip = await git.references.resolve(repository, branchRef(pull.base_branch))
  const base = tip && (await peel(git, repository, tip))
  return { issue, pull, repository: row, owner, actor, action, head, base }
}

async function triggeredBy(
  services: Services,
  context: PullContext,
  event: TriggeredWorkflow["event"],
): Promise<readonly TriggeredWorkflow[]> {
  const { git } = services
  const { repository: row, pull, action, head, base } = context
  const repository = git.at(row.storage, row.object_format)
  const from = event === "pull_request" ? head : base
  if (!from) return []
  let changed: readonly string[] | undefined
  const triggered: TriggeredWorkflow[] = []
  const budget = newBudget()
  for (const file of await findWorkflowFiles(git, repository, from.tree)) {
    const workflow = await openWorkflow(git, repository, file, budget)
    const filters = workflow?.events.get(event)
    if (!workflow || !filters || !startsOnAction(filters, action) || !startsOnRef(filters, branchRef(pull.base_branch))) continue
    if (filtersPaths(filters)) {
      changed ??= filteredPaths(await git.diffs.files(repository, await mergeBase(services, context), head.id))
      if (!startsOnPaths(filters, changed)) continue
    }
    triggered.push({ event, file, workflow })
  }
  return triggered
}

/** The merge base; null where both sides have no common commit. */
async function mergeBase({ git }: Services, { repository: row, head, base }: PullContext): Promise<ObjectId | null> {
  if (!base) return head.parents[0] ?? null
  return (await git.history.mergeBase(git.at(row.storage, row.object_format), base.id, head.id)) ?? null
}

const hasMerged = query("actions.hasMerged", (db, p: Params<{ repositoryId: number; authorId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select("pulls.id")
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.is_merged", "=", 1)
    .where("issues.author_id", "=", p.authorId)
    .limit(1),
)

/**
 * Whether code of this pull request needs approval before it is run: it comes from a fork, and its author or the user who caused the event
 * may not write to actions and has never had a pull request merged here. Restricted users always need approval.
 */
async function requiresApproval(db: Handle, { issue, pull, repository, owner, actor }: PullContext): Promise<boolean> {
  if (pull.head_repository_id === pull.repository_id) return false
  const author = issue.author_id === actor.id ? actor : await findUserById.first(db, { id: issue.author_id })
  if (!author) return true
  const people = author.id === actor.id ? [actor] : [author, actor]
  const permissions = await permissionsOf(db, { repository, owner }, people)
  for (const person of people) {
    const permission = permissions.get(person.id)
    const writes = permission !== undefined && unitMode(permission, repository, "repo.actions") >= Mode.write
    if (person.is_restricted === 1) return true
    if (!writes && !(await hasMerged.first(db, { repositoryId: repository.id, authorId: person.id }))) return true
  }
  return false
}
