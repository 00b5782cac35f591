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
import { presentUser, standIn } from "../../people/users/present.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { findAssignees } from "../../planning/issues/people-store.ts"
import { issueUrl, milestonesOf } from "../../planning/issues/present.ts"
import { presentLabel } from "../../planning/labels/present.ts"
import { findLabelsOfIssues } from "../../planning/labels/store.ts"
import { presentMilestone } from "../../planning/milestones/present.ts"
import { presentRequested } from "../reviews/requested.ts"
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

/**
 * Pull requests as the caller sees them, in the order given. The list must hold only what the caller may see. Mergeability is as stored (see
 * `ensureMergeability`). The number of queries doesn't grow with the list, and git is not run.
 */
export async function presentPulls(
  db: Handle,
  { site }: Needed,
  actor: Actor,
  pulls: readonly (PullWithIssue | FoundPull)[],
  options: PresentPullsOptions = {},
): Promise<PullRequestRecord[]> {
  if (pulls.length === 0) return []
  const issues = pulls.map(({ issue }) => issue)
  const issueIds = issues.map(({ id }) => id)
  const shownRepositories = await presentedRepositories(db, site, actor, pulls, options.owned ?? [])
  const summaries = await summariesOf(db, pulls)
  const labels = Map.groupBy(await findLabelsOfIssues(db, { issueIds }), (row) => row.issue_id)
  const assignees = Map.groupBy(await findAssignees(db, { ids: issueIds }), (row) => row.issue_id)
  const milestones = await milestonesOf(db, issues)
  const people = await peopleOf(db, actor, pulls)
  const requested = await presentRequested(db, { site }, actor, issueIds)
  const author = memoize((user: User) => presentUser(site, user, actor))
  const plainly = memoize((user: User) => presentUser(site, user, anonymous))

  return pulls.flatMap(({ issue, pull }) => {
    const home = shownRepositories.get(pull.repository_id)
    if (!home) return []
    const url = issueUrl(home.url, issue)
    const assigned = assignees.get(issue.id)?.map(plainly) ?? []
    const milestone = issue.milestone_id === null ? undefined : milestones.get(issue.milestone_id)
    const wanted = requested.get(issue.id)
    const summary = summaries.get(issue.id) ?? EMPTY_SUMMARY
    const isDraft = isUnfinished(issue.title)
    const merged = pull.is_merged === 1
    const label = memoize((row: Parameters<typeof presentLabel>[2]) => presentLabel(site, home.owned, row))
    return [
      {
        id: pull.id,
        url,
        number: issue.number,
        user: author(people.get(issue.author_id) ?? standIn(issue.author_id)),
        title: issue.title,
        body: inListOf(pulls, issue.content),
        labels: labels.get(issue.id)?.map(label) ?? [],
        milestone: milestone ? presentMilestone(milestone) : null,
        assignee: assigned[0] ?? null,
        assignees: assigned,
        requested_reviewers: wanted?.reviewers.map(plainly) ?? [],
        requested_reviewers_teams: wanted?.teams.slice() ?? [],
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
        merged_by: merged && pull.merged_by_id !== 0 ? plainly(people.get(pull.merged_by_id) ?? standIn(pull.merged_by_id)) : null,
        allow_maintainer_edit: pull.allow_maintainer_edit === 1,
        ...branchesOf(home, shownRepositories, { issue, pull }, summary),
        merge_base: pull.merge_base,
        due_date: issue.due_at === 0 ? null : rfc3339(issue.due_at),
        created_at: rfc3339(issue.created_at),
        updated_at: rfc3339(issue.updated_at),
        closed_at: issue.closed_at === 0 ? null : rfc3339(issue.closed_at),
        pin_order: issue.pin_order,
        content_version: issue.content_version,
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

interface PresentedRepository {
  readonly owned: Owned
  readonly url: string
  readonly record: RepositoryRecord
  /** Whether the caller may see it. */
  readonly isVisible: boolean
}

/** Both repositories of each pull request, by id. */
async function presentedRepositories(
  db: Handle,
  site: Site,
  actor: Actor,
  pulls: readonly PullWithIssue[],
  known: readonly Owned[],
): Promise<ReadonlyMap<number, PresentedRepository>> {
  const missing = new Set<number>()
  for (const { pull } of pulls)
    for (const id of [pull.repository_id, pull.head_repository_id])
      if (id !== null && !known.some(({ repository }) => repository.id === id)) missing.add(id)
  const others = missing.size === 0 ? [] : await withOwners(db, await findRepositoriesByIds(db, { ids: [...missing] }))
  const owned = [...known, ...others]
  const permissions = await permissionsOn(db, actor, owned)
  const records = await presentRepositories(db, site, actor, owned, { permissions })
  return new Map(
    owned.flatMap((item, at) => {
      const record = records[at]
      if (!record) return []
      const isVisible = mayReadCode(item, permissions.get(item.repository.id))
      return [[item.repository.id, { owned: item, url: record.html_url, record, isVisible }] as const]
    }),
  )
}

const mayReadCode = ({ repository }: Owned, permission: Permission | undefined): boolean =>
  permission !== undefined && unitModeOrAdmin(permission, repository, "repo.code") >= Mode.read

/** Base and head. A fork that the caller may not see is shown like one that is gone. */
function branchesOf(
  home: PresentedRepository,
  shownRepositories: ReadonlyMap<number, PresentedRepository>,
  { issue, pull }: PullWithIssue,
  summary: PullSummary,
): { base: PRBranchInfo; head: PRBranchInfo } {
  const { base_branch, head_branch, head_repository_id } = pull
  const from = head_repository_id === null ? undefined : shownRepositories.get(head_repository_id)
  const shown = from === home || from?.isVisible ? from : undefined
  const hasBranch = shown !== undefined && summary.head_tip !== null
  return {
    base: { label: base_branch, ref: base_branch, sha: summary.base_tip ?? "", repo_id: pull.repository_id, repo: home.record },
    head: {
      label: head_branch,
      ref: hasBranch ? head_branch : headRef(issue.number),
      sha: pull.head_id,
      repo_id: shown ? shown.owned.repository.id : -1,
      repo: shown?.record ?? null,
    },
  }
}
