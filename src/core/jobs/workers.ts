import type { Database } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Logger } from "../log.ts"
import { redact } from "../redact.ts"
import type { TSchema } from "../schema.ts"
import { waitAtMost, withTimeout } from "../timeout.ts"
import { createAlarm } from "./alarm.ts"
import { GiveUp, type JobDefinition, NotYet } from "./definition.ts"
import { GATHERING } from "./once.ts"
import { claimJobs, type Ending, endJob, findNextLapse, findNextWaiting, renewJob } from "./store.ts"

export interface WorkersOptions {
  readonly database: Database
  readonly log: Logger
  readonly now: () => Seconds
  /** How many jobs run in this process at the same time. */
  readonly workers: number
  /** How long a claim holds without being renewed, and so how long jobs of a killed process wait. Machines' clocks may differ by less than that. */
  readonly leaseSeconds: number
  /** The name of this process, by which its claims are known. */
  readonly self: string
  /** Called after every attempt, for the metrics. */
  readonly ended: (kind: string, result: "done" | "retried" | "failed", seconds: number) => void
  /** Called when more jobs are due than this process can take. */
  readonly full: () => void
  /** Claims jobs only in `drain`. */
  readonly halted: boolean
}

export interface Workers<C> {
  readonly begin: (context: C, definitions: readonly JobDefinition<TSchema, C>[]) => void
  /** Says that a job may be due now, or will be at the given time. */
  readonly wake: (at?: Seconds) => void
  /** Runs all jobs that are due or being gathered, and those that they make due, and waits until they have ended. */
  readonly drain: () => Promise<void>
  /** Claims no more jobs, waits this long for those that run, then interrupts the rest and releases them to be tried again. */
  readonly close: (gracePeriodMs: number) => Promise<void>
}

// Other processes on the same database may store jobs without being able to say so.
const LONGEST_SLEEP_SECONDS = 60
const AFTER_TROUBLE_MS = 5_000
const INTERRUPTED_MS = 1_000
const ERROR_LENGTH = 2_000

interface Job {
  readonly id: number
  readonly kind: string
  readonly payload: string
  readonly attempts: number
  readonly last_error: string
}

interface Held {
  readonly job: Job
  readonly controller: AbortController
  readonly finished: Promise<void>
}

/** Seconds until a failed job is tried again: 10, 20, 40 … up to an hour, each with up to half taken off, so that jobs that failed together are spread out. */
export const retryDelay = (attempt: number, chance: number): Seconds =>
  Math.ceil(Math.min(10 * 2 ** (attempt - 1), 3_600) * (1 - chance / 2))

/** The workers of one process. They sleep until something is due; asleep they cost one small query a minute. */
export function openWorkers<C>({ database, log, now, workers, leaseSeconds, self, ended, full, halted }: WorkersOptions): Workers<C> {
  const held = new Set<Held>()
  // Fewer than are held: the results of some are still being stored.
  let atWork = 0
  let begun: { readonly context: C; readonly kinds: ReadonlyMap<string, JobDefinition<TSchema, C>> } | undefined
  let closing = false
  let filling: Promise<void> | undefined
  let again = false
  let draining = 0
  const alarm = createAlarm(() => void fill())
  const renewal = createAlarm(() => void renew())

  /** Claims due jobs, up to the number of free workers. One round at a time; a call during a round causes another one. */
  function fill(): Promise<void> {
    if (closing || (halted && draining === 0)) return Promise.resolve()
    again = true
    filling ??= rounds()
    return filling
  }

  async function rounds(): Promise<void> {
    try {
      while (again && !closing) {
        again = false
        await take()
      }
    } catch (error) {
      log.error({ err: error }, "the outbox can't be read")
      alarm.set(AFTER_TROUBLE_MS)
    } finally {
      filling = undefined
    }
  }

  async function take(): Promise<void> {
    if (begun === undefined) return
    for (let free = workers - atWork; free > 0; free = workers - atWork) {
      const time = now()
      const due = draining > 0 ? time + GATHERING : time
      const claimed = await database.write((tx) => claimJobs(tx, { by: self, now: time, due, until: time + leaseSeconds, limit: free }))
      for (const job of claimed) start(job, begun)
      if (claimed.length < free) return sleep()
      if (closing) return
    }
    full()
  }

  async function sleep(): Promise<void> {
    const [waiting, lapse] = await Promise.all([findNextWaiting.first(database.read), findNextLapse.first(database.read)])
    const next = Math.min(waiting?.at ?? Number.POSITIVE_INFINITY, lapse?.at ?? Number.POSITIVE_INFINITY, now() + LONGEST_SLEEP_SECONDS)
    // A due job that wasn't claimed is being claimed by another process.
    alarm.set(Math.max(next - now(), 0.5) * 1000)
  }

  function start(job: Job, { context, kinds }: NonNullable<typeof begun>): void {
    const controller = new AbortController()
    const definition = kinds.get(job.kind)
    const work = async (): Promise<void> => {
      const started = performance.now()
      atWork++
      const ending = await attempt(job, definition, context, controller)
      atWork--
      // Not awaited, so that on SQLite the next claim and the end of this job share a commit.
      void fill()
      await settle(job, ending, (performance.now() - started) / 1000)
    }
    const entry: Held = {
      job,
      controller,
      finished: work().then(() => {
        held.delete(entry)
        void fill()
      }),
    }
    held.add(entry)
    if (held.size === 1) renewal.set((leaseSeconds * 1000) / 3)
  }

  async function attempt(
    job: Job,
    definition: JobDefinition<TSchema, C> | undefined,
    context: C,
    controller: AbortController,
  ): Promise<Ending> {
    const limit = definition?.attempts ?? 8
    try {
      if (job.attempts > limit)
        throw new GiveUp(`the process ended during its last try${job.last_error && `; before that: ${job.last_error}`}`)
      if (definition === undefined) throw new Error("this version knows no job of this kind")
      const { signal } = controller
      const run = definition.run(job.payload, { context, id: job.id, attempt: job.attempts, isLast: job.attempts >= limit, signal })
      await withTimeout(definition.timeoutSeconds * 1000, run, () => {
        const error = new Error(`it took longer than ${definition.timeoutSeconds} s`)
        controller.abort(error)
        return error
      })
      return { state: "done" }
    } catch (error) {
      const words = redact(error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH)
      if (closing && controller.signal.aborted) return { state: "returned", error: words, runAt: now() }
      if (error instanceof NotYet) return { state: "returned", error: words, runAt: error.runAt }
      const final = error instanceof GiveUp || job.attempts >= limit
      log[final ? "error" : "warn"](
        { job: job.kind, id: job.id, attempt: job.attempts, err: error },
        final ? "a job failed for good" : "a job failed",
      )
      if (final) return { state: "failed", error: words }
      return { state: "waiting", error: words, runAt: now() + retryDelay(job.attempts, Math.random()) }
    }
  }

  async function settle(job: Job, ending: Ending, seconds: number): Promise<void> {
    try {
      const kept = await database.write((tx) => endJob(tx, { id: job.id, attempts: job.attempts }, ending, now()))
      if (!kept) log.warn({ job: job.kind, id: job.id }, "a job ended after its claim had run out; it is tried again")
      else if (ending.state !== "returned") ended(job.kind, ending.state === "waiting" ? "retried" : ending.state, seconds)
    } catch (error) {
      log.error({ job: job.kind, id: job.id, err: error }, "the end of a job can't be written down; it is tried again")
    }
  }

  async function renew(): Promise<void> {
    if (held.size === 0) return
    try {
      const until = now() + leaseSeconds
      const lost = await database.write(async (tx) => {
        const gone: Held[] = []
        for (const entry of [...held])
          if (!(await renewJob(tx, { id: entry.job.id, attempts: entry.job.attempts }, until))) gone.push(entry)
        return gone
      })
      for (const entry of lost) if (held.has(entry)) entry.controller.abort(new Error("its claim ran out"))
    } catch (error) {
      log.error({ err: error }, "claims of jobs can't be renewed")
    }
    renewal.set((leaseSeconds * 1000) / 3)
  }

  const allFinished = () => Promise.all([...held].map(({ finished }) => finished))

  return {
    begin(context, definitions) {
      begun = { context, kinds: new Map(definitions.map((definition) => [definition.kind, definition])) }
      void fill()
    },
    wake(at = 0) {
      const wait = at - now()
      // A round under way may have missed it, and sets the alarm when it ends.
      if (wait > 0 && filling === undefined) alarm.setEarlier(wait * 1000)
      else void fill()
    },
    async drain() {
      if (begun === undefined) throw new Error("the workers have not begun")
      draining++
      try {
        for (;;) {
          await fill()
          if (held.size === 0) return
          await allFinished()
        }
      } finally {
        draining--
      }
    },
    async close(gracePeriodMs) {
      closing = true
      alarm.stop()
      await filling
      await waitAtMost(gracePeriodMs, allFinished())
      for (const { controller } of held) controller.abort(new Error("the service is stopping"))
      await waitAtMost(INTERRUPTED_MS, allFinished())
      renewal.stop()
      for (const { job } of held) await settle(job, { state: "returned", error: "the service stopped while it ran", runAt: now() }, 0)
      held.clear()
    },
  }
}
