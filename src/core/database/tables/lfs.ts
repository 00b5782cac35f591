import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** A large file, stored once however many repositories have it. */
export interface LfsObjectsTable {
  id: Generated<number>
  /** The SHA-256 of the bytes, hex. */
  oid: string
  /** Bytes. */
  size: number
  /** The name of the file that holds them. Content that comes again after it was removed gets another. */
  file: string
  created_at: Seconds
  /** When it was last given to a repository. */
  linked_at: Seconds
}

/** That a repository has a large file. Without it the repository's readers get nothing, whatever they know. */
export interface LfsLinksTable {
  repository_id: number
  object_id: number
  created_at: Seconds
}

/** A path that somebody alone wants to change. */
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
