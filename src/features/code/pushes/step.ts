import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, RefName, Repository } from "../../../git/index.ts"
import type { PullMerge, TagRelease } from "./entries.ts"
import type { NewCommits } from "./new-commits.ts"

/** A reference that has moved; null stands for "not there". */
export interface RefChange {
  readonly ref: RefName
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** A push whose references have moved, before anything of it is written down. */
export interface MovedPush {
  readonly services: Services
  readonly row: RepositoryRow & { readonly owner_name: string }
  readonly repository: Repository
  readonly changes: readonly RefChange[]
  readonly newCommits: NewCommits
  /** Set where the push merges a pull request. */
  readonly merge: PullMerge | undefined
  /** Set where the push makes the tag of a release. */
  readonly release: TagRelease | undefined
}

/** The same push while it is written down: its branches' rows, the default branch and the empty flag are true by now. */
export interface SettledPush {
  readonly repository: RepositoryRow
  readonly owner: User
  readonly pusher: User
  readonly now: Seconds
}

/**
 * A step after a push, in git's words post-receive: something that becomes true with it. It reads what it needs from git first, and gives what writes it down in the one transaction of the
 * push. It may happen that nothing is written, or, after a crash, that the same push is followed again.
 */
export type PushStep = (push: MovedPush) => Promise<(tx: Transaction, settled: SettledPush) => Promise<void>>

/** The steps after every push, in their order; the root lists them (src/push-steps.ts). */
export const pushSteps = extensionPoint<PushStep>("steps after a push")
