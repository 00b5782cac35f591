import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** What administrators of the site did as such. Rows outlive the accounts that they name. */
export interface DeedsTable {
  id: Generated<number>
  administrator_id: number
  administrator_name: string
  /** In whose name it was done, where that was somebody else's; "" otherwise. */
  acting_as: string
  /** The operation's id. */
  operation: string
  /** Its path as it was asked for, without the query, which may hold secrets. */
  path: string
  /** The answer's status: refused attempts are not written down. */
  status: number
  ip: string
  created_at: Seconds
}

export interface AuditTables {
  deeds: DeedsTable
}
