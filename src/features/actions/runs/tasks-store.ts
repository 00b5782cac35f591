import { type Insertable, type Selectable, type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionState, ActionStepsTable, ActionTasksTable } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"

/** Queries of tasks, with their steps and logs: what runners have in hand, or had. */

export type Step = Selectable<ActionStepsTable>

/** The steps of jobs, in their order; of a job that was taken twice those of the last time. */
export const findSteps = query("actions.findSteps", (db, p: Params<{ jobIds: readonly number[] }>) =>
  db
    .selectFrom("action_steps")
    .innerJoin("action_tasks", "action_tasks.id", "action_steps.task_id")
    .selectAll("action_steps")
    .select("action_tasks.job_id")
    .where("action_tasks.job_id", "in", p.jobIds)
    .where("action_tasks.id", "in", (eb) =>
      eb
        .selectFrom("action_tasks as last")
        .select((of) => of.fn.max("last.id").as("id"))
        .where("last.job_id", "in", p.jobIds)
        .groupBy("last.job_id"),
    )
    .orderBy("action_steps.task_id")
    .orderBy("action_steps.number"),
)

/** The condition for tasks that a runner works on, or is to end. Literal, because partial indexes are only used for the exact condition that they were created with. */
export const isActive = sql<SqlBool>`action_tasks.state in ('running', 'cancelling')`

/** A page of a repository's tasks with their jobs and runs, newest first, and how many there are. */
export async function findTasks(db: Handle, repositoryId: number, { limit, offset }: Page) {
  const all = db.selectFrom("action_tasks").where("action_tasks.repository_id", "=", repositoryId)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .innerJoin("action_runs", "action_runs.id", "action_jobs.run_id")
    .selectAll("action_tasks")
    .select([
      "action_jobs.name",
      "action_runs.id as run_id",
      "action_runs.number as run_number",
      "action_runs.ref",
      "action_runs.commit_id",
      "action_runs.event",
      "action_runs.title",
      "action_runs.workflow",
    ])
    .orderBy("action_tasks.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

export type TaskOfRun = Awaited<ReturnType<typeof findTasks>>["rows"][number]

export type Task = Selectable<ActionTasksTable>
/** A task with the run of its job. */
export type ActiveTask = Task & { readonly run_id: number }

export const findActiveTask = query("actions.findTask", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .selectAll("action_tasks")
    .select("action_jobs.run_id")
    .where("action_tasks.id", "=", p.id),
)

/** The newest task of a job, with what shows its log. */
export const findShownTask = query("actions.findShownTask", (db, p: Params<{ jobId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["id", "state", "log_lines", "log_size", "log_end", "log_sealed", "log_expired", "updated_at"])
    .where("job_id", "=", p.jobId)
    .orderBy("id", "desc")
    .limit(1),
)

export type ShownTask = Awaited<ReturnType<typeof findShownTask>>[number]

export const findFollowedLog = query("actions.findFollowedLog", (db, p: Params<{ taskId: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select(["action_tasks.id", "log_size", "log_end", "log_sealed", "log_expired", "repositories.storage"])
    .where("action_tasks.id", "=", p.taskId),
)

export type FollowedLog = Awaited<ReturnType<typeof findFollowedLog>>[number]

export const findFollowedSteps = query("actions.findFollowedSteps", (db, p: Params<{ taskIds: readonly number[] }>) =>
  db.selectFrom("action_steps").selectAll().where("task_id", "in", p.taskIds).orderBy("task_id").orderBy("number"),
)

/** A log, with how many of its last bytes are in rows. */
export const findLog = query("actions.findLog", (db, p: Params<{ repositoryId: number; taskId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["log_lines", "log_size", "log_end", "log_sealed", "log_expired"])
    .select((eb) =>
      eb
        .selectFrom("action_log_parts")
        .select(sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as("size"))
        .whereRef("task_id", "=", "action_tasks.id")
        .where("file", "=", "")
        .$asScalar()
        .as("in_rows"),
    )
    .where("id", "=", p.taskId)
    .where("repository_id", "=", p.repositoryId),
)

export const advanceLog = query(
  "actions.advanceLog",
  (db, p: Params<{ taskId: number; from: number; lines: number; size: number; sealed: 0 | 1; now: number }>) =>
    db
      .updateTable("action_tasks")
      .set({ log_lines: p.lines, log_size: p.size, log_sealed: p.sealed, updated_at: p.now })
      .where("id", "=", p.taskId)
      .where("log_lines", "=", p.from)
      .where("log_sealed", "=", 0)
      .where("log_expired", "=", 0),
)

export const findLogOfJob = query("actions.findLogOfJob", (db, p: Params<{ jobId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["id", "log_size", "log_end", "log_sealed", "log_expired"])
    .where("job_id", "=", p.jobId)
    .orderBy("id", "desc")
    .limit(1),
)

/** Closes the open logs of tasks, with a last line that is not in their parts. */
export const sealLogs = (tx: Transaction, taskIds: readonly number[], end: string) =>
  tx
    .updateTable("action_tasks")
    .set({ log_sealed: 1, log_end: end })
    .where(inList("action_tasks.id", taskIds))
    .where("log_sealed", "=", 0)
    .where("log_expired", "=", 0)
    .execute()

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isUnpacked = sql<SqlBool>`log_sealed = 1 and log_packed = 0 and log_size > 0`

export const findUnpackedLogs = query("actions.findUnpackedLogs", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select(["action_tasks.id", "action_tasks.log_size", "repositories.storage"])
    .where(isUnpacked)
    .where("action_tasks.stopped_at", ">", 0)
    .where("action_tasks.stopped_at", "<=", p.now)
    .orderBy("action_tasks.stopped_at")
    .limit(p.limit),
)

export type UnpackedLog = Awaited<ReturnType<typeof findUnpackedLogs>>[number]

/** Lets the row of a task name the compressed file of its log, unless that is compressed or has expired by now. */
export const namePackedLog = query("actions.namePackedLog", (db, p: Params<{ id: number; file: string }>) =>
  db
    .updateTable("action_tasks")
    .set({ log_file: p.file, log_packed: 1 })
    .where("id", "=", p.id)
    .where("log_sealed", "=", 1)
    .where("log_packed", "=", 0)
    .where("log_expired", "=", 0),
)

/** Changes tasks in the same way. */
export const changeTasks = (tx: Transaction, ids: readonly number[], changes: Partial<Task>) =>
  tx.updateTable("action_tasks").set(changes).where(inList("action_tasks.id", ids)).execute()

/** Ends the steps of tasks that have not ended. */
export const endSteps = (tx: Transaction, taskIds: readonly number[], end: { readonly state: ActionState; readonly stopped_at: Seconds }) =>
  tx
    .updateTable("action_steps")
    .set(end)
    .where(inList("action_steps.task_id", taskIds))
    .where("state", "in", ["waiting", "blocked", "running", "cancelling"])
    .execute()

/** The tasks of jobs that runners have in hand, with what the runners can do. */
export const findActiveTasksOfJobs = (tx: Transaction, jobIds: readonly number[]) =>
  tx
    .selectFrom("action_tasks")
    .leftJoin("runners", "runners.id", "action_tasks.runner_id")
    .select(["action_tasks.id", "action_tasks.job_id", "action_tasks.repository_id", "runners.capabilities"])
    .where(isActive)
    .where(inList("action_tasks.job_id", jobIds))
    .execute()

export const findLogFilesOfRun = query("actions.findLogFilesOfRun", (db, p: Params<{ runId: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select("action_tasks.log_file as file")
    .where("action_jobs.run_id", "=", p.runId),
)

export const findStepOfTask = query("actions.findStepOfTask", (db, p: Params<{ taskId: number; step: number }>) =>
  db.selectFrom("action_steps").select("number").where("task_id", "=", p.taskId).where("number", "=", p.step),
)

/** Changes a task. */
export const changeTask = (tx: Transaction, id: number, changes: Partial<Task>) =>
  tx.updateTable("action_tasks").set(changes).where("id", "=", id).execute()

export type Active = "running" | "cancelling"

/** Tasks that runners have in hand, or are to end, the oldest first, with what ends them. */
const tasksIn = (db: Handle, state: Active, limit: number) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select([
      "action_tasks.id",
      "action_tasks.job_id",
      "action_tasks.repository_id",
      "action_tasks.started_at",
      "action_jobs.run_id",
      "action_jobs.timeout_minutes",
    ])
    .where(isActive)
    .where("action_tasks.state", "=", state)
    .orderBy("action_tasks.id")
    .limit(limit)

export type ActiveTasks = Awaited<ReturnType<ReturnType<typeof tasksIn>["execute"]>>

/** Those whose runner has sent nothing since then. */
export const findSilentTasks = (db: Handle, state: Active, before: Seconds, limit: number): Promise<ActiveTasks> =>
  tasksIn(db, state, limit).where("action_tasks.updated_at", "<", before).execute()

/** Those that run for longer than their job allows, or than `most` minutes. */
export function findOverdueTasks(db: Handle, state: Active, now: Seconds, most: number, limit: number): Promise<ActiveTasks> {
  const minutes = sql<number>`case when action_jobs.timeout_minutes between 1 and ${most} then action_jobs.timeout_minutes else ${most} end`
  return tasksIn(db, state, limit)
    .where("action_tasks.started_at", ">", 0)
    .where(sql<SqlBool>`action_tasks.started_at + 60 * (${minutes}) < ${now}`)
    .execute()
}

/** Those of the tasks that are in a state. */
export const findTasksStillIn = (db: Handle, state: ActionState, ids: readonly number[]) =>
  db.selectFrom("action_tasks").select("id").where("state", "=", state).where(inList("action_tasks.id", ids)).execute()

// Literal, because partial indexes are only used for the exact condition that they were created with.
const hasLog = sql<SqlBool>`log_expired = 0`

/** Logs of tasks that stopped before then, with the storage key of their repositories. */
export const findOldLogs = (db: Handle, before: Seconds, limit: number) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select(["action_tasks.id", "action_tasks.job_id", "action_tasks.log_file as file", "repositories.storage"])
    .where(hasLog)
    .where("stopped_at", ">", 0)
    .where("stopped_at", "<", before)
    .limit(limit)
    .execute()

export const findTaskOfRunner = query("actions.findTaskOfRunner", (db, p: Params<{ id: number; runnerId: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .selectAll("action_tasks")
    .select(["action_jobs.run_id", "action_jobs.outputs"])
    .where("action_tasks.id", "=", p.id)
    .where("action_tasks.runner_id", "=", p.runnerId),
)

export const findStepsOfTask = query("actions.findStepRows", (db, p: Params<{ taskId: number }>) =>
  db.selectFrom("action_steps").selectAll().where("task_id", "=", p.taskId).orderBy("number"),
)

/** Cancels the steps of a task that have not ended. */
export const cutOffSteps = (tx: Transaction, taskId: number, now: Seconds) =>
  tx
    .updateTable("action_steps")
    .set({ state: "cancelled", stopped_at: now })
    .where("task_id", "=", taskId)
    .where("state", "in", ["waiting", "running"])
    .execute()

export const changeStep = (tx: Transaction, taskId: number, number: number, changes: Partial<Step>) =>
  tx.updateTable("action_steps").set(changes).where("task_id", "=", taskId).where("number", "=", number).execute()

export const findTasksOfRunner = query("actions.findTasksOfRunner", (db, p: Params<{ runnerId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["id", "state", "reported_at", "started_at", "updated_at"])
    .where("runner_id", "=", p.runnerId)
    .where("state", "in", ["running", "cancelling"]),
)

/** Notes that a task was given once more, unless its runner has reported of it. */
export const touchTask = (tx: Transaction, id: number, now: Seconds) =>
  tx.updateTable("action_tasks").set({ updated_at: now }).where("id", "=", id).where("reported_at", "=", 0).execute()

export const insertTask = (tx: Transaction, row: Insertable<ActionTasksTable>) =>
  tx.insertInto("action_tasks").values(row).returning("id").executeTakeFirstOrThrow()

export const insertSteps = (tx: Transaction, steps: readonly Insertable<ActionStepsTable>[]) =>
  tx
    .insertInto("action_steps")
    .values([...steps])
    .execute()

export const hasTask = async (db: Handle, runnerId: number): Promise<boolean> =>
  (await db.selectFrom("action_tasks").select("id").where("runner_id", "=", runnerId).limit(1).executeTakeFirst()) !== undefined

/** Removes a task that its runner has not reported of. */
export const removeUnheardTask = (tx: Transaction, id: number) =>
  tx
    .deleteFrom("action_tasks")
    .where("id", "=", id)
    .where("reported_at", "=", 0)
    .where("state", "=", "running")
    .returning("id")
    .executeTakeFirst()
