import { deployKeyOf } from "../../../core/actor.ts"
import { branchOf, type ObjectId, tagOf } from "../../../git/index.ts"
import type { CheckedChange, ReferenceRule } from "../pushes/checks.ts"
import { verifications } from "../signatures/verification.ts"
import {
  findProtections,
  findRuleSubject,
  forcePushes,
  merges,
  onlyUnprotectedFiles,
  type Protection,
  protectedFiles,
  pushes,
  ruleFinder,
} from "./rules.ts"
import { findBranchTips } from "./store.ts"
import { mayControlTag } from "./tags.ts"

/** Enforces protection rules for branches and tags on pushes, with the messages that pushers see. */

/** The protection rule of a branch. Creating a protected branch counts as pushing to it. */
export const branchRule: ReferenceRule = async (change) => {
  const { services, on, pusher, command, mergedPull } = change
  const branch = branchOf(command.ref)
  if (branch === undefined) return undefined
  const db = services.database.read
  const protections = await findProtections(db, on.repository.id)
  const protection = ruleFinder(protections)(branch)
  if (!protection) return undefined

  const { newId, forced } = command
  if (newId === null) return `branch ${branch} is protected from deletion`
  if (forced && protection.enable_force_push === 0) return `branch ${branch} is protected from force push`

  const pushed: Pushed = { from: command.oldId ?? (await findMergeBase(change, protections, protection, newId)), to: newId }
  const unsigned = protection.require_signed_commits === 1 ? await unverified(change, pushed) : undefined
  if (unsigned !== undefined) return `branch ${branch} is protected from ${unsigned}`

  const who = { ...(await findRuleSubject(db, [protection], on, pusher.user)), isDeployKey: deployKeyOf(pusher) !== undefined }
  // The merge checked protected files with its other conditions, which some users may bypass.
  if (mergedPull !== undefined) return merges(protection, who) ? undefined : `Not allowed to push to protected branch ${branch}`

  const paths = hasFilePatterns(protection) ? await changedPaths(change, pushed) : []
  const [touched] = await protectedFiles(protection, paths)
  if (touched !== undefined) return `branch ${branch} is protected from changing file ${touched}`
  if ((forced ? forcePushes : pushes)(protection, who) || (await onlyUnprotectedFiles(protection, paths))) return undefined
  return `Not allowed to ${forced ? "force-push" : "push"} to protected branch ${branch}`
}

const hasFilePatterns = ({ protected_file_patterns, unprotected_file_patterns }: Protection): boolean =>
  protected_file_patterns !== "" || unprotected_file_patterns !== ""

/** Operations on tag protections. */
export const tagRule: ReferenceRule = async ({ services, on, pusher, command }) => {
  const tag = tagOf(command.ref)
  // Rules for tags list no deploy keys, and a key's push is not the owner's.
  const user = deployKeyOf(pusher) ? { id: 0 } : pusher.user
  if (tag === undefined || (await mayControlTag(services.database.read, on.repository.id, tag, user))) return undefined
  return `Tag ${tag} is protected`
}

/** The pushed commits: those reachable from `to` but not from `from`; all of them if `from` is null. */
interface Pushed {
  readonly from: ObjectId | null
  readonly to: ObjectId
}

/** The most branches considered as the base of a new one. */
const MOST_TIPS = 100

/**
 * The merge base of a new branch with the default branch and those under the same rule. Commits that only other branches have count as pushed:
 * otherwise pushing them to one of those first would bypass the rule.
 */
async function findMergeBase(
  { services: { database, git }, on, repository }: CheckedChange,
  protections: readonly Protection[],
  protection: Protection,
  to: ObjectId,
): Promise<ObjectId | null> {
  const ruleOf = ruleFinder(protections)
  const { id, default_branch } = on.repository
  const tips = (await findBranchTips(database.read, { repositoryId: id }))
    .filter(({ name }) => name === default_branch || ruleOf(name)?.id === protection.id)
    .sort((a, b) => Number(b.name === default_branch) - Number(a.name === default_branch))
    .slice(0, MOST_TIPS)
  const ids = (await Promise.all(tips.map(({ commit_id }) => git.objects.expand(repository, commit_id)))).filter(
    (found) => found !== undefined,
  )
  const [first, ...others] = ids
  return first === undefined ? null : ((await git.history.mergeBase(repository, to, first, ...others)) ?? null)
}

/** The files that a push changes, under their names before and after. */
async function changedPaths({ services: { git }, repository }: CheckedChange, { from, to }: Pushed): Promise<readonly string[]> {
  const files = await git.diffs.files(repository, from, to)
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? path : [previousPath, path]))
}

/** Commits whose signatures are verified at once, and in total for one branch. */
const BATCH = 200
const MOST_SIGNED = 5000

/** The part of a push without verified signatures: the first such commit, or the whole push if it has too many commits. */
async function unverified({ services, repository }: CheckedChange, { from, to }: Pushed): Promise<string | undefined> {
  if (from === to) return undefined
  const { database, git } = services
  const range = { to, from: from ?? undefined, limit: MOST_SIGNED, countAtMost: MOST_SIGNED + 1 }
  const { commits, total } = await git.history.between(repository, range)
  if (total > MOST_SIGNED) return `more than ${MOST_SIGNED} commits at once, whose signatures can't be verified; push them in parts`
  for (let start = 0; start < commits.length; start += BATCH) {
    const batch = commits.slice(start, start + BATCH)
    const checked = await verifications(database.read, services, batch)
    const found = batch.find(({ id }) => checked.get(id)?.verified !== true)
    if (found !== undefined) return `unverified commit ${found.id}`
  }
  return undefined
}
