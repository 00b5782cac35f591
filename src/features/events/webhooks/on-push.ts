import { externalOfPush } from "../../actions/external/events.ts"
import { type PushedCommits, pushedCommits } from "../../actions/external/push-payload.ts"
import type { PushStep, RefChange } from "../../code/pushes/step.ts"
import { announce, announcementsOf } from "./announce.ts"
import { eventsOf } from "./present.ts"
import { findListeners } from "./store.ts"

/** References of one push that webhooks are notified of; a larger push is an import. */
const MAX_REFS = 100

/** The most deliveries of one push, which are written in its transaction: some 250 ms. */
const MAX_DELIVERIES = 1500

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
    const told = reported.flatMap(({ change, pushed }) => externalOfPush(change, pusher, pushed))
    await announce(tx, services, row.id, announcementsOf(pusher, told), MAX_DELIVERIES)
  }
}
