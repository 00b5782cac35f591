import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import { namesOf } from "./listing.ts"
import { isPattern } from "./names.ts"
import { type BranchProtection, QUEUE_STYLES, type QueueStyle, type TagProtection as TagProtectionRecord } from "./records.ts"
import { statusGlobs } from "./required-checks.ts"
import { LIST_NAMES, type Protection, type TagProtection } from "./store.ts"

/** Branch protections as records, in their order: two queries at most. */
export async function presentProtections(db: Handle, protections: readonly Protection[]): Promise<BranchProtection[]> {
  const names = await namesOf(
    db,
    protections.flatMap(({ lists }) => LIST_NAMES.map((name) => lists[name])),
  )
  return protections.map((rule) => {
    const { push, force_push, merge, bypass, approvals } = rule.lists
    const contexts = statusGlobs(rule)
    return {
      branch_name: isPattern(rule.rule_name) ? "" : rule.rule_name,
      rule_name: rule.rule_name,
      priority: rule.priority,
      enable_push: rule.enable_push === 1,
      enable_push_whitelist: rule.enable_push_whitelist === 1,
      push_whitelist_usernames: names.people(push),
      push_whitelist_teams: names.teams(push),
      push_whitelist_deploy_keys: rule.push_whitelist_deploy_keys === 1,
      enable_force_push: rule.enable_force_push === 1,
      enable_force_push_allowlist: rule.enable_force_push_allowlist === 1,
      force_push_allowlist_usernames: names.people(force_push),
      force_push_allowlist_teams: names.teams(force_push),
      force_push_allowlist_deploy_keys: rule.force_push_allowlist_deploy_keys === 1,
      enable_merge_whitelist: rule.enable_merge_whitelist === 1,
      merge_whitelist_usernames: names.people(merge),
      merge_whitelist_teams: names.teams(merge),
      enable_bypass_allowlist: rule.enable_bypass_allowlist === 1,
      bypass_allowlist_usernames: names.people(bypass),
      bypass_allowlist_teams: names.teams(bypass),
      enable_status_check: rule.enable_status_check === 1,
      status_check_contexts: contexts && [...contexts],
      required_approvals: rule.required_approvals,
      enable_approvals_whitelist: rule.enable_approvals_whitelist === 1,
      approvals_whitelist_username: names.people(approvals),
      approvals_whitelist_teams: names.teams(approvals),
      block_on_rejected_reviews: rule.block_on_rejected_reviews === 1,
      block_on_official_review_requests: rule.block_on_official_review_requests === 1,
      block_on_outdated_branch: rule.block_on_outdated_branch === 1,
      dismiss_stale_approvals: rule.dismiss_stale_approvals === 1,
      ignore_stale_approvals: rule.ignore_stale_approvals === 1,
      require_signed_commits: rule.require_signed_commits === 1,
      protected_file_patterns: rule.protected_file_patterns,
      unprotected_file_patterns: rule.unprotected_file_patterns,
      block_admin_merge_override: rule.block_admin_merge_override === 1,
      enable_merge_queue: rule.enable_merge_queue === 1,
      merge_queue_batch_size: rule.merge_queue_batch_size,
      merge_queue_check_minutes: rule.merge_queue_check_minutes,
      merge_queue_style: queueStyle(rule),
      created_at: rfc3339(rule.created_at),
      updated_at: rfc3339(rule.updated_at),
    }
  })
}

/** The style of merging of a rule's queue. */
export const queueStyle = ({ merge_queue_style: style }: Pick<Protection, "merge_queue_style">): QueueStyle =>
  QUEUE_STYLES.find((each) => each === style) ?? "merge"

/** Tag protections as records, in their order: two queries at most. */
export async function presentTagProtections(db: Handle, protections: readonly TagProtection[]): Promise<TagProtectionRecord[]> {
  const names = await namesOf(
    db,
    protections.map(({ allowed }) => allowed),
  )
  return protections.map(({ id, name_pattern, allowed, created_at, updated_at }) => ({
    id,
    name_pattern,
    whitelist_usernames: names.people(allowed),
    whitelist_teams: names.teams(allowed),
    created_at: rfc3339(created_at),
    updated_at: rfc3339(updated_at),
  }))
}
