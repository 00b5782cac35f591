import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import type { Config } from "../../../core/config.ts"
import type { Handle } from "../../../core/database/database.ts"
import { t } from "../../../core/language/message.ts"
import { type Pattern, patternSet } from "../../../core/text/automaton.ts"
import { beginWork, type Work } from "../../../core/work.ts"
import { codeMode } from "../pushes/admission.ts"
import { filePatterns } from "./names.ts"
import { findMembersOfTeams, findTeamsInRules, LIST_NAMES, type Listed, type Protection } from "./store.ts"

export { findProtection, findProtections, type Protection, type RuleFinder, ruleFinder } from "./store.ts"

/** What a rule allows a user to do with the branches that it matches. */

/** A user's permissions on a repository, as far as protection rules need them. */
export interface RuleSubject {
  readonly userId: number
  readonly writes: boolean
  readonly administers: boolean
  /** The user's teams among those in the repository's rules. */
  readonly teamIds: ReadonlySet<number>
  /** Whether a deploy key pushes. */
  readonly isDeployKey?: boolean
}

/** The permissions that matter to these rules, of the user whose permission is in `on`: at most one query. */
export async function findRuleSubject(
  db: Handle,
  protections: readonly Protection[],
  on: OnRepository,
  user: Pick<User, "id">,
): Promise<RuleSubject> {
  const hasTeams = protections.some(({ lists }) => LIST_NAMES.some((name) => lists[name].teamIds.length > 0))
  const teams = hasTeams ? await findTeamsInRules(db, { userId: user.id, repositoryId: on.repository.id }) : []
  return {
    userId: user.id,
    writes: codeMode(on) >= Mode.write,
    administers: on.permission.mode >= Mode.admin,
    teamIds: new Set(teams.map(({ team_id }) => team_id)),
  }
}

const isListed = ({ userIds, teamIds }: Listed, who: RuleSubject): boolean =>
  userIds.includes(who.userId) || teamIds.some((id) => who.teamIds.has(id))

/** Whether a user may push to a branch; without a rule, write access is enough. */
export function pushes(protection: Protection | undefined, who: RuleSubject): boolean {
  if (!protection) return who.writes
  if (protection.enable_push === 0) return false
  if (protection.enable_push_whitelist === 0) return who.writes
  return who.isDeployKey ? protection.push_whitelist_deploy_keys === 1 : isListed(protection.lists.push, who)
}

/** Whether a user may force-push to a branch. */
export function forcePushes(protection: Protection | undefined, who: RuleSubject): boolean {
  if (!protection) return who.writes
  if (protection.enable_force_push === 0 || !pushes(protection, who)) return false
  if (protection.enable_force_push_allowlist === 0) return true
  return who.isDeployKey ? protection.force_push_allowlist_deploy_keys === 1 : isListed(protection.lists.force_push, who)
}

/** Whether a user may merge into a branch: with write access, or, if the rule has a list, only those on it. */
export const merges = (protection: Protection | undefined, who: RuleSubject): boolean =>
  protection?.enable_merge_whitelist === 1 ? isListed(protection.lists.merge, who) : who.writes

/** Whether a user may merge despite unmet conditions: administrators unless the rule binds them too, and those on its list. */
export function bypasses(protection: Protection | undefined, who: RuleSubject): boolean {
  if (!protection) return who.administers
  if (who.administers && protection.block_admin_merge_override === 0) return true
  return protection.enable_bypass_allowlist === 1 && isListed(protection.lists.bypass, who)
}

type May = (db: Handle, protection: Protection | undefined, on: OnRepository, user: Pick<User, "id">) => Promise<boolean>

const may =
  (allows: (protection: Protection | undefined, who: RuleSubject) => boolean): May =>
  async (db, protection, on, user) =>
    allows(protection, await findRuleSubject(db, protection ? [protection] : [], on, user))

/** The same for one rule, and the user whose permission is in `on`. */
export const mayPush = may(pushes)
export const mayForcePush = may(forcePushes)
export const mayMerge = may(merges)
export const mayBypass = may(bypasses)

/** The users among these whose approval counts: those on the rule's list, or those with write access to the code. */
export async function officialReviewers(
  db: Handle,
  protection: Protection | undefined,
  owned: Owned,
  people: readonly User[],
): Promise<ReadonlySet<number>> {
  if (people.length === 0) return new Set()
  if (protection?.enable_approvals_whitelist === 1) {
    const { userIds, teamIds } = protection.lists.approvals
    const members = teamIds.length === 0 ? [] : await findMembersOfTeams(db, { userIds: people.map(({ id }) => id), teamIds: [...teamIds] })
    const allowed = new Set([...userIds, ...members.map(({ user_id }) => user_id)])
    return new Set(people.flatMap(({ id }) => (allowed.has(id) ? id : [])))
  }
  const permissions = await permissionsOf(db, owned, people)
  return new Set(
    people.flatMap(({ id }) => {
      const permission = permissions.get(id)
      return permission && unitMode(permission, owned.repository, "repo.code") >= Mode.write ? id : []
    }),
  )
}

export const isOfficialReviewer = async (db: Handle, protection: Protection | undefined, owned: Owned, user: User): Promise<boolean> =>
  (await officialReviewers(db, protection, owned, [user])).has(user.id)

// --- files ------------------------------------------------------------------------------------------------------------------------

/** The work of comparing files with the patterns of rules: of one push, or of one merge. */
export const comparingFiles = ({ limits }: Config): Work =>
  beginWork({ what: t("compare the changed files with the file patterns of the rules for branches"), steps: limits.workSteps })

async function pathsThat(patterns: readonly Pattern[], paths: readonly string[], work: Work): Promise<readonly string[]> {
  const set = patternSet(patterns)
  const found: string[] = []
  for (const path of paths) if ((await set.matching(path.toLowerCase(), work)).length > 0) found.push(path)
  return found
}

/** The files among these that may not be changed by pushing. Throws `TooMuchWork`. Must not be called inside a transaction. */
export async function protectedFiles(
  protection: Pick<Protection, "protected_file_patterns"> | undefined,
  paths: readonly string[],
  work: Work,
): Promise<readonly string[]> {
  const patterns = filePatterns(protection?.protected_file_patterns ?? "")
  return patterns ? pathsThat(patterns, paths, work) : []
}

/**
 * Whether there are files, and all of them are unprotected: every writer may push changes to them. Throws `TooMuchWork`. Must not be called inside a transaction.
 */
export async function onlyUnprotectedFiles(
  { unprotected_file_patterns }: Pick<Protection, "unprotected_file_patterns">,
  paths: readonly string[],
  work: Work,
): Promise<boolean> {
  const patterns = filePatterns(unprotected_file_patterns)
  return patterns !== undefined && paths.length > 0 && (await pathsThat(patterns, paths, work)).length === paths.length
}
