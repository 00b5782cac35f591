import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { membersOf } from "../../../core/yaml.ts"
import { newFuel } from "../definitions/expressions.ts"
import { dependsOnNeeds } from "../definitions/layout.ts"
import { concurrencyAgain } from "../definitions/plan.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { planOf } from "./expand.ts"
import { callOf, readContexts } from "./known.ts"
import { neededBy } from "./needs.ts"
import { callersOf, isCalling } from "./progress.ts"
import { publishingChanges } from "./publish.ts"
import { isDone } from "./status.ts"
import { changeRun, findJob, findJobsOfAttempt, findRun, insertAttempt, insertJobs, type Job, type Run } from "./store.ts"
import { enterGroup, updateRun } from "./update.ts"

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
  if (run.attempt >= MOST_ATTEMPTS) throw refuse.badRequest(t`a run can't have more than ${MOST_ATTEMPTS} attempts`)
  if (asked && asked.attempt !== run.attempt) throw refuse.conflict("this job belongs to an earlier attempt")
  if (repository.has_actions === 0) throw refuse.forbidden("workflows are switched off in this repository")
  if ((await disabledWorkflows(tx, repositoryId)).has(run.workflow)) throw refuse.forbidden("this workflow is switched off")

  const jobs = await findJobsOfAttempt(tx, { runId, attempt: run.attempt })
  const choice = choose(jobs, selection)
  if (choice.fresh.size === 0) throw refuse.badRequest(run.error === "" ? "no job of this run has failed" : "this run has no jobs")
  const attempt = run.attempt + 1
  const ids = new Map<number, number>()
  await publishingChanges(tx, services, [runId], async () => {
    await insertAttempt(tx, { run_id: runId, number: attempt, actor_id: actorId, state: "waiting", created_at: now })
    const reset = { attempt, is_cancelled: 0, is_held: 0, concurrency_group: "" } as const
    await changeRun(tx, runId, reset)
    for (const level of levelsOf(jobs, choice)) {
      const rows = level.map((job) => rowOf(job, choice, { attempt, now, parentId: ids.get(job.parent_id) ?? 0 }))
      const made = await insertJobs(tx, rows)
      const madeIds = made.map(({ id }) => id).sort((one, other) => one - other)
      for (const [index, job] of level.entries()) ids.set(job.id, madeIds[index] ?? 0)
    }
    if (run.needs_approval === 0) await enterGroupAgain(tx, services, { ...run, ...reset })
    await updateRun(tx, services, runId)
  })

  const made = await findJobsOfAttempt(tx, { runId, attempt })
  const updated = (await findRun.first(tx, { repositoryId, id: runId })) ?? run
  return { run: updated, job: asked && (made.find(({ id }) => id === ids.get(asked.id)) ?? made.find(({ key }) => key === asked.key)) }
}

/** Lets a run enter its concurrency group again, for a further attempt or once it is approved. */
export async function enterGroupAgain(tx: Transaction, services: Services, run: Run): Promise<void> {
  const members = membersOf(run.definition)
  if (members["concurrency"] === undefined) return
  const contexts = (await readContexts(tx, services, run))({})
  await enterGroup(tx, services, run, concurrencyAgain(members, contexts, newFuel()))
}

/** The jobs that are run again, and the calls some of whose jobs are. All others keep their results. */
interface Choice {
  readonly fresh: ReadonlySet<number>
  readonly reopened: ReadonlySet<number>
  /** Those of them whose layout follows anew from the jobs that they need. */
  readonly collapsed: ReadonlySet<number>
}

function choose(jobs: readonly Job[], selection: RerunSelection): Choice {
  const wanted = (job: Job): boolean => {
    if (selection.of === "all") return true
    if (selection.of === "job") return job.id === selection.jobId
    return (job.state === "failure" || job.state === "cancelled") && !isCalling(jobs, job)
  }
  const fresh = new Set(jobs.filter(wanted).map(({ id }) => id))
  const reopened = new Set<number>()
  const isRun = (job: Job) => fresh.has(job.id) || reopened.has(job.id)
  for (let before = -1; fresh.size + reopened.size > before; ) {
    before = fresh.size + reopened.size
    for (const job of jobs) {
      if (neededBy(jobs, job).some(isRun)) fresh.add(job.id)
      if (jobs.some((called) => called.parent_id === job.id && isRun(called))) reopened.add(job.id)
    }
  }
  for (const id of fresh) reopened.delete(id)
  const collapsed = jobs.filter((job) => fresh.has(job.id) && dependsOnNeeds(planOf(job)) && neededBy(jobs, job).some(isRun))
  return { fresh, reopened, collapsed: new Set(collapsed.map(({ id }) => id)) }
}

/**
 * The jobs that the next attempt begins with, callers before those that they called. What calls that are made again lead to is left out,
 * and of a matrix that is laid out again all but one.
 */
function levelsOf(jobs: readonly Job[], { fresh, collapsed }: Choice): readonly (readonly Job[])[] {
  const isFirst = (job: Job) => jobs.find(({ key, parent_id }) => key === job.key && parent_id === job.parent_id)?.id === job.id
  const kept = jobs.filter((job) => !callersOf(jobs, job).some(({ id }) => fresh.has(id)) && (!collapsed.has(job.id) || isFirst(job)))
  const levels = Map.groupBy(kept, (job) => callersOf(jobs, job).length)
  return [...levels.entries()].sort(([one], [other]) => one - other).map(([, level]) => level)
}

/** The row of a job in the next attempt. */
function rowOf(
  job: Job,
  { fresh, reopened, collapsed }: Choice,
  { attempt, now, parentId }: { readonly attempt: number; readonly now: Seconds; readonly parentId: number },
) {
  const { id, ...row } = job
  const next = { ...row, attempt, parent_id: parentId }
  const begun = { state: "blocked", started_at: 0, stopped_at: 0, created_at: now, outputs: "{}", error: "" } as const
  if (reopened.has(id)) return { ...next, ...begun, original_id: 0 }
  if (!fresh.has(id)) return { ...next, original_id: job.original_id || id, concurrency_group: "", is_held: 0 as const }
  const call = callOf(job)
  return {
    ...next,
    ...begun,
    ...(collapsed.has(id) ? laidOutLater(job) : {}),
    call: call ? JSON.stringify({ file: call.file }) : "{}",
    runner_id: 0,
    original_id: 0,
    concurrency_group: "",
    is_held: 0 as const,
  }
}

/** The columns of a job that is laid out once the jobs that it needs have ended. */
function laidOutLater(job: Job) {
  const { matrix: _, ...definition } = membersOf(job.definition)
  return { name: job.key, labels: "[]", is_unexpanded: 1 as const, definition: JSON.stringify(definition) }
}
