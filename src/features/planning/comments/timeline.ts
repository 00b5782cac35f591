import type { Owned } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { readWords } from "../../../core/language/stored.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import type { AttachmentRow } from "../../code/attachments/present.ts"
import { findRepositoriesByIds, findTeamsByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentTeams } from "../../people/teams/present.ts"
import { standIn } from "../../people/users/present.ts"
import { type IssueView, presentViews, viewIssues } from "../issues/present.ts"
import type { Issue as IssueRecord } from "../issues/records.ts"
import { findIssuesByIds } from "../issues/store.ts"
import type { TimelineEntry } from "../issues/timeline.ts"
import { presentLabel } from "../labels/present.ts"
import type { Label } from "../labels/store.ts"
import { presentMilestone } from "../milestones/present.ts"
import type { Milestone } from "../milestones/store.ts"
import { findMilestonesByIds } from "../milestones/store.ts"
import type { TrackedTime } from "../tracking/records.ts"
import { attachmentsOf, type CommentLocation, commentAddresses, presentComment, publicUserPresenter } from "./present.ts"
import type { TimelineComment } from "./records.ts"
import { findCommentsByIds, findLabelsByIds, findTimesByIds } from "./store.ts"

/** An entry of a timeline with what it refers to, as rows; what was deleted since is null. */
export interface TimelineView {
  readonly entry: TimelineEntry
  readonly author: User
  readonly label: Label | null
  readonly milestone: Milestone | null
  readonly oldMilestone: Milestone | null
  readonly assignee: User | null
  readonly team: TeamRow | null
  readonly resolver: User | null
  readonly time: TimeView | null
  readonly refIssue: IssueView | null
  readonly refComment: CommentView | null
  readonly dependentIssue: IssueView | null
}

interface TimeView {
  readonly row: TimeRow
  readonly user: User
  readonly on: IssueView
}

interface CommentView {
  readonly row: CommentRow
  readonly author: User
  readonly files: readonly AttachmentRow[]
  readonly on: IssueView
}

/**
 * Entries of one issue's timeline with everything that they refer to, in the order given. The list must only contain entries that the
 * caller may read. The number of queries doesn't grow with the list.
 */
export async function viewTimeline(
  db: Handle,
  actor: Actor,
  home: Owned,
  entries: readonly TimelineEntry[],
): Promise<readonly TimelineView[]> {
  if (entries.length === 0) return []
  const around = await findAround(db, actor, home, entries)
  return entries.map((entry) => ({
    entry,
    author: around.person(entry.author_id),
    label: of(around.labels, entry.label_id),
    milestone: of(around.milestones, entry.milestone_id),
    oldMilestone: of(around.milestones, entry.old_milestone_id),
    assignee: entry.assignee_id === null ? null : around.person(entry.assignee_id),
    team: of(around.teams, entry.assignee_team_id),
    resolver: entry.resolver_id === null ? null : around.person(entry.resolver_id),
    time: of(around.times, entry.tracked_time_id),
    refIssue: of(around.issues, entry.ref_issue_id),
    refComment: of(around.comments, entry.ref_comment_id),
    dependentIssue: of(around.issues, entry.dependent_issue_id),
  }))
}

/** The same as records. */
export async function presentTimeline(
  db: Handle,
  site: Site,
  actor: Actor,
  place: CommentLocation,
  entries: readonly TimelineEntry[],
): Promise<TimelineComment[]> {
  const views = await viewTimeline(db, actor, place.home, entries)
  const shown = new Map(
    views.flatMap(({ refIssue, dependentIssue, time, refComment }) =>
      [refIssue, dependentIssue, time?.on, refComment?.on].flatMap((view) => (view ? [[view.issue.id, view]] : [])),
    ),
  )
  const issues = new Map((await presentViews(db, site, actor, [...shown.values()])).map((record) => [record.id, record]))
  const issue = (view: IssueView | null): IssueRecord | null => (view && issues.get(view.issue.id)) ?? null
  const teamRows = new Map(views.flatMap(({ team }) => (team ? [[team.id, team]] : [])))
  const teams = byId(await presentTeams(db, site, [...teamRows.values()], { withOrganization: false }))
  const person = publicUserPresenter(site)
  return views.map(({ entry, ...view }) => ({
    id: entry.id,
    type: entry.kind,
    ...commentAddresses(site, place, entry.id),
    user: person(view.author),
    body: inListOf(entries, bodyOf(entry)),
    created_at: rfc3339(entry.created_at),
    updated_at: rfc3339(entry.updated_at),
    old_project_id: entry.old_project_id ?? 0,
    project_id: entry.project_id ?? 0,
    old_milestone: view.oldMilestone && presentMilestone(view.oldMilestone),
    milestone: view.milestone && presentMilestone(view.milestone),
    tracked_time: view.time && presentTime(view.time, issue(view.time.on)),
    old_title: entry.old_title,
    new_title: entry.new_title,
    old_ref: entry.old_ref,
    new_ref: entry.new_ref,
    ref_issue: issue(view.refIssue),
    ref_comment:
      view.refComment &&
      presentComment(site, view.refComment.on, view.refComment.row, person(view.refComment.author), view.refComment.files),
    ref_action: actionOf(entry),
    ref_commit_sha: entry.commit_id,
    review_id: entry.review_id ?? 0,
    label: view.label && presentLabel(site, place.home, view.label),
    assignee: view.assignee && person(view.assignee),
    assignee_team: of(teams, entry.assignee_team_id),
    removed_assignee: entry.removed_assignee === 1,
    resolve_doer: view.resolver && person(view.resolver),
    dependent_issue: issue(view.dependentIssue),
    ...(entry.made_with !== "" && { made_with: entry.made_with }),
  }))
}

/** Clients are told why something left a merge queue in English, as everything. */
const bodyOf = ({ kind, content }: TimelineEntry): string => (kind === "pull_unqueued" ? String(readWords(content)) : content)

const presentTime = (
  { row: { id, created_at, seconds, user_id, issue_id }, user }: TimeView,
  issue: IssueRecord | null,
): TrackedTime | null => issue && { id, created: rfc3339(created_at), time: seconds, user_id, user_name: user.name, issue_id, issue }

const of = <Found>(found: ReadonlyMap<number, Found>, id: number | null): Found | null => (id === null ? null : (found.get(id) ?? null))

const ACTIONS = ["none", "closes", "reopens", "neutered"] as const

const actionOf = ({ ref_action }: TimelineEntry) => ACTIONS.find((action) => action === ref_action) ?? "none"

interface Around {
  readonly person: (id: number) => User
  readonly milestones: ReadonlyMap<number, Milestone>
  readonly labels: ReadonlyMap<number, Label>
  readonly teams: ReadonlyMap<number, TeamRow>
  readonly issues: ReadonlyMap<number, IssueView>
  readonly comments: ReadonlyMap<number, CommentView>
  readonly times: ReadonlyMap<number, TimeView>
}

/** What the entries refer to, by its id; only kinds that occur are queried. */
async function findAround(db: Handle, actor: Actor, home: Owned, entries: readonly TimelineEntry[]): Promise<Around> {
  const ids = (...columns: readonly IdColumn[]) => idsIn(entries, columns)
  const labels = await some(ids("label_id"), (wanted) => findLabelsByIds(db, { ids: wanted }))
  const milestones = await some(ids("milestone_id", "old_milestone_id"), (wanted) => findMilestonesByIds(db, { ids: wanted }))
  const teams = await some(ids("assignee_team_id"), (wanted) => findTeamsByIds(db, { ids: wanted }))
  const times = await some(ids("tracked_time_id"), (wanted) => findTimesByIds(db, { ids: wanted }))
  const words = await some(ids("ref_comment_id"), (wanted) => findCommentsByIds(db, { ids: wanted }))
  const issueIds = new Set([...ids("ref_issue_id", "dependent_issue_id"), ...times.map((time) => time.issue_id)])
  const rows = await some([...issueIds], (wanted) => findIssuesByIds(db, { ids: wanted }))
  const owned = await ownedOf(
    db,
    home,
    rows.map((row) => row.repository_id),
  )
  const files = words.length === 0 ? undefined : await attachmentsOf(db, words)
  const people = await usersById(db, [
    ...ids("author_id", "assignee_id", "resolver_id"),
    ...words.map((comment) => comment.author_id),
    ...times.map((time) => time.user_id),
  ])
  const person = (id: number): User => people.get(id) ?? standIn(id)
  const issues = new Map((await viewIssues(db, actor, rows, { owned })).map((view) => [view.issue.id, view]))
  return {
    person,
    labels: byId(labels),
    milestones: byId(milestones),
    teams: byId(teams),
    issues,
    comments: new Map(
      words.flatMap((row) => {
        const on = issues.get(row.issue_id)
        return on ? [[row.id, { row, author: person(row.author_id), files: files?.get(row.id) ?? [], on }]] : []
      }),
    ),
    times: new Map(
      times.flatMap((row) => {
        const on = issues.get(row.issue_id)
        return on ? [[row.id, { row, user: person(row.user_id), on }]] : []
      }),
    ),
  }
}

type CommentRow = Awaited<ReturnType<typeof findCommentsByIds>>[number]
type TeamRow = Awaited<ReturnType<typeof findTeamsByIds>>[number]
type TimeRow = Awaited<ReturnType<typeof findTimesByIds>>[number]

type IdColumn = {
  [Column in keyof TimelineEntry]: TimelineEntry[Column] extends number | null ? Column : never
}[keyof TimelineEntry]

/** The distinct ids in these columns. */
function idsIn(entries: readonly TimelineEntry[], columns: readonly IdColumn[]): readonly number[] {
  const found = new Set<number>()
  for (const entry of entries)
    for (const column of columns) {
      const id = entry[column]
      if (id !== null) found.add(id)
    }
  return [...found]
}

const some = async <Row>(ids: readonly number[], find: (ids: readonly number[]) => Promise<readonly Row[]>): Promise<readonly Row[]> =>
  ids.length === 0 ? [] : find(ids)

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/** The repositories of the issues that are referred to; the timeline's own is not queried again. */
async function ownedOf(db: Handle, home: Owned, repositoryIds: readonly number[]): Promise<readonly Owned[]> {
  const ids = [...new Set(repositoryIds)].filter((id) => id !== home.repository.id)
  return ids.length === 0 ? [home] : [home, ...(await withOwners(db, await findRepositoriesByIds(db, { ids })))]
}
