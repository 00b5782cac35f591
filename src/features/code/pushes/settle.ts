import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf } from "../../../git/index.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { settleRepository, touchRepository, updateRepository } from "../repositories/store.ts"
import { defaultBranchNow, readTips, type Tip, tipsUnchanged, writeBranches } from "./branches.ts"
import { type PullMerge, removeEntry, type TagRelease, takeEntry } from "./entries.ts"
import { alignHead } from "./head.ts"
import { openNewCommits } from "./new-commits.ts"
import { type RepositoryOptions, readOptions } from "./options.ts"
import { type PushStep, pushSteps, type RefChange } from "./step.ts"
import { findRepository } from "./store.ts"

/** The effects of moved references: everything derived from them is stored in one transaction. */

/** A push whose references have moved. */
export interface Settling {
  readonly repositoryId: number
  readonly pusherId: number
  /** Its journal entry. */
  readonly entryId: number
  readonly changes: readonly RefChange[]
  readonly options: readonly string[]
  /** Set if it merges a pull request. */
  readonly merge?: PullMerge
  /** Set if it creates the tag of a release. */
  readonly release?: TagRelease
  /** Bytes that the object store grew by; undefined if it must be measured. */
  readonly addedBytes: number | undefined
  /** Whether the service itself points references to commits that are there already. */
  readonly bringsNothing?: boolean
}

/**
 * Stores everything derived from a push: branch rows and their count, default branch, empty flag, size, update time, feed, watch,
 * push options, and git's HEAD. Does nothing if the journal entry was taken by another process. Returns messages for the pusher.
 */
export async function settlePush(services: Services, settling: Settling): Promise<readonly string[]> {
  const { database, git, now } = services
  const found = await findRepository.first(database.read, { id: settling.repositoryId })
  if (!found) {
    await database.write((tx) => removeEntry(tx, settling.entryId))
    return []
  }
  const repository = git.at(found.storage, found.object_format)
  const { changes, merge, release } = settling
  const newCommits = openNewCommits(git, repository, settling.merge)
  const moved = { services, row: found, repository, changes, newCommits, bringsNothing: settling.bringsNothing === true, merge, release }
  const following: Following[] = []
  for (const step of pushSteps.of(services)) following.push(await step(moved))
  const size = settling.addedBytes === undefined ? await git.repositories.size(repository) : undefined
  let tips = await readTips(git, repository, branchNames(settling.changes))
  const settled = await database.write((tx) => settle(tx, services, { settling, tips, following, size }))
  // Two pushes to one branch may be recorded in reverse order; the later writer reads git again, so that the final row is correct.
  while (settled && !(await tipsUnchanged(git, repository, tips))) {
    tips = await readTips(git, repository, branchNames(settling.changes))
    await database.write((tx) => writeBranches(tx, { repositoryId: found.id, tips, pusherId: settling.pusherId, now: now() }))
  }
  if (!settled?.headMoves) return settled?.lines ?? []
  await alignHead(services, found.id)
  await database.write((tx) => removeEntry(tx, settling.entryId))
  return settled.lines
}

type Following = Awaited<ReturnType<PushStep>>

interface Prepared {
  readonly settling: Settling
  readonly tips: readonly Tip[]
  readonly following: readonly Following[]
  readonly size: number | undefined
}

interface Settled {
  readonly lines: readonly string[]
  readonly headMoves: boolean
}

async function settle(tx: Transaction, services: Services, { settling, tips, following, size }: Prepared): Promise<Settled | undefined> {
  const { config, now } = services
  const { repositoryId, pusherId, entryId, changes, addedBytes } = settling
  const before = await touchRepository.first(tx, { id: repositoryId, now: now() })
  if (!before || !(await takeEntry(tx, entryId, repositoryId))) return undefined
  const owner = await findUserById.first(tx, { id: before.owner_id })
  const pusher = await findPusher(tx, pusherId, owner)

  await writeBranches(tx, { repositoryId, tips, pusherId, now: now() })
  const wasEmpty = before.is_empty === 1
  const defaultBranch = await defaultBranchNow(tx, repositoryId, { stored: before.default_branch, wasEmpty, created: created(changes) })
  const growth = size === undefined ? { base: 1, added: addedBytes ?? 0 } : { base: 0, added: size }
  const settled = (await settleRepository.first(tx, { id: repositoryId, defaultBranch, ...growth })) ?? before

  const options = readOptions(settling.options)
  const after = wasEmpty ? await applyOptions(tx, settled, options, config.repository.forcePrivate, now()) : settled
  const lines: string[] = []
  const about = { repository: after, now: now(), tell: (line: string) => void lines.push(line) }
  if (owner && pusher) for (const write of following) await write(tx, { ...about, owner, pusher })
  // The entry is kept so that the job aligns HEAD if this process ends before it has done so.
  const headMoves = wasEmpty || defaultBranch !== before.default_branch
  if (!headMoves) await removeEntry(tx, entryId)
  const ignored = !wasEmpty && Object.keys(options).length > 0
  if (ignored) lines.push("The push options repo.private and repo.template count only while a repository is empty.")
  return { headMoves, lines }
}

const branchNames = (changes: readonly RefChange[]): readonly string[] => changes.flatMap(({ ref }) => branchOf(ref) ?? [])

const created = (changes: readonly RefChange[]): readonly string[] => branchNames(changes.filter(({ oldId }) => oldId === null))

// --- the rest ---------------------------------------------------------------------------------------------------------------------

async function applyOptions(
  tx: Transaction,
  repository: RepositoryRow,
  { isPrivate, isTemplate }: RepositoryOptions,
  forcePrivate: boolean,
  now: Seconds,
): Promise<RepositoryRow> {
  const wanted = {
    is_private: flag(forcePrivate || (isPrivate ?? repository.is_private === 1)),
    is_template: flag(isTemplate ?? repository.is_template === 1),
  }
  if (wanted.is_private === repository.is_private && wanted.is_template === repository.is_template) return repository
  await updateRepository(tx, repository.id, wanted)
  if (wanted.is_private !== repository.is_private)
    publish(tx, { kind: wanted.is_private ? "repository.madePrivate" : "repository.madePublic", repository, at: now })
  return { ...repository, ...wanted }
}

/** Who pushed: an account, or the service itself with the token of a job; undefined for an account that is gone. */
async function findPusher(tx: Transaction, id: number, owner: User | undefined): Promise<User | undefined> {
  if (id === ACTIONS_USER.id) return ACTIONS_USER
  return owner?.id === id ? owner : findUserById.first(tx, { id })
}
