import type { Owned } from "../../../access/permission.ts"
import type { Issue as IssueRow } from "../../../access/policies/issues.ts"
import { type Actor, anonymous, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { memoize } from "../../../core/memoize.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { type AttachmentRow, presentAttachment } from "../../code/attachments/present.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { presentLabel } from "../labels/present.ts"
import { findLabelsOfIssues, type Label } from "../labels/store.ts"
import { presentMilestone } from "../milestones/present.ts"
import { findMilestonesByIds, type Milestone } from "../milestones/store.ts"
import { type ProjectView, presentProjectViews, viewIssueProjects } from "../projects/present.ts"
import { isUnfinished } from "./draft.ts"
import { findAssigneeIds } from "./people-store.ts"
import { CLOSED_AS, type Issue as IssueRecord, type PullRequestMeta, type RepositoryMeta } from "./records.ts"
import { findAttachmentsOf, findMerges } from "./store.ts"

export interface PresentIssuesOptions {
  /** The repositories of the issues, where they are known already. */
  readonly owned?: readonly Owned[]
  /** They were just made, with no labels, assignees and projects: nothing beside them is looked for. */
  readonly areBare?: boolean
}

/** An issue or pull request with what is shown of it, as rows. */
export interface IssueView {
  readonly issue: IssueRow
  /** Its text; in lists the beginning. */
  readonly text: string
  readonly home: Owned
  readonly author: User
  readonly labels: readonly Label[]
  readonly milestone: Milestone | undefined
  readonly assignees: readonly User[]
  readonly files: readonly AttachmentRow[]
  /** Those that the caller may see. */
  readonly projects: readonly ProjectView[]
  /** When it was merged, if it was. */
  readonly mergedAt: number | undefined
}

/**
 * Issues and pull requests with what the caller may see of them, in the order given. The list must only contain issues that the caller may read. The
 * number of queries doesn't grow with the list.
 */
export async function viewIssues(
  db: Handle,
  actor: Actor,
  issues: readonly IssueRow[],
  options: PresentIssuesOptions = {},
): Promise<readonly IssueView[]> {
  if (issues.length === 0) return []
  const ids = issues.map(({ id }) => id)
  const homes = new Map((options.owned ?? (await ownedOf(db, issues))).map((home) => [home.repository.id, home]))
  const { labels, assigned, attachments, projects } = options.areBare ? NOTHING_BESIDE : await besideOf(db, actor, ids)
  const milestones = await milestonesOf(db, issues)
  const merges = await mergesOf(db, issues)
  const people = await peopleOf(db, actor, [
    ...issues.map(({ author_id }) => author_id),
    ...[...assigned.values()].flat().map(({ user_id }) => user_id),
  ])
  return issues.flatMap((issue) => {
    const home = homes.get(issue.repository_id)
    if (!home) return []
    return [
      {
        issue,
        text: inListOf(issues, issue.content),
        home,
        author: people.get(issue.author_id) ?? standIn(issue.author_id),
        labels: labels.get(issue.id) ?? [],
        milestone: issue.milestone_id === null ? undefined : milestones.get(issue.milestone_id),
        assignees: assigned.get(issue.id)?.flatMap(({ user_id }) => people.get(user_id) ?? []) ?? [],
        files: attachments.get(issue.id) ?? [],
        projects: projects.get(issue.id) ?? [],
        mergedAt: merges.get(issue.id),
      },
    ]
  })
}

/** What is kept beside issues, by their ids. */
interface Beside {
  readonly labels: ReadonlyMap<number, readonly Label[]>
  readonly assigned: ReadonlyMap<number, readonly { readonly user_id: number }[]>
  readonly attachments: ReadonlyMap<number | null, readonly AttachmentRow[]>
  readonly projects: ReadonlyMap<number, readonly ProjectView[]>
}

const NOTHING_BESIDE: Beside = { labels: new Map(), assigned: new Map(), attachments: new Map(), projects: new Map() }

async function besideOf(db: Handle, actor: Actor, ids: readonly number[]): Promise<Beside> {
  return {
    labels: Map.groupBy(await findLabelsOfIssues(db, { issueIds: ids }), (row) => row.issue_id),
    assigned: Map.groupBy(await findAssigneeIds(db, { ids }), (row) => row.issue_id),
    attachments: Map.groupBy(await findAttachmentsOf(db, { ids }), (row) => row.issue_id),
    projects: await viewIssueProjects(db, actor, ids),
  }
}

/** One issue with what the caller may see of it. */
export async function viewIssue(db: Handle, actor: Actor, issue: IssueRow, owned?: Owned): Promise<IssueView> {
  const [view] = await viewIssues(db, actor, [issue], owned ? { owned: [owned] } : {})
  if (!view) throw new TypeError("one issue gives one view")
  return view
}

/** The same as records. */
export const presentIssues = async (
  db: Handle,
  site: Site,
  actor: Actor,
  issues: readonly IssueRow[],
  options: PresentIssuesOptions = {},
): Promise<IssueRecord[]> => presentViews(db, site, actor, await viewIssues(db, actor, issues, options))

export async function presentViews(db: Handle, site: Site, actor: Actor, views: readonly IssueView[]): Promise<IssueRecord[]> {
  const shownProjects = new Map(views.flatMap(({ projects }) => projects.map((each) => [each.project.id, each])))
  const projects = new Map((await presentProjectViews(db, site, actor, [...shownProjects.values()])).map((each) => [each.id, each]))
  const homes = new Map([...new Set(views.map(({ home }) => home))].map((home) => [home, homeIn(site, home)]))
  const author = memoize((user: User) => presentUser(site, user, actor))
  const assignee = memoize((user: User) => presentUser(site, user, anonymous))
  return views.map((view) => {
    const { issue, milestone } = view
    const home = homes.get(view.home) ?? homeIn(site, view.home)
    const assigned = view.assignees.map(assignee)
    return {
      id: issue.id,
      url: `${site.rootUrl}/api/v1/repos/${home.meta.full_name}/issues/${issue.number}`,
      html_url: issueUrl(home.url, issue),
      number: issue.number,
      user: author(view.author),
      original_author: issue.original_author,
      original_author_id: issue.original_author_id,
      title: issue.title,
      body: view.text,
      ref: issue.ref,
      assets: view.files.map((attachment) => presentAttachment(site, attachment)),
      labels: view.labels.map(home.label),
      milestone: milestone ? presentMilestone(milestone) : null,
      projects: view.projects.flatMap(({ project }) => projects.get(project.id) ?? []),
      assignee: assigned[0] ?? null,
      assignees: assigned,
      state: issue.is_closed === 1 ? "closed" : "open",
      is_locked: issue.is_locked === 1,
      comments: issue.comments_count,
      created_at: rfc3339(issue.created_at),
      updated_at: rfc3339(issue.updated_at),
      closed_at: issue.closed_at === 0 ? null : rfc3339(issue.closed_at),
      due_date: issue.due_at === 0 ? null : rfc3339(issue.due_at),
      time_estimate: issue.time_estimate,
      pull_request: issue.is_pull === 1 ? presentPull(home.url, issue, view.mergedAt) : null,
      repository: home.meta,
      pin_order: issue.pin_order,
      content_version: issue.content_version,
      ...(issue.made_with !== "" && { made_with: issue.made_with }),
      ...(issue.close_reason !== "" && { [CLOSED_AS]: issue.close_reason }),
    } satisfies IssueRecord
  })
}

/** One issue as the caller sees it. */
export async function presentIssue(
  db: Handle,
  site: Site,
  actor: Actor,
  issue: IssueRow,
  owned?: Owned,
  options: Pick<PresentIssuesOptions, "areBare"> = {},
): Promise<IssueRecord> {
  const [record] = await presentIssues(db, site, actor, [issue], { ...options, ...(owned && { owned: [owned] }) })
  if (!record) throw new TypeError("one issue gives one record")
  return record
}

/** The page of an issue or pull request, below its repository's page. */
export const issueUrl = (repositoryUrl: string, issue: Pick<IssueRow, "is_pull" | "number">): string =>
  `${repositoryUrl}/${issue.is_pull === 1 ? "pulls" : "issues"}/${issue.number}`

/** The reference of a pull request's last commit in its base repository, which outlives its branch and its fork. */
export const pullRef = (number: number): string => `refs/pull/${number}/head`

export const presentRepositoryMeta = ({ repository, owner }: Owned): RepositoryMeta => ({
  id: repository.id,
  name: repository.name,
  owner: owner.name,
  full_name: `${owner.name}/${repository.name}`,
})

const presentPull = (repositoryUrl: string, issue: IssueRow, mergedAt: number | undefined): PullRequestMeta => ({
  merged: mergedAt !== undefined,
  merged_at: mergedAt === undefined ? null : rfc3339(mergedAt),
  draft: isUnfinished(issue.title),
  html_url: issueUrl(repositoryUrl, issue),
  ref: pullRef(issue.number),
})

/** When those of the issues were merged that are merged pull requests, by their ids. */
async function mergesOf(db: Handle, issues: readonly IssueRow[]): Promise<ReadonlyMap<number, number>> {
  const ids = issues.filter((issue) => issue.is_pull === 1 && issue.is_closed === 1).map(({ id }) => id)
  if (ids.length === 0) return NO_MERGES
  return new Map((await findMerges(db, { issueIds: ids })).map((row) => [row.issue_id, row.merged_at]))
}

const NO_MERGES: ReadonlyMap<number, number> = new Map()

/** What records of the same repository share. */
function homeIn(site: Site, home: Owned) {
  const meta = presentRepositoryMeta(home)
  return { meta, url: `${site.rootUrl}/${meta.full_name}`, label: memoize((row: Label) => presentLabel(site, home, row)) }
}

async function ownedOf(db: Handle, issues: readonly IssueRow[]): Promise<readonly Owned[]> {
  const ids = new Set(issues.map((issue) => issue.repository_id))
  return withOwners(db, await findRepositoriesByIds(db, { ids: [...ids] }))
}

/** The milestones that issues are in, by their ids. */
export async function milestonesOf(db: Handle, issues: readonly IssueRow[]): Promise<ReadonlyMap<number, Milestone>> {
  const ids = new Set<number>()
  for (const { milestone_id } of issues) if (milestone_id !== null) ids.add(milestone_id)
  if (ids.size === 0) return NO_MILESTONES
  return new Map((await findMilestonesByIds(db, { ids: [...ids] })).map((milestone) => [milestone.id, milestone]))
}

const NO_MILESTONES: ReadonlyMap<number, Milestone> = new Map()

/** People by their ids. The caller is not queried again. */
async function peopleOf(db: Handle, actor: Actor, wanted: readonly number[]): Promise<ReadonlyMap<number, User>> {
  const own = actor.kind === "user" ? actor.user : undefined
  const ids = new Set(wanted)
  if (!own || !ids.delete(own.id)) return usersById(db, [...ids])
  return new Map([...(await usersById(db, [...ids])), [own.id, own]])
}
