import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Protections of branches and tags, former names of branches, and commit statuses. */
export const protections = { id: 4, name: "protections", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table(
    "branch_protections",
    {
      id: "id",
      repository_id: "reference",
      rule_name: "text",
      priority: "integer",
      enable_push: "flag",
      enable_push_whitelist: "flag",
      push_whitelist_deploy_keys: "flag",
      enable_force_push: "flag",
      enable_force_push_allowlist: "flag",
      force_push_allowlist_deploy_keys: "flag",
      enable_merge_whitelist: "flag",
      enable_bypass_allowlist: "flag",
      enable_status_check: "flag",
      status_check_contexts: ["text", "[]"],
      required_approvals: "integer",
      enable_approvals_whitelist: "flag",
      block_on_rejected_reviews: "flag",
      block_on_official_review_requests: "flag",
      block_on_outdated_branch: "flag",
      dismiss_stale_approvals: "flag",
      ignore_stale_approvals: "flag",
      require_signed_commits: "flag",
      protected_file_patterns: "text",
      unprotected_file_patterns: "text",
      block_admin_merge_override: "flag",
      created_at: "time",
      updated_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("branch_protections_rule", "branch_protections", ["repository_id", "rule_name"], true)
  await table(
    "tag_protections",
    { id: "id", repository_id: "reference", name_pattern: "text", created_at: "time", updated_at: "time" },
    {
      repository_id: "repositories",
    },
  )
  await index("tag_protections_pattern", "tag_protections", ["repository_id", "name_pattern"], true)
  const listed = { protection_id: "reference", user_id: "owned?", team_id: "owned?" } as const
  await table(
    "branch_protection_lists",
    { ...listed, list: "text" },
    { protection_id: "branch_protections", user_id: "users", team_id: "teams" },
  )
  await table("tag_protection_lists", listed, { protection_id: "tag_protections", user_id: "users", team_id: "teams" })
  for (const name of ["branch_protection_lists", "tag_protection_lists"]) {
    await index(`${name}_protection`, name, ["protection_id"])
    for (const column of ["user_id", "team_id"])
      await sql`create index ${sql.ref(`${name}_${column}`)} on ${sql.ref(name)} (${sql.ref(column)}) where ${sql.ref(column)} is not null`.execute(
        db,
      )
  }

  // What the API shows of a branch's commit is stored in its row, so that a list of branches reads no git objects.
  for (const [column, type] of [
    ["is_told", types.flag],
    ["author_name", types.text],
    ["author_email", types.text],
    ["authored_at", types.time],
    ["author_offset", types.integer],
    ["committer_name", types.text],
    ["committer_email", types.text],
  ] as const)
    await db.schema
      .alterTable("branches")
      .addColumn(column, type, (added) => added.notNull().defaultTo(type === types.text ? "" : 0))
      .execute()
  await db.schema.dropIndex("branches_committed").execute()
  await sql`create index branches_recent on branches (repository_id, committed_at desc, name)`.execute(db)
  await table(
    "branch_redirects",
    { repository_id: "reference", name: "text", new_name: "text", created_at: "time" },
    { repository_id: "repositories" },
    ["repository_id", "name"],
  )

  await table(
    "commit_statuses",
    {
      id: "id",
      repository_id: "reference",
      commit_id: "text",
      number: "integer",
      state: "text",
      context: "text",
      target_url: "text",
      description: "text",
      creator_id: "integer",
      created_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("commit_statuses_number", "commit_statuses", ["repository_id", "commit_id", "number"], true)
  await index("commit_statuses_context", "commit_statuses", ["repository_id", "commit_id", "context", "number"])
}
