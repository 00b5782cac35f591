/** The scenarios whose operations are all there. The others wait for issues, contents, pull requests, projects and runners. */
export const covered = [
  "admin-users",
  "auth-forms",
  "auth-sudo-states",
  "orgs-basics",
  "orgs-members",
  "repos-create",
  "repos-lists",
  "repos-star-watch",
  "repos-topics-stars",
  "repos-transfer",
  "teams-basics",
  "teams-members",
  "users-follow",
  "users-profiles-search",
  "users-settings-emails",
] as const
