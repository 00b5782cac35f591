import { untilFewer } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { removeFiles } from "../files/files.ts"
import { removeUsedRunners } from "../runners/store.ts"
import { removeLogParts } from "../runs/log-parts-store.ts"
import { removeSummariesOfJobs } from "../runs/summaries-store.ts"
import { changeTasks, findOldLogs } from "../runs/tasks-store.ts"
import { expireArtifacts, findExpiredArtifacts } from "./store.ts"

/** Seconds that logs are kept. */
const LOGS_KEPT = 365 * 24 * 3600

// Small enough not to delay other writers.
const BATCH = 100

/** Removes expired artifacts, logs older than a year, and single-use runners that have had their job. */
export const cleanUpActions: Task = {
  name: "cleanup_actions",
  cron: "35 0 * * *",
  async run(services, signal) {
    const { database } = services
    const now = services.now()
    const artifacts = await untilFewer(BATCH, signal, () => database.write((tx) => removeExpired(tx, services)))
    const logs = await untilFewer(BATCH, signal, () => database.write((tx) => expireLogs(tx, services)))
    const runners = await untilFewer(BATCH, signal, () => database.write((tx) => removeUsedRunners(tx, { now, limit: BATCH })))
    return `${artifacts} artifacts expired, ${logs} logs, ${runners} runners removed`
  },
}

async function removeExpired(tx: Transaction, services: Services): Promise<number> {
  const now = services.now()
  const due = await findExpiredArtifacts(tx, now, BATCH)
  if (due.length === 0) return 0
  const ids = due.map(({ id }) => id)
  await expireArtifacts(tx, ids, now)
  await removeFiles(tx, services, due)
  return due.length
}

async function expireLogs(tx: Transaction, services: Services): Promise<number> {
  const old = await findOldLogs(tx, services.now() - LOGS_KEPT, BATCH)
  if (old.length === 0) return 0
  const gone = { log_expired: 1, log_file: "", log_end: "", log_lines: 0, log_size: 0 } as const
  const ids = old.map(({ id }) => id)
  await changeTasks(tx, ids, gone)
  const parts = await removeLogParts(tx, ids)
  const storageOf = new Map(old.map(({ id, storage }) => [id, storage]))
  const jobIds = old.map(({ job_id }) => job_id)
  await removeSummariesOfJobs(tx, jobIds)
  await removeFiles(tx, services, [...old, ...parts.map(({ task_id, file }) => ({ storage: storageOf.get(task_id) ?? "", file }))])
  return old.length
}
