import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** What administrators of the site did as such, and sign-ins that failed. Rows outlive the accounts that they name. */
export interface AuditTable {
  id: Generated<number>
  administrator_id: number
  administrator_name: string
  /** The user in whose name it was done, if not the administrator themselves; "" otherwise. */
  acting_as: string
  /** The operation's id; for sign-ins `wrongPassword` or `wrongSecondFactor`. */
  operation: string
  /** The requested path, without the query, which may contain secrets. */
  path: string
  /** The answer's status: refused attempts are not logged. */
  status: number
  /** For sign-ins the network: of IPv6 the /64. */
  ip: string
  created_at: Seconds
  /** The account that was to be signed in to; "" where there is none of that name, and for what administrators did. */
  account_name: Generated<string>
  /** How many equal failures the row stands for. */
  times: Generated<number>
  /** Equal for failures that are one row: of one kind, account, network and hour; null for what administrators did. */
  failure_key: Generated<string | null>
}

export interface AuditTables {
  deeds: AuditTable
}
