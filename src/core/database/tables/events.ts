import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** The log of domain events, oldest first; see core/events/log.ts. Rows outlive what they refer to. */
export interface EventsTable {
  id: Generated<number>
  /** The id of the transaction on PostgreSQL; 0 on SQLite. */
  transaction_id: Generated<number>
  kind: string
  actor_id: number
  repository_id: number
  issue_id: number
  /** JSON. */
  data: string
  created_at: Seconds
}

export interface EventTables {
  events: EventsTable
}
