import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { type Column, tableMaker } from "./table-maker.ts"

/** People, organisations, teams, repositories, the feed and the outbox. */
export const foundation = { id: 1, name: "foundation", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table("users", {
    id: "id",
    kind: "text",
    name: "text",
    lower_name: "text",
    full_name: "text",
    email: "text",
    description: "text",
    location: "text",
    website: "text",
    language: "text",
    theme: "text",
    diff_view_style: "text",
    visibility: ["text", "public"],
    avatar: "text",
    created_at: "time",
    updated_at: "time",
    last_login_at: "time",
    password_hash: "text",
    credentials_version: ["integer", 1],
    login_name: "text",
    source_id: "integer",
    is_admin: "flag",
    is_active: ["flag", 1],
    is_restricted: "flag",
    prohibit_login: "flag",
    must_change_password: "flag",
    hide_email: "flag",
    hide_activity: "flag",
    allow_create_organization: ["flag", 1],
    max_repositories: ["integer", -1],
    repo_admin_change_team_access: "flag",
    followers_count: "integer",
    following_count: "integer",
    stars_count: "integer",
    repositories_count: "integer",
  })
  await index("users_lower_name", "users", ["lower_name"], true)
  await index("users_kind_name", "users", ["kind", "lower_name"])

  await table("user_redirects", { lower_name: "text", user_id: "reference" }, { user_id: "users" }, ["lower_name"])
  await index("user_redirects_user", "user_redirects", ["user_id"])

  await table(
    "emails",
    { id: "id", user_id: "reference", email: "text", lower_email: "text", is_activated: "flag", is_primary: "flag", created_at: "time" },
    { user_id: "users" },
  )
  await index("emails_lower_email", "emails", ["lower_email"], true)
  await index("emails_user", "emails", ["user_id"])

  await table(
    "account_mails",
    { user_id: "reference", about: "text", lower_address: "text", sent_at: "time", wrong_codes: "integer" },
    { user_id: "users" },
    ["user_id", "about", "lower_address"],
  )

  await table(
    "access_tokens",
    {
      id: "id",
      user_id: "reference",
      name: "text",
      digest: "text",
      last_eight: "text",
      scopes: "text",
      created_at: "time",
      last_used_at: "time",
    },
    { user_id: "users" },
  )
  await index("access_tokens_digest", "access_tokens", ["digest"], true)
  await index("access_tokens_user_name", "access_tokens", ["user_id", "name"], true)

  await table(
    "two_factors",
    { user_id: "reference", sealed_secret: "text", last_step: "integer", created_at: "time" },
    { user_id: "users" },
    ["user_id"],
  )

  await table(
    "follows",
    { follower_id: "reference", followed_id: "reference", created_at: "time" },
    { follower_id: "users", followed_id: "users" },
    ["follower_id", "followed_id"],
  )
  await index("follows_followed", "follows", ["followed_id", "follower_id"])

  await table(
    "blocks",
    { id: "id", blocker_id: "reference", blocked_id: "reference", note: "text", created_at: "time" },
    { blocker_id: "users", blocked_id: "users" },
  )
  await index("blocks_pair", "blocks", ["blocker_id", "blocked_id"], true)
  await index("blocks_blocked", "blocks", ["blocked_id", "blocker_id"])

  await table("badges", { id: "id", slug: "text", description: "text", image_url: "text" })
  await index("badges_slug", "badges", ["slug"], true)
  await table("user_badges", { user_id: "reference", badge_id: "reference" }, { user_id: "users", badge_id: "badges" }, [
    "user_id",
    "badge_id",
  ])
  await index("user_badges_badge", "user_badges", ["badge_id"])

  await table(
    "organization_members",
    { organization_id: "reference", user_id: "reference", is_public: "flag" },
    { organization_id: "users", user_id: "users" },
    ["organization_id", "user_id"],
  )
  await index("organization_members_user", "organization_members", ["user_id", "organization_id"])

  await table(
    "teams",
    {
      id: "id",
      organization_id: "reference",
      name: "text",
      lower_name: "text",
      description: "text",
      mode: "integer",
      includes_all_repositories: "flag",
      can_create_repositories: "flag",
      visibility: ["text", "private"],
      created_at: "time",
    },
    { organization_id: "users" },
  )
  await index("teams_organization_name", "teams", ["organization_id", "lower_name"], true)
  await table("team_units", { team_id: "reference", unit: "text", mode: "integer" }, { team_id: "teams" }, ["team_id", "unit"])
  await table(
    "team_members",
    { team_id: "reference", user_id: "reference", organization_id: "reference" },
    { team_id: "teams", user_id: "users", organization_id: "users" },
    ["team_id", "user_id"],
  )
  await index("team_members_user", "team_members", ["user_id", "team_id"])
  await index("team_members_organization", "team_members", ["organization_id", "user_id"])

  const zero = (names: readonly string[]) => Object.fromEntries(names.map((name): [string, Column] => [name, "flag"]))
  const one = (names: readonly string[]) =>
    Object.fromEntries(names.map((name): [string, readonly [Column, number]] => [name, ["flag", 1]]))
  const counters = (names: readonly string[]) => Object.fromEntries(names.map((name): [string, Column] => [name, "integer"]))
  await table(
    "repositories",
    {
      id: "id",
      owner_id: "reference",
      name: "text",
      lower_name: "text",
      storage: "text",
      description: "text",
      website: "text",
      default_branch: "text",
      object_format: ["text", "sha1"],
      trust_model: ["text", "default"],
      original_url: "text",
      avatar: "text",
      ...zero(["is_private", "is_template", "is_mirror", "is_archived"]),
      ...one(["is_empty"]),
      archived_at: "time",
      fork_of_id: "reference?",
      template_id: "reference?",
      created_at: "time",
      updated_at: "time",
      git_size: "time",
      lfs_size: "time",
      language: "text",
      licenses: ["text", "[]"],
      topics: ["text", "[]"],
      ...one(["has_code", "has_issues", "has_pull_requests", "has_releases", "has_wiki", "has_projects", "has_packages", "has_actions"]),
      projects_mode: ["text", "all"],
      ...one(["enable_time_tracker", "allow_only_contributors_to_track_time", "enable_issue_dependencies"]),
      external_tracker_url: "text",
      external_tracker_format: "text",
      external_tracker_style: "text",
      external_tracker_regexp_pattern: "text",
      external_wiki_url: "text",
      ...zero(["ignore_whitespace_conflicts", "allow_manual_merge", "autodetect_manual_merge", "default_delete_branch_after_merge"]),
      ...one(["allow_merge_commits", "allow_rebase", "allow_rebase_explicit", "allow_squash_merge", "allow_fast_forward_only_merge"]),
      ...one(["allow_merge_update", "allow_rebase_update", "default_allow_maintainer_edit"]),
      default_merge_style: ["text", "merge"],
      default_update_style: ["text", "merge"],
      ...counters([
        "stars_count",
        "watchers_count",
        "forks_count",
        "branches_count",
        "open_issues_count",
        "open_pulls_count",
        "releases_count",
      ]),
    },
    { owner_id: "users", fork_of_id: "repositories", template_id: "repositories" },
  )
  await index("repositories_owner_name", "repositories", ["owner_id", "lower_name"], true)
  await index("repositories_storage", "repositories", ["storage"], true)
  await index("repositories_name", "repositories", ["lower_name"])
  await index("repositories_owner_updated", "repositories", ["owner_id", "updated_at"])
  await index("repositories_fork", "repositories", ["fork_of_id"])
  await index("repositories_template", "repositories", ["template_id"])

  await table(
    "repository_redirects",
    { owner_id: "reference", lower_name: "text", repository_id: "reference" },
    { owner_id: "users", repository_id: "repositories" },
    ["owner_id", "lower_name"],
  )
  await index("repository_redirects_repository", "repository_redirects", ["repository_id"])
  await table(
    "mirrors",
    {
      repository_id: "reference",
      interval: "integer",
      enable_prune: "flag",
      remote_url: "text",
      remote_username: "text",
      sealed_secret: "text",
      updated_at: "time",
      last_sync_at: "time",
      next_sync_at: "time",
    },
    { repository_id: "repositories" },
    ["repository_id"],
  )
  await table(
    "repository_transfers",
    { repository_id: "reference", doer_id: "reference", recipient_id: "reference", team_ids: ["text", "[]"], created_at: "time" },
    { repository_id: "repositories", doer_id: "users", recipient_id: "users" },
    ["repository_id"],
  )
  await index("repository_transfers_recipient", "repository_transfers", ["recipient_id"])
  await index("repository_transfers_doer", "repository_transfers", ["doer_id"])

  await table(
    "team_repositories",
    { team_id: "reference", repository_id: "reference", organization_id: "reference" },
    { team_id: "teams", repository_id: "repositories", organization_id: "users" },
    ["team_id", "repository_id"],
  )
  await index("team_repositories_repository", "team_repositories", ["repository_id", "team_id"])
  await index("team_repositories_organization", "team_repositories", ["organization_id"])
  await table(
    "collaborations",
    { repository_id: "reference", user_id: "reference", mode: "integer", created_at: "time" },
    { repository_id: "repositories", user_id: "users" },
    ["repository_id", "user_id"],
  )
  await index("collaborations_user", "collaborations", ["user_id", "repository_id"])

  await table(
    "stars",
    { user_id: "reference", repository_id: "reference", created_at: "time" },
    { user_id: "users", repository_id: "repositories" },
    ["user_id", "repository_id"],
  )
  await index("stars_repository", "stars", ["repository_id", "user_id"])
  await table(
    "watches",
    { user_id: "reference", repository_id: "reference", mode: ["text", "normal"], created_at: "time" },
    { user_id: "users", repository_id: "repositories" },
    ["user_id", "repository_id"],
  )
  await index("watches_repository", "watches", ["repository_id", "user_id"])

  await table("topics", { id: "id", name: "text", repositories_count: "integer", created_at: "time", updated_at: "time" })
  await index("topics_name", "topics", ["name"], true)
  await table(
    "repository_topics",
    { repository_id: "reference", topic_id: "reference" },
    { repository_id: "repositories", topic_id: "topics" },
    ["repository_id", "topic_id"],
  )
  await index("repository_topics_topic", "repository_topics", ["topic_id", "repository_id"])

  await table(
    "labels",
    {
      id: "id",
      repository_id: "owned?",
      organization_id: "owned?",
      name: "text",
      description: "text",
      color: "text",
      exclusive: "flag",
      is_archived: "flag",
      created_at: "time",
      updated_at: "time",
    },
    { repository_id: "repositories", organization_id: "users" },
  )
  await index("labels_repository", "labels", ["repository_id", "name"])
  await index("labels_organization", "labels", ["organization_id", "name"])

  await table(
    "branches",
    {
      id: "id",
      repository_id: "reference",
      name: "text",
      commit_id: "text",
      commit_message: "text",
      committed_at: "time",
      pusher_id: "integer",
      updated_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("branches_name", "branches", ["repository_id", "name"], true)
  await index("branches_committed", "branches", ["repository_id", "committed_at"])

  await table(
    "activities",
    {
      id: "id",
      receiver_id: "reference",
      actor_id: "integer",
      op_type: "text",
      repository_id: "reference",
      comment_id: "integer",
      ref_name: "text",
      is_private: "flag",
      is_hidden: "flag",
      content: "text",
      created_at: "time",
    },
    { receiver_id: "users", repository_id: "repositories" },
  )
  await index("activities_receiver", "activities", ["receiver_id", "created_at", "id"])
  await index("activities_repository", "activities", ["repository_id", "created_at", "id"])
  await index("activities_actor", "activities", ["actor_id", "created_at"])

  await table("jobs", {
    id: "id",
    kind: "text",
    payload: ["text", "{}"],
    state: ["text", "waiting"],
    attempts: "integer",
    run_at: "time",
    held_until: "time",
    last_error: "text",
    created_at: "time",
    finished_at: "time",
  })
  await index("jobs_kind", "jobs", ["kind", "state"])
  await sql`create index jobs_due on jobs (run_at, id) where state in ('waiting', 'running')`.execute(db)
  await sql`create index jobs_held on jobs (held_until) where state = 'running'`.execute(db)
  await sql`create index jobs_ended on jobs (state, finished_at) where state in ('done', 'failed')`.execute(db)
  await table(
    "schedule",
    {
      name: "text",
      last_run_at: "time",
      next_run_at: "time",
      held_until: "time",
      runs: "integer",
      last_status: "text",
      last_message: "text",
    },
    {},
    ["name"],
  )
}
