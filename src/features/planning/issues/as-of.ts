import type { Owned } from "../../../access/permission.ts"
import type { Issue, OnIssue } from "../../../access/policies/issues.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { rfc3339, secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { findIssueLabels, findUsableLabelsById, type Label } from "../labels/store.ts"
import { findMilestoneById, type Milestone } from "../milestones/store.ts"
import { type Change, findChanges, findContents, findEventTime, findSaid, findVersionTimes, MOST_COMMENTS } from "./as-of-store.ts"
import { findAssigneeIds } from "./people-store.ts"
import { type IssueView, issueUrl, presentViews, viewIssue } from "./present.ts"
import type { AsOf, Issue as IssueRecord } from "./records.ts"

/*
 * An issue or pull request as it was: from what it is now, its timeline is undone back to the moment, and texts are those of the versions that are kept. What neither tells is said
 * to be unknown. Who may read it now may read how it was: deleted comments and deleted versions are not shown, whenever they were there.
 */

export interface Said {
  readonly id: number
  readonly author: User
  readonly originalAuthor: string
  readonly createdAt: Seconds
  /** Undefined where the version of then is deleted, or is not kept. */
  readonly text: string | undefined
}

export interface IssueAsOf {
  readonly at: Seconds
  /** Its row, with title, text, state, lock, due date and times of then. */
  readonly issue: Issue
  readonly isTextKnown: boolean
  readonly isMerged: boolean
  /** The branch that a pull request was to be merged into; "" where that is the one of now. */
  readonly base: string
  readonly labels: readonly Label[]
  readonly milestone: Milestone | undefined
  readonly assignees: readonly User[]
  /** Who had been asked for a review and not been taken off. */
  readonly reviewers: readonly User[]
  readonly comments: readonly Said[]
  /** What isn't known, in words. */
  readonly unknown: readonly Text[]
}

/**
 * The moment that is asked for: an RFC 3339 time, or a position of the log of events, which is the time of that event. Refuses `invalid` what is neither, a time before the issue was made
 * and one that has not come, and a position that the log doesn't have.
 */
export async function momentOf(
  db: Handle,
  { now }: Pick<Services, "now">,
  issue: Pick<Issue, "created_at">,
  text: string,
): Promise<Seconds> {
  const isPosition = /^\d{1,15}$/.test(text)
  const at = isPosition ? (await findEventTime.first(db, { id: Number(text) }))?.created_at : isTime(text) ? secondsOf(text) : undefined
  if (at === undefined && isPosition) throw refuse.invalid("at", "is no position that the log of events still has")
  if (at === undefined || !Number.isSafeInteger(at))
    throw refuse.invalid("at", "must be a time such as 2026-01-31T12:00:00Z, or a position of the log of events")
  if (at < issue.created_at) throw refuse.invalid("at", t`is before this was opened, at ${rfc3339(issue.created_at)}`)
  if (at > now()) throw refuse.invalid("at", "has not come yet")
  return at
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.test(text)

const NOT_KNOWN: readonly Text[] = [
  t("Comments, labels, milestones and people that were deleted since are not shown."),
  t("Projects, files, dependencies, tracked times, reactions and comments on lines are not part of it."),
]

/** An issue as it was at a moment (seconds) between its creation and now. A fixed number of queries. */
export async function issueAsOf(db: Handle, issue: Issue, ownerId: number, at: Seconds): Promise<IssueAsOf> {
  const changes = await findChanges(db, issue.id)
  const later = changes.filter(({ created_at }) => created_at > at)
  const until = changes.filter(({ created_at }) => created_at <= at)
  const versions = await findVersionTimes(db, { issueId: issue.id })
  const said = await findSaid(db, { issueId: issue.id, at, limit: MOST_COMMENTS + 1 })
  const shown = said.slice(0, MOST_COMMENTS)
  const texts = await textsAt(db, versions, at, [null, ...shown.map(({ id }) => id)])
  const labelIds = labelsAt(
    (await findIssueLabels(db, { issueId: issue.id })).map(({ id }) => id),
    later,
  )
  const assigneeIds = peopleAt(
    (await findAssigneeIds(db, { ids: [issue.id] })).map(({ user_id }) => user_id),
    later,
  )
  const reviewerIds = askedUntil(until)
  const moved = first(later, "milestone")
  const milestoneId = moved ? moved.old_milestone_id : issue.milestone_id
  const users = await usersById(db, [...assigneeIds, ...reviewerIds, ...shown.map(({ author_id }) => author_id)])
  const named = (ids: readonly number[]): readonly User[] => ids.flatMap((id) => users.get(id) ?? [])
  const opening = texts.get(null)
  const { isClosed, isMerged, closedAt } = stateAt(issue, later, until)
  const text = opening === undefined ? issue.content : opening
  return {
    at,
    issue: {
      ...issue,
      title: first(later, "change_title")?.old_title ?? issue.title,
      content: text ?? "",
      is_closed: flag(isClosed),
      closed_at: closedAt,
      close_reason: isClosed ? issue.close_reason : "",
      duplicate_of_id: isClosed ? issue.duplicate_of_id : null,
      is_locked: flag(lockedAt(issue, later)),
      due_at: dueAt(issue, later),
      milestone_id: milestoneId,
      comments_count: shown.length,
      pin_order: 0,
      updated_at: Math.max(issue.created_at, ...until.map(({ created_at }) => created_at), ...shown.map(({ created_at }) => created_at)),
    },
    isTextKnown: text !== null,
    isMerged,
    base: first(later, "change_target_branch")?.old_ref ?? "",
    labels: labelIds.length === 0 ? [] : await findUsableLabelsById(db, { repositoryId: issue.repository_id, ownerId, ids: labelIds }),
    milestone: milestoneId === null ? undefined : await findMilestoneById.first(db, { repositoryId: issue.repository_id, id: milestoneId }),
    assignees: named(assigneeIds),
    reviewers: named(reviewerIds),
    comments: shown.map(({ id, author_id, original_author, created_at, content }) => {
      const then = texts.get(id)
      return {
        id,
        author: users.get(author_id) ?? standIn(author_id),
        originalAuthor: original_author,
        createdAt: created_at,
        text: then === undefined ? content : (then ?? undefined),
      }
    }),
    unknown: [
      ...NOT_KNOWN,
      ...([...texts.values()].includes(null) ? [t("Some versions of texts are deleted or no longer kept.")] : []),
      ...(said.length > MOST_COMMENTS ? [t("Only the first {count} comments are shown.", { count: MOST_COMMENTS })] : []),
    ],
  }
}

const first = (changes: readonly Change[], ...kinds: readonly string[]): Change | undefined =>
  changes.find(({ kind }) => kinds.includes(kind))

interface State {
  readonly isClosed: boolean
  readonly isMerged: boolean
  readonly closedAt: Seconds
}

function stateAt(issue: Issue, later: readonly Change[], until: readonly Change[]): State {
  const next = first(later, "close", "merge_pull", "reopen")
  const isClosed = next ? next.kind === "reopen" : issue.is_closed === 1
  const ending = until.findLast(({ kind }) => kind === "close" || kind === "merge_pull")
  return { isClosed, isMerged: isClosed && ending?.kind === "merge_pull", closedAt: isClosed ? (ending?.created_at ?? issue.closed_at) : 0 }
}

function lockedAt(issue: Issue, later: readonly Change[]): boolean {
  const next = first(later, "lock", "unlock")
  return next ? next.kind === "unlock" : issue.is_locked === 1
}

/** The end of a day in UTC. */
const endOf = (day: string): Seconds => Math.floor(Date.parse(`${day}T23:59:59Z`) / 1000) || 0

function dueAt(issue: Issue, later: readonly Change[]): Seconds {
  const next = first(later, "added_deadline", "modified_deadline", "removed_deadline")
  if (!next) return issue.due_at
  if (next.kind === "added_deadline") return 0
  return endOf(next.kind === "removed_deadline" ? next.content : (next.content.split("|")[1] ?? ""))
}

/** Undone from the last change to the first one after the moment. */
const labelsAt = (now: readonly number[], later: readonly Change[]): readonly number[] =>
  idsAfter(now, later.toReversed(), "label", ({ label_id, content }) => [label_id, content !== "1"])

const peopleAt = (now: readonly number[], later: readonly Change[]): readonly number[] =>
  idsAfter(now, later.toReversed(), "assignees", ({ assignee_id, removed_assignee }) => [assignee_id, removed_assignee === 1])

const askedUntil = (until: readonly Change[]): readonly number[] =>
  idsAfter([], until, "review_request", ({ assignee_id, removed_assignee }) => [assignee_id, removed_assignee !== 1])

/** The ids after changes of a kind in this order, each of which has one among them from then on, or has it no more. */
function idsAfter(
  before: readonly number[],
  changes: readonly Change[],
  kind: string,
  stepOf: (change: Change) => readonly [id: number | null, isThere: boolean],
): readonly number[] {
  const ids = new Set(before)
  for (const change of changes.filter((each) => each.kind === kind)) {
    const [id, isThere] = stepOf(change)
    if (id === null) continue
    if (isThere) ids.add(id)
    else ids.delete(id)
  }
  return [...ids]
}

type VersionTime = Awaited<ReturnType<typeof findVersionTimes>>[number]

/**
 * The texts of a moment, by comment (null is the opening text): undefined where the text of now was there already, null where what was there is deleted or not kept.
 */
async function textsAt(
  db: Handle,
  versions: readonly VersionTime[],
  at: Seconds,
  wanted: readonly (number | null)[],
): Promise<ReadonlyMap<number | null, string | null>> {
  const of = Map.groupBy(versions, ({ comment_id }) => comment_id)
  const chosen = new Map<number | null, number | null>()
  for (const comment of wanted) {
    const mine = of.get(comment) ?? []
    const index = mine.findLastIndex(({ written_at }) => written_at <= at)
    const version = mine[index]
    const next = mine[index + 1]
    // The newest is the text itself.
    if (mine.length === 0 || (version && !next)) continue
    const isWhole = version !== undefined && version.deleted_at === 0 && next?.number === version.number + 1
    chosen.set(comment, isWhole ? version.id : null)
  }
  const ids = [...chosen.values()].flatMap((id) => id ?? [])
  const contents = new Map(ids.length === 0 ? [] : (await findContents(db, { ids })).map(({ id, content }) => [id, content]))
  return new Map([...chosen].map(([comment, id]) => [comment, id === null ? null : (contents.get(id) ?? null)]))
}

/** An issue as pages and records take it, as it was. */
export async function viewAsOf(
  db: Handle,
  actor: Actor,
  issue: Issue,
  owned: Owned,
  at: Seconds,
): Promise<{ readonly view: IssueView; readonly was: IssueAsOf }> {
  const was = await issueAsOf(db, issue, owned.owner.id, at)
  const now = await viewIssue(db, actor, issue, owned)
  const { labels, milestone, assignees } = was
  const view: IssueView = {
    ...now,
    issue: was.issue,
    text: was.issue.content,
    labels,
    milestone,
    assignees,
    files: now.files.filter(({ created_at }) => created_at <= at),
    projects: [],
    mergedAt: was.isMerged ? was.issue.closed_at : undefined,
  }
  return { view, was }
}

/** The record of an issue as it was, with what was said until then. Refuses like `momentOf`. */
export async function presentIssueAt(services: Services, db: Handle, actor: Actor, on: OnIssue, text: string): Promise<IssueRecord> {
  const at = await momentOf(db, services, on.issue, text)
  const { view, was } = await viewAsOf(db, actor, on.issue, on, at)
  const [record] = await presentViews(db, services.site, actor, [view])
  if (!record) throw new TypeError("one view gives one record")
  return { ...record, as_of: presentSaid(services, was, `${services.site.rootUrl}/${on.owner.name}/${on.repository.name}`) }
}

export const presentSaid = ({ site }: Services, was: IssueAsOf, repositoryUrl: string): AsOf => ({
  at: rfc3339(was.at),
  comments: was.comments.map(({ id, author, originalAuthor, createdAt, text }) => ({
    id,
    html_url: `${issueUrl(repositoryUrl, was.issue)}#issuecomment-${id}`,
    user: presentUser(site, author),
    original_author: originalAuthor,
    body: text ?? "",
    is_known: text !== undefined,
    created_at: rfc3339(createdAt),
  })),
  reviewers: was.reviewers.map((user) => presentUser(site, user)),
  merged: was.isMerged,
  base: was.base,
  is_body_known: was.isTextKnown,
  unknown: was.unknown.map(String),
})
