import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** A repository here that follows one elsewhere. */
export interface MirrorsTable {
  repository_id: number
  /** Seconds between two synchronisations; 0 switches the schedule off. */
  interval: number
  enable_prune: Flag
  remote_url: string
  remote_username: string
  /** Password or token, sealed with the site's key; "" for none. */
  sealed_secret: string
  updated_at: Seconds
  last_sync_at: Seconds
  next_sync_at: Seconds
  /** Why the last synchronisation failed; "" where it succeeded. */
  last_error: Generated<string>
  /** The branch that HEAD named there the last time: only when that changes does the default branch here. */
  remote_head: Generated<string>
  /** Synchronisations that have failed since one succeeded. */
  failures: Generated<number>
  /** Whether large files come too. */
  lfs: Generated<Flag>
  /** Where they are; "" for where Git LFS looks for them. */
  lfs_endpoint: Generated<string>
  /** Large files that the server didn't have the last time; they are asked for again. */
  lfs_missing: Generated<number>
}

/** A repository elsewhere that follows one here. */
export interface PushMirrorsTable {
  id: Generated<number>
  repository_id: number
  remote_name: string
  remote_url: string
  remote_username: string
  /** Password or token, sealed with the site's key; "" for none. */
  sealed_secret: string
  /** Seconds between two pushes; 0 switches the schedule off. */
  interval: number
  sync_on_commit: Flag
  created_at: Seconds
  last_sync_at: Generated<Seconds>
  next_sync_at: Seconds
  /** Why the last push failed; "" where it succeeded. */
  last_error: Generated<string>
  /** Pushes that have failed since one succeeded. */
  failures: Generated<number>
}

/** How far an import is. */
export type ImportPhase = "git" | "records" | "done" | "failed"

/** A repository that is brought here from another server. Rows outlive repositories, so that what went wrong can be told. */
export interface ImportsTable {
  id: Generated<number>
  repository_id: number
  doer_id: number
  service: string
  remote_url: string
  remote_username: string
  /** Password or token, sealed with the site's key; "" for none, and once it is no longer needed. */
  sealed_secret: string
  /** Whether large files come too. */
  lfs: Flag
  /** Where they are; "" for where Git LFS looks for them. */
  lfs_endpoint: string
  /** A JSON list of what is to come beside git's part. */
  parts: string
  phase: ImportPhase
  /** A JSON object of how far the records are. */
  cursor: Generated<string>
  /** A JSON object of how many of each part have come, and how many there are. */
  progress: Generated<string>
  /** Why it failed, in words that the one who asked for it may see. */
  error: Generated<string>
  created_at: Seconds
  updated_at: Seconds
}

export interface MirrorTables {
  mirrors: MirrorsTable
  push_mirrors: PushMirrorsTable
  imports: ImportsTable
}
