import { type Insertable, type Selectable, type SqlBool, sql } from "kysely"
import { ofNoneDeleted, readableRepositories, visibleRepositories } from "../../../access/visibility.ts"
import type { Actor, SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionAttemptsTable, ActionJobsTable, ActionRunsTable, ActionState } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { branchRef, isBranchName } from "../../../git/index.ts"

export type Run = Selectable<ActionRunsTable>
export type Attempt = Selectable<ActionAttemptsTable>
export type Job = Selectable<ActionJobsTable>

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
  else runs = runs.where(ofNoneDeleted("action_runs.repository_id"))
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
  else jobs = jobs.where(ofNoneDeleted("action_jobs.repository_id"))
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

export const findRunnerNames = query("actions.findRunnerNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("runners").select(["id", "name"]).where("id", "in", p.ids),
)

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

export const findFollowedRun = query("actions.findFollowedRun", (db, p: Params<{ id: number }>) =>
  db.selectFrom("action_runs").select(["state", "attempt", "started_at", "stopped_at"]).where("id", "=", p.id),
)

export const findFollowedJobs = query("actions.findFollowedJobs", (db, p: Params<{ runId: number; attempt: number }>) =>
  db
    .selectFrom("action_jobs")
    .select(["id", "state", "started_at", "stopped_at"])
    .select((eb) =>
      eb
        .selectFrom("action_tasks")
        .select((of) => of.fn.max("action_tasks.id").as("id"))
        .where((of) =>
          of(
            "action_tasks.job_id",
            "=",
            of.case().when("action_jobs.original_id", "=", 0).then(of.ref("action_jobs.id")).else(of.ref("action_jobs.original_id")).end(),
          ),
        )
        .as("task_id"),
    )
    .where("run_id", "=", p.runId)
    .where("attempt", "=", p.attempt)
    .orderBy("id"),
)

/** The runs that test a trial of a merge queue. */
export const findRunsOfTrial = query("actions.findRunsOfTrial", (db, p: Params<{ repositoryId: number; ref: string }>) =>
  db
    .selectFrom("action_runs")
    .select(["id", "state"])
    .where("repository_id", "=", p.repositoryId)
    .where("event", "=", "merge_group")
    .where("ref", "=", p.ref)
    .orderBy("id"),
)

/** The runs of a repository that have not ended. */
export const findUnfinished = query("actions.findUnfinished", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("action_runs")
    .select(["id", "checked_commit"])
    .where("repository_id", "=", p.repositoryId)
    .where("state", "in", ["blocked", "waiting", "running", "cancelling"])
    .orderBy("id"),
)

// Literal, because a partial index is only used for the exact condition that it was created with.
const isMember = sql<SqlBool>`concurrency_group <> '' and state in ('blocked', 'waiting', 'running', 'cancelling')`

/** Runs wait for their approval before they are members. */
export const findRunsOfGroup = query("actions.findRunsOfGroup", (db, p: Params<{ repositoryId: number; group: string }>) =>
  db
    .selectFrom("action_runs")
    .select(["id", "id as run_id", "is_held", "started_at"])
    .where("repository_id", "=", p.repositoryId)
    .where("concurrency_group", "=", p.group)
    .where("needs_approval", "=", 0)
    .where(isMember)
    .orderBy("id"),
)

export const findJobsOfGroup = query("actions.findJobsOfGroup", (db, p: Params<{ repositoryId: number; group: string }>) =>
  db
    .selectFrom("action_jobs")
    .select(["id", "run_id", "is_held", "started_at"])
    .where("repository_id", "=", p.repositoryId)
    .where("concurrency_group", "=", p.group)
    .where(isMember)
    .orderBy("id"),
)

/** Changes jobs in the same way. */
export const changeJobs = (tx: Transaction, ids: readonly number[], changes: Partial<Job>) =>
  tx.updateTable("action_jobs").set(changes).where(inList("action_jobs.id", ids)).execute()

/** Adds jobs, and gives them with their ids, in no order. */
export const insertJobs = (tx: Transaction, rows: readonly Insertable<ActionJobsTable>[]) =>
  tx
    .insertInto("action_jobs")
    .values([...rows])
    .returningAll()
    .execute()

/** Changes a run. */
export const changeRun = (tx: Transaction, id: number, changes: Partial<Run>) =>
  tx.updateTable("action_runs").set(changes).where("id", "=", id).execute()

/** Changes an attempt of a run. */
export const changeAttempt = (tx: Transaction, runId: number, number: number, changes: Partial<Attempt>) =>
  tx.updateTable("action_attempts").set(changes).where("run_id", "=", runId).where("number", "=", number).execute()

export const removeRun = query("actions.removeRun", (db, p: Params<{ id: number }>) => db.deleteFrom("action_runs").where("id", "=", p.id))

export const findArtifactFilesOfRun = query("actions.findArtifactFilesOfRun", (db, p: Params<{ runId: number }>) =>
  db.selectFrom("action_artifacts").select("file").where("run_id", "=", p.runId),
)

/** Adds an attempt of a run. */
export const insertAttempt = (tx: Transaction, attempt: Insertable<ActionAttemptsTable>) =>
  tx.insertInto("action_attempts").values(attempt).execute()

/** Adds a run. */
export const insertRun = (tx: Transaction, run: Insertable<ActionRunsTable>) =>
  tx.insertInto("action_runs").values(run).returningAll().executeTakeFirstOrThrow()

/** Changes a job. */
export const changeJob = (tx: Transaction, id: number, changes: Partial<Job>) =>
  tx.updateTable("action_jobs").set(changes).where("id", "=", id).execute()

/** Jobs that have waited for a runner since before then, and those that were blocked for so long where nothing else of their run is in motion. */
export const findAbandonedJobs = (db: Handle, before: Seconds, limit: number) =>
  db
    .selectFrom("action_jobs")
    .select(["id", "run_id"])
    .where("state", "in", ["waiting", "blocked"])
    .where("created_at", "<", before)
    .where((eb) =>
      eb.or([
        eb.and([eb("state", "=", "waiting"), eb("queued_at", "<", before)]),
        eb.and([
          eb("state", "=", "blocked"),
          eb.not(
            eb.exists(
              eb
                .selectFrom("action_jobs as moving")
                .select("moving.id")
                .whereRef("moving.run_id", "=", "action_jobs.run_id")
                .whereRef("moving.attempt", "=", "action_jobs.attempt")
                .where("moving.call", "=", "{}")
                .where((of) =>
                  of.or([
                    of("moving.state", "in", ["running", "cancelling"]),
                    of.and([of("moving.state", "=", "waiting"), of("moving.queued_at", ">=", before)]),
                  ]),
                ),
            ),
          ),
        ]),
      ]),
    )
    // Jobs that call a workflow follow those that they have called.
    .where("call", "=", "{}")
    .orderBy("id")
    .limit(limit)
    .execute()
