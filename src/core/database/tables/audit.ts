import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** What administrators of the site did as such. Rows outlive the accounts that they name. */
export interface DeedsTable {
  id: Generated<number>
  administrator_id: number
  administrator_name: string
  /** The user in whose name it was done, if not the administrator themselves; "" otherwise. */
  acting_as: string
  /** The operation's id. */
  operation: string
  /** The requested path, without the query, which may contain secrets. */
  path: string
  /** The answer's status: refused attempts are not logged. */
  status: number
  ip: string
  created_at: Seconds
}

export interface AuditTables {
  deeds: DeedsTable
}
