import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { type Issue, writesKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { currentToken } from "../../../core/caller.ts"
import { type Handle, isForeignKeyViolation, type Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { requireMovable } from "../../../core/task-token.ts"
import { branchRef, type ObjectId } from "../../../git/index.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { assign, invalidAssignee, requireAssignable, usersNamed } from "../../planning/issues/assign.ts"
import { assigneeNames, normalizeTitle } from "../../planning/issues/create.ts"
import { isUnfinished, titleAs } from "../../planning/issues/draft.ts"
import { setIssueLabels, usableLabels } from "../../planning/issues/labels.ts"
import { lockForIssues } from "../../planning/issues/lock.ts"
import { recordMentions } from "../../planning/issues/mentions.ts"
import { setMilestone } from "../../planning/issues/milestone.ts"
import { crossReference } from "../../planning/issues/references.ts"
import { findIssueById, insertIssue, takeNumber } from "../../planning/issues/store.ts"
import { findMilestoneById } from "../../planning/milestones/store.ts"
import { type CodeOwners, readCodeOwners } from "../reviews/owners.ts"
import { requestCodeOwners, requestReviewers } from "../reviews/requests.ts"
import { align } from "./align.ts"
import { type Assessment, assess, assessedColumns } from "./mergeability.ts"
import type { PullWithIssue } from "./present.ts"
import { commitsBetween } from "./pushed.ts"
import type { CreatePullRequestOption } from "./records.ts"
import { alignPull, bringCommit, writePullRefs } from "./refs.ts"
import { type Ends, locateEnds } from "./source.ts"
import { insertPull } from "./store.ts"
import { whyNotOpen } from "./twins.ts"

/** Seconds after which the job checks that the references were written; by then the request that made the pull request has long written them. */
export const ALIGN_AFTER = 30

/**
 * Creates a pull request with all that follows: its number, the head's commits in the base repository, its mergeability, labels, milestone,
 * assignees, reviewers, references, mentions, feed and notifications. All or nothing, and all but the references in one transaction.
 * Labels, milestone and assignees are ignored from users who may not write to pull requests, as `createIssue` ignores them.
 * `also` writes in the same transaction.
 * Refuses what `locateEnds` refuses; `conflict` where an open one has the same ends; `notFound` an unknown milestone or reviewer; `forbidden` for
 * callers whom the owner or an assignee has blocked; as invalid unknown labels, and people who can't be assigned or asked to review.
 */
export async function createPull(
  services: Services,
  found: OnRepository & Me,
  options: CreatePullRequestOption,
  also: (tx: Transaction, made: PullWithIssue) => Promise<void> = async () => {},
): Promise<PullWithIssue> {
  const ends = await locateEnds(services, services.database.read, found, options)
  // A token that may move some branches only proposes what is on these.
  await requireMovable(found.actor, branchRef(ends.head.name))
  const prepared = await preparePull(services, found, ends)
  const made = await services.database.write(async (tx) => {
    const written = await writePull(tx, services, found, options, prepared)
    await also(tx, written)
    return written
  })
  await writeRefsOf(services, prepared, made)
  if (!ends.head.on) return made
  // A push in the meantime did not see the pull request yet.
  const tip = await services.git.references.resolve(ends.head.repository, branchRef(ends.head.name))
  return tip === ends.head.tip ? made : { issue: made.issue, pull: (await align(services, made.pull.id)) ?? made.pull }
}

/** What a new pull request needs from git: the head's commits in the base repository, and what merging them would give. Refuses `forbidden` for callers whom the owner has blocked. */
export async function preparePull(services: Services, found: OnRepository & Me, ends: Ends): Promise<PreparedPull> {
  const { database, git } = services
  const { base, head } = ends
  // Checked again below with everything locked; checked here so that blocked users can't bring objects into the repository.
  await requireNotBlocked(database.read, found)
  await bringCommit(services, { repository: head.repository, id: head.tip }, base.repository)
  const assessment = await assess(git, base.repository, base.tip, head.tip)
  const commits = await commitsBetween(git, base.repository, { from: base.tip, to: head.tip })
  const owners = await readCodeOwners(services, found.repository, assessment)
  return { ends, assessment, commits, owners }
}

/** Writes the references of a pull request whose row is written; a job does it where this fails. */
export async function writeRefsOf(services: Services, { ends, assessment }: PreparedPull, made: PullWithIssue): Promise<void> {
  const refs = { number: made.issue.number, headId: ends.head.tip, assessment }
  await writePullRefs(services, ends.base.repository, refs).catch((error: unknown) =>
    services.log.error({ err: error, pull: made.pull.id }, "the references of a pull request were left to the job"),
  )
}

/** Refuses `forbidden` for users whom the owner has blocked. */
export async function requireNotBlocked(db: Handle, { me, owner }: OnRepository & Me): Promise<void> {
  if (me.id !== owner.id) await requireUnblocked(db, me, [owner])
}

export interface PreparedPull {
  readonly ends: Ends
  readonly assessment: Assessment
  /** The head's commits, oldest first. */
  readonly commits: readonly ObjectId[]
  /** The owners of the files that it changes. */
  readonly owners: CodeOwners
}

/** Writes a new pull request and tells of it. Refuses as `createPull` does. */
export async function writePull(
  tx: Transaction,
  services: Services,
  found: OnRepository & Me,
  options: CreatePullRequestOption,
  { ends, assessment, commits, owners }: PreparedPull,
): Promise<PullWithIssue> {
  const { owner, me } = found
  const { base, head } = ends
  const now = services.now()
  const repository = await lockForIssues(tx, found.repository.id, "pull")
  await requireNotBlocked(tx, found)
  const columns = {
    repository_id: repository.id,
    base_branch: base.name,
    head_repository_id: head.on?.repository.id ?? null,
    head_branch: head.name,
    is_offered: flag(!head.on),
  }
  const refusal = await whyNotOpen(tx, { ...columns, author_id: me.id })
  if (refusal) throw refusal
  const extras: Partial<CreatePullRequestOption> = writesKind(found, { is_pull: 1 }) ? options : {}
  if (extras.milestone && !(await findMilestoneById.first(tx, { repositoryId: repository.id, id: extras.milestone })))
    throw refuse.notFound()
  const users = await usersNamed(tx, found, assigneeNames(extras))
  await requireAssignable(tx, { repository, owner }, me, users, invalidAssignee)
  const labels = extras.labels?.length ? await usableLabels(tx, repository, owner, extras.labels) : []

  // Only those who may write to the head may let others write to it.
  const lendsHead = head.on !== undefined && unitMode(head.on.permission, head.on.repository, "repo.code") >= Mode.write
  const issue = await insert(tx, found, options, { repositoryId: repository.id, dueAt: secondsOf(options.due_date) ?? 0, now })
  const pull = await insertPull
    .first(tx, {
      ...assessedColumns(assessment),
      ...columns,
      issue_id: issue.id,
      allow_maintainer_edit: flag(lendsHead && (options.allow_maintainer_edit ?? repository.default_allow_maintainer_edit === 1)),
    })
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? refuse.notFound("the repository of the head has just been deleted") : error
    })
  if (!pull) throw new TypeError("an insert gives its row")

  const on = { issue, repository, owner }
  const text = { ...on, author: me, text: issue.content }
  const mentioned = await recordMentions(tx, text)
  publish(tx, { kind: "issue.opened", ...on, actor: me, mentioned, at: now })
  if (extras.milestone) await setMilestone(tx, issue, extras.milestone, me, now)
  if (labels.length > 0) await setIssueLabels(tx, { issue, labels, mode: "add", actor: me, now })
  await crossReference(tx, services.site.rootUrl, { ...text, text: `${issue.title}\n${issue.content}` }, now)
  await assign(tx, { ...on, actor: me, users, mode: "add", now })
  if (commits.length > 0)
    publish(tx, { kind: "pull.pushed", ...on, actor: me, before: null, after: head.tip, commits, isForced: false, at: now })
  const { reviewers = [], team_reviewers: teams = [] } = options
  if (reviewers.length + teams.length > 0) await requestReviewers(tx, { ...on, actor: me, reviewers, teams, now })
  if (!isUnfinished(issue.title)) await requestCodeOwners(tx, { ...on, actor: me, owners, now })
  await services.jobs.enqueue(tx, alignPull, { pullId: pull.id }, { runAt: now + ALIGN_AFTER })
  return { issue: (await findIssueById.first(tx, { id: issue.id })) ?? issue, pull }
}

async function insert(
  tx: Transaction,
  { me }: Me,
  options: CreatePullRequestOption,
  { repositoryId, dueAt, now }: { readonly repositoryId: number; readonly dueAt: Seconds; readonly now: Seconds },
): Promise<Issue> {
  await takeNumber(tx, { repositoryId })
  const issue = await insertIssue.first(tx, {
    repositoryId,
    isPull: 1,
    authorId: me.id,
    title: normalizeTitle(titleAs(options.title.trim(), options.draft)),
    content: options.body ?? "",
    ref: "",
    dueAt,
    madeWith: currentToken(),
    now,
  })
  if (!issue) throw new TypeError("an insert gives its row")
  return issue
}
