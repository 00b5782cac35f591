import type { Transaction } from "../../../core/database/database.ts"
import { findJobsOfGroup, findRunsOfGroup } from "./store.ts"

/** Concurrency groups: of a repository's runs and jobs with the same group one has its turn, and one may wait for it. */

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
  const runs = await findRunsOfGroup(tx, { repositoryId, group })
  const jobs = await findJobsOfGroup(tx, { repositoryId, group })
  return [...runs.map((row): Member => ({ ...row, of: "run" })), ...jobs.map((row): Member => ({ ...row, of: "job" }))]
}

/** The members that a new one puts an end to: those that wait or have not begun and, if it is asked for, those that have. */
export const displaced = (members: readonly Member[], cancelsRunning: boolean): readonly Member[] =>
  members.filter(({ is_held, started_at }) => cancelsRunning || is_held === 1 || started_at === 0)

/** The member whose turn is next; undefined while another one has it. */
export const nextInTurn = (members: readonly Member[]): Member | undefined =>
  members.every(({ is_held }) => is_held === 1) ? members[0] : undefined
