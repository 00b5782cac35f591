import type { Insertable } from "kysely"
import { Mode } from "../../../access/modes.ts"
import type { Owned } from "../../../access/permission.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import type { BranchProtectionsTable } from "../../../core/database/tables/protections.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { isBranchName } from "../../../git/index.ts"
import { peopleNamed, teamsNamed } from "./listing.ts"
import { branchPattern, filePatterns, isPattern, isUsable } from "./names.ts"
import type { CreateBranchProtectionOption, EditBranchProtectionOption } from "./records.ts"
import {
  deleteRule,
  findProtections,
  insertRule,
  isSameRule,
  type Listed,
  type ListName,
  type Protection,
  replaceList,
  updateRule,
} from "./store.ts"

/** Creates, edits and deletes branch protections. */

type Columns = Omit<Insertable<BranchProtectionsTable>, "id" | "repository_id" | "rule_name" | "priority" | "created_at" | "updated_at">
type Changes = Partial<Columns & Pick<BranchProtectionsTable, "priority">>

/** Independent switches. */
export const SWITCHES = [
  "enable_merge_whitelist",
  "enable_bypass_allowlist",
  "enable_status_check",
  "enable_approvals_whitelist",
  "block_on_rejected_reviews",
  "block_on_official_review_requests",
  "block_on_outdated_branch",
  "dismiss_stale_approvals",
  "ignore_stale_approvals",
  "require_signed_commits",
  "block_admin_merge_override",
  "enable_merge_queue",
] as const satisfies readonly (keyof Columns & keyof EditBranchProtectionOption)[]

/** The fields of each list of users and teams, and the mode that listed users need. */
const LISTS = [
  { list: "push", people: "push_whitelist_usernames", teams: "push_whitelist_teams", mode: Mode.write },
  { list: "force_push", people: "force_push_allowlist_usernames", teams: "force_push_allowlist_teams", mode: Mode.write },
  { list: "merge", people: "merge_whitelist_usernames", teams: "merge_whitelist_teams", mode: Mode.write },
  { list: "bypass", people: "bypass_allowlist_usernames", teams: "bypass_allowlist_teams", mode: Mode.write },
  { list: "approvals", people: "approvals_whitelist_username", teams: "approvals_whitelist_teams", mode: Mode.read },
] as const satisfies readonly {
  readonly list: ListName
  readonly people: keyof EditBranchProtectionOption
  readonly teams: keyof EditBranchProtectionOption
  readonly mode: number
}[]

const NEW_RULE: Columns = {
  enable_push: 0,
  enable_push_whitelist: 0,
  push_whitelist_deploy_keys: 0,
  enable_force_push: 0,
  enable_force_push_allowlist: 0,
  force_push_allowlist_deploy_keys: 0,
  enable_merge_whitelist: 0,
  enable_bypass_allowlist: 0,
  enable_status_check: 0,
  status_check_contexts: "null",
  required_approvals: 0,
  enable_approvals_whitelist: 0,
  block_on_rejected_reviews: 0,
  block_on_official_review_requests: 0,
  block_on_outdated_branch: 0,
  dismiss_stale_approvals: 0,
  ignore_stale_approvals: 0,
  require_signed_commits: 0,
  protected_file_patterns: "",
  unprotected_file_patterns: "",
  block_admin_merge_override: 0,
  enable_merge_queue: 0,
  merge_queue_batch_size: 5,
  merge_queue_check_minutes: 60,
  merge_queue_style: "merge",
}

/**
 * Creates a rule. Refuses `badRequest` without a name, `forbidden` for a name that another rule has, as clients expect, and `invalid` for invalid patterns
 * and unknown users and teams, and for more rules than are allowed.
 */
export async function createProtection(
  tx: Transaction,
  services: Services,
  owned: Owned & Me,
  options: CreateBranchProtectionOption,
): Promise<Protection> {
  const repositoryId = owned.repository.id
  const now = services.now()
  const name = options.rule_name || options.branch_name || ""
  if (name === "") throw refuse.badRequest("[rule_name]: is required")
  requireRuleName(options.rule_name ? "rule_name" : "branch_name", name)
  await lockRow(tx, "repositories", repositoryId)
  const others = await findProtections(tx, repositoryId)
  // Two plain names that differ only in case would match the same branches.
  const same = (other: string) => other === name || (!isPattern(name) && other.toLowerCase() === name.toLowerCase())
  if (others.some(({ rule_name }) => same(rule_name))) throw refuse.forbidden("Branch protection already exist")
  const { rules } = services.config.limits
  if (others.length >= rules)
    throw refuse.invalid("rule_name", t`can't be added: a repository has at most ${rules} rules for branches; a pattern stands for many`)
  const last = Math.max(0, ...others.map(({ priority }) => priority))
  const row = {
    ...NEW_RULE,
    // On a new rule, settings under a switch that is off are off too.
    ...changesOf({ ...options, enable_force_push: options.enable_push === true && options.enable_force_push === true }),
    repository_id: repositoryId,
    rule_name: name,
    priority: options.priority || last + 1,
    created_at: now,
    updated_at: now,
  }
  await writeLists(tx, owned, await insertRule(tx, row), options)
  publish(tx, { kind: "protection.changed", repositoryId, rule: name, actor: owned.me, at: services.now() })
  return reread(tx, repositoryId, name)
}

/** Changes the members of a rule that are sent. Refuses `notFound` for a missing rule, and `invalid` like `createProtection`. */
export async function editProtection(
  tx: Transaction,
  services: Services,
  owned: Owned & Me,
  name: string,
  options: EditBranchProtectionOption,
): Promise<Protection> {
  const repositoryId = owned.repository.id
  await lockRow(tx, "repositories", repositoryId)
  const before = await reread(tx, repositoryId, name)
  const { id } = before
  const changes: Changes = { ...changesOf(options), ...(options.priority !== undefined && { priority: options.priority }) }
  await updateRule(tx, id, { ...changes, updated_at: services.now() })
  await writeLists(tx, owned, id, options)
  const edited = await reread(tx, repositoryId, name)
  if (!isSameRule(before, edited))
    publish(tx, { kind: "protection.changed", repositoryId, rule: name, actor: owned.me, at: services.now() })
  return edited
}

/** Deletes a rule. Refuses `notFound` for a missing rule. */
export async function deleteProtection(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  name: string,
  actor: User,
): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  const { id } = await reread(tx, repositoryId, name)
  await deleteRule(tx, id)
  publish(tx, { kind: "protection.changed", repositoryId, rule: name, actor, at: services.now() })
}

/** Gives rules the priorities 1, 2, … in this order. Refuses `invalid` for duplicates and rules of other repositories. */
export async function orderProtections(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  ids: readonly number[],
  actor: User,
): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  const rules = new Map((await findProtections(tx, repositoryId)).map(({ id, priority }) => [id, priority]))
  if (new Set(ids).size < ids.length) throw refuse.invalid("ids", "must name each rule once")
  const unknown = ids.find((id) => !rules.has(id))
  if (unknown !== undefined) throw refuse.invalid("ids", t`${unknown} is no rule of this repository`)
  const moved = ids.map((id, index) => ({ id, priority: index + 1 })).filter(({ id, priority }) => rules.get(id) !== priority)
  for (const { id, priority } of moved) await updateRule(tx, id, { priority, updated_at: services.now() })
  if (moved.length > 0) publish(tx, { kind: "protection.changed", repositoryId, actor, at: services.now() })
}

async function reread(tx: Transaction, repositoryId: number, name: string): Promise<Protection> {
  const found = (await findProtections(tx, repositoryId)).find(({ rule_name }) => rule_name === name)
  if (!found) throw refuse.notFound()
  return found
}

// --- requests ---------------------------------------------------------------------------------------------------------------------

const LONGEST_NAME = 255

function requireRuleName(field: string, name: string): void {
  if (name.length > LONGEST_NAME) throw refuse.invalid(field, t`must have at most ${LONGEST_NAME} characters`)
  if (isPattern(name) ? !isUsable(branchPattern(name)) : !isBranchName(name))
    throw refuse.invalid(field, "must be the name of a branch, or a glob over names such as release/*")
}

/** The columns to change and their new values. Refuses `invalid` for invalid patterns. */
function changesOf(options: EditBranchProtectionOption): Changes {
  const { required_approvals: approvals, status_check_contexts: contexts } = options
  return {
    ...pushChanges(options),
    ...forcePushChanges(options),
    ...Object.fromEntries(SWITCHES.flatMap((name) => (options[name] === undefined ? [] : [[name, flag(options[name])]]))),
    ...(approvals !== undefined && approvals >= 0 && { required_approvals: approvals }),
    ...sentOf(QUEUE_SETTINGS, options),
    ...(contexts && { status_check_contexts: JSON.stringify(requireGlobs(contexts)) }),
    ...changedPatterns("protected_file_patterns", options),
    ...changedPatterns("unprotected_file_patterns", options),
  }
}

const QUEUE_SETTINGS = ["merge_queue_batch_size", "merge_queue_check_minutes", "merge_queue_style"] as const

/** Those of the members that are sent. */
const sentOf = (names: readonly (typeof QUEUE_SETTINGS)[number][], options: EditBranchProtectionOption): Changes =>
  Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])))

/** Settings under a switch are only read together with it: without the switch in the request they don't change. */
function pushChanges(options: EditBranchProtectionOption): Changes {
  const { enable_push: on, enable_push_whitelist: listed, push_whitelist_deploy_keys: keys } = options
  if (on === undefined) return {}
  if (!on) return { enable_push: 0, enable_push_whitelist: 0, push_whitelist_deploy_keys: 0 }
  if (listed === undefined) return { enable_push: 1 }
  if (!listed) return { enable_push: 1, enable_push_whitelist: 0, push_whitelist_deploy_keys: 0 }
  return { enable_push: 1, enable_push_whitelist: 1, ...(keys !== undefined && { push_whitelist_deploy_keys: flag(keys) }) }
}

function forcePushChanges(options: EditBranchProtectionOption): Changes {
  const { enable_force_push: on, enable_force_push_allowlist: listed, force_push_allowlist_deploy_keys: keys } = options
  if (on === undefined) return {}
  if (!on) return { enable_force_push: 0, enable_force_push_allowlist: 0, force_push_allowlist_deploy_keys: 0 }
  if (listed === undefined) return { enable_force_push: 1 }
  if (!listed) return { enable_force_push: 1, enable_force_push_allowlist: 0, force_push_allowlist_deploy_keys: 0 }
  return {
    enable_force_push: 1,
    enable_force_push_allowlist: 1,
    ...(keys !== undefined && { force_push_allowlist_deploy_keys: flag(keys) }),
  }
}

function requireGlobs(globs: readonly string[]): readonly string[] {
  const wrong = globs.find((glob) => glob === "" || !compileGlob(glob))
  if (wrong !== undefined) throw refuse.invalid("status_check_contexts", wrong ? t`${wrong} is not a glob` : "an empty text is not a glob")
  return globs
}

function changedPatterns(field: "protected_file_patterns" | "unprotected_file_patterns", options: EditBranchProtectionOption): Changes {
  const patterns = options[field]
  if (patterns === undefined) return {}
  if (!filePatterns(patterns)) throw refuse.invalid(field, "must be at most 100 globs with semicolons between them")
  return { [field]: patterns }
}

/** Writes the lists that are sent; users or teams of a list that are not sent are kept. */
async function writeLists(tx: Transaction, owned: Owned & Me, protectionId: number, options: EditBranchProtectionOption): Promise<void> {
  const known = (await findProtections(tx, owned.repository.id)).find(({ id }) => id === protectionId)
  for (const { list, people, teams, mode } of LISTS) {
    const [names, teamNames] = [options[people], options[teams]]
    if (names === undefined && teamNames === undefined) continue
    const before: Listed = known?.lists[list] ?? { userIds: [], teamIds: [] }
    const userIds = names === undefined ? before.userIds : await peopleNamed(tx, owned, people, names, mode)
    const teamIds = teamNames === undefined ? before.teamIds : await teamsNamed(tx, owned, teams, teamNames)
    await replaceList(tx, protectionId, list, { userIds, teamIds })
  }
}
