import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import { externalOfPush } from "../../actions/external/events.ts"
import { type PushedCommits, pushedCommits } from "../../actions/external/push-payload.ts"
import type { PushStep, RefChange } from "../../code/pushes/step.ts"
import { type Announcement, announcementsOf, type PositionOf } from "./announce.ts"
import { eventsOf } from "./present.ts"
import { findListeners } from "./store.ts"

/** References of one push that webhooks are notified of; a larger push is an import. */
const MAX_REFS = 100

/** What a push tells webhooks: held until its events are delivered, which have the positions. */
interface Held {
  readonly repositoryId: number
  readonly announcementsFor: (positionOf: (event: DomainEvent) => PositionOf, events: readonly DomainEvent[]) => readonly Announcement[]
}

const held = new WeakMap<Transaction, readonly Held[]>()

/** What pushes of this transaction tell webhooks, once. */
export function takePushed(tx: Transaction): readonly Held[] {
  const pushed = held.get(tx) ?? []
  held.delete(tx)
  return pushed
}

/**
 * Sends pushes, and new and deleted branches and tags, to webhooks. Git is only read where a webhook listens to pushes.
 */
export const notifyWebhooks: PushStep = async (push) => {
  const { services, row, changes } = push
  const listeners = await findListeners(services.database.read, { repositoryId: row.id })
  const wantsCommits = listeners.some((each) => eventsOf(each).includes("push"))
  const reported: { readonly change: RefChange; readonly pushed: PushedCommits | undefined }[] = []
  for (const change of listeners.length === 0 ? [] : changes.slice(0, MAX_REFS))
    reported.push({ change, pushed: wantsCommits ? await pushedCommits(push, change) : undefined })
  return async (tx, { pusher }) => {
    if (reported.length === 0) return
    const announcementsFor: Held["announcementsFor"] = (positionOf, events) =>
      reported.flatMap(({ change, pushed }) => {
        const event = events.find((each) => each.kind.startsWith("reference.") && "ref" in each && each.ref === change.ref)
        return announcementsOf(pusher, externalOfPush(change, pusher, pushed), event && positionOf(event))
      })
    held.set(tx, [...(held.get(tx) ?? []), { repositoryId: row.id, announcementsFor }])
  }
}
