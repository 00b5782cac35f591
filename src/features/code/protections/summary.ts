import { onFirstUse } from "../../../core/memoize.ts"
import type { BranchProtection, TagProtection } from "./records.ts"

/** What a rule says, in sentences for people. */

const and = onFirstUse(() => new Intl.ListFormat("en", { type: "conjunction" }))

/** "ann, ben and the team makers"; undefined for no one. */
function named(people: readonly string[], teams: readonly string[], keys = false): string | undefined {
  const all = [...people, ...teams.map((team) => `the team ${team}`), ...(keys ? ["deploy keys that may push"] : [])]
  return all.length === 0 ? undefined : and().format(all)
}

const may = (who: string | undefined, what: string): string => (who === undefined ? `No one may ${what}.` : `Only ${who} may ${what}.`)

function ofPushes(rule: BranchProtection): readonly string[] {
  if (!rule.enable_push) return ["No one can push: changes need a pull request."]
  const push = rule.enable_push_whitelist
    ? may(named(rule.push_whitelist_usernames, rule.push_whitelist_teams, rule.push_whitelist_deploy_keys), "push")
    : "Everyone with write access can push."
  if (!rule.enable_force_push) return [push, "No one can force-push."]
  const { force_push_allowlist_usernames: people, force_push_allowlist_teams: teams, force_push_allowlist_deploy_keys: keys } = rule
  return [
    push,
    rule.enable_force_push_allowlist ? may(named(people, teams, keys), "force-push") : "Everyone who can push can also force-push.",
  ]
}

function ofReviews(rule: BranchProtection): readonly (string | false)[] {
  const { required_approvals: many, approvals_whitelist_username: people, approvals_whitelist_teams: teams } = rule
  const of = rule.enable_approvals_whitelist ? `, of which those by ${named(people, teams) ?? "nobody"} count` : ""
  return [
    many > 0 && `A merge needs ${many === 1 ? "one approval" : `${many} approvals`}${of}.`,
    rule.block_on_rejected_reviews && "Requested changes block it.",
    rule.block_on_official_review_requests && "So do reviews that were asked for and are not there.",
    rule.dismiss_stale_approvals && "New commits dismiss approvals.",
    rule.ignore_stale_approvals && "Approvals of older commits don’t count.",
  ]
}

function ofChecks(rule: BranchProtection): readonly (string | false)[] {
  const contexts = rule.status_check_contexts ?? []
  return [
    rule.enable_status_check && (contexts.length === 0 ? "All checks must succeed." : `These checks must succeed: ${contexts.join(", ")}.`),
    rule.block_on_outdated_branch && "The branch of a pull request must be up to date.",
    rule.require_signed_commits && "Commits must be signed.",
  ]
}

const files = (patterns: string): string =>
  patterns
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .join(", ")

function ofFiles(rule: BranchProtection): readonly (string | false)[] {
  const [closed, open] = [files(rule.protected_file_patterns), files(rule.unprotected_file_patterns)]
  return [
    closed !== "" && `No push changes these files: ${closed}.`,
    open !== "" && `Everyone with write access can push changes to only these files: ${open}.`,
  ]
}

const ofQueue = (rule: BranchProtection): readonly (string | false)[] => [
  rule.enable_merge_queue && `Merges wait in a queue, up to ${rule.merge_queue_batch_size} of them are tested together.`,
]

/** Who need not keep to the conditions of a merge. */
function ofExceptions(rule: BranchProtection): readonly (string | false)[] {
  const exempt = rule.enable_bypass_allowlist && named(rule.bypass_allowlist_usernames, rule.bypass_allowlist_teams)
  return [
    typeof exempt === "string" && `Against these conditions ${exempt} may merge.`,
    rule.block_admin_merge_override ? "They bind administrators too." : "Administrators may merge against these conditions.",
  ]
}

/** What a rule for branches says. */
export function sentencesOf(rule: BranchProtection): readonly string[] {
  const merge = rule.enable_merge_whitelist && may(named(rule.merge_whitelist_usernames, rule.merge_whitelist_teams), "merge")
  const conditions = [...ofReviews(rule), ...ofChecks(rule), ...ofQueue(rule)].filter((one) => one !== false)
  const exceptions = conditions.length === 0 ? [] : ofExceptions(rule)
  return [...ofPushes(rule), merge, ...ofFiles(rule), ...conditions, ...exceptions].filter((one) => one !== false)
}

/** What a rule for tags says. */
export const tagSentenceOf = ({ whitelist_usernames: people, whitelist_teams: teams }: TagProtection): string =>
  may(named(people, teams), "make, move and delete such tags")
