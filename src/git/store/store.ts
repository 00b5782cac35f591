import type { Maintenance, RefUpdate, Repository } from "../model/model.ts"
import type { ObjectFormat, RefName } from "../model/names.ts"

/** A change of a repository, as the transaction that makes it is to write it. */
export interface RepositoryChange {
  readonly key: string
  /** The garbage collection that the objects were looked up after: a later one may have dropped some that they need. */
  readonly epoch: number
  readonly updates: readonly RefUpdate[]
  readonly packs: readonly NewPack[]
  /** Whether some objects may be left behind that no reference reaches any more. */
  readonly leavesBehind: boolean
}

/** Objects that come with a change: few in the row itself, many in files that are stored already. */
export interface NewPack {
  readonly id: string
  /** In bytes, with all its files. */
  readonly size: number
  readonly content: Buffer | undefined
  /** The endings of its files, such as `pack` and `idx`; none where the content is here. */
  readonly files: readonly string[]
}

/** The versions of a repository that a change led to. */
export interface Versions {
  readonly refs: number
  readonly packs: number
}

/** A change of references that is made by a transaction of the database, together with everything that follows from it. */
export interface Move {
  /** The repository as it will be: with the new values of its references, and the objects that they name. Further updates of it become part of the move. */
  readonly view: Repository
  /** Runs work for which the repository is the view, wherever it is looked up by its key. */
  readonly within: <R>(work: () => Promise<R>) => Promise<R>
  /** What the transaction is to write. What is large is stored now; if nothing names it in the end, it is swept. */
  readonly seal: () => Promise<RepositoryChange>
  /** Takes notice of the commit, so that this process need not fetch what it has made. */
  readonly made: (versions: Versions) => Promise<void>
  /** Ends the move, whether or not it was made. */
  readonly close: () => Promise<void>
}

/** Where repositories are kept: in folders, or in the database and an object store. What differs between the two, and nothing else. */
export interface RepositoryStore {
  /** The repository at a storage key, without looking at anything. Throws `invalid` for a bad key. */
  readonly at: (key: string, format: ObjectFormat) => Repository
  /** The same with the format that it has. Throws `invalid`, `missing`. */
  readonly open: (key: string) => Promise<Repository>
  /** Makes the files of a repository as new as the last change by any process. Undefined where the files themselves are what counts. */
  readonly ready: ((repository: Repository) => Promise<void>) | undefined
  /** The same, even where the caller has had it looked at a moment ago: for what git clients are told. */
  readonly renew: ((repository: Repository) => Promise<void>) | undefined
  /** Throws `exists`, `invalid`. */
  readonly create: (key: string, options: { readonly format: ObjectFormat; readonly branch: string }) => Promise<Repository>
  readonly remove: (repository: Repository) => Promise<void>
  readonly exists: (repository: Repository) => Promise<boolean>
  /** Whether nothing at all is left of it. */
  readonly isGone: (repository: Repository) => Promise<boolean>
  /** Removes what processes left that died. For the start of the service. */
  readonly sweep: () => Promise<void>
  /** In bytes. Throws `missing`. */
  readonly size: (repository: Repository) => Promise<number>
  /** Throws `missing`, `exists`. */
  readonly fork: (from: Repository, key: string, keep: (ref: RefName) => boolean) => Promise<Repository>
  /** Throws `conflict`, `missing`, `invalid`. */
  readonly setHead: (repository: Repository, ref: RefName) => Promise<void>
  /** Changes references by themselves, together or not at all. Throws as `updateReferences` does. */
  readonly update: (repository: Repository, updates: readonly RefUpdate[], options?: { readonly signal?: AbortSignal }) => Promise<void>
  /** Begins a change of references that a transaction will make. Undefined where that is not how references move. Throws `conflict`, `failed`. */
  readonly begin: (repository: Repository, updates: readonly RefUpdate[]) => Promise<Move | undefined>
  /** The repository as a push is checked against it: only what counts for every process is in view. */
  readonly receiving: (repository: Repository) => Promise<Repository>
  /** Stores the objects of a quarantine before any reference names them. */
  readonly migrate: (quarantined: Repository & { readonly quarantine: string }) => Promise<void>
  readonly needsMaintenance: (repository: Repository) => Promise<boolean>
  /** Packs references where that makes them faster to list. Throws `failed`, `timeout`, `aborted`. */
  readonly packReferences: (repository: Repository, signal: AbortSignal) => Promise<void>
  readonly hasLeftBehind: (repository: Repository, before: number) => Promise<boolean>
  readonly maintain: (repository: Repository, how: Maintenance) => Promise<void>
}
