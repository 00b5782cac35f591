import type { Transaction } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { dropUpload } from "../uploads/uploads.ts"
import { removeCaches } from "./caches.ts"

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
    const inBatches = async (step: (tx: Transaction) => Promise<number>): Promise<number> => {
      let done = 0
      for (let batch = BATCH; batch === BATCH && !signal.aborted; done += batch) batch = await database.write(step)
      return done
    }
    const caches = await inBatches((tx) => removeUnused(tx, services))
    const uploads = await inBatches((tx) => dropAbandoned(tx, services))
    return caches + uploads === 0 ? undefined : `removed ${caches} caches, dropped ${uploads} uploads`
  },
}

async function removeUnused(tx: Transaction, services: Services): Promise<number> {
  const unused = await tx
    .selectFrom("action_caches")
    .innerJoin("repositories", "repositories.id", "action_caches.repository_id")
    .select(["action_caches.id", "action_caches.file", "repositories.storage"])
    .where("used_at", "<=", services.now() - services.config.actions.cacheSeconds)
    .orderBy("used_at")
    .limit(BATCH)
    .execute()
  await removeCaches(tx, services, unused)
  return unused.length
}

async function dropAbandoned(tx: Transaction, services: Services): Promise<number> {
  const abandoned = await tx
    .selectFrom("action_uploads")
    .innerJoin("action_tasks", "action_tasks.id", "action_uploads.task_id")
    .innerJoin("repositories", "repositories.id", "action_uploads.repository_id")
    .select(["action_uploads.id", "repositories.storage"])
    .where("action_tasks.state", "not in", ["running", "cancelling"])
    .where("action_uploads.created_at", "<", services.now() - GRACE)
    .orderBy("action_uploads.created_at")
    .limit(BATCH)
    .execute()
  for (const upload of abandoned) await dropUpload(tx, services, upload)
  return abandoned.length
}
