import { permissionOn } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { mayTrackByStopwatch } from "../../../access/policies/tracking.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { lockUser } from "../../people/users/store.ts"
import { touchIssue } from "../issues/touch-store.ts"
import { bookTime, deleteStopwatch, findRunningIssues, findStopwatch, insertStopwatch, type Time } from "./store.ts"

/**
 * Starts the user's stopwatch on an issue. A user has at most one: one on another issue is stopped and its time recorded, or discarded
 * where the user may no longer record time there. Refuses `conflict` where it runs here already.
 */
export async function startStopwatch(tx: Transaction, issue: Pick<Issue, "id" | "repository_id">, user: User, now: Seconds): Promise<void> {
  // One start of a user at a time, so that concurrent starts see each other.
  const person = await lockUser(tx, user.id)
  const running = await findRunningIssues(tx, { userId: person.id })
  if (running.some(({ id }) => id === issue.id)) throw refuse.conflict("cannot start a stopwatch again if it already exists")
  for (const other of running) await stopElsewhere(tx, other, person, now)
  await touchIssue(tx, issue, now)
  await insertStopwatch(tx, { issueId: issue.id, userId: person.id, createdAt: now })
  publish(tx, { kind: "time.started", issue, actor: person, at: now })
}

async function stopElsewhere(tx: Transaction, issue: Issue, user: User, now: Seconds): Promise<void> {
  const [owned] = await withOwners(tx, await findRepositoriesByIds(tx, { ids: [issue.repository_id] }))
  const permission = owned && (await permissionOn(tx, signedInAs(user), owned))
  const mayBook = permission && owned.repository.is_archived === 0 && mayTrackByStopwatch({ ...owned, permission }, issue)
  if (mayBook) await stopStopwatch(tx, issue, user, now)
  else await deleteStopwatch(tx, { issueId: issue.id, userId: user.id })
}

/**
 * Stops the user's stopwatch on the issue and records its time, at least a second, with a timeline entry. Returns the recorded time;
 * undefined, without a change, where none was running. Refuses `notFound` where the issue is gone.
 */
export async function stopStopwatch(
  tx: Transaction,
  issue: Pick<Issue, "id" | "repository_id">,
  user: Pick<User, "id">,
  now: Seconds,
): Promise<Time | undefined> {
  const key = { issueId: issue.id, userId: user.id }
  if (!(await findStopwatch.first(tx, key))) return undefined
  await touchIssue(tx, issue, now)
  // It may have been stopped while this waited for the issue.
  const [stopwatch] = await deleteStopwatch(tx, key)
  if (!stopwatch) return undefined
  const time = await bookTime(tx, { ...key, seconds: Math.max(1, now - stopwatch.created_at), createdAt: now, now })
  publish(tx, { kind: "time.stopped", issue, actor: user, time, at: now })
  return time
}

/** Discards the user's stopwatch on the issue, with a timeline entry. Refuses `conflict` where none is running. */
export async function cancelStopwatch(
  tx: Transaction,
  issue: Pick<Issue, "id" | "repository_id">,
  user: User,
  now: Seconds,
): Promise<void> {
  const key = { issueId: issue.id, userId: user.id }
  const refusal = refuse.conflict("cannot cancel a non-existent stopwatch")
  if (!(await findStopwatch.first(tx, key))) throw refusal
  await touchIssue(tx, issue, now)
  if ((await deleteStopwatch(tx, key)).length === 0) throw refusal
  publish(tx, { kind: "time.cancelled", issue, actor: user, at: now })
}
