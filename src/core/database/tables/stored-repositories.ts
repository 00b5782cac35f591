import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** A git repository that is kept in the database and an object store. */
export interface StoredRepositoriesTable {
  id: Generated<number>
  /** The storage key of a repository, or of a wiki. */
  key: string
  object_format: "sha1" | "sha256"
  /** The branch that HEAD names, with `refs/heads/`. */
  head: string
  refs_version: number
  removed_version: number
  packs_version: number
  gc_epoch: number
  size: number
  packed_size: number
  packs_count: number
  has_left_behind: Flag
  aside_since: Seconds
  created_at: Seconds
}

export interface RepositoryRefsTable {
  stored_repository_id: number
  name: string
  object_id: string
  /** The version of the repository's references that wrote it. */
  version: number
}

/** A pack, which forks share. */
export interface PacksTable {
  id: Generated<number>
  /** The name of its files. */
  file: string
  size: number
  /** The pack itself, where it is small. */
  content: Uint8Array | null
  /** The endings of its files in the object store, with spaces between them. */
  files: string
  created_at: Seconds
  /** When it was first seen to be of no repository; 0 while it is of one. */
  unused_since: Seconds
}

export interface RepositoryPacksTable {
  stored_repository_id: number
  pack_id: number
  version: number
}

/** What all servers of one site have to agree on, by its name: see core/values. */
export interface SiteValuesTable {
  name: string
  value: string
}

export interface StoredRepositoryTables {
  stored_repositories: StoredRepositoriesTable
  repository_refs: RepositoryRefsTable
  packs: PacksTable
  repository_packs: RepositoryPacksTable
  site_values: SiteValuesTable
}
