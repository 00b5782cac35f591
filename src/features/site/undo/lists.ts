import type { OnDeletion } from "../../../access/policies/deletions.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { type DeletionFilter, findDeletions } from "../../code/deletions/store.ts"
import { presentDeletions } from "./present.ts"
import type { DeletedThing } from "./records.ts"
import { endDeletion } from "./room.ts"

/** A page of what can be restored, and how much there is. */
export async function listDeleted(
  db: Handle,
  services: Services,
  filter: Omit<DeletionFilter, "since">,
  page: Page,
): Promise<{ readonly records: DeletedThing[]; readonly total: number }> {
  const { keepSeconds } = services.config.undo
  if (keepSeconds === 0) return { records: [], total: 0 }
  const { rows, total } = await findDeletions(db, { ...filter, since: services.now() - keepSeconds }, page)
  return { records: [...(await presentDeletions(db, services, rows))], total }
}

/** Removes for good what was deleted. Refuses `notFound` where someone has restored or purged it meanwhile. */
export async function purge(services: Services, actor: User, deletion: OnDeletion["deletion"]): Promise<void> {
  await services.database.write(async (tx) => {
    if (!(await endDeletion(tx, services, deletion))) throw refuse.notFound()
    const { repository_id: repositoryId, owner_id: ownerId } = deletion
    publish(tx, { kind: "deletion.purged", deletion, repositoryId, ownerId: repositoryId === null ? ownerId : null, actor })
  })
}
