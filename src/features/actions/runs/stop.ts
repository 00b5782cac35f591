import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Services } from "../../../core/services.ts"
import { texts } from "../../code/repositories/present.ts"
import { closeLogJob } from "./close-log.ts"
import { closeLogs } from "./logs.ts"
import { isActive } from "./store.ts"

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
  const tasks = await tx
    .selectFrom("action_tasks")
    .leftJoin("runners", "runners.id", "action_tasks.runner_id")
    .select(["action_tasks.id", "action_tasks.job_id", "action_tasks.repository_id", "runners.capabilities"])
    .where(isActive)
    .where(inList("action_tasks.job_id", jobIds))
    .execute()
  const isAsked = ({ capabilities }: (typeof tasks)[number]) => !force && texts(capabilities ?? "[]").includes("cancelling")
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
    await tx.updateTable("action_tasks").set({ state: "cancelling" }).where(inList("action_tasks.id", ids)).execute()
    await tx
      .updateTable("action_jobs")
      .set({ state: "cancelling" })
      .where(inList("action_jobs.id", [...cancelling]))
      .execute()
  }
  const ended = jobIds.filter((id) => !cancelling.has(id))
  if (ended.length > 0)
    await tx
      .updateTable("action_jobs")
      .set({ state: "cancelled", stopped_at: services.now() })
      .where(inList("action_jobs.id", ended))
      .execute()
  return new Map(jobIds.map((id) => [id, cancelling.has(id) ? "cancelling" : "cancelled"]))
}
