import type { ActionState } from "../../../core/database/tables/actions.ts"
import { membersOf } from "../../../core/yaml.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import type { StatusOfNeeds } from "../definitions/expressions.ts"
import { limitsIn } from "../definitions/layout.ts"
import { neededBy, needsAmong } from "./needs.ts"
import { isDone, stateOf } from "./status.ts"
import type { Job } from "./store.ts"

/** What follows for the jobs of an attempt from the states of the others. */

/** Whether all jobs that a job needs have ended. */
export const isReady = (jobs: readonly Job[], job: Job): boolean => neededBy(jobs, job).every(({ state }) => isDone(state))

/** What conditions are told of the needed jobs. `isCancelled` says whether the run was. */
export function statusFor(jobs: readonly Job[], job: Job, isCancelled: boolean): StatusOfNeeds {
  const results = Object.values(needsAmong(jobs, job)).map(({ result }) => result)
  return {
    success: !isCancelled && results.every((result) => result === "success"),
    failure: !isCancelled && results.includes("failure"),
    cancelled: isCancelled || results.includes("cancelled"),
  }
}

/** Whether the server decides on a job's condition. Others are up to the runner, which knows more. */
export const isDecidedHere = (job: Job, isCancelled: boolean): boolean => isCancelled || isCaller(job) || parseStrings(job.needs).length > 0

/** Whether a job calls a workflow. */
export const isCaller = ({ call }: Pick<Job, "call">): boolean => call !== "{}"

const isMatrix = (job: Job): boolean => membersOf(job.definition)["matrix"] !== undefined

/** The jobs of the same matrix, itself among them. */
const siblingsOf = (jobs: readonly Job[], { key, parent_id }: Job): readonly Job[] =>
  jobs.filter((job) => job.key === key && job.parent_id === parent_id)

const HAS_BEGUN: ReadonlySet<ActionState> = new Set(["waiting", "running", "cancelling"])

/** Whether a job's matrix lets it start beside those that have. */
export function hasRoom(jobs: readonly Job[], job: Job): boolean {
  const { maxParallel } = limitsIn(membersOf(job.definition))
  if (maxParallel === 0) return true
  return siblingsOf(jobs, job).filter(({ id, state }) => id !== job.id && HAS_BEGUN.has(state)).length < maxParallel
}

/** The jobs to be cancelled because one of the same matrix has failed, with those that they called. */
export function failFastVictims(jobs: readonly Job[]): readonly Job[] {
  // A failure that is kept from an earlier attempt ends nothing in this one.
  const failed = jobs.filter((job) => job.original_id === 0 && job.state === "failure" && job.continue_on_error === 0 && isMatrix(job))
  const victims = failed
    .filter((job) => limitsIn(membersOf(job.definition)).isFailFast)
    .flatMap((job) => siblingsOf(jobs, job))
    .filter(({ state }) => !isDone(state) && state !== "cancelling")
  return withCalled(jobs, victims).filter((job) => !isDone(job.state) && !isCalling(jobs, job))
}

/** Whether a job's state follows from those of the jobs that it has called. */
export const isCalling = (jobs: readonly Job[], { id }: Pick<Job, "id">): boolean => jobs.some(({ parent_id }) => parent_id === id)

/** Jobs with all that they have called, directly or through others. */
export function withCalled(jobs: readonly Job[], chosen: readonly Job[]): readonly Job[] {
  const ids = new Set(chosen.map(({ id }) => id))
  for (let before = -1; ids.size > before; ) {
    before = ids.size
    for (const { id, parent_id } of jobs) if (ids.has(parent_id)) ids.add(id)
  }
  return jobs.filter(({ id }) => ids.has(id))
}

/** The calls that led to a job, the outermost first. */
export function callersOf(jobs: readonly Job[], job: Pick<Job, "parent_id">): readonly Job[] {
  const parent = jobs.find(({ id }) => id === job.parent_id)
  return parent ? [...callersOf(jobs, parent), parent] : []
}

/** The state and times of a job, attempt or run from its jobs. */
export function summaryOf(jobs: readonly Job[]): Pick<Job, "state" | "started_at" | "stopped_at"> {
  const state = stateOf(jobs)
  const starts = jobs.flatMap(({ started_at }) => (started_at === 0 ? [] : [started_at]))
  return {
    state,
    started_at: starts.length === 0 ? 0 : Math.min(...starts),
    stopped_at: isDone(state) ? Math.max(0, ...jobs.map(({ stopped_at }) => stopped_at)) : 0,
  }
}
