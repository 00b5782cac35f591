import { hash } from "node:crypto"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping } from "../../../core/yaml.ts"
import { lockUsableRunner, type Runner } from "../runners/store.ts"
import { claimJob, findNextJob } from "../runs/jobs-store.ts"
import { publishingChanges } from "../runs/publish.ts"
import type { Job } from "../runs/store.ts"
import { changeJob } from "../runs/store.ts"
import {
  type ActiveTask,
  changeTask,
  findActiveTask,
  findTasksOfRunner,
  hasTask,
  insertSteps,
  insertTask,
  removeUnheardTask,
  touchTask,
} from "../runs/tasks-store.ts"
import { updateRun } from "../runs/update.ts"
import { tokenOfTask } from "../tokens/job-token.ts"

/** Runners take jobs. A job is given to one runner only: the statement that claims it does so if it still waits. */

/** How often another candidate is tried when others were faster; the runner asks again anyway. */
const MOST_TRIES = 5

/** Seconds after which a task whose runner has not said anything about it is given to that runner again. */
const GIVE_AGAIN_AFTER = 10
/** Seconds after which it isn't given again any more, so that it ends like other tasks that nothing is heard of. */
const GIVE_UP_AFTER = 300

export interface Taken {
  /** The task for the runner to work on; undefined where there is none for it. */
  readonly task: ActiveTask | undefined
  /** It has not said anything yet about another task, which may have to be given to it again. */
  readonly isAwaited: boolean
}

/** Takes a job for a runner. Costs two queries, and a transaction for a task. */
export async function takeJob(services: Services, runner: Runner): Promise<Taken> {
  const { database, now } = services
  if (runner.is_disabled === 1) return { task: undefined, isAwaited: false }
  const unheard = (await findTasksOfRunner(database.read, { runnerId: runner.id })).filter(
    ({ state, reported_at, started_at }) => state === "running" && reported_at === 0 && now() - started_at < GIVE_UP_AFTER,
  )
  const lost = unheard.find(({ updated_at }) => now() - updated_at >= GIVE_AGAIN_AFTER)
  return { task: lost ? await again(services, lost.id) : await takeNext(services, runner), isAwaited: unheard.length > 0 }
}

async function takeNext(services: Services, runner: Runner): Promise<ActiveTask | undefined> {
  const { database } = services
  const wanted = { labels: runner.labels, repositoryId: runner.repository_id ?? 0, ownerId: runner.owner_id ?? 0 }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const next = await findNextJob.first(database.read, wanted)
    if (!next) return undefined
    const taken = await database.write((tx) => claim(tx, services, runner, next))
    if (taken !== undefined) return findActiveTask.first(database.read, { id: taken })
  }
  return undefined
}

/** Gives a task once more that its runner never received: the answer with it was lost. */
async function again(services: Services, id: number): Promise<ActiveTask | undefined> {
  const { database, now } = services
  await database.write((tx) => touchTask(tx, id, now()))
  return findActiveTask.first(database.read, { id })
}

/** Claims a job, unless it no longer waits. Returns the task's id. */
async function claim(
  tx: Transaction,
  services: Services,
  runner: Runner,
  { id, run_id: runId }: Pick<Job, "id" | "run_id">,
): Promise<number | undefined> {
  const now = services.now()
  return publishingChanges(tx, services, [runId], async () => {
    if (!(await mayTake(tx, runner))) return undefined
    const job = await claimJob(tx, id, { state: "running", runner_id: runner.id, started_at: now })
    if (!job) return undefined
    const task = await insertTask(tx, {
      job_id: id,
      repository_id: job.repository_id,
      runner_id: runner.id,
      state: "running",
      digest: "",
      created_at: now,
      started_at: now,
      updated_at: now,
    })
    const digest = hash("sha256", tokenOfTask(services, task.id))
    await changeTask(tx, task.id, { digest })
    const steps = stepNames(job.definition).map((name, number) => ({ task_id: task.id, number, name, state: "waiting" as const }))
    if (steps.length > 0) await insertSteps(tx, steps)
    await updateRun(tx, services, runId)
    return task.id
  })
}

/** Whether the runner is still there and free: one for a single job takes no second. Keeps it from being removed meanwhile. */
async function mayTake(tx: Transaction, { id, is_ephemeral }: Runner): Promise<boolean> {
  const usable = await lockUsableRunner(tx, id)
  return usable !== undefined && (is_ephemeral === 0 || !(await hasTask(tx, id)))
}

/** The names of a job's steps as people see them. */
function stepNames(definition: string): readonly string[] {
  const job: unknown = JSON.parse(definition)
  const steps = isMapping(job) && Array.isArray(job["steps"]) ? job["steps"] : []
  return steps.map((step) => {
    const { name, run, uses } = isMapping(step) ? step : {}
    const text = typeof name === "string" && name !== "" ? name : typeof run === "string" ? `Run ${run.split("\n", 1)[0]}` : `Run ${uses}`
    return Array.from(text).slice(0, 255).join("")
  })
}

/** Takes a claim back whose runner is gone: the job waits for another. */
export async function giveBack(services: Services, { id, job_id: jobId, run_id: runId }: ActiveTask): Promise<void> {
  await services.database.write((tx) =>
    publishingChanges(tx, services, [runId], async () => {
      const removed = await removeUnheardTask(tx, id)
      if (!removed) return
      await changeJob(tx, jobId, { state: "waiting", queued_at: services.now(), runner_id: 0, started_at: 0 })
      await updateRun(tx, services, runId)
    }),
  )
}
