import { Cron } from "croner"
import type { Database } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Logger } from "../log.ts"
import { redact } from "../redact.ts"
import type { Services } from "../services.ts"
import { waitAtMost } from "../timeout.ts"
import { createAlarm } from "./alarm.ts"
import { claimDueTask, claimTaskNow, endTask, listScheduled, putDue, putNextRun, renewTask } from "./schedule-store.ts"
import type { TaskResult, Tasks } from "./types.ts"

/** Something that the clock starts. */
export interface Task<C = Services> {
  readonly name: string
  /** A cron expression of five fields, or @hourly, @daily, @midnight, @weekly, @monthly, @annually; in UTC. Absent: it runs only when asked for. */
  readonly cron?: string
  /** Does the work and may return a message about its result. Only one machine runs it at a time; the signal is aborted when the forge closes. */
  readonly run: (context: C, signal: AbortSignal) => Promise<string | undefined>
}

export interface Clock<C> extends Tasks {
  readonly begin: (context: C, tasks: readonly Task<C>[]) => Promise<void>
  /** Looks whether a task is due. */
  readonly wake: () => void
  readonly close: (gracePeriodMs: number) => Promise<void>
}

export interface ClockOptions {
  readonly database: Database
  readonly log: Logger
  readonly now: () => Seconds
  readonly leaseSeconds: number
  /** The name of this process, by which its claims are known. */
  readonly self: string
  /** Runs tasks only when they are asked for. */
  readonly halted: boolean
}

const MESSAGE_LENGTH = 2_000
const AFTER_TROUBLE_MS = 60_000

interface Running {
  readonly name: string
  readonly claimedAt: Seconds
  /** Ends it when its claim is lost. */
  readonly controller: AbortController
  readonly finished: Promise<TaskResult>
}

/** The next time of a cron expression after a moment; 0 (never) without an expression. Throws if the expression is invalid. */
export function nextRun(cron: string | undefined, after: Seconds): Seconds {
  if (cron === undefined) return Number.MAX_SAFE_INTEGER
  const next = new Cron(cron, { utcOffset: 0, mode: "5-part" }).nextRun(new Date(after * 1000))
  return next === null ? Number.MAX_SAFE_INTEGER : Math.floor(next.getTime() / 1000)
}

/**
 * The clock: runs tasks at their times. Of several machines on one database one runs each task. A run that was missed while no
 * process was running is made up for once, at the start.
 */
export function openClock<C>({ database, log, now, leaseSeconds, self, halted }: ClockOptions): Clock<C> {
  const running = new Set<Running>()
  const controller = new AbortController()
  let begun: { readonly context: C; readonly tasks: readonly Task<C>[] } | undefined
  const alarm = createAlarm(() => void tick())
  const renewal = createAlarm(() => void renew())

  async function tick(): Promise<void> {
    if (begun === undefined || halted || controller.signal.aborted) return
    try {
      const rows = new Map((await listScheduled(database.read)).map((row) => [row.name, row]))
      let next = Number.POSITIVE_INFINITY
      for (const task of begun.tasks) {
        const row = rows.get(task.name)
        if (row === undefined) continue
        const due = Math.max(row.next_run_at, row.held_until)
        if (due > now()) next = Math.min(next, due)
        else next = Math.min(next, await startDue(task, begun.context))
      }
      alarm.set((next - now()) * 1000)
    } catch (error) {
      log.error({ err: error }, "the schedule can't be read")
      alarm.set(AFTER_TROUBLE_MS)
    }
  }

  /** Starts a task that is due, unless another machine has claimed it, and returns its next time. */
  async function startDue(task: Task<C>, context: C): Promise<Seconds> {
    const claimedAt = now()
    const next = nextRun(task.cron, claimedAt)
    if (
      await database.write((tx) => claimDueTask(tx, { name: task.name, by: self, now: claimedAt, until: claimedAt + leaseSeconds, next }))
    )
      start(task, context, claimedAt)
    return next
  }

  function start(task: Task<C>, context: C, claimedAt: Seconds): Promise<TaskResult> {
    const lost = new AbortController()
    const entry: Running = {
      name: task.name,
      claimedAt,
      controller: lost,
      finished: perform(task, context, claimedAt, AbortSignal.any([controller.signal, lost.signal])).finally(() => running.delete(entry)),
    }
    running.add(entry)
    if (running.size === 1) renewal.set((leaseSeconds * 1000) / 3)
    return entry.finished
  }

  async function perform(task: Task<C>, context: C, claimedAt: Seconds, signal: AbortSignal): Promise<TaskResult> {
    let status: "ok" | "failed" = "ok"
    let message = ""
    try {
      message = (await task.run(context, signal)) ?? ""
    } catch (error) {
      status = "failed"
      message = redact(error instanceof Error ? error.message : String(error))
      log.error({ task: task.name, err: error }, "a scheduled task failed")
    }
    try {
      await database.write((tx) => endTask(tx, { name: task.name, claimedAt, status, message: message.slice(0, MESSAGE_LENGTH) }))
    } catch (error) {
      log.error({ task: task.name, err: error }, "the end of a scheduled task can't be written down")
    }
    return status
  }

  async function renew(): Promise<void> {
    if (running.size === 0) return
    try {
      const until = now() + leaseSeconds
      const lost = await database.write(async (tx) => {
        const gone: Running[] = []
        for (const entry of [...running]) {
          const { name, claimedAt } = entry
          if (!(await renewTask(tx, { name, claimedAt, until }))) gone.push(entry)
        }
        return gone
      })
      for (const entry of lost) if (running.has(entry)) entry.controller.abort(new Error("its claim ran out"))
    } catch (error) {
      log.error({ err: error }, "claims of scheduled tasks can't be renewed")
    }
    renewal.set((leaseSeconds * 1000) / 3)
  }

  return {
    async begin(context, tasks) {
      const rows = new Map((await listScheduled(database.read)).map((row) => [row.name, row.next_run_at]))
      const changed = tasks.flatMap(({ name, cron }) => {
        const known = rows.get(name) || Number.POSITIVE_INFINITY
        // An expression that became more frequent counts from now on; a run that was missed stays due.
        const next = Math.min(known, nextRun(cron, now()))
        return next === known ? [] : [{ name, next }]
      })
      if (changed.length > 0)
        await database.write(async (tx) => {
          for (const each of changed) await putNextRun(tx, each)
        })
      begun = { context, tasks }
      await tick()
    },

    wake: () => void tick(),

    async list() {
      const rows = new Map((await listScheduled(database.read)).map((row) => [row.name, row]))
      return (begun?.tasks ?? []).map(({ name, cron }) => {
        const row = rows.get(name)
        return {
          name,
          cron,
          nextRunAt: cron === undefined ? 0 : (row?.next_run_at ?? 0),
          lastRunAt: row?.last_run_at ?? 0,
          runs: row?.runs ?? 0,
          lastStatus: row?.last_status === "running" && row.held_until <= now() ? "interrupted" : (row?.last_status ?? ""),
          lastMessage: row?.last_message ?? "",
        }
      })
    },

    async run(name) {
      const task = begun?.tasks.find((each) => each.name === name)
      if (begun === undefined || task === undefined || controller.signal.aborted) return "unknown"
      const claimedAt = now()
      const claimed = await database.write((tx) => claimTaskNow(tx, { name, by: self, now: claimedAt, until: claimedAt + leaseSeconds }))
      return claimed ? start(task, begun.context, claimedAt) : "busy"
    },

    async request(name) {
      const task = begun?.tasks.find((each) => each.name === name)
      if (begun === undefined || task === undefined || controller.signal.aborted) return false
      await database.write((tx) => putDue(tx, { name, now: now() }))
      if (!halted) await tick()
      else {
        await startDue(task, begun.context)
        await Promise.all([...running].filter((entry) => entry.name === name).map(({ finished }) => finished))
      }
      return true
    },

    async close(gracePeriodMs) {
      controller.abort(new Error("the service is stopping"))
      alarm.stop()
      await waitAtMost(gracePeriodMs, Promise.all([...running].map(({ finished }) => finished)))
      renewal.stop()
    },
  }
}
