import type { OnPull } from "../../../access/policies/pulls.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { TooMuchWork } from "../../../core/work.ts"
import { checksSatisfied, failedChecks, workOfChecks } from "../../code/protections/required-checks.ts"
import { comparingFiles, findProtection, mayBypass, mayMerge, type Protection, protectedFiles } from "../../code/protections/rules.ts"
import { verifications } from "../../code/signatures/verification.ts"
import { latestStatuses } from "../../code/statuses/store.ts"
import { isBlocked } from "../../planning/dependencies/rules.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { reviewVerdict } from "../reviews/verdict.ts"
import type { MergeStyle } from "./records.ts"
import { mergeSigner } from "./signing.ts"
import { type Trial, tryMerge } from "./trial.ts"

/** What can prevent a merge. The refusals and their order are those that existing clients know. */

/** A pull request and the user who wants to merge it. */
export type Merging = OnPull & Me

/** Requires that the caller may merge into the base, and gives the protection rule that applies to it. Refuses `methodNotAllowed`. */
export async function requireMerger(db: Handle, found: Merging): Promise<Protection | undefined> {
  const protection = await findProtection(db, found.repository.id, found.pull.base_branch)
  if (!(await mayMerge(db, protection, found, found.me))) throw refuse.methodNotAllowed("User not allowed to merge PR")
  return protection
}

/** Refuses `methodNotAllowed` for a merged pull request, `notFound` for a closed one. */
export function requireOpen({ issue, pull }: Pick<Merging, "issue" | "pull">): void {
  if (pull.is_merged === 1) throw refuse.methodNotAllowed("The PR is already merged")
  if (issue.is_closed === 1) throw refuse.notFound()
}

export interface Readiness {
  readonly protection: Protection | undefined
  readonly style: MergeStyle
  /** Override the rule where the caller may. */
  readonly force: boolean
  /** Skip the conditions that may still come true by themselves. */
  readonly later: boolean
  /** For the queue of the branch, which tests the merge itself: of the head's checks only those that have failed count. */
  readonly isQueued?: boolean
}

/**
 * Refuses `methodNotAllowed` what can't be merged: drafts, what `tryMerge` refuses, what the branch's rule forbids, unsigned commits where signed
 * ones are required, and pull requests that stand on others or depend on open issues. Gives the trial merge.
 */
export async function requireReady(
  services: Services,
  found: Merging,
  { protection, style, force, later, isQueued = false }: Readiness,
): Promise<Trial> {
  const db = services.database.read
  if (isUnfinished(found.issue.title)) throw refuse.methodNotAllowed("Work in progress PRs cannot be merged")
  if (!later && found.pull.stands_on !== "")
    throw refuse.methodNotAllowed("this pull request stands on others, which have to be merged before it: see its stack")
  const trial = await tryMerge(services, found)
  if (!later && !(force && (await mayBypass(db, protection, found, found.me)))) {
    const reason = protection && (await unmet(services, found, trial, protection, isQueued))
    if (reason !== undefined) throw refuse.methodNotAllowed(t`not allowed to merge: ${reason}`)
  }
  if (protection?.require_signed_commits === 1) await requireSigned(services, found, trial, style)
  if (await isBlocked(db, found)) throw refuse.methodNotAllowed("this pull request waits for issues that are still open")
  return trial
}

/** The first condition of the rule that is not met, or undefined. */
async function unmet(
  services: Services,
  { repository, issue }: Merging,
  trial: Trial,
  protection: Protection,
  isQueued: boolean,
): Promise<Text | undefined> {
  const { database, git } = services
  const db = database.read
  if (!isQueued && protection.enable_merge_queue === 1) return t("The branch has a merge queue, which merges it")
  if (protection.enable_status_check === 1) {
    const statuses = await latestStatuses(db, repository.id, trial.head)
    const work = workOfChecks(services)
    if (isQueued) {
      const [failed] = await failedChecks(protection, statuses, work)
      if (failed) return t`A required status check has failed: ${failed.context}`
    } else if (!(await checksSatisfied(protection, statuses, work))) return t("Not all required status checks successful")
  }
  const byReviews = await unmetByReviews(db, issue.id, protection)
  if (byReviews !== undefined) return byReviews
  // What the queue tests is never behind the base.
  if (!isQueued && protection.block_on_outdated_branch === 1 && !(await git.history.isAncestor(trial.repository, trial.base, trial.head)))
    return t("The head branch is behind the base branch")
  return protection.protected_file_patterns === "" ? undefined : unmetByFiles(services, trial, protection)
}

/** The first condition of the rule about reviews that is not met, or undefined. One query. */
export async function unmetByReviews(db: Handle, issueId: number, protection: Protection): Promise<Text | undefined> {
  const verdict = await reviewVerdict(db, issueId, protection)
  if (verdict.approvals < protection.required_approvals) return t("Does not have enough approvals")
  if (protection.block_on_rejected_reviews === 1 && verdict.rejected) return t("There are requested changes")
  if (protection.block_on_official_review_requests === 1 && verdict.requestedOfficially) return t("There are official review requests")
  return undefined
}

/** Whether the head changes protected files; a rule that is too much work to apply is not met. */
async function unmetByFiles(services: Services, trial: Trial, protection: Protection): Promise<Text | undefined> {
  const paths = await changedPaths(services, trial)
  try {
    const changed = await protectedFiles(protection, paths, comparingFiles(services.config))
    return changed.length > 0 ? t("Changed protected files") : undefined
  } catch (error) {
    if (error instanceof TooMuchWork) return error.said
    throw error
  }
}

/** The files that the head changes, by their paths before and after. */
async function changedPaths({ git }: Services, { repository, base, head }: Trial): Promise<readonly string[]> {
  const files = await git.diffs.files(repository, (await git.history.mergeBase(repository, base, head)) ?? null, head)
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? path : [path, previousPath]))
}

/** The most commits whose signatures are verified. More at once are an import rather than a pull request. */
const SIGNED_COMMITS = 1_000

/** Where signed commits are required, those of the head must be, and those that the merge makes will be. */
async function requireSigned(services: Services, { me }: Merging, trial: Trial, style: MergeStyle): Promise<void> {
  const { repository, base, head } = trial
  const { commits, total } = await services.git.history.between(repository, { to: head, from: base, limit: SIGNED_COMMITS })
  const known = await verifications(services.database.read, services, commits)
  if (total > commits.length || !commits.every(({ id }) => known.get(id)?.verified))
    throw refuse.methodNotAllowed("not all commits of the head are signed and verified, as the branch's rule requires")
  if (style !== "fast-forward-only" && !(await mergeSigner(services, me, trial, style)))
    throw refuse.methodNotAllowed(
      t`the branch's rule requires signed commits, and this server doesn't sign those that ${style} makes for you`,
    )
}
