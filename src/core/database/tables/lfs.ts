import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** A large file, stored once for all repositories that have it. */
export interface LfsObjectsTable {
  id: Generated<number>
  /** The SHA-256 of the bytes, hex. */
  oid: string
  /** Bytes. */
  size: number
  /** The name of the file that holds them. Content that is uploaded again after its removal gets a new one. */
  file: string
  created_at: Seconds
  /** When it was last given to a repository. */
  linked_at: Seconds
}

/** That a repository has a large file. Without this row its readers can't download the file, even if they know the digest. */
export interface LfsLinksTable {
  repository_id: number
  object_id: number
  created_at: Seconds
}

/** A path that only the owner of the lock may change. */
export interface LfsLocksTable {
  id: Generated<number>
  repository_id: number
  path: string
  owner_id: number
  created_at: Seconds
}

export interface LfsTables {
  lfs_objects: LfsObjectsTable
  lfs_links: LfsLinksTable
  lfs_locks: LfsLocksTable
}
