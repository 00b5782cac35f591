import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import { findIssueById, findPullByIssue, findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { Members } from "../../../core/yaml.ts"
import { branchRef, type Commit, objectId } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import { headRef } from "../../review/pulls/refs.ts"
import {
  beginFiltering,
  type Filtering,
  filteredPaths,
  filtersPaths,
  requestsSkip,
  startsOn,
  startsOnPaths,
  startsOnPull,
  startsOnRef,
  type Verdict,
} from "../definitions/triggers.ts"
import { type IssueChange, issuePayload } from "../external/issue-payload.ts"
import { PULL_EVENTS, type PullEvent } from "../external/names.ts"
import { findSkipped, reportSkipped } from "./skipped.ts"
import { findCaused, findMergedPull } from "./store.ts"
import { commitOf, type Judged, judge, readWorkflows, startAll } from "./triggered.ts"

/** Starts workflows for events of pull requests. */

const StartForPull = Type.Object({
  /** Identifies the event, so that its workflows are not started twice. */
  cause: Type.String(),
  issueId: int64(),
  actorId: int64(),
  /** Its names in workflows. */
  events: Type.Array(oneOf(PULL_EVENTS)),
  /** Its types of activity there. */
  types: Type.Array(Type.String()),
  change: Type.Unsafe<IssueChange>({ type: "object" }),
  /** The head commit of the event; "" for the current one when the job runs. */
  headId: Type.String(),
})

/** The pull request of an event, as it is when the job runs, and the user who caused it. */
interface PullContext extends Owned {
  readonly issue: Issue
  readonly pull: Pull
  readonly actor: User
  readonly types: readonly string[]
  readonly head: Commit
  /** The last commit of the base branch; undefined where that is gone. */
  readonly base: Commit | undefined
}

export const startForPullJob = defineJob({
  kind: "actions.startForPull",
  payload: StartForPull,
  run: async ({ cause, events, change, ...about }, { context: services }) => {
    const context = await findContext(services, about)
    if (!context) return
    const judged: Judged[] = []
    const filtering = beginFiltering(services.config.limits)
    for (const event of events) judged.push(await judgePull(services, context, event, filtering))
    const triggered = judged.flatMap(({ started }) => started)
    const excluded = judged.flatMap((each) => each.excluded)
    if (triggered.length === 0 && excluded.length === 0) return
    const { repository, owner, issue, pull, actor, head } = context
    const skipped = await findSkipped(
      services,
      repository.id,
      excluded.map((workflow) => ({ workflow, commit: head })),
    )
    await services.database.write(async (tx) => {
      await lockRow(tx, "repositories", repository.id)
      if (await findCaused.first(tx, { cause })) return
      const needsApproval = triggered.length > 0 && (await requiresApproval(tx, context))
      const payload = triggered.length === 0 ? {} : await issuePayload(tx, services, { repository, owner }, issue.id, change)
      const runs = triggered.map((each) => {
        const ofBase = each.event === OF_BASE
        return {
          ...each,
          actorId: actor.id,
          payload,
          ref: ofBase ? branchRef(pull.base_branch) : headRef(issue.number),
          checked: head,
          title: issue.title,
          isUntrusted: isUntrusted(pull, each.event),
          needsApproval: !ofBase && needsApproval,
          pullId: pull.id,
          cause,
        }
      })
      await startAll(tx, services, repository.id, runs)
      await reportSkipped(tx, services, repository.id, skipped)
    })
  },
})

/** Reads the workflows of the base, which may do more because a pull request can't change them; the others read those of the head. */
const OF_BASE = "pull_request_target"

const isOfFork = (pull: Pull): boolean => pull.head_repository_id !== pull.repository_id

/** Whether the workflow is code of a fork, or of its base. */
const isUntrusted = (pull: Pull, event: string): boolean => event !== OF_BASE && isOfFork(pull)

const isOfReview = (event: PullEvent): boolean => event.startsWith("pull_request_review")

/** The pull request of an event; undefined where nothing is started for it. Fails where the head's commit doesn't exist yet. */
async function findContext(
  services: Services,
  { issueId, actorId, types, headId }: Pick<Static<typeof StartForPull>, "issueId" | "actorId" | "types" | "headId">,
): Promise<PullContext | undefined> {
  const { database, git } = services
  const db = database.read
  const issue = await findIssueById.first(db, { id: issueId })
  const pull = issue && (await findPullByIssue.first(db, { issueId }))
  const row = pull && (await findRepositoryById.first(db, { id: pull.repository_id }))
  const owner = row && (await findUserById.first(db, { id: row.owner_id }))
  const actor = await findUserById.first(db, { id: actorId })
  if (!pull || !owner || !actor || row.has_actions === 0 || row.is_archived === 1) return undefined
  const head = await peel(git, git.at(row.storage, row.object_format), objectId(headId || pull.head_id))
  if (!head) throw new Error("the head of the pull request is not there yet")
  const base = await commitOf(services, row, branchRef(pull.base_branch))
  return { issue, pull, repository: row, owner, actor, types, head, base }
}

async function judgePull(services: Services, context: PullContext, event: PullEvent, filtering: Filtering): Promise<Judged> {
  const { repository: row, issue, pull, types, head, base } = context
  const commit = event === OF_BASE ? base : head
  if (!commit || (!isOfReview(event) && requestsSkip(issue.title))) return { started: [], excluded: [] }
  let changed: readonly string[] | undefined
  const verdictOf = async (filters: Members): Promise<Verdict> => {
    if (isOfReview(event)) return (await startsOn(filters, { types }, filtering)) ? "starts" : "other"
    if (!(await startsOnPull(filters, types, filtering))) return "other"
    if (!(await startsOnRef(filters, branchRef(pull.base_branch), filtering))) return "excluded"
    if (!filtersPaths(filters)) return "starts"
    changed ??= await changedPaths(services, context)
    return (await startsOnPaths(filters, changed, filtering)) ? "starts" : "excluded"
  }
  return judge(services, row, await readWorkflows(services, row, commit), event, verdictOf, { isUntrusted: isUntrusted(pull, event) })
}

/** The files that differ from the merge base; all where both sides have no common commit. */
async function changedPaths({ git }: Services, { repository: row, head, base }: PullContext): Promise<readonly string[]> {
  const repository = git.at(row.storage, row.object_format)
  const from = base ? await git.history.mergeBase(repository, base.id, head.id) : head.parents[0]
  return filteredPaths(await git.diffs.files(repository, from ?? null, head.id))
}

/**
 * Whether code of this pull request needs approval before it is run: it comes from a fork, and its author or the user who caused the event
 * may not write to actions and has never had a pull request merged here. Restricted users always need approval.
 */
async function requiresApproval(db: Handle, { issue, pull, repository, owner, actor }: PullContext): Promise<boolean> {
  if (!isOfFork(pull)) return false
  const author = issue.author_id === actor.id ? actor : await findUserById.first(db, { id: issue.author_id })
  if (!author) return true
  const people = author.id === actor.id ? [actor] : [author, actor]
  const permissions = await permissionsOf(db, { repository, owner }, people)
  for (const person of people) {
    const permission = permissions.get(person.id)
    const writes = permission !== undefined && unitMode(permission, repository, "repo.actions") >= Mode.write
    if (person.is_restricted === 1) return true
    if (!writes && !(await findMergedPull.first(db, { repositoryId: repository.id, authorId: person.id }))) return true
  }
  return false
}
