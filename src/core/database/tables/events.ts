import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

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

/** The one log, with id 1; see core/events/place.ts. */
export interface EventLogsTable {
  id: number
  /** Another one after a restore: then its positions mean something else. */
  name: string
  /** The newest position that was removed. */
  pruned_transaction: number
  pruned_id: number
}

export interface ActivitiesTable {
  id: Generated<number>
  receiver_id: number
  actor_id: number
  op_type: string
  repository_id: number
  comment_id: number
  ref_name: string
  /** The unit that one must be able to read to see it; "" if access to the repository is enough. */
  unit: Generated<string>
  is_private: Flag
  is_hidden: Flag
  content: string
  created_at: Seconds
}

export interface EventTables {
  activities: ActivitiesTable
  event_logs: EventLogsTable
  events: EventsTable
}
