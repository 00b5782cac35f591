import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { type Push, type PushedCommits, pushedCommits, pushPayload } from "../../code/pushes/payload.ts"
import type { PushStep, RefChange } from "../../code/pushes/step.ts"
import { type Announcement, announce } from "./announce.ts"
import { createEvents, deleteEvents } from "./events/pushes.ts"
import { eventsOf } from "./present.ts"
import { findListeners } from "./store.ts"

/** References of one push that webhooks are notified of; a larger push is an import. */
const MAX_REFS = 100

/** The most deliveries of one push, which are written in its transaction: some 250 ms. */
const MAX_DELIVERIES = 1500

/**
 * Sends pushes, and new and deleted branches and tags, to webhooks: for a new branch a push and a create event, for a deleted one only the delete
 * event, for tags always both. Git is only read where a webhook listens to pushes.
 */
export const notifyWebhooks: PushStep = async (push) => {
  const { services, row, changes } = push
  const listeners = await findListeners(services.database.read, { repositoryId: row.id })
  const wantsCommits = listeners.some((each) => eventsOf(each).includes("push"))
  const reported: { readonly change: RefChange; readonly pushed: PushedCommits | undefined }[] = []
  for (const change of listeners.length === 0 ? [] : changes.slice(0, MAX_REFS))
    reported.push({ change, pushed: wantsCommits ? await pushedCommits(push, change) : undefined })
  return async (tx, { pusher }) => {
    const announcements = reported.flatMap(({ change: { ref, oldId, newId }, pushed }): readonly Announcement[] => {
      if (branchOf(ref) === undefined && tagOf(ref) === undefined) return []
      const push = pushed ? [pushEvent(services, tx, { ref, before: oldId, after: newId, pushed, pusher })] : []
      if (newId === null) return [...(branchOf(ref) === undefined ? push : []), ...deleteEvents(ref, pusher)]
      return oldId === null ? [...createEvents(ref, newId, pusher), ...push] : push
    })
    await announce(tx, services, row.id, announcements, MAX_DELIVERIES)
  }
}

const pushEvent = (services: Services, tx: Transaction, push: Push): Announcement => ({
  event: "push",
  sender: push.pusher,
  ref: push.ref,
  payload: (home) => pushPayload(services, tx, home, push),
})
