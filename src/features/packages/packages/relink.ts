import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { publish } from "../../../core/events/publish.ts"
import { bumpRevision, findUnlinked, setLink } from "./changes-store.ts"

/**
 * Links the packages again that a restored repository had, as far as they are there and linked to no other; what its privacy alone had restricted (`wereOpen`) is as open as before. Returns how
 * many were linked.
 */
export async function relinkPackages(
  tx: Transaction,
  { id, owner_id, is_private }: Repository,
  actor: User,
  { ids, wereOpen }: { readonly ids: readonly number[]; readonly wereOpen: ReadonlySet<number> },
): Promise<number> {
  if (ids.length === 0) return 0
  await lockRow(tx, "users", owner_id)
  const unlinked = await findUnlinked(tx, owner_id, ids)
  for (const of of unlinked) {
    const isRestricted = is_private === 1 && wereOpen.has(of.id) ? 0 : of.is_restricted
    await setLink.changes(tx, { id: of.id, repositoryId: id, isRestricted })
    await bumpRevision.changes(tx, { id: of.id })
    publish(tx, { kind: "package.linked", repositoryId: id, ownerId: owner_id, package: of, actor })
  }
  return unlinked.length
}
