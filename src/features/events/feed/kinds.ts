/** The kinds of activities, as the API names them. */
export const ACTIVITY_KINDS = [
  "create_repo",
  "rename_repo",
  "star_repo",
  "watch_repo",
  "commit_repo",
  "create_issue",
  "create_pull_request",
  "transfer_repo",
  "push_tag",
  "comment_issue",
  "merge_pull_request",
  "close_issue",
  "reopen_issue",
  "close_pull_request",
  "reopen_pull_request",
  "delete_tag",
  "delete_branch",
  "mirror_sync_push",
  "mirror_sync_create",
  "mirror_sync_delete",
  "approve_pull_request",
  "reject_pull_request",
  "comment_pull",
  "publish_release",
  "pull_review_dismissed",
  "pull_request_ready_for_review",
  "auto_merge_pull_request",
] as const

export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/** Whether the stored word is a known kind. */
export const isActivityKind = (word: string): word is ActivityKind => ACTIVITY_KINDS.some((kind) => kind === word)
