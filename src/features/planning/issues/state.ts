import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { type Flag, flag, type Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import { recountMilestones } from "../milestones/rules.ts"
import { recountOpen } from "./touch.ts"

const changeState = query("issues.changeState", (db, p: Params<{ id: number; isClosed: Flag; closedAt: number; now: number }>) =>
  db.updateTable("issues").set({ is_closed: p.isClosed, closed_at: p.closedAt, updated_at: p.now }).where("id", "=", p.id).returningAll(),
)

/** Has a say before an issue is closed or reopened, with the repository locked: refuses what can't be, and prepares what follows. */
export type StateRule = (tx: Transaction, services: Services, change: StateChange) => Promise<void>

/** Asked before every change of state; the root lists them (src/extensions.ts). */
export const stateRules = extensionPoint<StateRule>("rules for the state of issues")

export interface StateChange extends Owned {
  readonly issue: Issue
  readonly closed: boolean
  readonly actor: User
  readonly now: Seconds
  /** The commit that closes or reopens it, for those who are told. The timeline has it in an entry of its own. */
  readonly commitId?: string
}

/**
 * Writes an issue's state and counts its repository and milestone anew, whatever the reason, and gives the changed row. Repository and issue
 * must be locked already. Refuses `notFound` where it is gone.
 */
export async function writeState(tx: Transaction, { id }: Pick<Issue, "id">, closed: boolean, now: Seconds): Promise<Issue> {
  const issue = await changeState.first(tx, { id, isClosed: flag(closed), closedAt: closed ? now : 0, now })
  if (!issue) throw refuse.notFound()
  await recountOpen(tx, issue.repository_id)
  await recountMilestones(tx, [issue.milestone_id], now)
  return issue
}

/**
 * Closes or reopens an issue with all that follows: counters, timeline, feed, and who is told. Gives the changed row; one that is in
 * this state already is given as it is. Repository and issue must be locked already. Refuses what a rule for states refuses.
 */
export async function setState(tx: Transaction, services: Services, change: StateChange): Promise<Issue> {
  const { repository, owner, closed, actor, now } = change
  if ((change.issue.is_closed === 1) === closed) return change.issue
  for (const rule of stateRules.of(services)) await rule(tx, services, change)
  const issue = await writeState(tx, change.issue, closed, now)
  publish(tx, { kind: closed ? "issue.closed" : "issue.reopened", issue, repository, owner, actor, commitId: change.commitId, at: now })
  return issue
}
