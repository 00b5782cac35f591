import { type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** Queries of the parts of logs that are not compressed yet. */

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isFile = sql<SqlBool>`action_log_parts.file <> ''`

/** The file of a log that is compressed. */
export const findPackedLog = query("actions.findPackedLog", (db, p: Params<{ taskId: number }>) =>
  db.selectFrom("action_tasks").select("log_file").where("id", "=", p.taskId).where("log_packed", "=", 1),
)

/** Some of the parts with the bytes from `at` to `end`, in their order. */
export const findLogParts = query("actions.findLogParts", (db, p: Params<{ taskId: number; at: number; end: number; limit: number }>) =>
  db
    .selectFrom("action_log_parts")
    .selectAll()
    .where("task_id", "=", p.taskId)
    .where("start_at", "<=", p.end)
    .where("start_at", ">=", (eb) =>
      eb
        .selectFrom("action_log_parts as first")
        .select((of) => of.fn.max("first.start_at").as("start_at"))
        .where("first.task_id", "=", p.taskId)
        .where("first.start_at", "<=", p.at),
    )
    .orderBy("start_at")
    .limit(p.limit),
)

/** The bytes of a log that are in rows, in their order. */
export const findLogRows = query("actions.findLogRows", (db, p: Params<{ taskId: number }>) =>
  db.selectFrom("action_log_parts").select("content").where("task_id", "=", p.taskId).where("file", "=", "").orderBy("start_at"),
)

export const insertLogRow = query("actions.insertLogRow", (db, p: Params<{ taskId: number; at: number; size: number; content: Buffer }>) =>
  db.insertInto("action_log_parts").values({ task_id: p.taskId, start_at: p.at, size: p.size, content: p.content }),
)

export const removeLogRows = query("actions.removeLogRows", (db, p: Params<{ taskId: number }>) =>
  db.deleteFrom("action_log_parts").where("task_id", "=", p.taskId).where("file", "=", ""),
)

export const insertLogFile = query("actions.insertLogFile", (db, p: Params<{ taskId: number; at: number; size: number; file: string }>) =>
  db.insertInto("action_log_parts").values({ task_id: p.taskId, start_at: p.at, size: p.size, file: p.file }),
)

/** Deletes the parts of logs, and gives those that were files. */
export async function removeLogParts(tx: Transaction, taskIds: readonly number[]) {
  const parts = await tx
    .deleteFrom("action_log_parts")
    .where(inList("action_log_parts.task_id", taskIds))
    .returning(["task_id", "file"])
    .execute()
  return parts.filter(({ file }) => file !== "")
}

export const findLogPartFilesOfRun = query("actions.findLogPartFilesOfRun", (db, p: Params<{ runId: number }>) =>
  db
    .selectFrom("action_log_parts")
    .innerJoin("action_tasks", "action_tasks.id", "action_log_parts.task_id")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select("action_log_parts.file")
    .where("action_jobs.run_id", "=", p.runId)
    .where(isFile),
)
