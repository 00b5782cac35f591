import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { tagRef } from "../../../git/index.ts"
import { recordActivity } from "../../events/feed/rules.ts"
import { announceRelease } from "../../events/webhooks/events/releases.ts"
import { type Release, recountReleases } from "./store.ts"

/** What follows for people when a release is there for everybody to see. */
export async function publish(
  tx: Transaction,
  services: Services,
  { repository, owner, actor }: Owned & { readonly actor: User },
  release: Release,
): Promise<void> {
  await recountReleases(tx, repository.id)
  await recordActivity(tx, {
    kind: "publish_release",
    actor,
    repository,
    owner,
    content: release.title,
    refName: tagRef(release.tag_name),
    now: services.now(),
  })
  await announceRelease(tx, services, { release, actor, action: "published" })
}
