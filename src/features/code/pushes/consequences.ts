import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, RefName, Repository } from "../../../git/index.ts"
import { startWorkflows } from "../../actions/triggers/on-push.ts"
import { tellWebhooks } from "../../events/webhooks/on-push.ts"
import { watchAutomatically } from "../../people/teams/watches.ts"
import { completeMerge, retryMerges } from "../../review/merging/on-push.ts"
import { movePulls } from "../../review/pulls/on-push.ts"
import { describeComposition } from "../languages/on-push.ts"
import { pushToMirrors } from "../mirrors/on-push.ts"
import { publishTaggedRelease } from "../releases/on-push.ts"
import { maintainAfterPush } from "../repositories/maintenance.ts"
import { keepTags } from "../tags/on-push.ts"
import { followCommits } from "./commits.ts"
import type { PullMerge, TagRelease } from "./entries.ts"
import type { Gained } from "./gained.ts"
import { publishReferences } from "./publish-references.ts"

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
  readonly gained: Gained
  /** Set where the push merges a pull request. */
  readonly merge: PullMerge | undefined
  /** Set where the push makes the tag of a release. */
  readonly release: TagRelease | undefined
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
    // In the name of an organisation pushes a key of its repository.
    if (config.users.autoWatchOnPush && pusher.kind === "person") await watchAutomatically(tx, pusher.id, repository.id, now)
  }
}

/** Everything that follows from a push, in its order. */
export const consequences: readonly Consequence[] = [
  publishReferences,
  followCommits,
  watch,
  keepTags,
  publishTaggedRelease,
  describeComposition,
  maintainAfterPush,
  tellWebhooks,
  startWorkflows,
  pushToMirrors,
  completeMerge,
  movePulls,
  retryMerges,
]
