import type { Readable, Writable } from "node:stream"
import type { Repository } from "../model/model.ts"
import type { ObjectId, RefName } from "../model/names.ts"
import type { Move } from "../store/store.ts"

/** One command of a push. */
export interface RefCommand {
  readonly ref: RefName
  readonly kind: "create" | "update" | "delete"
  /** The value that the client believes the reference has; null when it is to be created. */
  readonly oldId: ObjectId | null
  /** The new value; null when it is to be deleted. */
  readonly newId: ObjectId | null
  /** Whether an update is a force-push: the old commit is no ancestor of the new one, or one of the two is no commit. */
  readonly forced: boolean
}

/** A push whose objects are complete and in quarantine, for the caller to check. */
export interface Push {
  /** The repository with the quarantine in view: it shows the new objects. Valid only until `check` has resolved. */
  readonly repository: Repository
  /** The commands that are not refused yet, in the client's order. */
  readonly commands: readonly RefCommand[]
  /** The push options, in the client's order. */
  readonly options: readonly string[]
  /** Whether the client requires an atomic push. */
  readonly atomic: boolean
}

/** The caller's decision on a push. */
export interface Verdict {
  /** Why references are refused, in words for the pusher; references that are not listed are allowed. */
  readonly refused: ReadonlyMap<RefName, string>
  /** Lines shown to the pusher. */
  readonly lines?: readonly string[]
}

/** A command and how it ended. */
export interface RefResult extends RefCommand {
  /** Why nothing changed; null when the reference was changed. */
  readonly refused: string | null
  /** Of an offer that was taken. */
  readonly written?: WrittenRef | undefined
}

/** A reference that was written in place of the one that was pushed to. */
export interface WrittenRef {
  readonly ref: RefName
  readonly oldId: ObjectId | null
  readonly newId: ObjectId
  readonly forced: boolean
}

/** How offers ended: each is in one of the two maps. */
export interface TakenOffers {
  /** Why offers were refused, in words for the pusher. */
  readonly refused: ReadonlyMap<RefName, string>
  /** What was written for the others. */
  readonly written: ReadonlyMap<RefName, WrittenRef>
  /** Lines shown to the pusher. */
  readonly lines: readonly string[]
}

/** Names of references that are never stored: a commit that is pushed to one is offered to the caller, which makes something else of it. */
export interface Offers {
  readonly has: (ref: RefName) => boolean
  /** Takes the offers that were allowed. Their objects are in the repository by then; nothing names them yet. If it throws, all are refused. */
  readonly take: (push: Pick<Push, "commands" | "options" | "atomic">) => Promise<TakenOffers>
}

/** The outcome of a push. */
export interface PushOutcome {
  /** The repository, without the quarantine. */
  readonly repository: Repository
  /** Every command with a well-formed name, in the client's order. */
  readonly results: readonly RefResult[]
  readonly options: readonly string[]
  /** Why the pack was not taken; null when it was, or none was needed. */
  readonly unpackError: string | null
  /** Bytes that the repository's object store grew by. */
  readonly addedBytes: number
}

/** How to receive a push. */
export interface ReceiveRequest {
  /** What the client sends, no longer compressed. */
  readonly input: Readable
  /** What the client gets. It is ended here, but only once there is an answer: before that an error is thrown and nothing was written. */
  readonly output: Writable
  /** Refuses references, with words for the pusher, before any object is received. */
  readonly admit?: (push: Pick<Push, "commands" | "options">) => Promise<ReadonlyMap<RefName, string>>
  /** Without it there are none. A push that has offers changes no reference: other commands are refused. */
  readonly offers?: Offers
  /** Checks each reference. If it throws, the whole push is refused with the words of `explain`, and the error is logged. */
  readonly check: (push: Push) => Promise<Verdict>
  /** Called when at least one reference is about to change, before anything does: the place for a journal entry. */
  readonly before?: (commands: readonly RefCommand[], options: readonly string[]) => Promise<void>
  /**
   * Called once if `before` was, whether or not a reference has changed, and awaited before the report. Its lines are shown to the pusher.
   */
  readonly after?: (outcome: PushOutcome) => Promise<readonly string[]>
  /**
   * Makes a push by a transaction that writes everything that follows from it too, where references move by one; `before` and `after` are not called then. Its lines are shown to the
   * pusher. Throws `conflict` and `stale`, and for what else the push is refused as a whole; then nothing may have changed.
   */
  readonly make?: (move: Move, commands: readonly RefCommand[], options: readonly string[]) => Promise<readonly string[]>
  /** Whether the input ends after the pack (HTTP), or stays open for the whole session (SSH). */
  readonly stateless: boolean
  /** What the client is told of an error after the request was read; undefined for "internal error", which it is told of all without this. */
  readonly explain?: (error: unknown) => string | undefined
  /** The largest pack in bytes; by default the limit that git was opened with. */
  readonly maxBytes?: number
  /** The most references; more are refused as a whole. By default the limit that git was opened with. */
  readonly maxReferences?: number
  /** Fires when the client is gone. Nothing is changed if it fires before the references are. */
  readonly signal?: AbortSignal
}
