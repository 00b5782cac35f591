import type { Owned } from "../../../../access/permission.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { packagePayload, type VersionEvent } from "../../../packages/packages/payload.ts"
import type { Needed, OwnersAnnouncement } from "../announce.ts"

/** A version of a package was published or deleted. `home`: the repository that the package is linked to. */
export const packageAnnouncement = (tx: Transaction, services: Needed, event: VersionEvent): OwnersAnnouncement => ({
  event: "package",
  sender: event.actor,
  payload: (home?: Owned) => packagePayload(tx, services, home, event),
})
