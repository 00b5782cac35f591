import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Services } from "../../../core/services.ts"
import { texts } from "../../code/repositories/present.ts"
import { publishingChanges } from "./publish.ts"
import { countsAsSuccess, isDone, stateOf } from "./status.ts"
import { findJobsOfAttempt, type Job } from "./store.ts"

/** Updates runs when jobs have ended. */

/**
 * The new states of blocked jobs after others have ended, by their ids: once all needed jobs have ended they wait for a runner if all
 * succeeded, and are skipped otherwise, which may unblock others. Jobs with a condition stay blocked, because runners evaluate conditions.
 */
export function unblockedStates(jobs: readonly Job[]): ReadonlyMap<number, ActionState> {
  const changed = new Map<number, ActionState>()
  const now = (job: Job): Job => ({ ...job, state: changed.get(job.id) ?? job.state })
  for (let before = -1; changed.size > before; ) {
    before = changed.size
    for (const job of jobs.map(now)) {
      if (job.state !== "blocked" || job.condition !== "") continue
      const keys = new Set(texts(job.needs))
      const needed = jobs.map(now).filter(({ key }) => keys.has(key))
      if (needed.every(({ state }) => isDone(state))) changed.set(job.id, needed.every(countsAsSuccess) ? "waiting" : "skipped")
    }
  }
  return changed
}

/** Updates the blocked jobs, the last attempt and the run itself from the states of its jobs. */
export async function updateRun(tx: Transaction, runId: number, now: Seconds): Promise<void> {
  const run = await lockRow(tx, "action_runs", runId)
  if (!run) return
  const { attempt } = run
  const next = run.needs_approval === 1 ? new Map<number, ActionState>() : unblockedStates(await findJobsOfAttempt(tx, { runId, attempt }))
  for (const state of ["waiting", "skipped"] as const) {
    const ids = [...next].flatMap(([id, to]) => (to === state ? [id] : []))
    if (ids.length > 0)
      await tx
        .updateTable("action_jobs")
        .set({ state, ...(state === "skipped" ? { stopped_at: now } : {}) })
        .where(inList("action_jobs.id", ids))
        .execute()
  }
  const jobs = await findJobsOfAttempt(tx, { runId, attempt })
  const state = stateOf(jobs)
  const starts = jobs.flatMap(({ started_at }) => (started_at === 0 ? [] : [started_at]))
  const change = {
    state,
    started_at: starts.length === 0 ? 0 : Math.min(...starts),
    stopped_at: isDone(state) ? Math.max(...jobs.map(({ stopped_at }) => stopped_at)) : 0,
  }
  await tx.updateTable("action_runs").set(change).where("id", "=", runId).execute()
  await tx.updateTable("action_attempts").set(change).where("run_id", "=", runId).where("number", "=", attempt).execute()
}

/** Ends jobs in any state, updates the jobs that need them and their runs, and publishes the changes. */
export async function endJobs(
  tx: Transaction,
  services: Services,
  jobs: readonly Pick<Job, "id" | "run_id">[],
  state: ActionState,
): Promise<void> {
  const now = services.now()
  const runIds = [...new Set(jobs.map(({ run_id }) => run_id))]
  await publishingChanges(tx, services, runIds, async () => {
    const ids = jobs.map(({ id }) => id)
    await tx.updateTable("action_jobs").set({ state, stopped_at: now }).where(inList("action_jobs.id", ids)).execute()
    for (const runId of runIds) await updateRun(tx, runId, now)
  })
}
