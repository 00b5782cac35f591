import type { Owned } from "../../../access/permission.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Site } from "../../../core/site.ts"
import { EVERYTHING, presentRepository } from "./present.ts"

/** What webhooks and workflows are told of a fork: `forkee` is the original, and `repository` the fork. */
export const forkPayload = async (db: Handle, site: Site, home: Owned, fork: Owned) => ({
  forkee: await presentRepository(db, site, anonymous, home, EVERYTHING),
  repository: await presentRepository(db, site, anonymous, fork, EVERYTHING),
})
