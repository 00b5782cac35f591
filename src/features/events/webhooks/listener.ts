import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import type { Services } from "../../../core/services.ts"
import { externalOf, repositoryOf } from "../../actions/external/events.ts"
import { type Announcement, announce, announcementsOf, announceOfOwner } from "./announce.ts"
import { takePushed } from "./on-push.ts"
import { copyWebhooks } from "./rules.ts"
import { findDefaults, findOfRepository } from "./store.ts"

/** The most deliveries of one push, which are written in its transaction: some 250 ms. */
const MAX_DELIVERIES = 1500

/** Sends domain events to webhooks, and pushes, whose commits were read from git before (on-push.ts). */
export const webhooks: Listener = {
  name: "webhooks",
  onlyTells: true,
  async hear({ tx, services, events, positions }) {
    const positionOf = (event: DomainEvent) => async () => (await positions)?.[events.indexOf(event)]
    for (const { repositoryId, announcementsFor } of takePushed(tx))
      await announce(tx, services, repositoryId, announcementsFor(positionOf, events), MAX_DELIVERIES)
    for (const event of events) if (event.kind === "repository.created") await giveWebhooks(tx, services, event)
    const byRepository = new Map<number, Announcement[]>()
    for (const event of events) {
      const repositoryId = repositoryOf(event)
      if (repositoryId === undefined) {
        if (event.kind === "package.published" || event.kind === "package.deleted")
          await announceOfOwner(tx, services, event, positionOf(event))
      } else if ("actor" in event && event.actor && "name" in event.actor) {
        const announcements = announcementsOf(event.actor, externalOf(event), positionOf(event))
        if (announcements.length > 0) byRepository.set(repositoryId, [...(byRepository.get(repositoryId) ?? []), ...announcements])
      }
    }
    for (const [repositoryId, announcements] of byRepository) await announce(tx, services, repositoryId, announcements)
  },
}

/** Gives a new repository the site's default webhooks, and those of its template. */
async function giveWebhooks(
  tx: Transaction,
  services: Services,
  { repository: { id }, webhooksFrom }: EventOf<"repository.created">,
): Promise<void> {
  await copyWebhooks(tx, services, id, await findDefaults(tx))
  if (webhooksFrom !== undefined) await copyWebhooks(tx, services, id, await findOfRepository(tx, { repositoryId: webhooksFrom }))
}
