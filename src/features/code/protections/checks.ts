import { deployKeyOf } from "../../../core/actor.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { branchOf, type ObjectId, type RefCommand, tagOf } from "../../../git/index.ts"
import type { CheckContext, Checking, ReferenceRule } from "../pushes/checks.ts"
import { verifications } from "../signatures/verification.ts"
import {
  bypasses,
  findProtections,
  findRuleSubject,
  forcePushes,
  merges,
  onlyUnprotectedFiles,
  type Protection,
  protectedFiles,
  pushes,
  type RuleFinder,
  type RuleSubject,
  ruleFinder,
} from "./rules.ts"
import { findBranchTips } from "./store.ts"
import { controlOfTags } from "./tags.ts"

/** Enforces protection rules for branches and tags on pushes, with the messages that pushers see. */

/** The protection rules of branches. Creating a protected branch counts as pushing to it. */
export const branchRule: ReferenceRule = async (checking) => {
  const { services, on, pusher, commands, work } = checking
  if (!commands.some(({ ref }) => branchOf(ref) !== undefined)) return undefined
  const db = services.database.read
  const protections = await findProtections(db, on.repository.id)
  if (protections.length === 0) return undefined
  const ruleOf = ruleFinder(protections, work)
  const who = { ...(await findRuleSubject(db, protections, on, pusher.user)), isDeployKey: deployKeyOf(pusher) !== undefined }
  const baseOf = baseFinder(checking, ruleOf)
  // Several branches often get one commit.
  const judged = new Map<string, Promise<Objection | undefined>>()
  return async (command) => {
    const branch = branchOf(command.ref)
    const protection = branch === undefined ? undefined : await ruleOf(branch)
    if (branch === undefined || !protection) return undefined
    const key = `${protection.id} ${command.oldId} ${command.newId}`
    const objection = judged.get(key) ?? judge(checking, { protection, command, who, baseOf })
    judged.set(key, objection)
    return (await objection)?.(branch)
  }
}

/** Why a change is refused, for the name of its branch. */
type Objection = (branch: string) => Text

interface Judging {
  readonly protection: Protection
  readonly command: RefCommand
  readonly who: RuleSubject
  readonly baseOf: BaseFinder
}

/** What a rule says about a change of any of its branches; undefined where it allows it. */
async function judge(checking: Checking, { protection, command, who, baseOf }: Judging): Promise<Objection | undefined> {
  const { mergedPull, work } = checking
  const { newId, oldId, forced } = command
  if (newId === null) return (branch) => t`branch ${branch} is protected from deletion`
  if (forced && protection.enable_force_push === 0) return (branch) => t`branch ${branch} is protected from force push`

  // A new branch has no queue yet; and who merges against the rule was judged with its other conditions.
  if (protection.enable_merge_queue === 1 && oldId !== null && mergedPull === undefined && !bypasses(protection, who))
    return (branch) => t`branch ${branch} has a merge queue: only what it has tested gets there; open a pull request and line it up`

  const isSigned = protection.require_signed_commits === 1
  // The merge checked protected files with its other conditions, which some users may bypass.
  const hasFiles = mergedPull === undefined && hasFilePatterns(protection)
  const pushed: Pushed = { from: oldId ?? (isSigned || hasFiles ? await baseOf(protection, newId) : null), to: newId }
  const unsigned = isSigned ? await unverified(checking, pushed) : undefined
  if (unsigned !== undefined) return unsigned
  const mayNot: Objection = (branch) =>
    forced && mergedPull === undefined
      ? t`Not allowed to force-push to protected branch ${branch}`
      : t`Not allowed to push to protected branch ${branch}`
  if (mergedPull !== undefined) return merges(protection, who) ? undefined : mayNot

  const paths = hasFiles ? await changedPaths(checking, pushed) : []
  const [touched] = await protectedFiles(protection, paths, work)
  if (touched !== undefined) return (branch) => t`branch ${branch} is protected from changing file ${touched}`
  if ((forced ? forcePushes : pushes)(protection, who) || (await onlyUnprotectedFiles(protection, paths, work))) return undefined
  return mayNot
}

const hasFilePatterns = ({ protected_file_patterns, unprotected_file_patterns }: Protection): boolean =>
  protected_file_patterns !== "" || unprotected_file_patterns !== ""

/** Operations on tag protections. */
export const tagRule: ReferenceRule = async ({ services, on, pusher, commands, work }) => {
  if (!commands.some(({ ref }) => tagOf(ref) !== undefined)) return undefined
  // Rules for tags list no deploy keys, and a key's push is not the owner's.
  const user = deployKeyOf(pusher) ? { id: 0 } : pusher.user
  const mayControl = await controlOfTags(services.database.read, on.repository.id, user)
  return async ({ ref }) => {
    const tag = tagOf(ref)
    return tag === undefined || (await mayControl(tag, work)) ? undefined : t`Tag ${tag} is protected`
  }
}

/** The pushed commits: those reachable from `to` but not from `from`; all of them if `from` is null. */
interface Pushed {
  readonly from: ObjectId | null
  readonly to: ObjectId
}

/** The most branches considered as the base of a new one. */
const MOST_TIPS = 100

/** Finds where a new branch leaves the others that count. */
type BaseFinder = (protection: Protection, to: ObjectId) => Promise<ObjectId | null>

/**
 * The merge base of a new branch with the default branch and those under the same rule. Commits that only other branches have count as pushed:
 * otherwise pushing them to one of those first would bypass the rule.
 */
function baseFinder({ services: { database, git }, on, repository, work }: Checking, ruleOf: RuleFinder): BaseFinder {
  const { id, default_branch } = on.repository
  let tips: ReturnType<typeof readTips> | undefined
  async function readTips() {
    const found = []
    for (const tip of await findBranchTips(database.read, { repositoryId: id })) {
      await work.step()
      found.push({ ...tip, ruleId: (await ruleOf(tip.name))?.id })
    }
    return found.sort((a, b) => Number(b.name === default_branch) - Number(a.name === default_branch))
  }
  return async (protection, to) => {
    tips ??= readTips()
    const counted = (await tips).filter(({ name, ruleId }) => name === default_branch || ruleId === protection.id).slice(0, MOST_TIPS)
    const ids = (await Promise.all(counted.map(({ commit_id }) => git.objects.expand(repository, commit_id)))).filter(
      (found) => found !== undefined,
    )
    const [first, ...others] = ids
    return first === undefined ? null : ((await git.history.mergeBase(repository, to, first, ...others)) ?? null)
  }
}

/** The files that a push changes, under their names before and after. */
async function changedPaths({ services: { git }, repository }: CheckContext, { from, to }: Pushed): Promise<readonly string[]> {
  const files = await git.diffs.files(repository, from, to)
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? path : [previousPath, path]))
}

/** Commits whose signatures are verified at once, and in total for one branch. */
const BATCH = 200
const MOST_SIGNED = 5000

/** The part of a push without verified signatures: the first such commit, or the whole push if it has too many commits. */
async function unverified({ services, repository }: CheckContext, { from, to }: Pushed): Promise<Objection | undefined> {
  if (from === to) return undefined
  const { database, git } = services
  const range = { to, from: from ?? undefined, limit: MOST_SIGNED, countAtMost: MOST_SIGNED + 1 }
  const { commits, total } = await git.history.between(repository, range)
  if (total > MOST_SIGNED)
    return (branch) =>
      t`branch ${branch} is protected from more than ${MOST_SIGNED} commits at once, whose signatures can't be verified; push them in parts`
  for (let start = 0; start < commits.length; start += BATCH) {
    const batch = commits.slice(start, start + BATCH)
    const checked = await verifications(database.read, services, batch)
    const found = batch.find(({ id }) => checked.get(id)?.verified !== true)
    if (found !== undefined) return (branch) => t`branch ${branch} is protected from unverified commit ${found.id}`
  }
  return undefined
}
