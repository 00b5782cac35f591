import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { texts } from "../../code/repositories/present.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { telling } from "./news.ts"
import { settleRun } from "./settle.ts"
import { firstState, isDone } from "./status.ts"
import { findJob, findJobsOfAttempt, findRun, type Job, type Run } from "./store.ts"

/** The most attempts that a run may have. */
const MOST_ATTEMPTS = 50

/** What is to be done again: all jobs, those that failed or were cancelled, or one; and always those that need one of them. */
export type Again = { readonly of: "all" } | { readonly of: "failed" } | { readonly of: "job"; readonly jobId: number }

export interface Rerun {
  readonly repository: Repository
  readonly runId: number
  readonly actorId: number
  readonly again: Again
}

/**
 * Makes another attempt of a run that has ended; what is not done again keeps its outcome. Gives the run, and the new row of the one job.
 * Refuses `notFound`; `badRequest` while it has not ended, after fifty attempts, and where nothing failed; `forbidden` where the workflow, or
 * all of the repository’s, are switched off; `conflict` for a job of an earlier attempt.
 */
export async function rerun(
  tx: Transaction,
  services: Services,
  { repository, runId, actorId, again }: Rerun,
): Promise<{ readonly run: Run; readonly job: Job | undefined }> {
  const { id: repositoryId } = repository
  const now = services.now()
  await lockRow(tx, "repositories", repositoryId)
  const run = await findRun.first(tx, { repositoryId, id: runId })
  const asked = again.of === "job" ? await findJob.first(tx, { repositoryId, id: again.jobId }) : undefined
  if (!run || (again.of === "job" && asked?.run_id !== runId)) throw refuse.notFound()
  if (!isDone(run.state)) throw refuse.badRequest("this workflow run is not done")
  if (run.attempt >= MOST_ATTEMPTS) throw refuse.badRequest(`a run can't have more than ${MOST_ATTEMPTS} attempts`)
  if (asked && asked.attempt !== run.attempt) throw refuse.conflict("this job belongs to an earlier attempt")
  if (repository.has_actions === 0) throw refuse.forbidden("workflows are switched off in this repository")
  if ((await disabledWorkflows(tx, repositoryId)).has(run.workflow)) throw refuse.forbidden("this workflow is switched off")

  const jobs = await findJobsOfAttempt(tx, { runId, attempt: run.attempt })
  const redone = redoneOf(jobs, again)
  if (redone.size === 0) throw refuse.badRequest("no job of this run has failed")
  const attempt = run.attempt + 1
  await telling(tx, services, [runId], async () => {
    await tx
      .insertInto("action_attempts")
      .values({ run_id: runId, number: attempt, actor_id: actorId, state: "waiting", created_at: now })
      .execute()
    await tx
      .insertInto("action_jobs")
      .values(jobs.map((job) => (redone.has(job.id) ? anew(job, attempt, run, now) : kept(job, attempt))))
      .execute()
    await tx.updateTable("action_runs").set({ attempt }).where("id", "=", runId).execute()
    await settleRun(tx, runId, now)
  })

  const made = await findJobsOfAttempt(tx, { runId, attempt })
  const settled = (await findRun.first(tx, { repositoryId, id: runId })) ?? run
  return { run: settled, job: made.find(({ key, name }) => key === asked?.key && name === asked.name) }
}

/** The ids of the jobs that are done again. */
function redoneOf(jobs: readonly Job[], again: Again): ReadonlySet<number> {
  const wanted = (job: Job): boolean => {
    if (again.of === "all") return true
    return again.of === "job" ? job.id === again.jobId : job.state === "failure" || job.state === "cancelled"
  }
  const redone = new Set(jobs.filter(wanted).map(({ id }) => id))
  const keys = () => new Set(jobs.filter(({ id }) => redone.has(id)).map(({ key }) => key))
  for (let before = -1; redone.size > before; ) {
    before = redone.size
    const needed = keys()
    for (const job of jobs) if (texts(job.needs).some((key) => needed.has(key))) redone.add(job.id)
  }
  return redone
}

const planOf = ({ run_id, repository_id, key, name, needs, condition, labels, definition, continue_on_error }: Job) => ({
  run_id,
  repository_id,
  key,
  name,
  needs,
  condition,
  labels,
  definition,
  continue_on_error,
})

const anew = (job: Job, attempt: number, { needs_approval }: Run, now: Seconds) => ({
  ...planOf(job),
  attempt,
  state: needs_approval === 1 ? ("blocked" as const) : firstState(texts(job.needs)),
  runner_id: 0,
  original_id: 0,
  created_at: now,
  started_at: 0,
  stopped_at: 0,
})

const kept = (job: Job, attempt: number) => ({
  ...planOf(job),
  attempt,
  state: job.state,
  runner_id: job.runner_id,
  original_id: job.original_id || job.id,
  created_at: job.created_at,
  started_at: job.started_at,
  stopped_at: job.stopped_at,
})
