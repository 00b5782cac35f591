import { isSiteAdministrator, type SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { countVersions, sumSizes } from "./store.ts"

/** How much the packages of an owner may take together. Content that several files have counts for each of them. */

/** What is to be added to an owner's packages. */
export interface Addition {
  readonly bytes: number
  readonly versions: number
}

/**
 * Refuses `tooLarge` what would exceed the limits of the owner. Administrators of the site are exempt. In a transaction that has locked the owner's
 * row, what others add at the same time is counted too. Takes a query for each limit that is set.
 */
export async function requireRoom(
  db: Handle,
  { config: { packages } }: Pick<Services, "config">,
  actor: SignedIn,
  ownerId: number,
  { bytes, versions }: Addition,
): Promise<void> {
  if (isSiteAdministrator(actor)) return
  const { maxOwnerBytes, maxOwnerVersions } = packages
  if (maxOwnerVersions > 0 && versions > 0) {
    const { total = 0 } = (await countVersions.first(db, { ownerId })) ?? {}
    if (total + versions > maxOwnerVersions)
      throw refuse.tooLarge(`the owner has ${total} versions of packages, and may have ${maxOwnerVersions}; remove some first`)
  }
  if (maxOwnerBytes > 0) {
    const { total = 0 } = (await sumSizes.first(db, { ownerId })) ?? {}
    if (Number(total) + bytes > maxOwnerBytes)
      throw refuse.tooLarge(`the owner's packages take ${total} bytes, and may take ${maxOwnerBytes}; remove some first`)
  }
}
