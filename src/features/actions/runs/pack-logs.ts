import { randomUUID } from "node:crypto"
import { pipeline } from "node:stream"
import { createGzip } from "node:zlib"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, keyOf, removeFiles } from "../files/files.ts"
import { removeLogParts } from "./log-parts-store.ts"
import { LogGone, openLog } from "./open-log.ts"
import { findUnpackedLogs, namePackedLog, type UnpackedLog } from "./tasks-store.ts"

/** The most logs that are compressed in one run of the task; the others wait for the next. */
const MOST_LOGS = 1_000

/** Compresses the logs of jobs that have ended: they are read rarely, and are a tenth of their size then. */
export const packLogs: Task = {
  name: "pack_logs",
  cron: "50 * * * *",
  async run(services, signal) {
    let packed = 0
    for (const log of await findUnpackedLogs(services.database.read, { now: services.now(), limit: MOST_LOGS })) {
      if (signal.aborted) break
      if (await pack(services, log)) packed++
    }
    return packed === 0 ? undefined : `${packed} compressed`
  },
}

/** Writes a compressed copy, and lets the row name it in place of the parts unless the log has expired meanwhile. Returns whether it did. */
async function pack(services: Services, { id, log_size: size, storage }: UnpackedLog): Promise<boolean> {
  const copy = { storage, file: randomUUID() }
  try {
    const text = await openLog(services, { taskId: id, storage }, size, { start: 0, end: size })
    const gzip = createGzip()
    pipeline(text, gzip, () => {})
    await services.blobs.write(keyOf(copy), gzip)
  } catch (error) {
    if (error instanceof LogGone) return false
    throw error
  }
  const isNamed = await services.database.write(async (tx) => {
    if ((await namePackedLog.changes(tx, { id, file: copy.file })) === 0) return false
    const parts = await removeLogParts(tx, [id])
    await removeFiles(
      tx,
      services,
      parts.map(({ file }) => ({ storage, file })),
    )
    return true
  })
  if (!isNamed) await discardFile(services, copy)
  return isNamed
}
