import type { User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { Services } from "../../../../core/services.ts"
import { presentRelease } from "../../../code/releases/present.ts"
import type { Release } from "../../../code/releases/store.ts"
import { announceEvent } from "../announce.ts"

/** Tells webhooks of a release; of drafts nobody is told. */
export async function announceRelease(
  tx: Transaction,
  services: Services,
  { release, actor, action }: { readonly release: Release; readonly actor: User; readonly action: "published" | "updated" | "deleted" },
): Promise<void> {
  if (release.is_draft === 1) return
  await announceEvent(
    tx,
    services,
    { repositoryId: release.repository_id, sender: actor },
    { event: "release", payload: async (home) => ({ action, release: await presentRelease(tx, services, home, release) }) },
  )
}
