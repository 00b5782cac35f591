import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { pushMirror } from "./on-push.ts"
import { synchronize } from "./pull.ts"
import { pushOut } from "./push.ts"
import { findDueMirrors, findDuePushMirrors, postponeMirror, postponePushMirror } from "./store.ts"

/** The timeout of a large transfer: git's own limit, and time to check the received objects. */
export const TRANSFER_SECONDS = 3 * 3_600

// Failures are recorded and retried by the schedule; the job's attempts are for interrupted processes.
export const syncJob = defineJob({
  kind: "mirrors.sync",
  payload: Type.Object({ repositoryId: int64() }),
  attempts: 20,
  timeoutSeconds: TRANSFER_SECONDS,
  run: ({ repositoryId }, { context, signal }) => synchronize(context, repositoryId, signal),
})

export const pushJob = defineJob({
  ...pushMirror,
  attempts: 20,
  timeoutSeconds: TRANSFER_SECONDS,
  run: async ({ pushMirrorId }, { context, signal }) => {
    await pushOut(context, pushMirrorId, signal)
  },
})

/** Rows per transaction. */
const BATCH = 100
/** A synchronisation that stops without a result is retried after this many seconds at the latest. */
const LOST_AFTER = 3_600

/** Enqueues a job for every mirror that is due. */
export const updateMirrors: Task = {
  name: "update_mirrors",
  cron: "*/10 * * * *",
  run: async (services, signal) => {
    if (!services.config.mirror.enabled) return undefined
    const pulled = await enqueueDue(services, signal, async (tx, limit, until) => {
      const due = await findDueMirrors(tx, { now: services.now(), limit })
      for (const { repository_id: repositoryId, interval } of due) {
        await enqueueOnce(tx, services.jobs, syncJob, { repositoryId })
        await postponeMirror(tx, { repositoryId, until: until(interval) })
      }
      return due.length
    })
    const pushed = await enqueueDue(services, signal, async (tx, limit, until) => {
      const due = await findDuePushMirrors(tx, { now: services.now(), limit })
      for (const { id, interval } of due) {
        await enqueueOnce(tx, services.jobs, pushJob, { pushMirrorId: id })
        await postponePushMirror(tx, { id, until: until(interval) })
      }
      return due.length
    })
    return `${pulled} to be fetched, ${pushed} to be pushed`
  },
}

type Enqueue = (
  tx: Parameters<Parameters<Services["database"]["write"]>[0]>[0],
  limit: number,
  until: (interval: number) => number,
) => Promise<number>

/** Enqueues due rows in small transactions. Each row is postponed together with its job, so that the next query doesn't find it again. */
async function enqueueDue({ database, now }: Services, signal: AbortSignal, enqueue: Enqueue): Promise<number> {
  let sum = 0
  for (let found = BATCH; found === BATCH && !signal.aborted; sum += found)
    found = await database.write((tx) => enqueue(tx, BATCH, (interval) => now() + Math.max(interval, LOST_AFTER)))
  return sum
}
