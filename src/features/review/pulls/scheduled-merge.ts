import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { publish } from "../../../core/events/publish.ts"

/** Merges while a pull request changes: one under way can't be stopped, a scheduled one is removed. */

/** Gives a row while the push of a merge is under way, which can't be stopped any more. */
export const findMergeUnderWay = query("merge.findUnderWay", (db, p: Params<{ pullId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("jobs", "jobs.id", "pulls.merge_entry")
    .select("pulls.id")
    .where("pulls.id", "=", p.pullId)
    .where("jobs.state", "in", ["waiting", "running"]),
)

/** Removes the schedule; `changes` of the result says whether there was one. */
export const removeSchedule = query("merge.removeSchedule", (db, p: Params<{ pullId: number }>) =>
  db.deleteFrom("pull_schedules").where("pull_id", "=", p.pullId),
)

export interface DroppedSchedule {
  readonly pullId: number
  readonly issue: Pick<Issue, "id" | "repository_id">
  readonly actor: Pick<User, "id">
  readonly now: Seconds
}

/** Removes a scheduled merge, if there is one, with a timeline entry. */
export async function dropSchedule(tx: Transaction, { pullId, issue, actor, now }: DroppedSchedule): Promise<void> {
  if ((await removeSchedule.changes(tx, { pullId })) === 0) return
  publish(tx, { kind: "pull.mergeCancelled", issue, actor, at: now })
}
