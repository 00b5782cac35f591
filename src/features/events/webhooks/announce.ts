import { randomUUID } from "node:crypto"
import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { anonymous, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Position } from "../../../core/events/store.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { patternSet } from "../../../core/text/automaton.ts"
import { parseGlob } from "../../../core/text/globs.ts"
import { beginWork, TooMuchWork } from "../../../core/work.ts"
import { branchOf, type RefName } from "../../../git/index.ts"
import { type External, externalOfPackage } from "../../actions/external/events.ts"
import type { WebhookEvent } from "../../actions/external/names.ts"
import type { VersionEvent } from "../../actions/external/payload.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { presentUser } from "../../people/users/present.ts"
import { eventsOf } from "./present.ts"
import { deliverJob, findListeners, findOwnersListeners, insertDelivery, type Webhook } from "./store.ts"
import { switchOf } from "./switches.ts"

/** What is told of an event, for webhooks. */
export interface Announcement extends Pick<External, "ref"> {
  readonly event: WebhookEvent
  /** The user who caused it. */
  readonly sender: User
  /** Only called where a webhook listens. */
  readonly payload: External["payload"]
  /** Where the log has what it tells of; asked where a webhook listens. */
  readonly position?: PositionOf
}

/** The position of an event of the transaction; undefined where it has none. */
export type PositionOf = () => Promise<Position | undefined>

/** What webhooks hear of what others are told. */
export const announcementsOf = (sender: User, told: readonly External[], position?: PositionOf): readonly Announcement[] =>
  told.flatMap(({ webhook: event, ref, payload }) =>
    event ? [{ event, sender, ...(ref && { ref }), payload, ...(position && { position }) }] : [],
  )

/**
 * Queues events, in order, for the webhooks that listen to a repository. The payloads are written in the caller's transaction, so they show that very
 * state, and are sent by a job after the commit; where no webhook listens, this costs one query. Of events that would take more deliveries than `most`, only the first are sent.
 */
export async function announce(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  announcements: readonly Announcement[],
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (announcements.length === 0) return
  const told = await tell(await findListeners(tx, { repositoryId }), announcements, most)
  const home = told.length === 0 ? undefined : await findHome(tx, repositoryId)
  if (!home) return
  const common = new Map<number, Promise<object>>()
  for (const { announcement, receivers } of told) {
    const { event, sender, payload, position } = announcement
    const shared = common.get(sender.id) ?? presentCommon(tx, services, home, sender)
    common.set(sender.id, shared)
    await queueDeliveries(tx, services, receivers, event, { ...(await shared), ...(await payload(tx, services, home)) }, await position?.())
  }
}

/** The same for a version of a package without a repository: for the webhooks of its owner, and the system's. */
export async function announceOfOwner(tx: Transaction, services: Services, event: VersionEvent, position: PositionOf): Promise<void> {
  const { webhook, payload } = externalOfPackage(event)
  const sender = event.actor
  for (const { receivers } of await tell(await findOwnersListeners(tx, { ownerId: event.owner.id }), [
    { event: webhook, sender, payload },
  ])) {
    const common = { repository: null, sender: presentUser(services.site, sender) }
    await queueDeliveries(tx, services, receivers, webhook, { ...common, ...(await payload(tx, services, undefined)) }, await position())
  }
}

async function findHome(tx: Transaction, id: number): Promise<Owned | undefined> {
  const repository = await findRepositoryById.first(tx, { id })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  return repository && owner && { repository, owner }
}

/** The repository and the sender in every payload: receivers see all of the repository, and the public part of user records. */
export const presentCommon = async (tx: Transaction, { site }: Services, home: Owned, sender: User) => ({
  repository: await presentRepository(tx, site, anonymous, home, EVERYTHING),
  sender: presentUser(site, sender),
})

/** Events whose JSON is indented by one space, as receivers expect. */
const NARROW: readonly WebhookEvent[] = ["repository", "wiki"]

/** Stores deliveries to webhooks, and has them sent once the transaction is committed. */
export async function queueDeliveries(
  tx: Transaction,
  { jobs, now }: Services,
  webhooks: readonly Pick<Webhook, "id">[],
  event: WebhookEvent,
  content: object,
  position?: Position,
): Promise<void> {
  const payload = JSON.stringify(content, null, NARROW.includes(event) ? 1 : 2)
  const at = { eventTransaction: position?.transaction ?? 0, eventId: position?.id ?? 0 }
  for (const { id } of webhooks) {
    const delivery = await insertDelivery.first(tx, { webhookId: id, uuid: randomUUID(), event, payload, now: now(), ...at })
    if (delivery) await jobs.enqueue(tx, deliverJob, { deliveryId: delivery.id, attempt: 1 })
  }
}

// --- who is told ------------------------------------------------------------------------------------------------------------------

interface Told<One extends Announcement> {
  readonly announcement: One
  readonly receivers: readonly Webhook[]
}

/** The announcements that webhooks listen to, with these. */
async function tell<One extends Announcement>(
  listening: readonly Webhook[],
  announcements: readonly One[],
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Told<One>[]> {
  const listeners = listening.map((webhook) => ({ webhook, events: new Set(eventsOf(webhook)), filter: webhook.branch_filter }))
  // Compiled only where it is needed: most events have no reference, and most webhooks no filter.
  let passing: ReturnType<typeof filtersOf> | undefined
  const told: Told<One>[] = []
  let left = most
  for (const announcement of announcements) {
    const { event, ref } = announcement
    const interested = listeners.filter(({ events }) => events.has(switchOf(event)))
    const isAsked = ref !== undefined && !interested.every(({ filter }) => passesAll(filter))
    if (isAsked) passing ??= filtersOf(listeners.map(({ filter }) => filter))
    const passed = isAsked ? await passing?.(ref) : undefined
    const receivers = interested.filter(({ filter }) => !passed || passesAll(filter) || passed.has(filter)).map(({ webhook }) => webhook)
    left -= receivers.length
    if (left < 0) break
    if (receivers.length > 0) told.push({ announcement, receivers })
  }
  return told
}

const passesAll = (filter: string): boolean => filter === "" || filter === "*"

/** The most steps to compare the filters of webhooks with the references of a push, in its transaction: some 50 ms. */
const MOST_STEPS = 5_000_000
/** The most filters that are compiled there. */
const MOST_FILTERS = 200

/**
 * Compiles filters once for all references, and gives those that a reference passes: branches match by their short or full name, tags only by the full one. Where that takes too
 * much work, or filters are too many, all others do: a push must not fail for it, and a receiver can tell better what it doesn't need than what it never got.
 */
function filtersOf(all: readonly string[]): (ref: RefName) => Promise<ReadonlySet<string>> {
  const filters = [...new Set(all)].filter((filter) => !passesAll(filter))
  const patterns = patternSet(filters.slice(0, MOST_FILTERS).map((filter) => parseGlob(filter)))
  const work = beginWork({ what: t("compare the filters of webhooks with references"), steps: MOST_STEPS, isWithoutTurns: true })
  const known = new Map<RefName, Promise<ReadonlySet<string>>>()
  async function passed(ref: RefName): Promise<ReadonlySet<string>> {
    try {
      const names = [ref, branchOf(ref) ?? ref]
      const found = filters.slice(MOST_FILTERS)
      for (const name of names) found.push(...(await patterns.matching(name, work)).map((index) => filters[index] ?? ""))
      return new Set(found)
    } catch (error) {
      if (error instanceof TooMuchWork) return new Set(filters)
      throw error
    }
  }
  return (ref) => {
    const found = known.get(ref) ?? passed(ref)
    known.set(ref, found)
    return found
  }
}
