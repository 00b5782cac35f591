import { randomUUID } from "node:crypto"
import type { Cluster } from "../cluster/cluster.ts"
import type { Database } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Logger } from "../log.ts"
import type { TSchema } from "../schema.ts"
import type { Services } from "../services.ts"
import { type JobDefinition, writePayload } from "./definition.ts"
import { openClock, type Task } from "./schedule.ts"
import { releaseTasks, releaseTasksOf } from "./schedule-store.ts"
import { countJobs, insertJob, releaseJobs, releaseJobsOf } from "./store.ts"
import type { JobCount, Jobs } from "./types.ts"
import { openWorkers } from "./workers.ts"

export { defineJob, GiveUp, type JobDefinition, type JobRun, jobKind, NotYet } from "./definition.ts"
export type { Task } from "./schedule.ts"
export type { JobCount, JobKind, Jobs, ScheduledTask, TaskResult } from "./types.ts"

/** The outbox of one forge with its workers and its clock. */
export interface OpenJobs<C> extends Jobs {
  /** Starts the workers and the clock. Until then jobs can be stored, but none is run here. */
  readonly begin: (context: C, jobs: readonly JobDefinition<TSchema, C>[], schedule: readonly Task<C>[]) => Promise<void>
  /** Waits some seconds for running jobs, then interrupts the rest and releases them to be tried again. Leaves no timer and no listener. */
  readonly close: () => Promise<void>
}

export interface JobsOptions {
  readonly database: Database
  readonly log: Logger
  /** How many jobs run in this process at the same time. */
  readonly workers: number
  readonly now?: () => Seconds
  /** How long a claim holds without being renewed; 30 by default. Jobs of a killed process are claimed by another after that. */
  readonly leaseSeconds?: number
  /** Whether no other process uses this database yet: jobs of killed processes are then released at the start, before their claims expire. */
  readonly alone?: boolean
  /** The other processes of this server: those of them that die lose their claims at once. */
  readonly cluster?: Cluster | undefined
  /** How long `close` waits for running jobs; 10,000 ms by default. */
  readonly gracePeriodMs?: number
  readonly metrics?: JobMetrics
  /** Jobs run only in `drain`, and tasks only when asked for: nothing happens by itself, so that tests see the states between. */
  readonly halted?: boolean
}

/** The metrics of the outbox. */
export interface JobMetrics {
  /** An attempt ended after this many seconds. */
  readonly observeJob: (kind: string, result: "done" | "retried" | "failed", seconds: number) => void
  /** Sets what is called whenever the metrics are read. */
  readonly countJobs: (read: () => Promise<readonly JobCount[]>) => void
}

const CHANNEL = "jobs"
// Jobs stored in quick succession are announced once: on PostgreSQL every notification takes a lock that all commits share.
const NOTIFY_AFTER_MS = 50

/** Opens the outbox. Any number of processes may work on one PostgreSQL database. */
export function openJobs<C = Services>(options: JobsOptions): OpenJobs<C> {
  const {
    database,
    log,
    metrics,
    cluster,
    workers: count,
    leaseSeconds = 30,
    alone = false,
    gracePeriodMs = 10_000,
    halted = false,
  } = options
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const self = cluster?.self ?? randomUUID()
  const hasOthers = database.kind === "postgres" || cluster !== undefined
  let begun = false
  let closed = false
  let notifying: NodeJS.Timeout | undefined
  let stopListening = async (): Promise<void> => {}

  const workers = openWorkers<C>({
    database,
    log,
    now,
    workers: count,
    leaseSeconds,
    self,
    ended: (...end) => metrics?.observeJob(...end),
    full: notifyOthers,
    halted,
  })
  const clock = openClock<C>({ database, log, now, leaseSeconds, self, halted })
  const counts = () => countJobs(database.read)
  metrics?.countJobs(counts)

  /** Tells the other processes that more jobs are due than this one can take. */
  function notifyOthers(): void {
    if (hasOthers && !closed) notifying ??= setTimeout(() => void notifyNow(), NOTIFY_AFTER_MS)
  }

  async function notifyNow(): Promise<void> {
    notifying = undefined
    await database
      .notify(CHANNEL, self)
      .catch((error: unknown) => log.warn({ err: error }, "other processes can't be woken; they look by themselves"))
  }

  return {
    async enqueue(tx, job, payload, { runAt } = {}) {
      const at = runAt ?? now()
      const stored = await insertJob.first(tx, { kind: job.kind, payload: writePayload(job, payload), runAt: at, now: now() })
      database.afterCommit(tx, begun ? () => workers.wake(at) : notifyOthers)
      return stored?.id ?? 0
    },
    drain: workers.drain,
    counts,
    tasks: { list: clock.list, run: clock.run, request: clock.request },

    async begin(context, jobs, schedule) {
      if (alone)
        await database.write(async (tx) => {
          await releaseJobs(tx, { now: now() })
          await releaseTasks(tx)
        })
      if (hasOthers)
        stopListening = await database.listen(CHANNEL, (from) => {
          if (from !== self) workers.wake()
        })
      cluster?.onDeath(async (by) => {
        await database.write(async (tx) => {
          await releaseJobsOf(tx, { by, now: now() })
          await releaseTasksOf(tx, { by })
        })
        workers.wake()
        clock.wake()
      })
      workers.begin(context, jobs)
      begun = true
      await clock.begin(context, schedule)
    },

    async close() {
      await stopListening()
      await Promise.all([workers.close(gracePeriodMs), clock.close(gracePeriodMs)])
      closed = true
      if (notifying === undefined) return
      clearTimeout(notifying)
      await notifyNow()
    },
  }
}
