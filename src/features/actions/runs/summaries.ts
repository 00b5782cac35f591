import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import type { Job } from "./store.ts"
import { findSummaries, removeSummary, writeSummary } from "./summaries-store.ts"
import { findStepOfTask } from "./tasks-store.ts"

/** What the steps of jobs want to be shown above their logs, as Markdown (`GITHUB_STEP_SUMMARY`). It is kept as long as the log. */

/** Bytes of the summary of a step, and of all of a job. */
export const LARGEST_SUMMARY = 2 ** 20

export interface StepSummary {
  /** The number of the step, from 0. */
  readonly step: number
  readonly content: string
}

/** The task that sends a summary, and what it sends. */
export interface NewSummary extends StepSummary {
  readonly taskId: number
  readonly runId: number
  readonly jobId: number
}

/**
 * Stores the summary of a step in place of an earlier one; an empty one removes it. Refuses `badRequest` a step that the job doesn't have, and more than a job
 * may show.
 */
export async function storeSummary(tx: Transaction, { taskId, runId, jobId, step, content }: NewSummary): Promise<void> {
  // Steps may send theirs at the same time.
  await lockRow(tx, "action_runs", runId)
  if (!(await findStepOfTask.first(tx, { taskId, step }))) throw refuse.badRequest("step_index mismatch: the job has no such step")
  const others = (await findSummaries(tx, { jobIds: [jobId] })).filter((one) => one.step !== step)
  const size = [content, ...others.map((one) => one.content)].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (size > LARGEST_SUMMARY) throw refuse.badRequest(`job summary aggregate size exceeded: a job has at most ${LARGEST_SUMMARY} bytes`)
  if (content === "") await removeSummary(tx, { jobId, step })
  else await writeSummary(tx, { jobId, step, content })
}

/** The summary of a job in the order of its steps, as Markdown that is to be rendered as a text of users; also where an earlier attempt's result was kept. */
export const readSummary = async (db: Handle, job: Pick<Job, "id" | "original_id">): Promise<readonly StepSummary[]> =>
  (await readSummaries(db, [job])).get(job.id) ?? []

/** The same of several jobs, by their ids; those without one are left out. One query. */
export async function readSummaries(
  db: Handle,
  jobs: readonly Pick<Job, "id" | "original_id">[],
): Promise<ReadonlyMap<number, readonly StepSummary[]>> {
  if (jobs.length === 0) return new Map()
  const doneAs = (job: Pick<Job, "id" | "original_id">) => job.original_id || job.id
  const rows = Map.groupBy(await findSummaries(db, { jobIds: [...new Set(jobs.map(doneAs))] }), ({ job_id }) => job_id)
  return new Map(
    jobs.flatMap((job) => {
      const own = rows.get(doneAs(job))
      return own ? [[job.id, own.map(({ step, content }) => ({ step, content }))] as const] : []
    }),
  )
}
