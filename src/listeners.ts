import type { Listener } from "./core/events/events.ts"
import { workflows } from "./features/actions/triggers/listener.ts"
import { feed } from "./features/events/feed/listener.ts"
import { accountMails } from "./features/events/mail/accounts.ts"
import { notifications } from "./features/events/notifications/listener.ts"
import { timeline } from "./features/events/timeline/listener.ts"
import { webhooks } from "./features/events/webhooks/listener.ts"

/** Everybody who makes something of what happened, in their order: the timeline first, for others refer to its entries. */
export const listeners: readonly Listener[] = [timeline, feed, notifications, accountMails, webhooks, workflows]
