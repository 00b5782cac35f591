import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Who is to be told of what happens. A webhook belongs to a repository, or to a person or organisation, or else to the site. */
export interface WebhooksTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  /** Of the site's own: 1 is told of every repository, 0 is never told and copied into each new repository. */
  is_system: Flag
  /** What kind of receiver it is: gitea, slack … */
  type: string
  name: string
  url: string
  content_type: "json" | "form"
  /** What deliveries are signed with, sealed; "" for none. */
  sealed_secret: string
  /** The Authorization header that is sent, sealed; "" for none. */
  sealed_authorization: string
  /** A JSON object of what only some kinds of receivers need. */
  options: string
  /** A JSON list of the events that are switched on. */
  events: string
  /** A glob; "" is every branch. */
  branch_filter: string
  is_active: Flag
  /** Deliveries that have failed since one succeeded. */
  failures: Generated<number>
  /** While it fails: until when nothing is tried. */
  rests_until: Generated<Seconds>
  created_at: Seconds
  updated_at: Seconds
}

/** What a webhook is told, and how that went. */
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
  /** From when on it is tried for a day: when it was made, or was asked for again. */
  started_at: Seconds
  attempted_at: Generated<Seconds>
  next_attempt_at: Seconds
  /** The last request and the last answer as JSON; "" for none. */
  request: Generated<string>
  response: Generated<string>
  /** Why the last attempt failed; "" where it succeeded. */
  error: Generated<string>
}

export interface WebhookTables {
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}
