import { randomUUID } from "node:crypto"
import { createGzip } from "node:zlib"
import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import { writeAtomically } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, openFile, pathOf, removeFiles } from "../files/files.ts"

/** The most logs that are compressed in one run of the task; the others wait for the next. */
const MOST_LOGS = 1_000

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isUnpacked = sql<SqlBool>`log_sealed = 1 and log_packed = 0 and log_file <> ''`

const findUnpacked = query("actions.findUnpackedLogs", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select(["action_tasks.id", "action_tasks.log_file", "action_tasks.log_size", "repositories.storage"])
    .where(isUnpacked)
    .where("action_tasks.stopped_at", ">", 0)
    .where("action_tasks.stopped_at", "<=", p.now)
    .orderBy("action_tasks.stopped_at")
    .limit(p.limit),
)
type Unpacked = Awaited<ReturnType<typeof findUnpacked>>[number]

/** Compresses the logs of jobs that have ended: they are read rarely, and are a tenth of their size then. */
export const packLogs: Task = {
  name: "pack_logs",
  cron: "50 * * * *",
  async run(services, signal) {
    let packed = 0
    for (const log of await findUnpacked(services.database.read, { now: services.now(), limit: MOST_LOGS })) {
      if (signal.aborted) break
      if (await pack(services, log)) packed++
    }
    return packed === 0 ? undefined : `${packed} compressed`
  },
}

/** Writes a compressed copy, and lets the row name it unless the log has expired meanwhile. Returns whether it did. */
async function pack(services: Services, { id, log_file: file, log_size: size, storage }: Unpacked): Promise<boolean> {
  const original = { storage, file }
  const copy = { storage, file: randomUUID() }
  const handle = await openFile(services, original)
  if (!handle) return false
  const text = handle.createReadStream({ end: Math.max(0, size - 1) })
  const gzip = createGzip()
  text.on("error", (error) => gzip.destroy(error))
  await writeAtomically(pathOf(services, copy), text.pipe(gzip))
  const isNamed = await services.database.write(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("action_tasks")
      .set({ log_file: copy.file, log_packed: 1 })
      .where("id", "=", id)
      .where("log_file", "=", file)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await removeFiles(tx, services, [original])
    return numUpdatedRows > 0n
  })
  if (!isNamed) await discardFile(services, copy)
  return isNamed
}
