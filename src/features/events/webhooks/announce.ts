import { randomUUID } from "node:crypto"
import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { anonymous, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { branchOf, type RefName } from "../../../git/index.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { presentUser } from "../../people/users/present.ts"
import { type EventKind, switchOf } from "./events/kinds.ts"
import { eventsOf } from "./present.ts"
import { deliverJob, findListeners, findOwnersListeners, insertDelivery, type Webhook } from "./store.ts"

export type Needed = Pick<Services, "site" | "jobs" | "now">

/** An event in a repository, for webhooks. */
export interface Announcement {
  readonly event: EventKind
  /** The user who caused it. */
  readonly sender: User
  /** The reference concerned, where branch filters apply. */
  readonly ref?: RefName
  /**
   * The payload except for the repository and the sender, read from the rows as they are now; only called where a webhook listens. It runs
   * inside the transaction, so it may only query.
   */
  readonly payload: (home: Owned) => Promise<object> | object
}

/**
 * Queues events, in order, for the webhooks that listen to a repository. The payloads are written in the caller's transaction, so they show that very
 * state, and are sent by a job after the commit; where no webhook listens, this costs one query.
 */
export async function announce(
  tx: Transaction,
  services: Needed,
  repositoryId: number,
  announcements: readonly Announcement[],
): Promise<void> {
  if (announcements.length === 0) return
  const listening = await findListeners(tx, { repositoryId })
  if (!announcements.some((each) => listening.some((webhook) => listens(webhook, each)))) return
  const home = await findHome(tx, repositoryId)
  if (!home) return
  const common = new Map<number, Promise<object>>()
  for (const announcement of announcements) {
    const receivers = listening.filter((webhook) => listens(webhook, announcement))
    if (receivers.length === 0) continue
    const { event, sender, payload } = announcement
    const shared = common.get(sender.id) ?? presentCommon(tx, services, home, sender)
    common.set(sender.id, shared)
    await queueDeliveries(tx, services, receivers, event, { ...(await shared), ...(await payload(home)) })
  }
}

/** An event of what belongs to an account, and to none of its repositories. */
export interface OwnersAnnouncement extends Announcement {
  readonly payload: () => Promise<object> | object
}

/** The same for events without a repository: for the webhooks of an account, and the system's. */
export async function announceOfOwner(
  tx: Transaction,
  services: Needed,
  ownerId: number,
  announcements: readonly OwnersAnnouncement[],
): Promise<void> {
  if (announcements.length === 0) return
  const listening = await findOwnersListeners(tx, { ownerId })
  for (const announcement of announcements) {
    const receivers = listening.filter((webhook) => listens(webhook, announcement))
    if (receivers.length === 0) continue
    const { event, sender, payload } = announcement
    const common = { repository: null, sender: presentUser(services.site, sender) }
    await queueDeliveries(tx, services, receivers, event, { ...common, ...(await payload()) })
  }
}

async function findHome(tx: Transaction, id: number): Promise<Owned | undefined> {
  const repository = await findRepositoryById.first(tx, { id })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  return repository && owner && { repository, owner }
}

/** The repository and the sender in every payload: receivers see all of the repository, and the public part of user records. */
export const presentCommon = async (tx: Transaction, { site }: Needed, home: Owned, sender: User) => ({
  repository: await presentRepository(tx, site, anonymous, home, EVERYTHING),
  sender: presentUser(site, sender),
})

/** Events whose JSON is indented by one space, as receivers expect. */
const NARROW: readonly EventKind[] = ["repository", "wiki"]

/** Stores deliveries to webhooks, and has them sent once the transaction is committed. */
export async function queueDeliveries(
  tx: Transaction,
  { jobs, now }: Needed,
  webhooks: readonly Pick<Webhook, "id">[],
  event: EventKind,
  content: object,
): Promise<void> {
  const payload = JSON.stringify(content, null, NARROW.includes(event) ? 1 : 2)
  for (const { id } of webhooks) {
    const delivery = await insertDelivery.first(tx, { webhookId: id, uuid: randomUUID(), event, payload, now: now() })
    if (delivery) await jobs.enqueue(tx, deliverJob, { deliveryId: delivery.id, attempt: 1 })
  }
}

const listens = (webhook: Webhook, { event, ref }: Announcement): boolean =>
  eventsOf(webhook).includes(switchOf(event)) && (ref === undefined || passes(webhook.branch_filter, ref))

/** Branches match by their short or full name, tags only by the full one. */
function passes(filter: string, ref: RefName): boolean {
  if (filter === "" || filter === "*") return true
  const fits = compileGlob(filter)
  const branch = branchOf(ref)
  return fits !== undefined && (fits(ref) || (branch !== undefined && fits(branch)))
}
