import { type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** Concurrency groups: of a repository's runs and jobs with the same group one has its turn, and one may wait for it. */

// Literal, because a partial index is only used for the exact condition that it was created with.
const isMember = sql<SqlBool>`concurrency_group <> '' and state in ('blocked', 'waiting', 'running', 'cancelling')`

/** Runs wait for their approval before they are members. */
const findRuns = query("actions.findRunsOfGroup", (db, p: Params<{ repositoryId: number; group: string }>) =>
  db
    .selectFrom("action_runs")
    .select(["id", "id as run_id", "is_held", "started_at"])
    .where("repository_id", "=", p.repositoryId)
    .where("concurrency_group", "=", p.group)
    .where("needs_approval", "=", 0)
    .where(isMember)
    .orderBy("id"),
)

const findJobs = query("actions.findJobsOfGroup", (db, p: Params<{ repositoryId: number; group: string }>) =>
  db
    .selectFrom("action_jobs")
    .select(["id", "run_id", "is_held", "started_at"])
    .where("repository_id", "=", p.repositoryId)
    .where("concurrency_group", "=", p.group)
    .where(isMember)
    .orderBy("id"),
)

/** A run or job of a group that has not ended. */
export interface Member {
  readonly of: "run" | "job"
  readonly id: number
  readonly run_id: number
  /** Whether it waits for its turn. */
  readonly is_held: number
  readonly started_at: number
}

export async function membersOfGroup(tx: Transaction, repositoryId: number, group: string): Promise<readonly Member[]> {
  const runs = await findRuns(tx, { repositoryId, group })
  const jobs = await findJobs(tx, { repositoryId, group })
  return [...runs.map((row): Member => ({ ...row, of: "run" })), ...jobs.map((row): Member => ({ ...row, of: "job" }))]
}

/** The members that a new one puts an end to: those that wait or have not begun and, if it is asked for, those that have. */
export const displaced = (members: readonly Member[], cancelsRunning: boolean): readonly Member[] =>
  members.filter(({ is_held, started_at }) => cancelsRunning || is_held === 1 || started_at === 0)

/** The member whose turn is next; undefined while another one has it. */
export const nextInTurn = (members: readonly Member[]): Member | undefined =>
  members.every(({ is_held }) => is_held === 1) ? members[0] : undefined
