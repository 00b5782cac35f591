import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { lockUser } from "../users/store.ts"
import { deleteBlock, findBlockOf, findBlocksOf, saveBlock } from "./store.ts"

/** Whether one of the accounts, people or organisations, has blocked the person. A site administrator is never treated as blocked. */
export async function isBlockedBy(db: Handle, person: User, accounts: readonly Pick<User, "id">[]): Promise<boolean> {
  if (person.is_admin === 1) return false
  return (await findBlockOf.first(db, { blockedId: person.id, blockerIds: accounts.map(({ id }) => id) })) !== undefined
}

/** Those of the accounts that have blocked the person. A site administrator is never treated as blocked. */
export async function blockersAmong(db: Handle, person: User, accountIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0 || person.is_admin === 1) return new Set()
  const rows = await findBlocksOf(db, { blockedId: person.id, blockerIds: [...new Set(accountIds)] })
  return new Set(rows.map((row) => row.blocker_id))
}

/** Refuses `forbidden` where one of the accounts has blocked the person. */
export async function requireUnblocked(db: Handle, person: User, accounts: readonly Pick<User, "id">[]): Promise<void> {
  if (await isBlockedBy(db, person, accounts)) throw refuse.forbidden("user is blocked")
}

/**
 * Blocks a user for an account, and ends following, stars, watches, collaborations and offered transfers between the two, in both
 * directions. Blocking again keeps the block, with the new note if one is given. The caller checks who may act for an organisation, and
 * that its members aren't blocked.
 * Refuses `badRequest` for organisations and for oneself, `notFound` for an account that was deleted.
 */
export async function block(tx: Transaction, blocker: User, blocked: User, note: string | undefined, now: Seconds): Promise<void> {
  if (blocked.kind !== "person") throw refuse.badRequest("cannot block an organization")
  if (blocked.id === blocker.id) throw refuse.badRequest("cannot block the user")
  await lockUser(tx, blocker.id)
  await lockUser(tx, blocked.id)
  const isNew = (await findBlockOf.first(tx, { blockedId: blocked.id, blockerIds: [blocker.id] })) === undefined
  await saveBlock(tx, { blockerId: blocker.id, blockedId: blocked.id, note, now })
  if (!isNew) return
  publish(tx, { kind: "user.blocked", user: blocked, by: blocker, at: now })
}

/** Ends a block, if there is one. Relations that it ended are not restored. */
export async function unblock(tx: Transaction, blocker: User, blocked: User): Promise<void> {
  const ended = await deleteBlock(tx, { blockerId: blocker.id, blockedId: blocked.id })
  if (ended.length > 0) publish(tx, { kind: "user.unblocked", user: blocked, by: blocker })
}
