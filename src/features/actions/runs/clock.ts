import { type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { removeFiles } from "../files/files.ts"
import { endJobs } from "./update.ts"

/** Clock tasks that end abandoned runs and jobs, and remove expired data. */

const HOUR = 3600
const DAY = 24 * HOUR

/** Seconds without a request from its runner after which a task is dead. */
const MOST_SILENCE = 600
/** Seconds that a task may run. */
const LONGEST_RUN = 3 * HOUR
/** Seconds that a job may wait for a runner. */
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
const isActive = sql<SqlBool>`action_tasks.state in ('running', 'cancelling')`
const isNotExpired = sql<SqlBool>`is_expired = 0`
const hasLog = sql<SqlBool>`log_expired = 0`

type Active = "running" | "cancelling"
const ENDS: Readonly<Record<Active, ActionState>> = { running: "failure", cancelling: "cancelled" }

const tasksIn = (db: Handle, state: Active) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select(["action_tasks.id", "action_tasks.job_id", "action_jobs.run_id"])
    .where(isActive)
    .where("action_tasks.state", "=", state)
    .orderBy("action_tasks.id")
    .limit(BATCH)

const jobOfTask = ({ job_id, run_id }: ActiveTasks[number]) => ({ id: job_id, run_id })

type ActiveTasks = Awaited<ReturnType<ReturnType<typeof tasksIn>["execute"]>>

/** Ends tasks with their steps and jobs, and updates the runs. */
async function endTasks(tx: Transaction, services: Services, tasks: ActiveTasks, state: Active): Promise<number> {
  const ids = tasks.map(({ id }) => id)
  const now = services.now()
  const end = { state: ENDS[state], stopped_at: now }
  if (ids.length === 0) return 0
  await tx
    .updateTable("action_tasks")
    .set({ ...end, updated_at: now })
    .where(inList("action_tasks.id", ids))
    .execute()
  await tx
    .updateTable("action_steps")
    .set(end)
    .where(inList("action_steps.task_id", ids))
    .where("state", "in", ["waiting", "blocked", "running", "cancelling"])
    .execute()
  await endJobs(tx, services, tasks.map(jobOfTask), end.state)
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
      stopped += await inBatches(services, signal, async (tx) =>
        endTasks(
          tx,
          services,
          await tasksIn(tx, state)
            .where("action_tasks.updated_at", "<", now - MOST_SILENCE)
            .execute(),
          state,
        ),
      )
    return `${stopped} stopped`
  },
}

/** Fails tasks that have been running for three hours. */
export const stopEndlessTasks: Task = {
  name: "stop_endless_tasks",
  cron: "*/30 * * * *",
  async run(services, signal) {
    const now = services.now()
    const stopped = await inBatches(services, signal, async (tx) =>
      endTasks(
        tx,
        services,
        await tasksIn(tx, "running")
          .where("action_tasks.started_at", "<", now - LONGEST_RUN)
          .execute(),
        "running",
      ),
    )
    return `${stopped} stopped`
  },
}

/** Cancels jobs that no runner has taken for a day. */
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
        .orderBy("id")
        .limit(BATCH)
        .execute()
      if (jobs.length > 0) await endJobs(tx, services, jobs, "cancelled")
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
    .select(["action_tasks.id", "action_tasks.log_file as file", "repositories.storage"])
    .where(hasLog)
    .where("stopped_at", ">", 0)
    .where("stopped_at", "<", services.now() - LOGS_KEPT)
    .limit(BATCH)
    .execute()
  if (old.length === 0) return 0
  const gone = { log_expired: 1, log_file: "", log_lines: 0, log_size: 0 } as const
  const ids = old.map(({ id }) => id)
  await tx.updateTable("action_tasks").set(gone).where(inList("action_tasks.id", ids)).execute()
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
