import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { type Columns, tableMaker } from "./table-maker.ts"

/** Runners, runs with their jobs, variables and secrets. */
export const actions = { id: 10, name: "actions", up }

/** A repository, a person or organisation, or neither, which is the site. */
const place = { repository_id: "owned?", owner_id: "owned?" } as const satisfies Columns
const placed = { repository_id: "repositories", owner_id: "users" }
const started = { started_at: "time", stopped_at: "time" } as const satisfies Columns

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table(
    "runners",
    {
      id: "id",
      ...place,
      uuid: "text",
      name: "text",
      version: "text",
      digest: "text",
      labels: ["text", "[]"],
      is_ephemeral: "flag",
      is_disabled: "flag",
      online_at: "time",
      active_at: "time",
      created_at: "time",
      updated_at: "time",
      deleted_at: "time",
    },
    placed,
  )
  await index("runners_uuid", "runners", ["uuid"], true)
  await index("runners_repository", "runners", ["repository_id", "id"])
  await index("runners_owner", "runners", ["owner_id", "id"])

  await table("runner_registrations", { id: "id", ...place, digest: "text", sealed_token: "text", created_at: "time" }, placed)
  await index("runner_registrations_digest", "runner_registrations", ["digest"], true)
  await index("runner_registrations_repository", "runner_registrations", ["repository_id"])
  await index("runner_registrations_owner", "runner_registrations", ["owner_id"])
  await sql`create unique index runner_registrations_place on runner_registrations (coalesce(repository_id, 0), coalesce(owner_id, 0))`.execute(
    db,
  )

  await runTables(db, types)

  const named: Columns = { id: "id", ...place, name: "text", description: "text", created_at: "time", updated_at: "time" }
  await table("action_variables", { ...named, data: "text" }, placed)
  await table("action_secrets", { ...named, sealed_data: "text" }, placed)
  for (const name of ["action_variables", "action_secrets"]) {
    await index(`${name}_repository`, name, ["repository_id", "name"], true)
    await index(`${name}_owner`, name, ["owner_id", "name"], true)
  }

  await table("disabled_workflows", { repository_id: "reference", workflow: "text" }, { repository_id: "repositories" }, [
    "repository_id",
    "workflow",
  ])
}

async function runTables(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table("action_counters", { repository_id: "reference", last_number: "integer" }, { repository_id: "repositories" }, [
    "repository_id",
  ])

  await table(
    "action_runs",
    {
      id: "id",
      repository_id: "reference",
      number: "integer",
      title: "text",
      workflow: "text",
      event: "text",
      payload: ["text", "{}"],
      ref: "text",
      commit_id: "text",
      checked_commit: ["text", "{}"],
      workflow_name: "text",
      workflow_folder: "text",
      needs_approval: "flag",
      pull_id: "integer",
      cause: "text",
      actor_id: "integer",
      state: "text",
      attempt: "integer",
      created_at: "time",
      ...started,
    },
    { repository_id: "repositories" },
  )
  await index("action_runs_repository", "action_runs", ["repository_id", "number"], true)
  await index("action_runs_newest", "action_runs", ["repository_id", "id"])
  await sql`create index action_runs_untaken on action_runs (repository_id, workflow) where state in ('waiting', 'blocked')`.execute(db)
  await sql`create index action_runs_cause on action_runs (cause) where cause <> ''`.execute(db)
  await index("action_runs_actor", "action_runs", ["actor_id", "id"])
  for (const column of ["state", "event", "ref", "commit_id"]) await index(`action_runs_${column}`, "action_runs", [column, "id"])

  await table(
    "action_schedules",
    { id: "id", repository_id: "reference", workflow: "text", line: "text", next_at: "time" },
    { repository_id: "repositories" },
  )
  await index("action_schedules_repository", "action_schedules", ["repository_id"])
  await index("action_schedules_due", "action_schedules", ["next_at"])

  await table(
    "action_attempts",
    { id: "id", run_id: "reference", number: "integer", actor_id: "integer", state: "text", created_at: "time", ...started },
    { run_id: "action_runs" },
  )
  await index("action_attempts_run", "action_attempts", ["run_id", "number"], true)

  await table(
    "action_jobs",
    {
      id: "id",
      run_id: "reference",
      repository_id: "reference",
      attempt: "integer",
      key: "text",
      name: "text",
      needs: ["text", "[]"],
      condition: "text",
      labels: ["text", "[]"],
      definition: ["text", "{}"],
      continue_on_error: "flag",
      state: "text",
      runner_id: "integer",
      original_id: "integer",
      created_at: "time",
      ...started,
    },
    { run_id: "action_runs", repository_id: "repositories" },
  )
  await index("action_jobs_run", "action_jobs", ["run_id", "attempt", "id"])
  await index("action_jobs_repository", "action_jobs", ["repository_id", "id"])
  await index("action_jobs_state", "action_jobs", ["state", "id"])

  await table(
    "action_tasks",
    {
      id: "id",
      job_id: "reference",
      repository_id: "reference",
      runner_id: "integer",
      state: "text",
      digest: "text",
      log_file: "text",
      log_lines: "integer",
      log_size: "integer",
      log_sealed: "flag",
      log_expired: "flag",
      created_at: "time",
      ...started,
      updated_at: "time",
    },
    { job_id: "action_jobs", repository_id: "repositories" },
  )
  await index("action_tasks_job", "action_tasks", ["job_id", "id"])
  await index("action_tasks_repository", "action_tasks", ["repository_id", "id"])
  await index("action_tasks_runner", "action_tasks", ["runner_id"])
  await sql`create index action_tasks_active on action_tasks (updated_at) where state in ('running', 'cancelling')`.execute(db)
  await sql`create index action_tasks_logs on action_tasks (stopped_at) where log_expired = 0`.execute(db)
  await sql`create index action_tasks_file on action_tasks (log_file) where log_file <> ''`.execute(db)

  await table(
    "action_steps",
    { task_id: "reference", number: "integer", name: "text", state: "text", ...started },
    { task_id: "action_tasks" },
    ["task_id", "number"],
  )

  await table(
    "action_artifacts",
    {
      id: "id",
      run_id: "reference",
      repository_id: "reference",
      attempt: "integer",
      name: "text",
      file: "text",
      size: "integer",
      sha256: "text",
      is_expired: "flag",
      created_at: "time",
      updated_at: "time",
      expires_at: "time",
    },
    { run_id: "action_runs", repository_id: "repositories" },
  )
  await index("action_artifacts_run", "action_artifacts", ["run_id", "id"])
  await index("action_artifacts_name", "action_artifacts", ["run_id", "attempt", "name"], true)
  await index("action_artifacts_repository", "action_artifacts", ["repository_id", "id"])
  await sql`create index action_artifacts_file on action_artifacts (file) where file <> ''`.execute(db)
  await sql`create index action_artifacts_due on action_artifacts (expires_at) where is_expired = 0`.execute(db)
}
