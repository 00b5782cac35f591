import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Rules for branches whose names match. The first match by priority counts. */
export interface BranchProtectionsTable {
  id: Generated<number>
  repository_id: number
  /** A branch's name, or a glob over names. */
  rule_name: string
  priority: number
  enable_push: Flag
  enable_push_whitelist: Flag
  push_whitelist_deploy_keys: Flag
  enable_force_push: Flag
  enable_force_push_allowlist: Flag
  force_push_allowlist_deploy_keys: Flag
  enable_merge_whitelist: Flag
  enable_bypass_allowlist: Flag
  enable_status_check: Flag
  /** A JSON list of globs; "null" if it was never set. */
  status_check_contexts: string
  required_approvals: number
  enable_approvals_whitelist: Flag
  block_on_rejected_reviews: Flag
  block_on_official_review_requests: Flag
  block_on_outdated_branch: Flag
  dismiss_stale_approvals: Flag
  ignore_stale_approvals: Flag
  require_signed_commits: Flag
  /** Globs, separated by semicolons. */
  protected_file_patterns: string
  unprotected_file_patterns: string
  block_admin_merge_override: Flag
  /** Pull requests line up, and land only as they were tested together. */
  enable_merge_queue: Generated<Flag>
  /** The most pull requests that are tested together. */
  merge_queue_batch_size: Generated<number>
  /** How long the checks of a trial may take. */
  merge_queue_check_minutes: Generated<number>
  /** A style of merging. */
  merge_queue_style: Generated<string>
  created_at: Seconds
  updated_at: Seconds
}

/** The people and teams that a rule lists; exactly one of user_id and team_id is set. */
export interface BranchProtectionListsTable {
  protection_id: number
  list: "push" | "force_push" | "merge" | "approvals" | "bypass"
  user_id: number | null
  team_id: number | null
}

/** Who may make, move and delete tags whose names match. */
export interface TagProtectionsTable {
  id: Generated<number>
  repository_id: number
  /** A glob, or a regular expression between slashes. */
  name_pattern: string
  created_at: Seconds
  updated_at: Seconds
}

export interface TagProtectionListsTable {
  protection_id: number
  user_id: number | null
  team_id: number | null
}

/** The former name of a renamed branch. A branch that exists under this name takes precedence. */
export interface BranchRedirectsTable {
  repository_id: number
  name: string
  new_name: string
  created_at: Seconds
}

/** The status that a check reports for a commit. The newest of a context counts. */
export interface CommitStatusesTable {
  id: Generated<number>
  repository_id: number
  commit_id: string
  /** 1, 2, … for each commit. */
  number: number
  state: string
  context: string
  target_url: string
  description: string
  creator_id: number
  created_at: Seconds
}

export interface ProtectionTables {
  branch_protections: BranchProtectionsTable
  branch_redirects: BranchRedirectsTable
  branch_protection_lists: BranchProtectionListsTable
  tag_protections: TagProtectionsTable
  tag_protection_lists: TagProtectionListsTable
  commit_statuses: CommitStatusesTable
}
