import type { Flag, Seconds } from "./types.ts"

/** The last commits of the entries of a directory; a cache. */
export interface TreeHistoriesTable {
  repository_id: number
  /** The directory; "" for the root. */
  path: string
  tree_id: string
  /** The commit that was looked from. Another one with the same tree may give others: what was changed and changed back. */
  commit_id: string
  /** JSON: see history/tree-history.ts. */
  entries: string
  stored_at: Seconds
}

/** How far branches are ahead of and behind the default branch, by the commits of both; a cache. */
export interface BranchComparisonsTable {
  repository_id: number
  base_id: string
  head_id: string
  ahead: number
  behind: number
}

/** Who added how much to the default branch in which week; a cache. */
export interface RepositoryContributionsTable {
  repository_id: number
  /** The commit up to which was counted. */
  commit_id: string
  /** Whether all commits were counted, or only the newest of a history too long. */
  is_whole: Flag
  /** JSON: see activity/contributions.ts. */
  authors: string
  counted_at: Seconds
}

export interface HistoryTables {
  tree_histories: TreeHistoriesTable
  branch_comparisons: BranchComparisonsTable
  repository_contributions: RepositoryContributionsTable
}
