/** The scenarios that pass: all but repos-init, where one step counts the lines of a .gitignore that is not ours. */
export const covered = [
  "admin-access",
  "admin-cron-emails",
  "admin-hooks",
  "admin-hooks-list",
  "admin-job-life",
  "admin-runner-life",
  "admin-runners",
  "admin-runs",
  "admin-users",
  "auth-forms",
  "auth-scopes",
  "auth-sudo-states",
  "branch-protection",
  "branches",
  "comments-issue",
  "commit-statuses",
  "commits-compare",
  "contents-many",
  "contents-read",
  "contents-write",
  "dependencies",
  "errors-paging",
  "feeds-org-team",
  "feeds-user-repo",
  "git-objects",
  "issues-archived",
  "issues-assignees",
  "issues-create",
  "issues-edit",
  "issues-list",
  "issues-search",
  "issues-version-due",
  "keys-gpg",
  "keys-ssh",
  "labels-repo",
  "labels-shared",
  "locks-pins",
  "markup-modes",
  "milestones",
  "notifications-repo",
  "notifications-threads",
  "oauth2-apps",
  "orgs-basics",
  "orgs-members",
  "packages-generic",
  "projects-org",
  "projects-repo",
  "projects-user",
  "pulls-create",
  "pulls-edit",
  "pulls-files-update",
  "pulls-list",
  "pulls-merge",
  "pulls-merge-rules",
  "reactions",
  "repos-archive",
  "repos-create",
  "repos-edit",
  "repos-fork-generate",
  "repos-lists",
  "repos-people",
  "repos-rename-delete",
  "repos-search",
  "repos-star-watch",
  "repos-topics-stars",
  "repos-transfer",
  "reviews-manage",
  "reviews-replies",
  "reviews-requests",
  "reviews-write",
  "subscriptions-issue",
  "tags-releases",
  "teams-basics",
  "teams-members",
  "teams-repos",
  "timeline",
  "times-issue",
  "times-lists-stopwatches",
  "users-follow",
  "unadopted",
  "wiki-pages",
  "wiki-rights",
  "users-profiles-search",
  "users-settings-emails",
] as const

/** Steps of these that are answered otherwise on purpose. */
export const deviating: Readonly<Record<string, readonly string[]>> = {
  // The recorded server guesses the content type of the HTML from its first bytes.
  "markup-modes": ["POST /markdown/raw [alice]", "POST /markdown [alice]"],
  // Who is known and may not write is told 403; the recorded server asks them to sign in again.
  "packages-generic": ["PUT /../packages/{{alice}}/generic/tool/3/x [bruno]"],
  // Unknown templates and projects are invalid, as unknown licences and labels are; the recorded server gave 400.
  "repos-create": ["POST /user/repos [alice]"],
  "issues-create": ["POST /repos/{{alice}}/{{repo}}/issues [alice]"],
  "projects-repo": ["POST /repos/{{alice}}/{{repo}}/issues [alice]"],
  // Where the file alone is missing a 404 has a body, because clients tell by its message that it is.
  "contents-read": ["GET /repos/{{alice}}/{{repo}}/raw/docs [anonymous]", "GET /repos/{{alice}}/{{repo}}/raw/nowhere.txt [anonymous]"],
  // What changed at the moment itself changed neither after nor before it.
  "notifications-repo": [
    "GET /repos/{{alice}}/{{repo}}/notifications?before={{upd1}} [alice]",
    "GET /repos/{{alice}}/{{repo}}/notifications?since={{upd3}} [alice]",
  ],
  // Errors of RFC 6749: a wrong secret is invalid_client, a code or refresh token that is not good is invalid_grant. The document
  // has neither plain PKCE nor the implicit grant, and all scopes and claims.
  "oauth2-apps": [
    "GET /../../.well-known/openid-configuration [anonymous]",
    "POST /../../login/oauth/access_token [anonymous]",
    "POST /../../login/oauth/access_token [anonymous]",
    "POST /../../login/oauth/access_token [anonymous]",
  ],
  // The recorded server tells all callers whom a private person follows.
  "users-follow": ["GET /users/{{ned}}/following [ben]"],
}

/** Members of records that say otherwise on purpose, from a step of these on. */
export const differing: Readonly<Record<string, readonly { readonly from: number; readonly members: RegExp }[]>> = {
  // The recorded server forgets the settings of a unit that is switched off, and here only what is sent changes: a tracker and merge styles stay.
  "repos-edit": [
    { from: 19, members: /^body\.internal_tracker: missing/ },
    { from: 35, members: /^body\.(allow_\w+|default_\w+|autodetect_manual_merge|ignore_whitespace_conflicts): expected|^… \d+ more$/ },
  ],
  // The recorded server ends all watches of a repository that becomes private. Here those who may still see it go on watching.
  // It tells a fork's owner of a parent that has become private; here no one is told who may not see it.
  "repos-rename-delete": [
    { from: 20, members: /^body\.watchers_count: expected 0, got [12]$/ },
    { from: 23, members: /^body\.parent: missing/ },
  ],
}
