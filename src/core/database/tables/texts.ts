import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** The versions of a text that was edited: of the opening text of an issue, or of one of its comments. */
export interface TextVersionsTable {
  id: Generated<number>
  issue_id: number
  /** Null for the opening text. */
  comment_id: number | null
  /** Counted from 1 for each text; those in the middle may be gone. */
  number: number
  /** "" for the newest version, which is the text itself, and where someone has deleted it. */
  content: string
  /** Who wrote this version. */
  author_id: number
  written_at: Seconds
  /** Who deleted its content; 0 for no one. */
  deleted_by: Generated<number>
  deleted_at: Generated<Seconds>
}

/** Texts that someone keeps in order to put them into comments. */
export interface SavedRepliesTable {
  id: Generated<number>
  user_id: number
  name: string
  content: string
}

export interface TextTables {
  text_versions: TextVersionsTable
  saved_replies: SavedRepliesTable
}
