import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** What runners are given and report, and what decides when a job may start. */
export const runnerProtocol = { id: 19, name: "runner_protocol", up }

/** The columns by table; `object` and `list` are texts in JSON. All are empty in rows that exist already. */
const COLUMNS = {
  runners: { capabilities: "list" },
  action_runs: {
    definition: "object",
    error: "text",
    is_untrusted: "flag",
    concurrency_group: "text",
    called: "object",
    is_held: "flag",
    is_cancelled: "flag",
  },
  action_jobs: {
    outputs: "object",
    error: "text",
    permissions: "object",
    timeout_minutes: "integer",
    concurrency_group: "text",
    is_held: "flag",
    parent_id: "integer",
    call: "object",
    is_unexpanded: "flag",
  },
  action_tasks: { reported_at: "time", log_end: "text", log_packed: "flag" },
  action_steps: { log_line: "integer", log_lines: "integer" },
} as const

const EMPTY = { list: "[]", object: "{}", text: "", flag: 0, integer: 0, time: 0 } as const

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS))
    for (const [name, type] of Object.entries<keyof typeof EMPTY>(columns))
      await db.schema
        .alterTable(table)
        .addColumn(name, type === "list" || type === "object" ? types.text : types[type], (column) =>
          column.notNull().defaultTo(EMPTY[type]),
        )
        .execute()

  await sql`create index action_tasks_digest on action_tasks (digest) where state in ('running', 'cancelling')`.execute(db)
  await sql`create index action_jobs_ready on action_jobs (repository_id, id) where state = 'waiting'`.execute(db)
  await sql`create index action_jobs_busy on action_jobs (repository_id) where state in ('running', 'cancelling')`.execute(db)
  await sql`create index action_tasks_unpacked on action_tasks (stopped_at) where log_sealed = 1 and log_packed = 0 and log_file <> ''`.execute(
    db,
  )
  for (const table of ["action_runs", "action_jobs"])
    await sql`create index ${sql.ref(`${table}_group`)} on ${sql.table(table)} (repository_id, concurrency_group)
      where concurrency_group <> '' and state in ('blocked', 'waiting', 'running', 'cancelling')`.execute(db)
}
