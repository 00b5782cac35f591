import type { Repository as RepositoryRow } from "../../access/permission.ts"
import type { User } from "../../core/actor.ts"
import type { Transaction } from "../../core/database/database.ts"
import type { Seconds } from "../../core/database/tables.ts"
import type { Services } from "../../core/services.ts"
import type { ObjectId, RefName, Repository } from "../../git/index.ts"
import { watchAutomatically } from "../teams/watches.ts"
import { followCommits } from "./commits.ts"
import { tellOfPush } from "./feed.ts"

/** A reference that has moved; null stands for "not there". */
export interface RefChange {
  readonly ref: RefName
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** A push whose references have moved, before anything of it is written down. */
export interface Moved {
  readonly services: Services
  readonly row: RepositoryRow & { readonly owner_name: string }
  readonly repository: Repository
  readonly changes: readonly RefChange[]
}

/** The same push while it is written down: its branches' rows, the default branch and the empty flag are true by now. */
export interface Written {
  readonly repository: RepositoryRow
  readonly owner: User
  readonly pusher: User
  readonly now: Seconds
}

/**
 * Something that becomes true with a push. It reads what it needs from git first, and gives what writes it down in the one transaction of the
 * push. It may happen that nothing is written, or, after a crash, that the same push is followed again.
 */
export type Consequence = (moved: Moved) => Promise<(tx: Transaction, written: Written) => Promise<void>>

const watch: Consequence = async ({ services: { config } }) => {
  return async (tx, { pusher, repository, now }) => {
    if (config.users.autoWatchOnPush) await watchAutomatically(tx, pusher.id, repository.id, now)
  }
}

/** Everything that follows from a push, in its order. */
export const consequences: readonly Consequence[] = [tellOfPush, followCommits, watch]
