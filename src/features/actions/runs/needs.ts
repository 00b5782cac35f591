import type { Handle } from "../../../core/database/database.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import { countsAsSuccess, isDone } from "./status.ts"
import { findJobsOfAttempt, type Job } from "./store.ts"

/** Results and outputs of needed jobs. */

export type Result = "success" | "failure" | "cancelled" | "skipped"

export interface Need {
  readonly result: Result
  readonly outputs: Readonly<Record<string, string>>
}

export type Needs = Readonly<Record<string, Need>>

type NeedingJob = Pick<Job, "needs" | "parent_id">
type NeededJob = Pick<Job, "key" | "parent_id" | "state" | "continue_on_error" | "outputs">

/** The jobs that a job needs directly: those of its own workflow. */
export function neededBy<J extends Pick<Job, "key" | "parent_id">>(jobs: readonly J[], { needs, parent_id }: NeedingJob): readonly J[] {
  const keys = new Set(parseStrings(needs))
  return jobs.filter((job) => job.parent_id === parent_id && keys.has(job.key))
}

/**
 * The results and outputs of the jobs that a job needs directly, by their keys; those that have not ended are left out. The jobs of a
 * matrix count together: one that failed makes all fail, unless its failure is allowed; of outputs of the same name the last that is not
 * empty counts.
 */
export function needsAmong(jobs: readonly NeededJob[], job: NeedingJob): Needs {
  const byKey = Map.groupBy(neededBy(jobs, job), ({ key }) => key)
  return Object.fromEntries(
    [...byKey].flatMap(([key, siblings]) =>
      siblings.every(({ state }) => isDone(state)) ? [[key, { result: resultOf(siblings), outputs: mergedOutputs(siblings) }]] : [],
    ),
  )
}

/** The result of jobs that have all ended. */
export function resultOf(jobs: readonly Pick<Job, "state" | "continue_on_error">[]): Result {
  const states = jobs.map((job): ActionState => (countsAsSuccess(job) ? "success" : job.state))
  for (const state of ["failure", "cancelled"] as const) if (states.includes(state)) return state
  return states.length > 0 && states.every((state) => state === "skipped") ? "skipped" : "success"
}

function mergedOutputs(jobs: readonly Pick<Job, "outputs">[]): Readonly<Record<string, string>> {
  const merged = new Map<string, string>()
  for (const job of jobs)
    for (const [name, value] of Object.entries(outputsOf(job))) if (value !== "" || !merged.has(name)) merged.set(name, value)
  return Object.fromEntries(merged)
}

/** What a job has put out. */
export function outputsOf({ outputs }: Pick<Job, "outputs">): Readonly<Record<string, string>> {
  const stored: Readonly<Record<string, string>> = JSON.parse(outputs)
  return stored
}

/** The results and outputs of the jobs that a job needs directly, as `needsAmong` says. */
export const needsOf = async (db: Handle, job: Pick<Job, "run_id" | "attempt"> & NeedingJob): Promise<Needs> =>
  parseStrings(job.needs).length === 0 ? {} : needsAmong(await findJobsOfAttempt(db, { runId: job.run_id, attempt: job.attempt }), job)
