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
import { asksForPaths, pathsOf, saysSkip, startsOnAction, startsOnPaths, startsOnRef } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { startRun } from "./start.ts"

/** Workflows that are started by what happens to pull requests. */

const StartForPull = Type.Object({
  /** Tells this from everything else that happened, so that nothing is started twice. */
  cause: Type.String(),
  issueId: int64(),
  actorId: int64(),
  /** As workflows name it. */
  action: Type.String(),
  /** The head that it is about; "" for the one that there is by then. */
  headId: Type.String(),
})

/** The pull request that something happened to, as it is by now, and who did it. */
interface Happened extends Owned {
  readonly issue: Issue
  readonly pull: Pull
  readonly actor: User
  readonly action: string
  readonly head: Commit
  /** The last commit of the base branch; undefined where that is gone. */
  readonly base: Commit | undefined
}

/** From the head's own files, and from those of the base: the second may do more, because nobody can change them by a pull request. */
const EVENTS = ["pull_request", "pull_request_target"] as const

interface Started {
  readonly event: (typeof EVENTS)[number]
  readonly file: WorkflowFile
  readonly workflow: Workflow
}

// Written out: an index that covers a part of a table is only used for the very words that it was made with.
const isCaused = sql<SqlBool>`cause <> ''`

const findCaused = query("actions.findCaused", (db, p: Params<{ cause: string }>) =>
  db.selectFrom("action_runs").select("id").where("cause", "=", p.cause).where(isCaused).limit(1),
)

export const startForPullJob = defineJob({
  kind: "actions.startForPull",
  payload: StartForPull,
  run: async (payload, { context: services }) => {
    const happened = await find(services, payload)
    if (!happened) return
    const started = [
      ...(await startedBy(services, happened, "pull_request")),
      ...(await startedBy(services, happened, "pull_request_target")),
    ]
    if (started.length === 0) return
    const { repository, owner, issue, pull, actor, action, head, base } = happened
    await services.database.write(async (tx) => {
      await lockRow(tx, "repositories", repository.id)
      if (await findCaused.first(tx, { cause: payload.cause })) return
      const disabled = await disabledWorkflows(tx, repository.id)
      const needsApproval = await isStrange(tx, happened)
      const about = {
        action,
        number: issue.number,
        pull_request: await presentPullOf(tx, services, anonymous, issue, { repository, owner }),
      }
      for (const { event, file, workflow } of started) {
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

/** What happened as it is to be looked at; undefined where nothing is started for it. Fails where the head's commit isn't there yet. */
async function find(services: Services, { issueId, actorId, action, headId }: Static<typeof StartForPull>): Promise<Happened | undefined> {
  const { database, git } = services
  const db = database.read
  const issue = await findIssueById.first(db, { id: issueId })
  const pull = issue && (await findPullByIssue.first(db, { issueId }))
  const row = pull && (await findRepositoryById.first(db, { id: pull.repository_id }))
  const owner = row && (await findUserById.first(db, { id: row.owner_id }))
  const actor = await findUserById.first(db, { id: actorId })
  if (!pull || !owner || !actor || row.has_actions === 0 || row.is_archived === 1 || saysSkip(issue.title)) return undefined
  const repository = git.at(row.storage, row.object_format)
  const head = await peel(git, repository, objectId(headId || pull.head_id))
  if (!head) throw new Error("the head of the pull request is not there yet")
  const tip = await git.references.resolve(repository, branchRef(pull.base_branch))
  const base = tip && (await peel(git, repository, tip))
  return { issue, pull, repository: row, owner, actor, action, head, base }
}

async function startedBy(services: Services, happened: Happened, event: Started["event"]): Promise<readonly Started[]> {
  const { git } = services
  const { repository: row, pull, action, head, base } = happened
  const repository = git.at(row.storage, row.object_format)
  const from = event === "pull_request" ? head : base
  if (!from) return []
  let changed: readonly string[] | undefined
  const started: Started[] = []
  const budget = newBudget()
  for (const file of await findWorkflowFiles(git, repository, from.tree)) {
    const workflow = await openWorkflow(git, repository, file, budget)
    const said = workflow?.events.get(event)
    if (!workflow || !said || !startsOnAction(said, action) || !startsOnRef(said, branchRef(pull.base_branch))) continue
    if (asksForPaths(said)) {
      changed ??= pathsOf(await git.diffs.files(repository, await forkPoint(services, happened), head.id))
      if (!startsOnPaths(said, changed)) continue
    }
    started.push({ event, file, workflow })
  }
  return started
}

/** The commit since which the head has changed files; null where both sides have none in common. */
async function forkPoint({ git }: Services, { repository: row, head, base }: Happened): Promise<ObjectId | null> {
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
 * Whether somebody must agree before code of this pull request is run: it comes from a fork, and its author, or whoever has now done something to it,
 * may not write to the workflows and has never had one merged here. Restricted people must always be agreed to.
 */
async function isStrange(db: Handle, { issue, pull, repository, owner, actor }: Happened): Promise<boolean> {
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
