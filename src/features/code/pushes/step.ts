import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { allEnded } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, RefName, Repository } from "../../../git/index.ts"
import type { Landing, PullMerge, TagRelease } from "./entries.ts"
import type { NewCommits } from "./new-commits.ts"

/** A reference change; null means that the reference doesn't exist. */
export interface RefChange {
  readonly ref: RefName
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** A push whose references have moved, before its effects are stored. */
export interface MovedPush {
  readonly services: Services
  readonly row: RepositoryRow & { readonly owner_name: string }
  readonly repository: Repository
  readonly changes: readonly RefChange[]
  readonly newCommits: NewCommits
  /** Whether the service itself points references to commits that are there already. Not known after a crash, and then false. */
  readonly bringsNothing: boolean
  /** Set if the push merges a pull request. */
  readonly merge: PullMerge | undefined
  /** Set if the push creates the tag of a release. */
  readonly release: TagRelease | undefined
  /** Set if the push lands a trial of a merge queue. */
  readonly landing: Landing | undefined
}

/** The same push while its effects are stored: its branches' rows, the default branch and the empty flag are up to date. */
export interface SettledPush {
  readonly repository: RepositoryRow
  readonly owner: User
  readonly pusher: User
  readonly now: Seconds
  /** Adds a line to the output that the pusher sees. */
  readonly tell: (line: string) => void
}

/**
 * A post-receive step: an effect of a push. It reads what it needs from git first, and returns a function that stores it in the one transaction of the
 * push. That function may never be called, and after a crash the step may run again for the same push.
 */
export type PushStep = (push: MovedPush) => Promise<(tx: Transaction, settled: SettledPush) => Promise<void>>

/** Steps that don't touch each other's rows and tell the pusher nothing in between, as one: PostgreSQL gets their statements together. */
export const together =
  (...steps: readonly PushStep[]): PushStep =>
  async (push) => {
    const following = await allEnded(steps.map((step) => step(push)))
    return async (tx, settled) => void (await Promise.all(following.map((write) => write(tx, settled))))
  }

/** The steps after every push, in their order; registered in src/push-steps.ts. */
export const pushSteps = extensionPoint<PushStep>("steps after a push")
