import type { Owned } from "../../../access/permission.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentVersions } from "./present.ts"

export type VersionEvent = EventOf<"package.published" | "package.deleted">

/** What webhooks and workflows are told of a version of a package. `home`: the repository that the package is linked to. */
export async function packagePayload(
  db: Handle,
  { site }: Pick<Services, "site">,
  home: Owned | undefined,
  { kind, owner, package: of, version }: VersionEvent,
) {
  const [record] = await presentVersions(db, site, anonymous, owner, [{ version, of }])
  const repository = home ? await presentRepository(db, site, anonymous, home, EVERYTHING) : null
  return {
    action: kind === "package.published" ? "created" : "deleted",
    package: { ...record, repository },
    organization: owner.kind === "organization" ? presentUser(site, owner) : null,
  }
}
