import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** What was taken over from another server, so that a later run brings the difference. */
export interface TakeoverChunksTable {
  kind: string
  /** Which thousand of the keys there. */
  chunk: number
  /** A JSON list: for each row its key there, a digest, and its key here where that is another. */
  content: string
}

/** What the last run did, for each kind. */
export interface TakeoverKindsTable {
  kind: string
  position: number
  found: number
  /** Those that are here now. */
  taken: number
  /** Those that this run has written. */
  changed: number
  /** Those that this run has removed, since they are no longer there. */
  removed: number
  left_out: number
  finished_at: Seconds
}

/** Why rows were left out, and what else is to be known of them. */
export interface TakeoverRemarksTable {
  id: Generated<number>
  kind: string
  /** The row's key there. */
  source_key: string
  content: string
}

/** Digests that another server made of secrets, slow ones with a salt: each is replaced by one of ours when the secret is used first. */
export interface FormerHashesTable {
  kind: "access token" | "runner" | "recovery code"
  /** The id of the token, of the runner, or of the person. */
  subject_id: number
  /** What a secret is looked up by where it doesn't come with the id of its subject: its last eight characters; "" otherwise. */
  lookup: string
  salt: string
  /** PBKDF2 with SHA-256, 10,000 rounds, 50 bytes, in hex. */
  hash: string
}

export interface TakeoverTables {
  takeover_chunks: TakeoverChunksTable
  takeover_kinds: TakeoverKindsTable
  takeover_remarks: TakeoverRemarksTable
  former_hashes: FormerHashesTable
}
