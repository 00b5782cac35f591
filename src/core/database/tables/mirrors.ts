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
export type ImportPhase = "queued" | "git" | "records" | "stopped" | "done" | "failed"

/** The import of a repository from another server. Rows outlive repositories, so that errors can be shown; one that waits for its turn has none yet. */
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
  /** Why it failed, or why it is tried again, in words for the user who requested it. */
  error: Generated<string>
  /** When the last complete run began: records that have not changed since are here. 0 for the first run. */
  since: Generated<Seconds>
  /** When the other server grants requests again; 0 where it does. */
  waits_until: Generated<Seconds>
  /** Whose texts are whose here: a JSON object, by login there, of the ids of users. */
  people: Generated<string>
  /** What identifies the people of the other server, such as github.com; "" where its records were not asked for yet. */
  host: Generated<string>
  /** When the present or last run began. */
  begun_at: Generated<Seconds>
  /** What the repository was to be called; it may have another name by now. */
  name: Generated<string>
  /** Whose it will be, and whether it will be private, as long as there is none. */
  owner_id: Generated<number>
  is_private: Generated<Flag>
  created_at: Seconds
  updated_at: Seconds
}

/** What an import has brought. */
export interface ImportedItemsTable {
  repository_id: number
  kind: string
  /** What the other server calls it by. */
  source_key: string
  /** The id of the issue, comment, … here. */
  local_id: number
  /** When it had last changed there. */
  version: Seconds
  /** Whose it is, as long as nobody here has taken it over; else 0. */
  person_id: Generated<number>
}

/** A reaction of someone who is not known here yet. */
export interface ImportedReactionsTable {
  person_id: number
  issue_id: number
  /** 0 for the issue itself. */
  comment_id: number
  content: string
  created_at: Seconds
}

/** What an import could not bring. */
export interface ImportFaultsTable {
  id: Generated<number>
  import_id: number
  kind: string
  source_key: string
  message: string
}

/** Someone on another server whose texts were brought. */
export interface ImportedPeopleTable {
  id: Generated<number>
  /** Such as github.com. */
  host: string
  source_key: string
  login: string
  name: string
  /** Lower case, and verified there; "" where that is not known. */
  mail: string
  /** Who they are here; 0 where that is not known yet. */
  user_id: number
}

export interface MirrorTables {
  imported_items: ImportedItemsTable
  import_faults: ImportFaultsTable
  imported_people: ImportedPeopleTable
  imported_reactions: ImportedReactionsTable
  mirrors: MirrorsTable
  push_mirrors: PushMirrorsTable
  imports: ImportsTable
}
