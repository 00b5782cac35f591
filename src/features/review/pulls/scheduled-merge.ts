import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { removeSchedule } from "./schedules-store.ts"

/** Merges while a pull request changes: one under way can't be stopped, a scheduled one is removed. */

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
