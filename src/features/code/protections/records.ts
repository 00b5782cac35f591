import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** The styles of merging that a queue has: a fast-forward of a head would leave nothing to be tested together. */
export const QUEUE_STYLES = ["merge", "rebase", "rebase-merge", "squash"] as const
export type QueueStyle = (typeof QUEUE_STYLES)[number]

const flags = {
  enable_push: Type.Boolean({ description: "without it no one may push" }),
  enable_push_whitelist: Type.Boolean({ description: "only those listed push" }),
  push_whitelist_deploy_keys: Type.Boolean({ description: "deploy keys with write access count as listed" }),
  enable_force_push: Type.Boolean({ description: "people who may push may also force-push" }),
  enable_force_push_allowlist: Type.Boolean({ description: "only those listed may" }),
  force_push_allowlist_deploy_keys: Type.Boolean(),
  enable_merge_whitelist: Type.Boolean({ description: "only those listed merge" }),
  enable_bypass_allowlist: Type.Boolean({ description: "those listed may merge against the conditions" }),
  enable_status_check: Type.Boolean(),
  enable_approvals_whitelist: Type.Boolean({ description: "only approvals of those listed count" }),
  block_on_rejected_reviews: Type.Boolean(),
  block_on_official_review_requests: Type.Boolean(),
  block_on_outdated_branch: Type.Boolean(),
  dismiss_stale_approvals: Type.Boolean(),
  ignore_stale_approvals: Type.Boolean(),
  require_signed_commits: Type.Boolean(),
  block_admin_merge_override: Type.Boolean({ description: "the conditions bind administrators too" }),
  enable_merge_queue: Type.Boolean({
    description:
      "pull requests line up, and the branch moves only to commits that were tested; those who may bypass the rule may still push and merge",
  }),
}

const names = () => Type.Array(Type.String(), { maxItems: 1000 })
const lists = {
  push_whitelist_usernames: names(),
  push_whitelist_teams: names(),
  force_push_allowlist_usernames: names(),
  force_push_allowlist_teams: names(),
  merge_whitelist_usernames: names(),
  merge_whitelist_teams: names(),
  bypass_allowlist_usernames: names(),
  bypass_allowlist_teams: names(),
  approvals_whitelist_username: names(),
  approvals_whitelist_teams: names(),
}

const others = {
  required_approvals: int64(),
  merge_queue_batch_size: int64({ minimum: 1, maximum: 50, description: "the most pull requests that are tested together" }),
  merge_queue_check_minutes: int64({ minimum: 1, maximum: 1440, description: "how long the required checks may take" }),
  merge_queue_style: oneOf(QUEUE_STYLES, { description: "how the queue makes commits" }),
  protected_file_patterns: Type.String({ maxLength: 20_000, description: "globs with semicolons between them" }),
  unprotected_file_patterns: Type.String({
    maxLength: 20_000,
    description: "globs with semicolons between them: with write access one may push changes of only these",
  }),
}

const contexts = () =>
  Type.Array(Type.String(), { maxItems: 100, description: "globs over the contexts of checks; without any all must succeed" })

export const BranchProtection = record("BranchProtection", {
  branch_name: Type.String({ description: "deprecated: the rule's name where it is no pattern" }),
  rule_name: Type.String(),
  priority: int64({ description: "of several rules that are about a branch, the one with the lowest counts" }),
  ...flags,
  ...lists,
  ...others,
  status_check_contexts: nullable(contexts()),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type BranchProtection = Static<typeof BranchProtection>

const options = Type.optionals({
  priority: int64({ minimum: 0, description: "of a new rule 0 stands for the last" }),
  ...flags,
  ...lists,
  ...others,
  status_check_contexts: contexts(),
})

export const CreateBranchProtectionOption = record("CreateBranchProtectionOption", {
  rule_name: Type.Optional(Type.String({ description: "a branch's name, or a glob over names" })),
  branch_name: Type.Optional(Type.String({ description: "deprecated: the rule's name where no rule_name is sent" })),
  ...options,
})
export type CreateBranchProtectionOption = Static<typeof CreateBranchProtectionOption>

export const EditBranchProtectionOption = record("EditBranchProtectionOption", options)
export type EditBranchProtectionOption = Static<typeof EditBranchProtectionOption>

export const UpdateBranchProtectionPriories = record("UpdateBranchProtectionPriories", {
  ids: Type.Optional(Type.Array(int64(), { maxItems: 1000, description: "rules in their new order" })),
})

export const TagProtection = record("TagProtection", {
  id: int64(),
  name_pattern: Type.String({ description: "a glob, or a regular expression between slashes" }),
  whitelist_usernames: names(),
  whitelist_teams: names(),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type TagProtection = Static<typeof TagProtection>

const tagOptions = {
  name_pattern: Type.Optional(Type.String({ description: "a glob, or a regular expression between slashes" })),
  whitelist_usernames: Type.Optional(names()),
  whitelist_teams: Type.Optional(names()),
}

export const CreateTagProtectionOption = record("CreateTagProtectionOption", tagOptions)
export const EditTagProtectionOption = record("EditTagProtectionOption", tagOptions)
export type TagProtectionOption = Static<typeof CreateTagProtectionOption>
