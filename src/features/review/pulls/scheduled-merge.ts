import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { publish } from "../../../core/events/publish.ts"

/** What a merge that was asked for means while a pull request changes: one under way can't be stopped, one that is scheduled is forgotten. */

/** Gives a row where the push of a merge is under way: whatever comes now comes too late to stop it. */
export const findMergeUnderWay = query("merge.findUnderWay", (db, p: Params<{ pullId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("jobs", "jobs.id", "pulls.merge_entry")
    .select("pulls.id")
    .where("pulls.id", "=", p.pullId)
    .where("jobs.state", "in", ["waiting", "running"]),
)

/** Forgets what was scheduled; its `changes` says whether there was anything. */
export const removeSchedule = query("merge.removeSchedule", (db, p: Params<{ pullId: number }>) =>
  db.deleteFrom("pull_schedules").where("pull_id", "=", p.pullId),
)

export interface Dropping {
  readonly pullId: number
  readonly issue: Pick<Issue, "id" | "repository_id">
  readonly actor: Pick<User, "id">
  readonly now: Seconds
}

/** Forgets a scheduled merge, if there is one, and tells so in the timeline. */
export async function dropSchedule(tx: Transaction, { pullId, issue, actor, now }: Dropping): Promise<void> {
  if ((await removeSchedule.changes(tx, { pullId })) === 0) return
  publish(tx, { kind: "pull.mergeCancelled", issue, actor, at: now })
}
