import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** What a gate does with newcomers; "" is what the owner, or the site, says. */
export type NewcomerMode = "" | "free" | "limited" | "held"

/** What repositories, and their owners, say about newcomers. */
export interface NewcomerColumns {
  newcomers: Generated<NewcomerMode>
  /** Accounts that are younger are newcomers; 0: of any age; -1: as the owner, or the site, says. */
  newcomer_days: Generated<number>
  /** How many issues and pull requests one of them may open in a repository a day; 0: any number; -1 as above. */
  newcomers_per_day: Generated<number>
}

/** An issue or a pull request of a newcomer that waits to be created, or was decided about. */
export interface HeldRequestsTable {
  id: Generated<number>
  repository_id: number
  author_id: number
  is_pull: Flag
  state: "waiting" | "approved" | "rejected"
  title: string
  /** Of a pull request: base and head, as they were named. */
  ends: string
  /** The body of the request, as JSON. */
  body: string
  /** The number that it got; 0 until it is approved. */
  number: Generated<number>
  created_at: Seconds
  decided_at: Generated<Seconds>
  decided_by_id: number | null
}

export interface NewcomerTables {
  held_requests: HeldRequestsTable
}
