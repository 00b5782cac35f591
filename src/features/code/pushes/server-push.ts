import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type RefCommand, type Repository } from "../../../git/index.ts"
import { checkReferences } from "./checks.ts"
import type { Claim, Landing, PullMerge, TagRelease } from "./entries.ts"
import { dropEntry, openEntry } from "./journal.ts"
import { settleMove, settlePush } from "./settle.ts"
import type { RefChange } from "./step.ts"
import { awaitTurns } from "./turns.ts"

export interface ServerPushOptions {
  /** The new objects' size on disk; without it the repository is measured, which takes longer the larger it is. */
  readonly addedBytes?: number | undefined
  /** Set if this merges a pull request that may be merged. It is marked as merged in the push's transaction. */
  readonly merge?: PullMerge | undefined
  /** Set if the push creates the tag of a release, which is published in the push's transaction. */
  readonly release?: TagRelease | undefined
  /** Set if the push lands a trial of a merge queue, whose pull requests are marked as merged in the push's transaction. */
  readonly landing?: Landing | undefined
  readonly claim?: Claim | undefined
  /** The holder of the turn at the branch that this push has itself. */
  readonly turn?: string | undefined
}

/**
 * Changes references for a user, with objects that are stored already: a push without a client. The same rules are checked, the same journal
 * is written, and it has the same effects. All references change or none.
 * Refuses `forbidden` with the message of the rule that refuses it, `conflict` if a reference no longer has its old value or two names
 * conflict. Throws what `claim` throws.
 */
export async function pushFromServer(
  services: Services,
  pusher: SignedIn,
  on: OnRepository,
  changes: readonly RefChange[],
  options: ServerPushOptions = {},
): Promise<void> {
  const { storage, object_format } = on.repository
  const repository = services.git.at(storage, object_format)
  const commands = await Promise.all(changes.map((change) => commandOf(services, repository, change)))
  const { merge, release } = options
  const context = { services, pusher, on, repository, mergedPull: merge?.pullId, ofRelease: release !== undefined }
  for (const words of (await checkReferences(context, commands)).values()) throw refuse.forbidden(words)
  await moveReferences(services, pusher.user.id, on.repository, changes, options)
}

/**
 * Changes references on a user's behalf without checking any rule, with the journal and all effects of a push. All references change or
 * none. Refuses `conflict` as `pushFromServer` does. Throws what `claim` throws.
 */
export async function moveReferences(
  services: Services,
  pusherId: number,
  row: Pick<RepositoryRow, "id" | "storage" | "object_format">,
  changes: readonly RefChange[],
  { addedBytes, merge, release, landing, claim, turn }: ServerPushOptions = {},
): Promise<void> {
  const { git } = services
  const repository = git.at(row.storage, row.object_format)
  const announced = {
    repositoryId: row.id,
    pusherId,
    changes: [...changes],
    options: [],
    ...(merge && { merge }),
    ...(release && { release }),
    ...(landing && { landing }),
  }
  await awaitTurns(
    services,
    row.id,
    changes.map(({ ref }) => ref),
    turn,
  )
  const updates = changes.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId }))
  const pushed = { ...announced, changes, bringsNothing: addedBytes === 0 }
  try {
    if (await git.references.move(repository, updates, (move) => settleMove(services, move, { pushed, claim }))) return
  } catch (error) {
    throw isGitError(error, "conflict") ? isChanged() : error
  }
  const entry = await openEntry(services, announced, claim)
  try {
    try {
      await git.references.update(repository, updates)
    } catch (error) {
      // After any other failure the progress is unknown: the entry stays, and the job checks.
      if (!isGitError(error, "conflict")) throw error
      await dropEntry(services, entry)
      throw isChanged()
    }
    await settlePush(services, { ...pushed, entryId: entry.id, addedBytes }).catch((error: unknown) =>
      // The references have changed already, so this must not fail; the job does the rest.
      services.log.error({ err: error, repository: row.id }, "what follows from a push failed"),
    )
  } finally {
    entry.release()
  }
}

const isChanged = () => refuse.conflict("the branch or tag was changed by someone else meanwhile; look at it again and repeat the request")

async function commandOf({ git }: Services, repository: Repository, { ref, oldId, newId }: RefChange): Promise<RefCommand> {
  if (oldId === null || newId === null) return { ref, oldId, newId, kind: newId === null ? "delete" : "create", forced: false }
  return { ref, oldId, newId, kind: "update", forced: !(await git.history.isAncestor(repository, oldId, newId)) }
}
