import { untilFewer } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { findAbandonedUploads } from "../uploads/store.ts"
import { dropUpload } from "../uploads/uploads.ts"
import { removeCaches } from "./caches.ts"
import { findUnusedCaches } from "./store.ts"

/** Small enough not to delay other writers. */
const BATCH = 100
/** Seconds before an upload whose job has ended is dropped: another process may just be ending it. */
const GRACE = 3600

/** Removes caches that no job has used for long, and uploads of jobs that have ended. */
export const cleanUpResults: Task = {
  name: "cleanup_results",
  cron: "20 * * * *",
  run: async (services, signal) => {
    const { database } = services
    const caches = await untilFewer(BATCH, signal, () => database.write((tx) => removeUnused(tx, services)))
    const uploads = await untilFewer(BATCH, signal, () => database.write((tx) => dropAbandoned(tx, services)))
    return caches + uploads === 0 ? undefined : `removed ${caches} caches, dropped ${uploads} uploads`
  },
}

async function removeUnused(tx: Transaction, services: Services): Promise<number> {
  const unused = await findUnusedCaches(tx, services.now() - services.config.actions.cacheSeconds, BATCH)
  await removeCaches(tx, services, unused)
  return unused.length
}

async function dropAbandoned(tx: Transaction, services: Services): Promise<number> {
  const abandoned = await findAbandonedUploads(tx, services.now() - GRACE, BATCH)
  for (const upload of abandoned) await dropUpload(tx, services, upload)
  return abandoned.length
}
