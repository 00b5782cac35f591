import { type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { lockRows } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { removeFiles } from "../files/files.ts"
import { endTasks } from "./stop.ts"
import { isActive } from "./store.ts"
import { endJobs } from "./update.ts"

/** Clock tasks that end abandoned runs and jobs, and remove expired data. */

const HOUR = 3600
const DAY = 24 * HOUR

/** Seconds without a request from its runner after which a task is dead. */
const MOST_SILENCE = 600
/** Seconds that a job may wait for a runner, or for others of its run that don't move either. */
const LONGEST_WAIT = DAY
/** Seconds that logs are kept. */
const LOGS_KEPT = 365 * DAY

// Small enough not to delay other writers.
const BATCH = 100

/** Runs `step` in transactions of their own until one handles less than a whole batch. Returns the total. */
async function inBatches({ database }: Services, signal: AbortSignal, step: (tx: Transaction) => Promise<number>): Promise<number> {
  let done = 0
  for (let batch = BATCH; batch === BATCH && !signal.aborted; done += batch) batch = await database.write(step)
  return done
}

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isNotExpired = sql<SqlBool>`is_expired = 0`
const hasLog = sql<SqlBool>`log_expired = 0`

type Active = "running" | "cancelling"
const ENDS: Readonly<Record<Active, ActionState>> = { running: "failure", cancelling: "cancelled" }

const tasksIn = (db: Handle, state: Active) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select([
      "action_tasks.id",
      "action_tasks.job_id",
      "action_tasks.repository_id",
      "action_tasks.started_at",
      "action_jobs.run_id",
      "action_jobs.timeout_minutes",
    ])
    .where(isActive)
    .where("action_tasks.state", "=", state)
    .orderBy("action_tasks.id")
    .limit(BATCH)

const jobOfTask = ({ job_id, run_id }: ActiveTasks[number]) => ({ id: job_id, run_id })

type ActiveTasks = Awaited<ReturnType<ReturnType<typeof tasksIn>["execute"]>>

/** Ends tasks with their steps and jobs, and updates the runs. The last line of the log says why. */
async function end(tx: Transaction, services: Services, tasks: ActiveTasks, from: Active, reason: string): Promise<number> {
  if (tasks.length === 0) return 0
  const state = ENDS[from]
  // In the order of all who change a run; a runner may have reported the end of one until then.
  await lockRows(tx, "repositories", [...new Set(tasks.map(({ repository_id }) => repository_id))])
  await lockRows(tx, "action_runs", [...new Set(tasks.map(({ run_id }) => run_id))])
  const ids = tasks.map(({ id }) => id)
  const still = await tx.selectFrom("action_tasks").select("id").where("state", "=", from).where(inList("action_tasks.id", ids)).execute()
  const left = new Set(still.map(({ id }) => id))
  const ended = tasks.filter(({ id }) => left.has(id))
  await endTasks(tx, services, ended, { state, reason })
  if (ended.length > 0) await endJobs(tx, services, ended.map(jobOfTask), state)
  return tasks.length
}

/** Fails tasks whose runner has sent nothing for ten minutes. */
export const stopZombieTasks: Task = {
  name: "stop_zombie_tasks",
  cron: "*/5 * * * *",
  async run(services, signal) {
    const now = services.now()
    let stopped = 0
    for (const state of ["running", "cancelling"] as const)
      stopped += await inBatches(services, signal, async (tx) => {
        const silent = await tasksIn(tx, state)
          .where("action_tasks.updated_at", "<", now - MOST_SILENCE)
          .execute()
        return end(tx, services, silent, state, `The runner has sent nothing for ${MOST_SILENCE / 60} minutes.`)
      })
    return `${stopped} stopped`
  },
}

/** Fails tasks that run for longer than their job, or the site, allows. */
export const stopEndlessTasks: Task = {
  name: "stop_endless_tasks",
  cron: "* * * * *",
  async run(services, signal) {
    const now = services.now()
    const most = services.config.actions.maxJobMinutes
    let stopped = 0
    for (const state of ["running", "cancelling"] as const)
      stopped += await inBatches(services, signal, async (tx) => {
        const minutes = sql<number>`case when action_jobs.timeout_minutes between 1 and ${most} then action_jobs.timeout_minutes else ${most} end`
        const overdue = await tasksIn(tx, state)
          .where("action_tasks.started_at", ">", 0)
          .where(sql<SqlBool>`action_tasks.started_at + 60 * (${minutes}) < ${now}`)
          .execute()
        for (const [limit, tasks] of Map.groupBy(overdue, ({ timeout_minutes }) => Math.min(timeout_minutes || most, most)))
          await end(tx, services, tasks, state, `The job has run for longer than ${limit} minutes, the most that it may.`)
        return overdue.length
      })
    return `${stopped} stopped`
  },
}

/** Cancels jobs that no runner has taken for a day. What was blocked for so long goes too where nothing of its run is in motion, as without an approval. */
export const cancelAbandonedJobs: Task = {
  name: "cancel_abandoned_jobs",
  cron: "25 */6 * * *",
  async run(services, signal) {
    const now = services.now()
    const cancelled = await inBatches(services, signal, async (tx) => {
      const jobs = await tx
        .selectFrom("action_jobs")
        .select(["id", "run_id"])
        .where("state", "in", ["waiting", "blocked"])
        .where("created_at", "<", now - LONGEST_WAIT)
        .where((eb) =>
          eb.or([
            eb.and([eb("state", "=", "waiting"), eb("queued_at", "<", now - LONGEST_WAIT)]),
            eb.and([
              eb("state", "=", "blocked"),
              eb.not(
                eb.exists(
                  eb
                    .selectFrom("action_jobs as moving")
                    .select("moving.id")
                    .whereRef("moving.run_id", "=", "action_jobs.run_id")
                    .whereRef("moving.attempt", "=", "action_jobs.attempt")
                    .where("moving.call", "=", "{}")
                    .where((of) =>
                      of.or([
                        of("moving.state", "in", ["running", "cancelling"]),
                        of.and([of("moving.state", "=", "waiting"), of("moving.queued_at", ">=", now - LONGEST_WAIT)]),
                      ]),
                    ),
                ),
              ),
            ]),
          ]),
        )
        // Jobs that call a workflow follow those that they have called.
        .where("call", "=", "{}")
        .orderBy("id")
        .limit(BATCH)
        .execute()
      if (jobs.length > 0) await endJobs(tx, services, jobs, "cancelled", `No runner has taken the job for ${LONGEST_WAIT / HOUR} hours.`)
      return jobs.length
    })
    return `${cancelled} cancelled`
  },
}

/** Removes expired artifacts, logs older than a year, and single-use runners that have had their job. */
export const cleanUpActions: Task = {
  name: "cleanup_actions",
  cron: "35 0 * * *",
  async run(services, signal) {
    const now = services.now()
    const artifacts = await inBatches(services, signal, (tx) => expireArtifacts(tx, services))
    const logs = await inBatches(services, signal, (tx) => expireLogs(tx, services))
    const runners = await inBatches(services, signal, (tx) => removeUsedRunners(tx, now))
    return `${artifacts} artifacts expired, ${logs} logs, ${runners} runners removed`
  },
}

async function expireArtifacts(tx: Transaction, services: Services): Promise<number> {
  const now = services.now()
  const due = await tx
    .selectFrom("action_artifacts")
    .innerJoin("repositories", "repositories.id", "action_artifacts.repository_id")
    .select(["action_artifacts.id", "action_artifacts.file", "repositories.storage"])
    .where(isNotExpired)
    .where("expires_at", "<=", now)
    .limit(BATCH)
    .execute()
  if (due.length === 0) return 0
  const ids = due.map(({ id }) => id)
  await tx
    .updateTable("action_artifacts")
    .set({ is_expired: 1, file: "", updated_at: now })
    .where(inList("action_artifacts.id", ids))
    .execute()
  await removeFiles(tx, services, due)
  return due.length
}

async function expireLogs(tx: Transaction, services: Services): Promise<number> {
  const old = await tx
    .selectFrom("action_tasks")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select(["action_tasks.id", "action_tasks.job_id", "action_tasks.log_file as file", "repositories.storage"])
    .where(hasLog)
    .where("stopped_at", ">", 0)
    .where("stopped_at", "<", services.now() - LOGS_KEPT)
    .limit(BATCH)
    .execute()
  if (old.length === 0) return 0
  const gone = { log_expired: 1, log_file: "", log_end: "", log_lines: 0, log_size: 0 } as const
  const ids = old.map(({ id }) => id)
  await tx.updateTable("action_tasks").set(gone).where(inList("action_tasks.id", ids)).execute()
  const jobIds = old.map(({ job_id }) => job_id)
  await tx.deleteFrom("action_summaries").where(inList("action_summaries.job_id", jobIds)).execute()
  await removeFiles(tx, services, old)
  return old.length
}

async function removeUsedRunners(tx: Transaction, now: Seconds): Promise<number> {
  const used = tx
    .selectFrom("runners")
    .select("runners.id")
    .where("is_ephemeral", "=", 1)
    .where("deleted_at", "=", 0)
    .where((eb) => {
      const tasks = eb.selectFrom("action_tasks").select("action_tasks.id").whereRef("action_tasks.runner_id", "=", "runners.id")
      return eb.and([eb.exists(tasks), eb.not(eb.exists(tasks.where("action_tasks.stopped_at", "=", 0)))])
    })
    .limit(BATCH)
  const { numUpdatedRows } = await tx
    .updateTable("runners")
    .set({ deleted_at: now, updated_at: now })
    .where("id", "in", used)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
