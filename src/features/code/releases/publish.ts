import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { recountReleases } from "../repositories/counters.ts"
import type { Release } from "./store.ts"

/** What follows for people when a release is there for everybody to see. */
export async function publishRelease(
  tx: Transaction,
  services: Services,
  { repository, owner, actor }: Owned & { readonly actor: User },
  release: Release,
): Promise<void> {
  await recountReleases(tx, repository.id)
  publish(tx, { kind: "release.published", repository, owner, actor, release, at: services.now() })
}
