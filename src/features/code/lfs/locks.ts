import type { Selectable } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { LfsLocksTable } from "../../../core/database/tables/lfs.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { rfc3339 } from "../../../core/record.ts"
import { deleteLock, findLock, findLockByPath, insertLock, locksWithOwners } from "./store.ts"

/** LFS file locks: they announce that a user is changing a file that can't be merged. Clients check them before they push. */

export type LockRow = Selectable<LfsLocksTable> & { readonly owner_name: string }

export interface Lock {
  readonly id: string
  readonly path: string
  readonly locked_at: string
  readonly owner: { readonly name: string }
}

export const presentLock = ({ id, path, created_at, owner_name }: LockRow): Lock => ({
  id: String(id),
  path,
  locked_at: rfc3339(created_at),
  owner: { name: owner_name },
})

/** Characters. */
const LONGEST_PATH = 4096
/** The most locks on one page. */
const MOST_LOCKS = 100

/** A path as git has it: relative, with forward slashes, without `..`. Refuses `invalid` for any other. */
export function requirePath(path: string): string {
  const isPath = path.length <= LONGEST_PATH && path.split("/").every((part) => !["", ".", ".."].includes(part))
  if (!isPath) throw refuse.invalid("path", "must be the path of a file in the repository")
  return path
}

type In = Pick<Repository, "id">

/** Locks a path. Refuses `invalid` for an invalid path, and `conflict`, with the existing lock, if it is locked already. */
export async function createLock(
  tx: Transaction,
  { id: repositoryId }: In,
  owner: User,
  { path, now }: { readonly path: string; readonly now: number },
): Promise<LockRow> {
  requirePath(path)
  const made = await insertLock.changes(tx, { repositoryId, path, ownerId: owner.id, now })
  const lock = await findLockByPath.first(tx, { repositoryId, path })
  // The lock may have been released in between.
  if (!lock) throw refuse.conflict("the lock has just been given up; try again")
  if (made === 0) throw refuse.conflict("already created lock", { lock: presentLock(lock) })
  publish(tx, { kind: "lfsLock.created", repositoryId, lfsLock: lock, actor: owner, at: now })
  return lock
}

/**
 * Releases a lock; another user's only with `force`. Refuses `notFound` if the repository has no such lock, and `forbidden` for another user's.
 */
export async function releaseLock(
  tx: Transaction,
  { id: repositoryId }: In,
  actor: User,
  { id, force }: { readonly id: string; readonly force: boolean },
): Promise<LockRow> {
  const lock = /^\d{1,15}$/.test(id) ? await findLock.first(tx, { repositoryId, id: Number(id) }) : undefined
  if (!lock) throw refuse.notFound("the lock does not exist")
  if (lock.owner_id !== actor.id && !force) throw refuse.forbidden(`the file is locked by ${lock.owner_name}; only force unlocks it`)
  // On PostgreSQL another transaction may have deleted it first.
  if ((await deleteLock.changes(tx, { id: lock.id })) === 0) throw refuse.notFound("the lock does not exist")
  publish(tx, { kind: "lfsLock.deleted", repositoryId, lfsLock: lock, actor })
  return lock
}

/** Filter of a repository's locks; everything but `limit` is optional. */
export interface LockQuery {
  readonly path?: string | undefined
  readonly id?: string | undefined
  /** The cursor returned with the previous page. */
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

export interface LockPage {
  readonly locks: readonly LockRow[]
  readonly next: string | undefined
}

/** A page of a repository's locks, oldest first. Refuses `badRequest` for an invalid cursor. */
export async function listLocks(db: Handle, { id: repositoryId }: In, { path, id, cursor, limit }: LockQuery): Promise<LockPage> {
  const size = limit === undefined || limit <= 0 ? MOST_LOCKS : Math.min(limit, MOST_LOCKS)
  let found = locksWithOwners(db).where("lfs_locks.repository_id", "=", repositoryId)
  if (path !== undefined && path !== "") found = found.where("lfs_locks.path", "=", path)
  if (id !== undefined && id !== "") {
    if (!/^\d{1,15}$/.test(id)) return { locks: [], next: undefined }
    found = found.where("lfs_locks.id", "=", Number(id))
  }
  if (cursor !== undefined && cursor !== "") {
    if (!/^\d{1,15}$/.test(cursor)) throw refuse.badRequest("[cursor]: is none of ours")
    found = found.where("lfs_locks.id", ">=", Number(cursor))
  }
  const rows = await found
    .orderBy("lfs_locks.id")
    .limit(size + 1)
    .execute()
  return { locks: rows.slice(0, size), next: rows[size] && String(rows[size].id) }
}
