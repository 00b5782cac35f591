import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { AUDIT } from "../../actions/external/names.ts"
import { queueDeliveries } from "../../events/webhooks/announce.ts"
import { eventsOf } from "../../events/webhooks/present.ts"
import { findOwnersListeners } from "../../events/webhooks/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentEntry } from "./present.ts"
import type { AuditEntryRow } from "./store.ts"

/** Tells an organisation's own webhooks of entries of its audit log, by the outbox. The site's webhooks don't hear of them. */
export async function announceAudit(tx: Transaction, services: Services, entries: readonly AuditEntryRow[]): Promise<void> {
  for (const [organizationId, rows] of Map.groupBy(entries, ({ organization_id }) => organization_id)) {
    const listening = (await findOwnersListeners(tx, { ownerId: organizationId })).filter(
      (webhook) => webhook.owner_id === organizationId && eventsOf(webhook).includes(AUDIT),
    )
    const organization = listening.length === 0 ? undefined : await findUserById.first(tx, { id: organizationId })
    if (!organization) continue
    for (const row of rows) {
      const sender = await findUserById.first(tx, { id: row.actor_id })
      await queueDeliveries(tx, services, listening, AUDIT, {
        action: "recorded",
        entry: presentEntry(row),
        organization: presentUser(services.site, organization),
        sender: sender ? presentUser(services.site, sender) : null,
        repository: null,
      })
    }
  }
}
