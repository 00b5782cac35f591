import { randomUUID } from "node:crypto"
import { createGzip } from "node:zlib"
import { writeAtomically } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, openFile, pathOf, removeFiles } from "../files/files.ts"
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

/** Writes a compressed copy, and lets the row name it unless the log has expired meanwhile. Returns whether it did. */
async function pack(services: Services, { id, log_file: file, log_size: size, storage }: UnpackedLog): Promise<boolean> {
  const original = { storage, file }
  const copy = { storage, file: randomUUID() }
  const handle = await openFile(services, original)
  if (!handle) return false
  const text = handle.createReadStream({ end: Math.max(0, size - 1) })
  const gzip = createGzip()
  text.on("error", (error) => gzip.destroy(error))
  await writeAtomically(pathOf(services, copy), text.pipe(gzip))
  const isNamed = await services.database.write(async (tx) => {
    const { numUpdatedRows } = await namePackedLog(tx, id, { from: file, to: copy.file })
    if (numUpdatedRows > 0n) await removeFiles(tx, services, [original])
    return numUpdatedRows > 0n
  })
  if (!isNamed) await discardFile(services, copy)
  return isNamed
}
