import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Webhooks. One belongs to a repository, or to a person or organisation, or else to the site. */
export interface WebhooksTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  /** For webhooks of the site: 1 receives the events of every repository, 0 receives none and is copied into each new repository. */
  is_system: Flag
  /** What kind of receiver it is: gitea, slack … */
  type: string
  name: string
  url: string
  content_type: "json" | "form"
  /** The secret that deliveries are signed with, sealed; "" for none. */
  sealed_secret: string
  /** The Authorization header that is sent, sealed; "" for none. */
  sealed_authorization: string
  /** A JSON object of the settings of some kinds of receivers. */
  options: string
  /** A JSON list of the events that are switched on. */
  events: string
  /** A glob; "" is every branch. */
  branch_filter: string
  is_active: Flag
  /** Failed deliveries since the last success. */
  failures: Generated<number>
  /** While it fails: no delivery is attempted before this time. */
  rests_until: Generated<Seconds>
  created_at: Seconds
  updated_at: Seconds
}

/** Deliveries of webhooks and their results. */
export interface WebhookDeliveriesTable {
  id: Generated<number>
  webhook_id: number
  /** The same for every attempt. */
  uuid: string
  event: string
  /** JSON, as it is signed and sent. */
  payload: string
  state: "waiting" | "delivered" | "failed"
  attempts: Generated<number>
  created_at: Seconds
  /** It is tried for a day from this time on: when it was created or requested again. */
  started_at: Seconds
  attempted_at: Generated<Seconds>
  next_attempt_at: Seconds
  /** The last request and the last answer as JSON; "" for none. */
  request: Generated<string>
  response: Generated<string>
  /** Why the last attempt failed; "" where it succeeded. */
  error: Generated<string>
  /** The position in the log of the event that it tells of; 0 for none. */
  event_transaction: Generated<number>
  event_id: Generated<number>
}

export interface WebhookTables {
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}
