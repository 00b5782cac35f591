import { findMoved, type Issue, locateIssue, type OnIssue } from "../../../access/policies/issues.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor, User } from "../../../core/actor.ts"
import { type Handle, isForeignKeyViolation, type Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { IssueMeta } from "../issues/records.ts"
import type { StateChange, StateRule } from "../issues/state.ts"
import { touchIssue } from "../issues/touch-store.ts"
import { deleteDependency, findChain, findDependency, insertDependency, lockDependencies, openDependencies } from "./store.ts"

/** The issue that a body names. Refuses as `notFound` an issue that is missing or that the caller may not read, and an incomplete name. */
export async function locateNamed(db: Handle, actor: Actor, { owner = "", repo = "", index = 0 }: IssueMeta): Promise<OnIssue> {
  const found = await locateByName(db, actor, owner, repo)
  const number = Math.max(index, 0)
  return (await findMoved(db, actor, found, number)) ?? { ...found, issue: await locateIssue(db, found, number) }
}

/** The repository of these names. Follows redirects from old names here, because the name is in the body and the client can't be redirected. */
export async function locateByName(db: Handle, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  try {
    return await locateRepository(db, actor, owner, name)
  } catch (error) {
    if (!(error instanceof Renamed)) throw error
    return locateByName(db, actor, error.replace["owner"] ?? owner, error.replace["repo"] ?? name)
  }
}

/** One issue that depends on another. */
export interface IssuePair {
  readonly dependent: Pick<Issue, "id" | "repository_id">
  readonly dependency: Pick<Issue, "id" | "repository_id">
}

/** Whether an issue depends on an open one; never where the repository has dependencies switched off. */
export const isBlocked = async (db: Handle, { issue, repository }: Pick<StateChange, "issue" | "repository">): Promise<boolean> =>
  repository.enable_issue_dependencies === 1 && (await openDependencies(db, issue.id)) > 0

/** Refuses `preconditionFailed` to close an issue that depends on an open one. */
export const dependencyRule: StateRule = async (tx, _services, change) => {
  if (change.closed && (await isBlocked(tx, change)))
    throw refuse.preconditionFailed("cannot close this issue or pull request because it still has open dependencies")
}

/**
 * Makes an issue depend on another, with an entry in both timelines. Refuses as `invalid` an issue that would depend on itself, directly or
 * through others; `conflict` where the dependency exists already, or one of the issues is deleted concurrently.
 */
export async function addDependency(tx: Transaction, { dependent, dependency }: IssuePair, actor: User, now: Seconds): Promise<void> {
  if (dependent.id === dependency.id) throw refuse.invalid("index", "an issue can't depend on itself")
  // Two dependencies added concurrently could otherwise form a cycle that neither transaction sees.
  await lockDependencies(tx)
  const pair = { issueId: dependent.id, dependencyId: dependency.id }
  if (await findDependency.first(tx, pair)) throw refuse.conflict("the one issue depends on the other already")
  if (await findChain.first(tx, { issueId: dependency.id, dependencyId: dependent.id }))
    throw refuse.invalid("index", "the issues would wait for one another, directly or through others")
  try {
    await insertDependency(tx, { issueId: dependent.id, dependencyId: dependency.id, userId: actor.id, now })
  } catch (error) {
    if (isForeignKeyViolation(error)) throw refuse.conflict("one of the issues has just been deleted")
    throw error
  }
  await publishChange(tx, "issue.dependencyAdded", { dependent, dependency }, actor, now)
}

/** Removes a dependency, with an entry in both timelines. Refuses `notFound` where there is none. */
export async function removeDependency(tx: Transaction, { dependent, dependency }: IssuePair, actor: User, now: Seconds): Promise<void> {
  const removed = await deleteDependency(tx, { issueId: dependent.id, dependencyId: dependency.id })
  if (removed.length === 0) throw refuse.notFound()
  await publishChange(tx, "issue.dependencyRemoved", { dependent, dependency }, actor, now)
}

async function publishChange(
  tx: Transaction,
  kind: "issue.dependencyAdded" | "issue.dependencyRemoved",
  { dependent, dependency }: IssuePair,
  actor: User,
  now: Seconds,
): Promise<void> {
  for (const [issue, other] of [
    [dependent, dependency],
    [dependency, dependent],
  ] as const) {
    await touchIssue(tx, issue, now)
    publish(tx, { kind, issue, actor, other, at: now })
  }
}
