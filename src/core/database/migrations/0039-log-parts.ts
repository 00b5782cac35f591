import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Logs of jobs come in parts, in rows and in files that are written once, as an object store has no files that grow. */
export const logParts = { id: 39, name: "log parts", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  await table(
    "action_log_parts",
    { task_id: "reference", start_at: "integer", size: "integer", file: "text" },
    { task_id: "action_tasks" },
    ["task_id", "start_at"],
  )
  await db.schema.alterTable("action_log_parts").addColumn("content", types.bytes).execute()
  await sql`create index action_log_parts_file on action_log_parts (file) where file <> ''`.execute(db)

  // What is not compressed becomes the first part; only a compressed log has its file in the row of the task. Files without bytes are swept.
  await sql`insert into action_log_parts (task_id, start_at, size, file)
    select id, 0, log_size, log_file from action_tasks where log_file <> '' and log_packed = 0 and log_size > 0`.execute(db)
  await sql`update action_tasks set log_file = '' where log_file <> '' and log_packed = 0`.execute(db)
  await sql`drop index action_tasks_unpacked`.execute(db)
  await sql`create index action_tasks_unpacked on action_tasks (stopped_at) where log_sealed = 1 and log_packed = 0 and log_size > 0`.execute(
    db,
  )
}
