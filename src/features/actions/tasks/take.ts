import { hash } from "node:crypto"
import { sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping } from "../../../core/yaml.ts"
import type { Runner } from "../runners/rules.ts"
import { publishingChanges } from "../runs/publish.ts"
import type { Job } from "../runs/store.ts"
import { updateRun } from "../runs/update.ts"
import { tokenOfTask } from "../tokens/job-token.ts"
import { type ActiveTask, findActiveTask } from "./store.ts"

/** Runners take jobs. A job is given to one runner only: the statement that claims it does so if it still waits. */

/** How often another candidate is tried when others were faster; the runner asks again anyway. */
const MOST_TRIES = 5

/** Seconds after which a task whose runner has not said anything about it is given to that runner again. */
const GIVE_AGAIN_AFTER = 10
/** Seconds after which it isn't given again any more, so that it ends like other tasks that nothing is heard of. */
const GIVE_UP_AFTER = 300

interface Labels {
  readonly labels: string
}

/** Whether all labels of the job in the row are among those of a runner. */
const labelsAreAmong = (labels: Params<Labels>["labels"]) =>
  portable({
    sqlite: sql<boolean>`not exists (select 1 from json_each(action_jobs.labels) where json_each.value not in (select json_each.value from json_each(${labels})))`,
    postgres: sql<boolean>`action_jobs.labels::jsonb <@ cast(${labels} as jsonb)`,
  })

interface ForRunner extends Labels {
  /** Of the runner; 0 for none. */
  readonly repositoryId: number
  readonly ownerId: number
}

/**
 * The job that a runner with these labels should take next: the oldest of the repository with the fewest running jobs. A runner of the site
 * serves all repositories, one of an owner theirs.
 */
const findNext = query("actions.findNextJob", (db, p: Params<ForRunner>) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("action_jobs")
        .innerJoin("repositories", "repositories.id", "action_jobs.repository_id")
        .select(["action_jobs.repository_id", (of) => of.fn.min<number>("action_jobs.id").as("id")])
        .where(sql<boolean>`action_jobs.state = 'waiting'`)
        .where("action_jobs.call", "=", "{}")
        .where("repositories.has_actions", "=", 1)
        .where("repositories.is_archived", "=", 0)
        .where(labelsAreAmong(p.labels))
        .where((of) => of.or([of(p.repositoryId, "=", 0), of("action_jobs.repository_id", "=", p.repositoryId)]))
        .where((of) => of.or([of(p.ownerId, "=", 0), of("repositories.owner_id", "=", p.ownerId)]))
        .groupBy("action_jobs.repository_id")
        .as("oldest"),
    )
    .innerJoin("action_jobs", "action_jobs.id", "oldest.id")
    .select(["action_jobs.id", "action_jobs.run_id"])
    .orderBy((eb) =>
      eb
        .selectFrom("action_jobs as busy")
        .select(eb.fn.countAll<number>().as("count"))
        .whereRef("busy.repository_id", "=", "oldest.repository_id")
        .where(sql<boolean>`busy.state in ('running', 'cancelling')`),
    )
    .orderBy("oldest.id")
    .limit(1),
)

const findTasksOfRunner = query("actions.findTasksOfRunner", (db, p: Params<{ runnerId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["id", "state", "reported_at", "started_at", "updated_at"])
    .where("runner_id", "=", p.runnerId)
    .where("state", "in", ["running", "cancelling"]),
)

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
    const next = await findNext.first(database.read, wanted)
    if (!next) return undefined
    const taken = await database.write((tx) => claim(tx, services, runner, next))
    if (taken !== undefined) return findActiveTask.first(database.read, { id: taken })
  }
  return undefined
}

/** Gives a task once more that its runner never received: the answer with it was lost. */
async function again(services: Services, id: number): Promise<ActiveTask | undefined> {
  const { database, now } = services
  await database.write((tx) =>
    tx.updateTable("action_tasks").set({ updated_at: now() }).where("id", "=", id).where("reported_at", "=", 0).execute(),
  )
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
    const job = await tx
      .updateTable("action_jobs")
      .set({ state: "running", runner_id: runner.id, started_at: now })
      .where("id", "=", id)
      .where("state", "=", "waiting")
      .returningAll()
      .executeTakeFirst()
    if (!job) return undefined
    const task = await tx
      .insertInto("action_tasks")
      .values({
        job_id: id,
        repository_id: job.repository_id,
        runner_id: runner.id,
        state: "running",
        digest: "",
        created_at: now,
        started_at: now,
        updated_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    const digest = hash("sha256", tokenOfTask(services, task.id))
    await tx.updateTable("action_tasks").set({ digest }).where("id", "=", task.id).execute()
    const steps = stepNames(job.definition).map((name, number) => ({ task_id: task.id, number, name, state: "waiting" as const }))
    if (steps.length > 0) await tx.insertInto("action_steps").values(steps).execute()
    await updateRun(tx, services, runId)
    return task.id
  })
}

/** Whether the runner is still there and free: one for a single job takes no second. Keeps it from being removed meanwhile. */
async function mayTake(tx: Transaction, { id, is_ephemeral }: Runner): Promise<boolean> {
  const usable = await tx
    .selectFrom("runners")
    .select("id")
    .where("id", "=", id)
    .where("deleted_at", "=", 0)
    .where("is_disabled", "=", 0)
    .modifyEnd(forNoKeyUpdate)
    .executeTakeFirst()
  return usable !== undefined && (is_ephemeral === 0 || !(await hasTask(tx, id)))
}

const hasTask = async (db: Handle, runnerId: number): Promise<boolean> =>
  (await db.selectFrom("action_tasks").select("id").where("runner_id", "=", runnerId).limit(1).executeTakeFirst()) !== undefined

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
      const removed = await tx
        .deleteFrom("action_tasks")
        .where("id", "=", id)
        .where("reported_at", "=", 0)
        .where("state", "=", "running")
        .returning("id")
        .executeTakeFirst()
      if (!removed) return
      await tx
        .updateTable("action_jobs")
        .set({ state: "waiting", queued_at: services.now(), runner_id: 0, started_at: 0 })
        .where("id", "=", jobId)
        .execute()
      await updateRun(tx, services, runId)
    }),
  )
}
