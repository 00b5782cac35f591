import { Mode } from "../../../access/modes.ts"
import { type Owned, type Permission, permissionsOn, unitModeOrAdmin } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import { findPullByIssue } from "../../../access/store.ts"
import { type Actor, anonymous, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { memoize } from "../../../core/memoize.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import type { Repository as RepositoryRecord } from "../../code/repositories/records.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentTeams } from "../../people/teams/present.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { findAssignees } from "../../planning/issues/people-store.ts"
import { issueUrl, milestonesOf } from "../../planning/issues/present.ts"
import { presentLabel } from "../../planning/labels/present.ts"
import { findLabelsOfIssues } from "../../planning/labels/store.ts"
import { presentMilestone } from "../../planning/milestones/present.ts"
import { type Requested, requestedOf } from "../reviews/requested.ts"
import type { PRBranchInfo, PullRequest as PullRequestRecord } from "./records.ts"
import { headRef } from "./refs.ts"
import { findPullsOfIssues, type PullSummary } from "./store.ts"

/** A pull request and its issue. */
export interface PullWithIssue {
  readonly issue: Issue
  readonly pull: Pull
}

/** A pull request of a list, with its branch tips and counts. */
export interface FoundPull extends PullWithIssue {
  readonly summary: PullSummary
}

export interface PresentPullsOptions {
  /** The repositories of the pull requests, where known already. */
  readonly owned?: readonly Owned[]
}

type Needed = Pick<Services, "site">

/** A repository, and what the caller may do there. */
type Seen = Owned & { readonly permission: Permission | undefined }

/** A pull request with what its pages show of it, as rows. */
export interface PullView extends PullWithIssue, Requested {
  readonly summary: PullSummary
  readonly home: Seen
  /** Where its commits come from; of what was offered, the repository itself. A fork that the caller may not see is like one that is gone. */
  readonly from: Seen | undefined
  /** Whether its branch is there, for all that the caller may see. */
  readonly hasBranch: boolean
  readonly author: User
  readonly mergedBy: User | undefined
}

/**
 * Pull requests as the caller sees them, in the order given. The list must hold only what the caller may see. Mergeability is as stored (see
 * `ensureMergeability`). The number of queries doesn't grow with the list, and git is not run.
 */
async function viewPulls(
  db: Handle,
  actor: Actor,
  pulls: readonly (PullWithIssue | FoundPull)[],
  options: PresentPullsOptions = {},
): Promise<readonly PullView[]> {
  if (pulls.length === 0) return []
  const repositories = await repositoriesOf(db, actor, pulls, options.owned ?? [])
  const summaries = await summariesOf(db, pulls)
  const people = await peopleOf(db, actor, pulls)
  const requested = await requestedOf(
    db,
    pulls.map(({ issue }) => issue.id),
  )
  return pulls.flatMap(({ issue, pull }) => {
    const home = repositories.get(pull.repository_id)
    if (!home) return []
    const source = pull.is_offered === 1 ? home : repositories.get(pull.head_repository_id ?? 0)
    const from = source && (source === home || mayReadCode(source)) ? source : undefined
    const summary = summaries.get(issue.id) ?? EMPTY_SUMMARY
    const isMerged = pull.is_merged === 1 && pull.merged_by_id !== 0
    return [
      {
        issue,
        pull,
        summary,
        home,
        from,
        hasBranch: from !== undefined && summary.head_tip !== null,
        author: people.get(issue.author_id) ?? standIn(issue.author_id),
        mergedBy: isMerged ? (people.get(pull.merged_by_id) ?? standIn(pull.merged_by_id)) : undefined,
        reviewers: requested.get(issue.id)?.reviewers ?? [],
        teams: requested.get(issue.id)?.teams ?? [],
      },
    ]
  })
}

/** One pull request of a given repository. */
export async function viewPull(db: Handle, actor: Actor, pull: PullWithIssue, owned: Owned): Promise<PullView> {
  const [view] = await viewPulls(db, actor, [pull], { owned: [owned] })
  if (!view) throw new TypeError("one pull request gives one view")
  return view
}

/** The same as records. */
export async function presentPulls(
  db: Handle,
  { site }: Needed,
  actor: Actor,
  pulls: readonly (PullWithIssue | FoundPull)[],
  options: PresentPullsOptions = {},
): Promise<PullRequestRecord[]> {
  if (pulls.length === 0) return []
  const views = await viewPulls(db, actor, pulls, options)
  const issues = views.map(({ issue }) => issue)
  const issueIds = issues.map(({ id }) => id)
  const repositories = await presentSeen(db, site, actor, [...new Set(views.flatMap(({ home, from }) => [home, from ?? []].flat()))])
  const labels = Map.groupBy(await findLabelsOfIssues(db, { issueIds }), (row) => row.issue_id)
  const assignees = Map.groupBy(await findAssignees(db, { ids: issueIds }), (row) => row.issue_id)
  const milestones = await milestonesOf(db, issues)
  const requestedTeams = [...new Map(views.flatMap(({ teams }) => teams).map((team) => [team.id, team])).values()]
  const teams = new Map(
    (await presentTeams(db, site, requestedTeams, { withOrganization: true, viewer: actor })).map((team) => [team.id, team]),
  )
  const author = memoize((user: User) => presentUser(site, user, actor))
  const plainly = memoize((user: User) => presentUser(site, user, anonymous))

  return views.flatMap((view) => {
    const { issue, pull, summary } = view
    const home = repositories.get(pull.repository_id)
    if (!home) return []
    const url = issueUrl(home.html_url, issue)
    const assigned = assignees.get(issue.id)?.map(plainly) ?? []
    const milestone = issue.milestone_id === null ? undefined : milestones.get(issue.milestone_id)
    const isDraft = isUnfinished(issue.title)
    const merged = pull.is_merged === 1
    const label = memoize((row: Parameters<typeof presentLabel>[2]) => presentLabel(site, view.home, row))
    return [
      {
        id: pull.id,
        url,
        number: issue.number,
        user: author(view.author),
        title: issue.title,
        body: inListOf(pulls, issue.content),
        labels: labels.get(issue.id)?.map(label) ?? [],
        milestone: milestone ? presentMilestone(milestone) : null,
        assignee: assigned[0] ?? null,
        assignees: assigned,
        requested_reviewers: view.reviewers.map(plainly),
        requested_reviewers_teams: view.teams.flatMap(({ id }) => teams.get(id) ?? []),
        state: issue.is_closed === 1 ? "closed" : "open",
        draft: isDraft,
        is_locked: issue.is_locked === 1,
        comments: issue.comments_count,
        review_comments: summary.reviews_count,
        additions: pull.additions,
        deletions: pull.deletions,
        changed_files: pull.changed_files,
        html_url: url,
        diff_url: `${url}.diff`,
        patch_url: `${url}.patch`,
        mergeable: !isDraft && isMergeable(pull),
        merged,
        merged_at: merged ? rfc3339(pull.merged_at) : null,
        merge_commit_sha: merged ? pull.merge_commit_id : null,
        merged_by: view.mergedBy ? plainly(view.mergedBy) : null,
        allow_maintainer_edit: pull.allow_maintainer_edit === 1,
        ...branchesOf(view, home, repositories.get(view.from?.repository.id ?? 0)),
        merge_base: pull.merge_base,
        due_date: issue.due_at === 0 ? null : rfc3339(issue.due_at),
        created_at: rfc3339(issue.created_at),
        updated_at: rfc3339(issue.updated_at),
        closed_at: issue.closed_at === 0 ? null : rfc3339(issue.closed_at),
        pin_order: issue.pin_order,
        content_version: issue.content_version,
        ...(issue.made_with !== "" && { made_with: issue.made_with }),
        flow: pull.is_offered,
      } satisfies PullRequestRecord,
    ]
  })
}

/** One pull request as the caller sees it. */
export async function presentPull(
  db: Handle,
  services: Needed,
  actor: Actor,
  pull: PullWithIssue,
  owned?: Owned,
): Promise<PullRequestRecord> {
  const [record] = await presentPulls(db, services, actor, [pull], owned ? { owned: [owned] } : {})
  if (!record) throw new TypeError("one pull request gives one record")
  return record
}

/** The pull request of an issue. Throws where there is none. */
export async function presentPullOf(db: Handle, services: Needed, actor: Actor, issue: Issue, owned: Owned): Promise<PullRequestRecord> {
  const pull = await findPullByIssue.first(db, { issueId: issue.id })
  if (!pull) throw new TypeError("a pull request has its row")
  return presentPull(db, services, actor, { issue, pull }, owned)
}

const EMPTY_SUMMARY: PullSummary = { base_tip: null, head_tip: null, reviews_count: 0 }

/** The branch tips and counts of each, by the issue's id; only those that are not known yet are looked up. */
async function summariesOf(db: Handle, pulls: readonly (PullWithIssue | FoundPull)[]): Promise<ReadonlyMap<number, PullSummary>> {
  const known = pulls.flatMap((found) => ("summary" in found ? [[found.issue.id, found.summary] as const] : []))
  if (known.length === pulls.length) return new Map(known)
  const rows = await findPullsOfIssues(db, { issueIds: pulls.map(({ issue }) => issue.id) })
  return new Map(rows.map((row) => [row.issue_id, row]))
}

/** The authors and mergers, by id. The caller is known already. */
async function peopleOf(db: Handle, actor: Actor, pulls: readonly PullWithIssue[]): Promise<ReadonlyMap<number, User>> {
  const ids = new Set<number>()
  for (const { issue, pull } of pulls) {
    ids.add(issue.author_id)
    if (pull.is_merged === 1 && pull.merged_by_id !== 0) ids.add(pull.merged_by_id)
  }
  const own = actor.kind === "user" && ids.delete(actor.user.id) ? [[actor.user.id, actor.user] as const] : []
  return new Map([...(await usersById(db, [...ids])), ...own])
}

/** Whatever is neither in conflict nor unknown can be merged, if only to no effect; clients expect merged ones as mergeable. */
const isMergeable = ({ mergeability }: Pull): boolean => !["checking", "conflict", "error"].includes(mergeability)

/** Both repositories of each pull request, by id. */
async function repositoriesOf(
  db: Handle,
  actor: Actor,
  pulls: readonly PullWithIssue[],
  known: readonly Owned[],
): Promise<ReadonlyMap<number, Seen>> {
  const missing = new Set<number>()
  for (const { pull } of pulls)
    for (const id of [pull.repository_id, pull.head_repository_id])
      if (id !== null && !known.some(({ repository }) => repository.id === id)) missing.add(id)
  const others = missing.size === 0 ? [] : await withOwners(db, await findRepositoriesByIds(db, { ids: [...missing] }))
  const owned = [...known, ...others]
  const permissions = await permissionsOn(db, actor, owned)
  return new Map(owned.map((item) => [item.repository.id, { ...item, permission: permissions.get(item.repository.id) }]))
}

const mayReadCode = ({ repository, permission }: Seen): boolean =>
  permission !== undefined && unitModeOrAdmin(permission, repository, "repo.code") >= Mode.read

async function presentSeen(db: Handle, site: Site, actor: Actor, seen: readonly Seen[]): Promise<ReadonlyMap<number, RepositoryRecord>> {
  const permissions = new Map(seen.flatMap(({ repository, permission }) => (permission ? [[repository.id, permission] as const] : [])))
  return new Map((await presentRepositories(db, site, actor, seen, { permissions })).map((record) => [record.id, record]))
}

/** Base and head. */
const branchesOf = (
  { issue, pull, summary, from, hasBranch }: PullView,
  home: RepositoryRecord,
  source: RepositoryRecord | undefined,
): { base: PRBranchInfo; head: PRBranchInfo } => ({
  base: { label: pull.base_branch, ref: pull.base_branch, sha: summary.base_tip ?? "", repo_id: pull.repository_id, repo: home },
  head: {
    label: pull.is_offered === 1 ? "" : pull.head_branch,
    ref: hasBranch ? pull.head_branch : headRef(issue.number),
    sha: pull.head_id,
    repo_id: from ? from.repository.id : -1,
    repo: source ?? null,
  },
})
