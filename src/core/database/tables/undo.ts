import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** What was deleted and can still be restored, with the rows that went with it. */
export interface DeletionsTable {
  id: Generated<number>
  kind: DeletionKind
  /** Whose it is: the owner of the repository, or the organisation of a label. */
  owner_id: number
  /** The repository that it was in, or that it is; null for labels of organisations. */
  repository_id: number | null
  /** The issue of a comment, or the issue itself; 0 otherwise. */
  issue_id: number
  /** Its own id; 0 for branches. */
  subject_id: number
  /** The number of the issue or pull request; 0 otherwise. */
  number: number
  /** Title or name; "" for comments. */
  name: string
  /** Who wrote it; 0 where nobody did. */
  author_id: number
  /** Who deleted it. */
  actor_id: number
  /** What a branch named; "" otherwise. */
  commit_id: string
  /** The rows, as JSON: see `features/site/undo/rows-store.ts`. */
  content: string
  /** Bytes in this table, and of files and repositories that are kept for it. */
  row_bytes: number
  file_bytes: number
  created_at: Seconds
}

export type DeletionKind = "issue" | "pull" | "comment" | "branch" | "label" | "milestone" | "release" | "repository"

/** Attached files whose rows are deleted, and that are kept for a restore. */
export interface KeptFilesTable {
  deletion_id: number
  uuid: string
}

/** What happened in an organisation, for its owners. Rows outlive the accounts and repositories that they name. */
export interface AuditEntriesTable {
  id: Generated<number>
  organization_id: number
  /** The kind of the domain event. */
  kind: string
  /** 0 and "" for what happened by itself. */
  actor_id: number
  actor_name: string
  /** 0 and "" where it is about none. */
  repository_id: number
  repository_name: string
  /** Whom or which it is about: the name of a person, team, branch, … */
  subject: string
  /** Further words, as JSON: names of members and of settings that have changed. */
  details: string
  /** Where the request came from, and how it was signed in; "" where that isn't known. */
  ip: string
  credential: string
  created_at: Seconds
}

export interface UndoTables {
  deletions: DeletionsTable
  kept_files: KeptFilesTable
  audit_entries: AuditEntriesTable
}
