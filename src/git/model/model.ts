import type { ObjectFormat, ObjectId, RefName } from "./names.ts"

/** One bare repository, and while a push is checked also the quarantine with its new objects. */
export interface Repository {
  /** The opaque storage key, such as `ab/abcdef`. */
  readonly key: string
  /** The absolute path of the bare repository. */
  readonly directory: string
  readonly format: ObjectFormat
  /** The absolute path of the object directory of a push that is not accepted yet; absent outside of a push. */
  readonly quarantine?: string
  /** The absolute paths of other object directories that are visible too: of another repository, in a read-only view, or of this one in a cache. */
  readonly borrows?: readonly string[]
  /** The absolute path of the object directory that new objects are written to; by default that of the repository. */
  readonly staging?: string
  /** The garbage collection that a view of what counts was made after. */
  readonly epoch?: number
  /** The references that will be other ones, with their objects, or null for none: a move that is being prepared. */
  readonly moved?: ReadonlyMap<RefName, ObjectId | null>
  /** The two repositories that a view shows together. */
  readonly parts?: readonly [Repository, Repository]
}

/** The four kinds of object that git knows. */
export type ObjectType = "blob" | "tree" | "commit" | "tag"

/** Who did something and when. */
export interface Person {
  readonly name: string
  readonly email: string
  /** Unix seconds. */
  readonly when: number
  /** Minutes east of UTC. */
  readonly offset: number
}

/** A signature over a commit or tag, with the bytes that were signed. */
export interface Signature {
  /** The armoured signature. */
  readonly text: string
  readonly payload: Buffer
}

/** A commit, parsed. */
export interface Commit {
  readonly id: ObjectId
  readonly tree: ObjectId
  readonly parents: readonly ObjectId[]
  readonly author: Person
  readonly committer: Person
  /** Everything after the headers, decoded; its final newline is kept. */
  readonly message: string
  readonly signature: Signature | undefined
  /** The header `change-id`, which Jujutsu writes: it stays the same while a commit is rewritten. */
  readonly changeId?: string | undefined
}

/** An annotated tag, parsed. */
export interface Tag {
  readonly id: ObjectId
  readonly object: ObjectId
  readonly type: ObjectType
  readonly name: string
  /** Very old tags have none. */
  readonly tagger: Person | undefined
  readonly message: string
  readonly signature: Signature | undefined
}

/** What a tree entry is: a file, an executable file, a symbolic link, a directory, or a commit of a submodule. */
export type EntryMode = "100644" | "100755" | "120000" | "40000" | "160000"

/** One entry of a tree. */
export interface TreeEntry {
  readonly mode: EntryMode
  readonly name: string
  readonly id: ObjectId
}

/** An object's kind and size in bytes. */
export interface ObjectInfo {
  readonly id: ObjectId
  readonly type: ObjectType
  readonly size: number
}

/** An object with its content. */
export interface RawObject {
  readonly type: ObjectType
  readonly content: Buffer
}

/** A reference and the object that it names. */
export interface Reference {
  readonly name: RefName
  readonly id: ObjectId
}

/** A change to one reference. */
export interface RefUpdate {
  readonly name: RefName
  /** The new value, or null to delete it. */
  readonly to: ObjectId | null
  /** The value that it must have, null when it must not exist; left out when any will do. */
  readonly from?: ObjectId | null
  /** False where the new value is known to have the old one in its history. */
  readonly forced?: boolean
}

/** How to repack a repository. */
export interface Maintenance {
  /** The time now, and the time since when objects to be dropped have been left behind, in seconds since 1970. */
  readonly now: number
  readonly before: number
  /** The ids of commits that stay although no reference reaches them; missing ones are passed over. */
  readonly keep: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** A file that differs between two trees. */
export interface ChangedFile {
  readonly path: string
  /** The old path of a renamed or copied file. */
  readonly previousPath: string | undefined
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied" | "typechanged"
  /** Lines; 0 for binary files. */
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
  /** Six octal digits; `000000` where there is nothing. */
  readonly oldMode: string
  readonly newMode: string
}
