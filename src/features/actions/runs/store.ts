import { type Selectable, type SqlBool, sql } from "kysely"
import { readableRepositories, visibleRepositories } from "../../../access/visibility.ts"
import type { Actor, SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type {
  ActionAttemptsTable,
  ActionJobsTable,
  ActionRunsTable,
  ActionState,
  ActionStepsTable,
} from "../../../core/database/tables/actions.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { branchRef, isBranchName } from "../../../git/index.ts"

export type Run = Selectable<ActionRunsTable>
export type Attempt = Selectable<ActionAttemptsTable>
export type Job = Selectable<ActionJobsTable>
export type Step = Selectable<ActionStepsTable>

// --- runs ------------------------------------------------------------------------------------------------------------------------

/** The filter of a list of runs; an empty text doesn't filter. */
export interface RunFilter {
  readonly event?: string | undefined
  /** The short name of a branch. */
  readonly branch?: string | undefined
  readonly states?: readonly ActionState[] | undefined
  /** A user's name; an unknown one matches no run. */
  readonly actor?: string | undefined
  readonly headSha?: string | undefined
  readonly workflow?: string | undefined
}

/** An owner scope; with a reader only the repositories of an owner count whose Actions this caller may read. */
export type RunsOf = Owning & { readonly reader?: Actor | undefined }

function repositoriesOf(db: Handle, { ownerId, reader }: Extract<RunsOf, { readonly of: "owner" }>) {
  const owned = db.selectFrom("repositories").select("repositories.id").where("repositories.owner_id", "=", ownerId)
  return reader ? owned.where(readableRepositories(reader, "repo.actions")) : owned
}

/** Those of the repositories whose pull requests the caller may read. */
export async function withReadablePulls(db: Handle, actor: Actor, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom("repositories")
    .select("repositories.id")
    .where(inList("repositories.id", [...new Set(ids)]))
    .where(readableRepositories(actor, "repo.pulls"))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** A page of an owner scope's runs, newest first, and their total number. */
export async function findRuns(db: Handle, whose: RunsOf, filter: RunFilter, { limit, offset }: Page) {
  const matching = runsOf(db, whose, filter)
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await matching.selectAll("action_runs").orderBy("action_runs.id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}

function runsOf(db: Handle, whose: RunsOf, { event, branch, states, actor, headSha, workflow }: RunFilter) {
  let runs = db.selectFrom("action_runs")
  if (whose.of === "repository") runs = runs.where("action_runs.repository_id", "=", whose.repositoryId)
  else if (whose.of === "owner") runs = runs.where("action_runs.repository_id", "in", repositoriesOf(db, whose))
  if (event) runs = runs.where("action_runs.event", "=", event)
  // An invalid branch name is not refused: it matches no run.
  if (branch) runs = runs.where("action_runs.ref", "=", isBranchName(branch) ? branchRef(branch) : "")
  if (states) runs = runs.where(inList("action_runs.state", states))
  if (actor)
    runs = runs.where("action_runs.actor_id", "in", (eb) =>
      eb.selectFrom("users").select("users.id").where("users.lower_name", "=", actor.toLowerCase()),
    )
  if (headSha) runs = runs.where("action_runs.commit_id", "=", headSha)
  if (workflow) runs = runs.where("action_runs.workflow", "=", workflow)
  return runs
}

export const findRun = query("actions.findRun", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("action_runs").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

export const findRunsByIds = query("actions.findRunsByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("action_runs").selectAll().where("id", "in", p.ids),
)

export const findAttempt = query("actions.findAttempt", (db, p: Params<{ runId: number; number: number }>) =>
  db.selectFrom("action_attempts").selectAll().where("run_id", "=", p.runId).where("number", "=", p.number),
)

/** The last attempts of runs. */
export const findLastAttempts = query("actions.findLastAttempts", (db, p: Params<{ runIds: readonly number[] }>) =>
  db
    .selectFrom("action_attempts")
    .innerJoin("action_runs", "action_runs.id", "action_attempts.run_id")
    .selectAll("action_attempts")
    .where("action_runs.id", "in", p.runIds)
    .whereRef("action_attempts.number", "=", "action_runs.attempt"),
)

/** The pull requests of runs. */
export const findPullsOfRuns = query("actions.findPullsOfRuns", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select([
      "pulls.id",
      "issues.number",
      "pulls.repository_id",
      "pulls.head_repository_id",
      "pulls.head_branch",
      "pulls.base_branch",
      "pulls.head_id",
      "pulls.base_id",
    ])
    .where("pulls.id", "in", p.ids),
)

/** Open pull requests inside of repositories, for the branches of the runs that are shown. */
export const findPullsOfBranches = query(
  "actions.findPullsOfBranches",
  (db, p: Params<{ repositoryIds: readonly number[]; branches: readonly string[] }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .select([
        "pulls.id",
        "issues.number",
        "pulls.repository_id",
        "pulls.head_repository_id",
        "pulls.head_branch",
        "pulls.base_branch",
        "pulls.head_id",
        "pulls.base_id",
      ])
      .where("pulls.repository_id", "in", p.repositoryIds)
      .whereRef("pulls.head_repository_id", "=", "pulls.repository_id")
      .where("pulls.head_branch", "in", p.branches)
      .where("issues.is_closed", "=", 0)
      .orderBy("issues.number"),
)

// --- jobs ------------------------------------------------------------------------------------------------------------------------

/** Which jobs: those of an owner scope, or of one attempt of a run. */
export type JobsOf = RunsOf | { readonly of: "attempt"; readonly runId: number; readonly attempt: number }

/** A page of jobs by id, and their total number. */
export async function findJobs(
  db: Handle,
  whose: JobsOf,
  { states, order }: { readonly states?: readonly ActionState[] | undefined; readonly order: "asc" | "desc" },
  { limit, offset }: Page,
) {
  let jobs = db.selectFrom("action_jobs")
  if (whose.of === "attempt") jobs = jobs.where("run_id", "=", whose.runId).where("attempt", "=", whose.attempt)
  else if (whose.of === "repository") jobs = jobs.where("repository_id", "=", whose.repositoryId)
  else if (whose.of === "owner") jobs = jobs.where("repository_id", "in", repositoriesOf(db, whose))
  if (states) jobs = jobs.where(inList("action_jobs.state", states))
  const { total } = await jobs.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await jobs.selectAll().orderBy("id", order).limit(limit).offset(offset).execute()
  return { rows, total }
}

export const findJob = query("actions.findJob", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("action_jobs").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

export const findJobsOfAttempt = query("actions.findJobsOfAttempt", (db, p: Params<{ runId: number; attempt: number }>) =>
  db.selectFrom("action_jobs").selectAll().where("run_id", "=", p.runId).where("attempt", "=", p.attempt).orderBy("id"),
)

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

export const findRunnerNames = query("actions.findRunnerNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("runners").select(["id", "name"]).where("id", "in", p.ids),
)

// --- tasks -----------------------------------------------------------------------------------------------------------------------

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

const NEWEST_RUNS = 50

/** The newest runs that a person triggered and that failed since then, in repositories that they may still see. */
export const findFailedRuns = (db: Handle, actor: SignedIn, { since, limit }: { readonly since: number; readonly limit: number }) =>
  db
    .selectFrom("action_runs")
    .innerJoin("repositories", "repositories.id", "action_runs.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["action_runs.id", "action_runs.title", "action_runs.stopped_at", "repositories.name", "owner.name as owner_name"])
    .where("action_runs.id", "in", (eb) =>
      eb
        .selectFrom("action_runs as newest")
        .select("newest.id")
        .where("newest.actor_id", "=", actor.user.id)
        .orderBy("newest.id", "desc")
        .limit(NEWEST_RUNS),
    )
    .where("action_runs.state", "=", "failure")
    .where("action_runs.stopped_at", ">", since)
    .where(visibleRepositories(actor))
    .orderBy("action_runs.id", "desc")
    .limit(limit)
    .execute()

/** The numbers of a run's attempts. */
export const findAttempts = query("actions.findAttempts", (db, p: Params<{ runId: number }>) =>
  db.selectFrom("action_attempts").select("number").where("run_id", "=", p.runId).orderBy("number"),
)
