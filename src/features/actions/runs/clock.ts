import { untilFewer } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRows } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { endTasks } from "./stop.ts"
import { findAbandonedJobs } from "./store.ts"
import { type Active, type ActiveTasks, findOverdueTasks, findSilentTasks, findTasksStillIn } from "./tasks-store.ts"
import { endJobs } from "./update.ts"

/** Clock tasks that end abandoned runs and jobs, and remove expired data. */

const HOUR = 3600
const DAY = 24 * HOUR

/** Seconds without a request from its runner after which a task is dead. */
const MOST_SILENCE = 600
/** Seconds that a job may wait for a runner, or for others of its run that don't move either. */
const LONGEST_WAIT = DAY

// Small enough not to delay other writers.
const BATCH = 100

const inBatches = ({ database }: Services, signal: AbortSignal, step: (tx: Transaction) => Promise<number>): Promise<number> =>
  untilFewer(BATCH, signal, () => database.write(step))

const ENDS: Readonly<Record<Active, ActionState>> = { running: "failure", cancelling: "cancelled" }

const jobOfTask = ({ job_id, run_id }: ActiveTasks[number]) => ({ id: job_id, run_id })

/** Ends tasks with their steps and jobs, and updates the runs. The last line of the log says why. */
async function end(tx: Transaction, services: Services, tasks: ActiveTasks, from: Active, reason: string): Promise<number> {
  if (tasks.length === 0) return 0
  const state = ENDS[from]
  // In the order of all who change a run; a runner may have reported the end of one until then.
  await lockRows(tx, "repositories", [...new Set(tasks.map(({ repository_id }) => repository_id))])
  await lockRows(tx, "action_runs", [...new Set(tasks.map(({ run_id }) => run_id))])
  const ids = tasks.map(({ id }) => id)
  const still = await findTasksStillIn(tx, from, ids)
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
        const silent = await findSilentTasks(tx, state, now - MOST_SILENCE, BATCH)
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
        const overdue = await findOverdueTasks(tx, state, now, most, BATCH)
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
      const jobs = await findAbandonedJobs(tx, now - LONGEST_WAIT, BATCH)
      if (jobs.length > 0) await endJobs(tx, services, jobs, "cancelled", `No runner has taken the job for ${LONGEST_WAIT / HOUR} hours.`)
      return jobs.length
    })
    return `${cancelled} cancelled`
  },
}
