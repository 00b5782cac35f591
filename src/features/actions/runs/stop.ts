import type { Transaction } from "../../../core/database/database.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import { closeLogs } from "./logs.ts"
import { changeJobs } from "./store.ts"
import { changeTasks, endSteps, findActiveTasksOfJobs } from "./tasks-store.ts"

/** Ends tasks without their runners, or asks these to end them. */

/** Seconds that a runner has for the last lines of a log after its task was ended. */
const LAST_WORDS = 60

export interface EndedTask {
  readonly id: number
  readonly repository_id: number
}

/** Ends tasks with their steps; jobs and runs are up to the caller. The log is closed: with this line at once, or without one a minute later. */
export async function endTasks(
  tx: Transaction,
  services: Services,
  tasks: readonly EndedTask[],
  { state, reason }: { readonly state: ActionState; readonly reason: string },
): Promise<void> {
  if (tasks.length === 0) return
  const now = services.now()
  const ids = tasks.map(({ id }) => id)
  const end = { state, stopped_at: now }
  await changeTasks(tx, ids, { ...end, updated_at: now })
  await endSteps(tx, ids, end)
  if (reason !== "") return closeLogs(tx, services, ids, `##[error]${reason}`)
  for (const taskId of ids) await services.jobs.enqueue(tx, closeLogJob, { taskId }, { runAt: now + LAST_WORDS })
}

/**
 * Cancels jobs that have not ended. Those that a runner has in hand which ends them in order are cancelling until it has; `force` doesn't
 * wait for it. Returns the new states.
 */
export async function stopJobs(
  tx: Transaction,
  services: Services,
  jobIds: readonly number[],
  { force = false } = {},
): Promise<ReadonlyMap<number, ActionState>> {
  if (jobIds.length === 0) return new Map()
  const tasks = await findActiveTasksOfJobs(tx, jobIds)
  const isAsked = ({ capabilities }: (typeof tasks)[number]) => !force && parseStrings(capabilities ?? "[]").includes("cancelling")
  const asked = tasks.filter(isAsked)
  await endTasks(
    tx,
    services,
    tasks.filter((task) => !isAsked(task)),
    { state: "cancelled", reason: "" },
  )
  const cancelling = new Set(asked.map(({ job_id }) => job_id))
  if (asked.length > 0) {
    const ids = asked.map(({ id }) => id)
    await changeTasks(tx, ids, { state: "cancelling" })
    await changeJobs(tx, [...cancelling], { state: "cancelling" })
  }
  const ended = jobIds.filter((id) => !cancelling.has(id))
  if (ended.length > 0) await changeJobs(tx, ended, { state: "cancelled", stopped_at: services.now() })
  return new Map(jobIds.map((id) => [id, cancelling.has(id) ? "cancelling" : "cancelled"]))
}

/** Closes the log of a task that was cancelled, unless its runner has done so. */
export const closeLogJob = defineJob({
  kind: "actions.closeLog",
  payload: Type.Object({ taskId: int64() }),
  run: ({ taskId }, { context: services }) =>
    services.database.write((tx) =>
      closeLogs(tx, services, [taskId], "##[error]The job was cancelled, and its runner has not said when it stopped."),
    ),
})
