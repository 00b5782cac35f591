import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { texts } from "../../code/repositories/present.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { publishingChanges } from "./publish.ts"
import { firstState, isDone } from "./status.ts"
import { findJob, findJobsOfAttempt, findRun, type Job, type Run } from "./store.ts"
import { updateRun } from "./update.ts"

/** The most attempts that a run may have. */
const MOST_ATTEMPTS = 50

/** The jobs to rerun: all, those that failed or were cancelled, or one; always with those that need one of them. */
export type RerunSelection = { readonly of: "all" } | { readonly of: "failed" } | { readonly of: "job"; readonly jobId: number }

export interface Rerun {
  readonly repository: Repository
  readonly runId: number
  readonly actorId: number
  readonly selection: RerunSelection
}

/**
 * Creates another attempt of a run that has ended; jobs that are not rerun keep their result. Returns the run, and the new row of the one
 * job.
 * Refuses `notFound`; `badRequest` while it has not ended, after fifty attempts, and where nothing failed; `forbidden` where the workflow,
 * or the repository’s actions, are switched off; `conflict` for a job of an earlier attempt.
 */
export async function rerun(
  tx: Transaction,
  services: Services,
  { repository, runId, actorId, selection }: Rerun,
): Promise<{ readonly run: Run; readonly job: Job | undefined }> {
  const { id: repositoryId } = repository
  const now = services.now()
  await lockRow(tx, "repositories", repositoryId)
  const run = await findRun.first(tx, { repositoryId, id: runId })
  const asked = selection.of === "job" ? await findJob.first(tx, { repositoryId, id: selection.jobId }) : undefined
  if (!run || (selection.of === "job" && asked?.run_id !== runId)) throw refuse.notFound()
  if (!isDone(run.state)) throw refuse.badRequest("this workflow run is not done")
  if (run.attempt >= MOST_ATTEMPTS) throw refuse.badRequest(`a run can't have more than ${MOST_ATTEMPTS} attempts`)
  if (asked && asked.attempt !== run.attempt) throw refuse.conflict("this job belongs to an earlier attempt")
  if (repository.has_actions === 0) throw refuse.forbidden("workflows are switched off in this repository")
  if ((await disabledWorkflows(tx, repositoryId)).has(run.workflow)) throw refuse.forbidden("this workflow is switched off")

  const jobs = await findJobsOfAttempt(tx, { runId, attempt: run.attempt })
  const rerunIds = idsToRerun(jobs, selection)
  if (rerunIds.size === 0) throw refuse.badRequest("no job of this run has failed")
  const attempt = run.attempt + 1
  await publishingChanges(tx, services, [runId], async () => {
    await tx
      .insertInto("action_attempts")
      .values({ run_id: runId, number: attempt, actor_id: actorId, state: "waiting", created_at: now })
      .execute()
    await tx
      .insertInto("action_jobs")
      .values(jobs.map((job) => (rerunIds.has(job.id) ? newJob(job, attempt, run, now) : keptJob(job, attempt))))
      .execute()
    await tx.updateTable("action_runs").set({ attempt }).where("id", "=", runId).execute()
    await updateRun(tx, runId, now)
  })

  const made = await findJobsOfAttempt(tx, { runId, attempt })
  const updated = (await findRun.first(tx, { repositoryId, id: runId })) ?? run
  return { run: updated, job: made.find(({ key, name }) => key === asked?.key && name === asked.name) }
}

/** The ids of the jobs to rerun. */
function idsToRerun(jobs: readonly Job[], selection: RerunSelection): ReadonlySet<number> {
  const wanted = (job: Job): boolean => {
    if (selection.of === "all") return true
    return selection.of === "job" ? job.id === selection.jobId : job.state === "failure" || job.state === "cancelled"
  }
  const rerunIds = new Set(jobs.filter(wanted).map(({ id }) => id))
  const keys = () => new Set(jobs.filter(({ id }) => rerunIds.has(id)).map(({ key }) => key))
  for (let before = -1; rerunIds.size > before; ) {
    before = rerunIds.size
    const needed = keys()
    for (const job of jobs) if (texts(job.needs).some((key) => needed.has(key))) rerunIds.add(job.id)
  }
  return rerunIds
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

const newJob = (job: Job, attempt: number, { needs_approval }: Run, now: Seconds) => ({
  ...planOf(job),
  attempt,
  state: needs_approval === 1 ? ("blocked" as const) : firstState(texts(job.needs)),
  runner_id: 0,
  original_id: 0,
  created_at: now,
  started_at: 0,
  stopped_at: 0,
})

const keptJob = (job: Job, attempt: number) => ({
  ...planOf(job),
  attempt,
  state: job.state,
  runner_id: job.runner_id,
  original_id: job.original_id || job.id,
  created_at: job.created_at,
  started_at: job.started_at,
  stopped_at: job.stopped_at,
})
