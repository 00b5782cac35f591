import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import { recountMilestones } from "../milestones/rules.ts"
import { changeState } from "./store.ts"
import { recountOpen } from "./touch-store.ts"

/** Why an issue is closed, and which one it repeats. */
export interface Ending {
  readonly reason: CloseReason
  readonly duplicateOf: number | null
}

/** What is closed without a reason. */
const COMPLETED: Ending = { reason: "", duplicateOf: null }

/** Called before an issue is closed or reopened, with the repository locked: may refuse the change and prepare what follows from it. */
export type StateRule = (tx: Transaction, services: Services, change: StateChange) => Promise<void>

/** Called before every change of state; listed in src/extensions.ts. */
export const stateRules = extensionPoint<StateRule>("rules for the state of issues")

export interface StateChange extends Owned {
  readonly issue: Issue
  readonly closed: boolean
  readonly actor: User
  readonly now: Seconds
  /** The commit that closes or reopens it, for notifications. In the timeline it has an entry of its own. */
  readonly commitId?: string
  /** Why an issue is closed: it was completed, where nothing else is said. */
  readonly ending?: Ending | undefined
}

/**
 * Writes an issue's state, recounts its repository and milestone, and returns the changed row. Repository and issue must be locked already.
 * Refuses `notFound` where it is gone.
 */
export async function writeState(
  tx: Transaction,
  { id }: Pick<Issue, "id">,
  closed: boolean,
  now: Seconds,
  ending: Ending = COMPLETED,
): Promise<Issue> {
  const issue = await changeState.first(tx, { id, isClosed: flag(closed), closedAt: closed ? now : 0, ...ending, now })
  if (!issue) throw refuse.notFound()
  await recountOpen(tx, issue.repository_id)
  await recountMilestones(tx, [issue.milestone_id], now)
  return issue
}

/**
 * Closes or reopens an issue, updates the counters and publishes the change. Returns the changed row, or the row as it is where it has this
 * state already. Repository and issue must be locked already. Refuses what a state rule refuses.
 */
export async function setState(tx: Transaction, services: Services, change: StateChange): Promise<Issue> {
  const { repository, owner, closed, actor, now } = change
  if ((change.issue.is_closed === 1) === closed) return change.issue
  for (const rule of stateRules.of(services)) await rule(tx, services, change)
  const issue = await writeState(tx, change.issue, closed, now, closed && change.issue.is_pull === 0 ? change.ending : undefined)
  publish(tx, { kind: closed ? "issue.closed" : "issue.reopened", issue, repository, owner, actor, commitId: change.commitId, at: now })
  return issue
}
