import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { findRepositoriesByIds, findTeamsByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentTeams } from "../../people/teams/present.ts"
import type { Team } from "../../people/teams/records.ts"
import { standIn } from "../../people/users/present.ts"
import type { User as UserRecord } from "../../people/users/records.ts"
import { presentIssues } from "../issues/present.ts"
import type { Issue as IssueRecord } from "../issues/records.ts"
import { findIssuesByIds } from "../issues/store.ts"
import type { TimelineEntry } from "../issues/timeline.ts"
import { presentLabel } from "../labels/present.ts"
import { presentMilestone } from "../milestones/present.ts"
import { findMilestonesByIds } from "../milestones/store.ts"
import type { TrackedTime } from "../tracking/records.ts"
import { attachmentsOf, type CommentLocation, commentAddresses, presentComment, publicUserPresenter } from "./present.ts"
import type { Comment, TimelineComment } from "./records.ts"
import { findCommentsByIds, findLabelsByIds, findTimesByIds } from "./store.ts"

/**
 * Entries of one issue's timeline with everything that they refer to, in the order given. The list must only contain entries that the
 * caller may read; what was deleted since is null. The number of queries doesn't grow with the list.
 */
export async function presentTimeline(
  db: Handle,
  site: Site,
  actor: Actor,
  place: CommentLocation,
  entries: readonly TimelineEntry[],
): Promise<TimelineComment[]> {
  if (entries.length === 0) return []
  const around = await findAround(db, site, actor, place, entries)
  return entries.map((entry) => ({
    id: entry.id,
    type: entry.kind,
    ...commentAddresses(site, place, entry.id),
    user: around.person(entry.author_id),
    body: inListOf(entries, entry.content),
    created_at: rfc3339(entry.created_at),
    updated_at: rfc3339(entry.updated_at),
    old_project_id: entry.old_project_id ?? 0,
    project_id: entry.project_id ?? 0,
    old_milestone: of(around.milestones, entry.old_milestone_id),
    milestone: of(around.milestones, entry.milestone_id),
    tracked_time: of(around.times, entry.tracked_time_id),
    old_title: entry.old_title,
    new_title: entry.new_title,
    old_ref: entry.old_ref,
    new_ref: entry.new_ref,
    ref_issue: of(around.issues, entry.ref_issue_id),
    ref_comment: of(around.comments, entry.ref_comment_id),
    ref_action: actionOf(entry),
    ref_commit_sha: entry.commit_id,
    review_id: entry.review_id ?? 0,
    label: of(around.labels, entry.label_id),
    assignee: entry.assignee_id === null ? null : around.person(entry.assignee_id),
    assignee_team: of(around.teams, entry.assignee_team_id),
    removed_assignee: entry.removed_assignee === 1,
    resolve_doer: entry.resolver_id === null ? null : around.person(entry.resolver_id),
    dependent_issue: of(around.issues, entry.dependent_issue_id),
  }))
}

const of = <Found>(found: ReadonlyMap<number, Found>, id: number | null): Found | null => (id === null ? null : (found.get(id) ?? null))

const ACTIONS = ["none", "closes", "reopens", "neutered"] as const

const actionOf = ({ ref_action }: TimelineEntry) => ACTIONS.find((action) => action === ref_action) ?? "none"

interface Around {
  readonly person: (id: number) => UserRecord
  readonly milestones: ReadonlyMap<number, ReturnType<typeof presentMilestone>>
  readonly labels: ReadonlyMap<number, ReturnType<typeof presentLabel>>
  readonly teams: ReadonlyMap<number, Team>
  readonly issues: ReadonlyMap<number, IssueRecord>
  readonly comments: ReadonlyMap<number, Comment>
  readonly times: ReadonlyMap<number, TrackedTime>
}

/** What the entries refer to, by its id; only kinds that occur are queried. */
async function findAround(
  db: Handle,
  site: Site,
  actor: Actor,
  { home }: CommentLocation,
  entries: readonly TimelineEntry[],
): Promise<Around> {
  const ids = (...columns: readonly IdColumn[]) => idsIn(entries, columns)
  const labels = await some(ids("label_id"), (wanted) => findLabelsByIds(db, { ids: wanted }))
  const milestones = await some(ids("milestone_id", "old_milestone_id"), (wanted) => findMilestonesByIds(db, { ids: wanted }))
  const teams = await some(ids("assignee_team_id"), (wanted) => findTeamsByIds(db, { ids: wanted }))
  const times = await some(ids("tracked_time_id"), (wanted) => findTimesByIds(db, { ids: wanted }))
  const words = await some(ids("ref_comment_id"), (wanted) => findCommentsByIds(db, { ids: wanted }))
  const issueIds = new Set([...ids("ref_issue_id", "dependent_issue_id"), ...times.map((time) => time.issue_id)])
  const issues = await some([...issueIds], (wanted) => findIssuesByIds(db, { ids: wanted }))
  const owned = await ownedOf(
    db,
    home,
    issues.map((row) => row.repository_id),
  )
  const files = words.length === 0 ? undefined : await attachmentsOf(db, words)
  const people = await usersById(db, [
    ...ids("author_id", "assignee_id", "resolver_id"),
    ...words.map((comment) => comment.author_id),
    ...times.map((time) => time.user_id),
  ])
  const show = publicUserPresenter(site)
  const person = (id: number): UserRecord => show(people.get(id) ?? standIn(id))

  const issueRecords = byId(await presentIssues(db, site, actor, issues, { owned }))
  const places = new Map(
    issues.flatMap((row) => {
      const where = owned.find(({ repository }) => repository.id === row.repository_id)
      return where ? [[row.id, { home: where, issue: row }] as const] : []
    }),
  )
  return {
    person,
    labels: byId(labels.map((label) => presentLabel(site, home, label))),
    milestones: byId(milestones.map(presentMilestone)),
    teams: byId(await presentTeams(db, site, teams, { withOrganization: false })),
    issues: issueRecords,
    comments: byId(
      words.flatMap((comment) => {
        const where = places.get(comment.issue_id)
        return where ? [presentComment(site, where, comment, person(comment.author_id), files?.get(comment.id) ?? [])] : []
      }),
    ),
    times: byId(
      times.flatMap((time) => {
        const record = issueRecords.get(time.issue_id)
        if (!record) return []
        const { id, user_id, issue_id, seconds, created_at } = time
        return [{ id, created: rfc3339(created_at), time: seconds, user_id, user_name: person(user_id).login, issue_id, issue: record }]
      }),
    ),
  }
}

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
