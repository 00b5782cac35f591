import { type Insertable, type Selectable, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionUploadPartsTable, ActionUploadsTable } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { isActive } from "../runs/tasks-store.ts"

/** Uploads that began before then and whose tasks have ended, with the storage key of their repositories. */
export const findAbandonedUploads = (db: Handle, before: Seconds, limit: number) =>
  db
    .selectFrom("action_uploads")
    .innerJoin("action_tasks", "action_tasks.id", "action_uploads.task_id")
    .innerJoin("repositories", "repositories.id", "action_uploads.repository_id")
    .select(["action_uploads.id", "repositories.storage"])
    .where("action_tasks.state", "not in", ["running", "cancelling"])
    .where("action_uploads.created_at", "<", before)
    .orderBy("action_uploads.created_at")
    .limit(limit)
    .execute()

export type Upload = Selectable<ActionUploadsTable>

export type Part = Selectable<ActionUploadPartsTable>

/** An upload of a task that still runs, with the storage key of its repository. */
export type OpenUpload = Upload & { readonly storage: string }

export const findNamedUpload = query(
  "actions.findNamedUpload",
  (db, p: Params<{ taskId: number; kind: Upload["kind"]; name: string; version: string }>) =>
    db
      .selectFrom("action_uploads")
      .selectAll()
      .where("task_id", "=", p.taskId)
      .where("kind", "=", p.kind)
      .where("name", "=", p.name)
      .where("version", "=", p.version),
)

export const countUploads = query("actions.countUploads", (db, p: Params<{ taskId: number }>) =>
  db
    .selectFrom("action_uploads")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("task_id", "=", p.taskId),
)

/** The upload while its task runs. */
export const findOpenUpload = query("actions.findOpenUpload", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("action_uploads")
    .innerJoin("action_tasks", "action_tasks.id", "action_uploads.task_id")
    .innerJoin("repositories", "repositories.id", "action_uploads.repository_id")
    .selectAll("action_uploads")
    .select("repositories.storage")
    .where("action_uploads.id", "=", p.id)
    .where(isActive),
)

export const findUploadParts = query("actions.findUploadParts", (db, p: Params<{ id: number }>) =>
  db.selectFrom("action_upload_parts").selectAll().where("upload_id", "=", p.id).orderBy("position").orderBy("name"),
)

const sumOfSizes = sql<number>`cast(coalesce(sum(size), 0) as bigint)`

export const findUploadSize = query("actions.findUploadSize", (db, p: Params<{ id: number; except: string }>) =>
  db
    .selectFrom("action_upload_parts")
    .select((eb) => [sumOfSizes.as("bytes"), eb.fn.countAll<number>().as("parts")])
    .where("upload_id", "=", p.id)
    .where("name", "<>", p.except),
)

export const findUploadSizeOfTask = query("actions.findUploadSizeOfTask", (db, p: Params<{ taskId: number; id: number; except: string }>) =>
  db
    .selectFrom("action_upload_parts")
    .innerJoin("action_uploads", "action_uploads.id", "action_upload_parts.upload_id")
    .select(sumOfSizes.as("bytes"))
    .where("action_uploads.task_id", "=", p.taskId)
    .where((eb) => eb.or([eb("upload_id", "<>", p.id), eb("action_upload_parts.name", "<>", p.except)])),
)

export const removeUploadPart = query("actions.removeUploadPart", (db, p: Params<{ id: number; name: string }>) =>
  db.deleteFrom("action_upload_parts").where("upload_id", "=", p.id).where("name", "=", p.name).returning("file"),
)

export const removeUpload = query("actions.removeUpload", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("action_uploads").where("id", "=", p.id),
)

export const insertUpload = (tx: Transaction, row: Insertable<ActionUploadsTable>) =>
  tx.insertInto("action_uploads").values(row).returningAll().executeTakeFirstOrThrow()

export const insertUploadPart = (tx: Transaction, row: Insertable<ActionUploadPartsTable>) =>
  tx.insertInto("action_upload_parts").values(row).execute()

export const writeOrder = async (tx: Transaction, id: number, names: readonly string[]): Promise<void> => {
  await tx
    .updateTable("action_uploads")
    .set({ parts: JSON.stringify(names) })
    .where("id", "=", id)
    .execute()
}
