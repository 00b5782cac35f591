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
  /** The branch that HEAD named there last time: the default branch here follows only changes of it. */
  remote_head: Generated<string>
  /** Failed synchronisations since the last success. */
  failures: Generated<number>
  /** Whether large files come too. */
  lfs: Generated<Flag>
  /** Where they are; "" for where Git LFS looks for them. */
  lfs_endpoint: Generated<string>
  /** Whether it follows the wiki too. */
  wiki: Generated<Flag>
  /** Large files that the server didn't have last time; they are requested again. */
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
  /** Failed pushes since the last success. */
  failures: Generated<number>
}

/** The status of an import. */
export type ImportPhase = "git" | "records" | "done" | "failed"

/** The import of a repository from another server. Rows outlive repositories, so that errors can be shown. */
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
  /** A JSON list of what to import besides git. */
  parts: string
  phase: ImportPhase
  /** The progress of the records, as a JSON object. */
  cursor: Generated<string>
  /** A JSON object with the number of imported records of each part, and of all there are. */
  progress: Generated<string>
  /** Why it failed, in words for the user who requested it. */
  error: Generated<string>
  created_at: Seconds
  updated_at: Seconds
}

export interface MirrorTables {
  mirrors: MirrorsTable
  push_mirrors: PushMirrorsTable
  imports: ImportsTable
}
