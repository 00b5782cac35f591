import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** That a repository's wiki has a git repository. Its place follows from the repository's, and its HEAD says which branch is shown. */
export interface WikisTable {
  repository_id: number
  /** Bytes. */
  git_size: Generated<number>
  created_at: Seconds
}

export interface WikiTables {
  wikis: WikisTable
}
