import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** What code search has of a repository's default branch. */
export interface CodeIndexesTable {
  repository_id: number
  /** The tree and the commit that were read last. */
  tree_id: string
  commit_id: string
  /** 0 while a change of several transactions is being written: the rows are then of no one tree. */
  is_complete: Flag
  /** Counts transactions, so that two that index the same repository notice each other. */
  version: number
  files_count: number
  indexed_at: Seconds
}

/** A text, once for each repository. */
export interface CodeBlobsTable {
  id: Generated<number>
  repository_id: number
  blob_id: string
  content: string
}

export interface CodeFilesTable {
  repository_id: number
  path: string
  code_blob_id: number
  /** "" where the name tells none. */
  language: string
}

/** A virtual table of words on SQLite, a column of numbers on PostgreSQL. */
export interface CodeGramsTable {
  /** The id of the text. */
  rowid: number
  /** As each database reads it: see `writtenGrams`. */
  grams: string
}

export interface CodeSearchTables {
  code_indexes: CodeIndexesTable
  code_blobs: CodeBlobsTable
  code_files: CodeFilesTable
  code_grams: CodeGramsTable
}
