import type { Generated } from "kysely"
import type { NewcomerColumns } from "./newcomers.ts"
import type { Flag, Seconds } from "./types.ts"

export interface RepositoriesTable extends NewcomerColumns {
  id: Generated<number>
  owner_id: number
  name: string
  lower_name: string
  /** The path of the git repository below the repositories folder; it never changes, also when the repository is renamed. */
  storage: string
  description: Generated<string>
  website: Generated<string>
  default_branch: string
  object_format: "sha1" | "sha256"
  trust_model: Generated<"default" | "collaborator" | "committer" | "collaboratorcommitter">
  original_url: Generated<string>
  /** The digest of an uploaded picture; "" for none. */
  avatar: Generated<string>
  is_private: Generated<Flag>
  /** 0: anyone may see it; 1: those who have signed in, as its owner is limited to them; 2: others only by a grant. The database keeps it in step with `is_private` and the owner. */
  openness: Generated<0 | 1 | 2>
  is_template: Generated<Flag>
  is_mirror: Generated<Flag>
  is_empty: Generated<Flag>
  is_archived: Generated<Flag>
  archived_at: Generated<Seconds>
  /** The repository that this one was forked from. */
  fork_of_id: Generated<number | null>
  /** The repository that this one was generated from. */
  template_id: Generated<number | null>
  created_at: Seconds
  updated_at: Seconds
  /** Bytes. */
  git_size: Generated<number>
  lfs_size: Generated<number>
  language: Generated<string>
  /** A JSON list of SPDX names. */
  licenses: Generated<string>
  /** A JSON list of topic names in order; topics and repository_topics are what is searched. */
  topics: Generated<string>
  has_code: Generated<Flag>
  has_issues: Generated<Flag>
  has_pull_requests: Generated<Flag>
  has_releases: Generated<Flag>
  has_wiki: Generated<Flag>
  has_projects: Generated<Flag>
  has_packages: Generated<Flag>
  has_actions: Generated<Flag>
  /** Workflows of the owner's other private repositories may call its own, and their jobs may read its code. */
  shares_workflows: Generated<Flag>
  projects_mode: Generated<"repo" | "owner" | "all">
  enable_time_tracker: Generated<Flag>
  allow_only_contributors_to_track_time: Generated<Flag>
  enable_issue_dependencies: Generated<Flag>
  /** With a URL the tracker is an external one. */
  external_tracker_url: Generated<string>
  external_tracker_format: Generated<string>
  external_tracker_style: Generated<string>
  external_tracker_regexp_pattern: Generated<string>
  /** With a URL the wiki is an external one. */
  external_wiki_url: Generated<string>
  ignore_whitespace_conflicts: Generated<Flag>
  allow_merge_commits: Generated<Flag>
  allow_rebase: Generated<Flag>
  allow_rebase_explicit: Generated<Flag>
  allow_squash_merge: Generated<Flag>
  allow_fast_forward_only_merge: Generated<Flag>
  allow_manual_merge: Generated<Flag>
  autodetect_manual_merge: Generated<Flag>
  allow_merge_update: Generated<Flag>
  allow_rebase_update: Generated<Flag>
  default_delete_branch_after_merge: Generated<Flag>
  default_allow_maintainer_edit: Generated<Flag>
  default_merge_style: Generated<string>
  default_update_style: Generated<string>
  stars_count: Generated<number>
  watchers_count: Generated<number>
  forks_count: Generated<number>
  branches_count: Generated<number>
  open_issues_count: Generated<number>
  open_pulls_count: Generated<number>
  releases_count: Generated<number>
}

/** How many repositories there are of each openness in each language; kept by triggers. */
export interface RepositoryTotalsTable {
  openness: number
  language: string
  total: number
}

export interface RepositoryRedirectsTable {
  owner_id: number
  lower_name: string
  repository_id: number
}

export interface RepositoryTransfersTable {
  repository_id: number
  doer_id: number
  recipient_id: number
  /** A JSON list of the recipient organisation's team ids. */
  team_ids: string
  created_at: Seconds
}

export interface CollaborationsTable {
  repository_id: number
  user_id: number
  mode: number
  created_at: Seconds
}

export interface StarsTable {
  user_id: number
  repository_id: number
  created_at: Seconds
}

export interface WatchesTable {
  user_id: number
  repository_id: number
  /** "declined" is an explicit no after an automatic watch. */
  mode: "normal" | "automatic" | "declined"
  created_at: Seconds
}

export interface TopicsTable {
  id: Generated<number>
  name: string
  repositories_count: number
  created_at: Seconds
  updated_at: Seconds
}

export interface RepositoryTopicsTable {
  repository_id: number
  topic_id: number
}

export interface BranchTurnsTable {
  repository_id: number
  branch: string
  /** Names the work that has the turn. */
  holder: string
  ends_at: Seconds
}

export interface BranchesTable {
  id: Generated<number>
  repository_id: number
  name: string
  commit_id: string
  /** Whether the row contains all of the commit that the API shows. A signed commit, or one with a very long message, must be read from git. */
  is_told: Generated<Flag>
  commit_message: string
  author_name: Generated<string>
  author_email: Generated<string>
  authored_at: Generated<Seconds>
  /** Minutes east of UTC. */
  author_offset: Generated<number>
  committer_name: Generated<string>
  committer_email: Generated<string>
  committed_at: Seconds
  pusher_id: number
  updated_at: Seconds
}

/** How many branches, or tags, a repository has; kept by triggers. Without a row none. */
export interface ReferenceTotalsTable {
  repository_id: number
  total: number
}

export interface RepositoryTables {
  repositories: RepositoriesTable
  repository_totals: RepositoryTotalsTable
  repository_redirects: RepositoryRedirectsTable
  repository_transfers: RepositoryTransfersTable
  collaborations: CollaborationsTable
  stars: StarsTable
  watches: WatchesTable
  topics: TopicsTable
  repository_topics: RepositoryTopicsTable
  branch_turns: BranchTurnsTable
  branches: BranchesTable
  branch_totals: ReferenceTotalsTable
  tag_totals: ReferenceTotalsTable
}
