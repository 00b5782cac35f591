import type { Reference } from "../../model/model.ts"
import type { ObjectFormat, RefName } from "../../model/names.ts"
import type { NewPack, RepositoryChange, Versions } from "../store.ts"

/** What the store needs from the database and the object store. */

/** A repository's row. Its versions only grow. */
export interface StoredRepository {
  readonly id: number
  readonly format: ObjectFormat
  readonly head: RefName
  /** The last change of a reference, and the last that removed one. */
  readonly refsVersion: number
  readonly removedVersion: number
  /** The last pack. */
  readonly packsVersion: number
  /** Counts garbage collections. */
  readonly epoch: number
  /** Bytes of all packs, and of those that the last repack made. */
  readonly size: number
  readonly packedSize: number
  readonly packs: number
  /** Whether a change since the last repack may have left objects behind. */
  readonly mayHaveLeftBehind: boolean
  /** Since when the oldest objects are put aside, in seconds since 1970; 0 for none. */
  readonly asideSince: number
}

export interface StoredPack extends NewPack {
  readonly version: number
}

/** A repack: the packs up to a version are replaced by others. */
export interface Replacement {
  readonly key: string
  /** The state that was packed. */
  readonly epoch: number
  readonly packsVersion: number
  /** Whether objects are dropped: then nothing may have changed since, as a change may need them. */
  readonly drops: boolean
  readonly packs: readonly NewPack[]
  readonly updates: RepositoryChange["updates"]
  readonly asideSince: number
}

export interface Records {
  readonly find: (key: string) => Promise<StoredRepository | undefined>
  /** The references that were written after a version; all after 0. */
  readonly references: (repositoryId: number, after: number) => Promise<readonly Reference[]>
  /** The packs that came after a version; all after 0. */
  readonly packs: (repositoryId: number, after: number) => AsyncIterable<StoredPack>
  /** Makes a repository, with these references and with the packs of another one. Throws `exists`. */
  readonly create: (made: NewRepository) => Promise<void>
  readonly remove: (key: string) => Promise<void>
  /** Whether there is such a repository. */
  readonly setHead: (key: string, head: RefName) => Promise<boolean>
  /** Makes a change in a transaction of its own. Throws `conflict`, `missing`, `stale`. */
  readonly commit: (change: RepositoryChange) => Promise<Versions>
  /** The versions of what has taken its place, under the next epoch; undefined where it has changed too much. */
  readonly replace: (replacement: Replacement) => Promise<Versions | undefined>
}

export interface NewRepository {
  readonly key: string
  readonly format: ObjectFormat
  readonly head: RefName
  readonly references: readonly Reference[]
  /** The key of the repository whose packs it has too. */
  readonly packsOf?: string
  readonly packs?: readonly NewPack[]
}

/** The files of packs in the object store, by the pack's id and the ending of the file. */
export interface PackFiles {
  readonly write: (id: string, ending: string, path: string) => Promise<void>
  /** Writes it to a path of the disk, which must not exist. Throws `missing` where it is gone. */
  readonly read: (id: string, ending: string, path: string) => Promise<void>
}

export interface SharedStoreOptions {
  readonly records: Records
  readonly files: PackFiles
  /** The folder of the cache. */
  readonly root: string
  /** The bytes of objects that the cache may hold. */
  readonly cacheBytes: number
}
