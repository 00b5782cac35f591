import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type Repository } from "../../../git/index.ts"
import type { RefChange } from "../pushes/step.ts"
import { dropWikiEntry, openWikiEntry } from "./journal.ts"
import type { PageChange } from "./page-change.ts"
import { settleWiki, settleWikiMove } from "./settle.ts"

export interface WikiMove {
  readonly repositoryId: number
  readonly pusherId: number
  readonly changes: readonly RefChange[]
  /** What happened to pages, where that is known, or is not to be told. */
  readonly told?: readonly PageChange[]
  /** The new objects' size on disk; without it the wiki is measured. */
  readonly addedBytes?: number
}

/**
 * Changes references of a wiki on a user's behalf, with the journal and all that follows from a push. All change or none.
 * Refuses `conflict` if one no longer has its old value.
 */
export async function moveWiki(services: Services, repository: Repository, { addedBytes, told, ...move }: WikiMove): Promise<void> {
  const { git, log } = services
  const updates = move.changes.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId }))
  try {
    if (await git.references.move(repository, updates, (together) => settleWikiMove(services, together, { ...move, told }))) return
  } catch (error) {
    throw isGitError(error, "conflict") ? isChanged() : error
  }
  const entry = await openWikiEntry(services, { ...move, changes: [...move.changes], ...(told && { told: [...told] }) })
  try {
    try {
      await git.references.update(repository, updates)
    } catch (error) {
      // After any other failure the progress is unknown: the entry stays, and the job checks.
      if (!isGitError(error, "conflict")) throw error
      await dropWikiEntry(services, entry)
      throw isChanged()
    }
    await settleWiki(services, { ...move, told, entryId: entry.id, addedBytes }).catch((error: unknown) =>
      // The references have changed already, so this must not fail; the job does the rest.
      log.error({ err: error, repository: move.repositoryId }, "what follows from a change of a wiki failed"),
    )
  } finally {
    entry.release()
  }
}

const isChanged = () => refuse.conflict("the wiki was changed by someone else meanwhile; look at it again and repeat the request")
