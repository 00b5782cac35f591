import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import { allEnded } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lineOf } from "../../../core/database/lock.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { bytesOf, commitChange, commitHead } from "../../../core/repositories/commit.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, branchRef, GitError, type Move, type Repository } from "../../../git/index.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { settleRepository, touchRepository, updateRepository } from "../repositories/store.ts"
import { defaultBranchNow, readTips, type Tip, tipsUnchanged, writeBranches } from "./branches.ts"
import { type Claim, type Landing, type PullMerge, removeEntry, type TagRelease, takeEntry } from "./entries.ts"
import { alignHead } from "./head.ts"
import { openNewCommits } from "./new-commits.ts"
import { type RepositoryOptions, readOptions } from "./options.ts"
import { type PushStep, pushSteps, type RefChange } from "./step.ts"
import { findOwner, findRepository } from "./store.ts"

/** The effects of moved references: everything derived from them is stored in one transaction. Where references are rows themselves, they move in it too. */

/** A push whose references have moved, or are about to. */
export interface Pushed {
  readonly repositoryId: number
  readonly pusherId: number
  readonly changes: readonly RefChange[]
  readonly options: readonly string[]
  /** Set if it merges a pull request. */
  readonly merge?: PullMerge | undefined
  /** Set if it creates the tag of a release. */
  readonly release?: TagRelease | undefined
  /** Set if it lands a trial of a merge queue. */
  readonly landing?: Landing | undefined
  /** Whether the service itself points references to commits that are there already. */
  readonly bringsNothing?: boolean
}

/** A push whose references have moved by themselves. */
export interface Settling extends Pushed {
  /** Its journal entry. */
  readonly entryId: number
  /** Bytes that the object store grew by; undefined if it must be measured. */
  readonly addedBytes: number | undefined
}

/**
 * Stores everything derived from a push: branch rows and their count, default branch, empty flag, size, update time, feed, watch,
 * push options, and git's HEAD. Does nothing if the journal entry was taken by another process. Returns messages for the pusher.
 */
export async function settlePush(services: Services, settling: Settling): Promise<readonly string[]> {
  const { database, git, now } = services
  const { repositoryId, entryId, changes } = settling
  const prepared = await prepare(services, settling)
  if (!prepared) {
    await database.write((tx) => removeEntry(tx, entryId))
    return []
  }
  const { repository } = prepared
  const added = settling.addedBytes === undefined ? { measured: await git.repositories.size(repository) } : { bytes: settling.addedBytes }
  let { tips } = prepared
  const settled = await database.write(async (tx) => {
    const written = await settle(tx, services, { ...prepared, pushed: settling, added, takes: entryId })
    // The entry is kept so that the job aligns HEAD if this process ends before it has done so.
    if (written && !written.headMoves) await removeEntry(tx, entryId)
    return written
  })
  // Two pushes to one branch may be recorded in reverse order; the later writer reads git again, so that the final row is correct.
  while (settled && !(await tipsUnchanged(git, repository, tips))) {
    tips = await readTips(git, repository, branchNames(changes))
    await database.write((tx) => writeBranches(tx, { repositoryId, tips, pusherId: settling.pusherId, now: now() }))
  }
  if (!settled?.headMoves) return settled?.lines ?? []
  await alignHead(services, repositoryId)
  await database.write((tx) => removeEntry(tx, entryId))
  return settled.lines
}

/** What is written with a move. */
export interface Together {
  readonly pushed: Pushed
  /** Checks, in the same transaction, that the push may proceed; what it throws aborts the push. */
  readonly claim?: Claim | undefined
}

/**
 * Moves references and stores everything derived from it, in one transaction. Returns messages for the pusher. Throws GitError `conflict` and `stale`, and what `claim` throws; then
 * nothing has changed.
 */
export async function settleMove(services: Services, move: Move, { pushed, claim }: Together): Promise<readonly string[]> {
  const { database, now } = services
  const prepared = await move.within(() => prepare(services, pushed))
  if (!prepared) throw new GitError("missing", "no such repository")
  const change = await move.seal()
  const { settled, versions } = await database.write(
    async (tx) => {
      const added = { bytes: bytesOf(change.packs) }
      // Sent together, the change first: where it is refused, nothing of the rest stays.
      const [made, written] = await Promise.all([
        commitChange(tx, change, now()),
        settle(tx, services, { ...prepared, pushed, added, claim }),
      ])
      if (written?.headMoves) await commitHead(tx, change.key, branchRef(written.defaultBranch))
      return { settled: written, versions: made }
    },
    lineOf("repositories", pushed.repositoryId),
  )
  await move.made(versions)
  return settled?.lines ?? []
}

interface Prepared {
  readonly repository: Repository
  readonly tips: readonly Tip[]
  readonly following: readonly Awaited<ReturnType<PushStep>>[]
}

/** Reads what follows from a push; undefined where the repository is gone. */
async function prepare(
  services: Services,
  { repositoryId, changes, merge, release, landing, bringsNothing }: Pushed,
): Promise<Prepared | undefined> {
  const { database, git } = services
  const row = await findRepository.first(database.read, { id: repositoryId })
  if (!row) return undefined
  const repository = git.at(row.storage, row.object_format)
  const newCommits = openNewCommits(git, repository, merge)
  const moved = { services, row, repository, changes, newCommits, bringsNothing: bringsNothing === true, merge, release, landing }
  const [tips, ...following] = await allEnded([
    readTips(git, repository, branchNames(changes)),
    ...pushSteps.of(services).map((step) => step(moved)),
  ])
  return { repository, tips, following }
}

interface Following extends Prepared {
  readonly pushed: Pushed
  /** Bytes that the object store has grown by, or has. */
  readonly added: { readonly bytes: number } | { readonly measured: number }
  /** The journal entry that is taken. */
  readonly takes?: number
  readonly claim?: Claim | undefined
}

interface Settled {
  readonly lines: readonly string[]
  readonly headMoves: boolean
  readonly defaultBranch: string
}

async function settle(
  tx: Transaction,
  services: Services,
  { pushed, tips, following, added, takes, claim }: Following,
): Promise<Settled | undefined> {
  const { config, now } = services
  const { repositoryId, pusherId, changes } = pushed
  // What is sent together is run in this order: on PostgreSQL a statement sees what those before it have written.
  const [before, owner] = await Promise.all([
    touchRepository.first(tx, { id: repositoryId, now: now() }),
    findOwner.first(tx, { repositoryId }),
  ])
  if (!before || (takes !== undefined && !(await takeEntry(tx, takes, repositoryId)))) return undefined
  await claim?.(tx, 0)
  const wasEmpty = before.is_empty === 1
  const [pusher] = await Promise.all([findPusher(tx, pusherId, owner), writeBranches(tx, { repositoryId, tips, pusherId, now: now() })])
  const choice = { stored: before.default_branch, wasEmpty, created: created(changes), pushed: tips }
  const defaultBranch = await defaultBranchNow(tx, repositoryId, choice)
  const growth = "bytes" in added ? { base: 1, added: added.bytes } : { base: 0, added: added.measured }
  const settled = (await settleRepository.first(tx, { id: repositoryId, defaultBranch, ...growth })) ?? before

  const options = readOptions(pushed.options)
  const after = wasEmpty ? await applyOptions(tx, settled, options, config.repository.forcePrivate, now()) : settled
  const lines: string[] = []
  const about = { repository: after, now: now(), tell: (line: string) => void lines.push(line) }
  if (owner && pusher) for (const write of following) await write(tx, { ...about, owner, pusher })
  const ignored = !wasEmpty && Object.keys(options).length > 0
  if (ignored) lines.push("The push options repo.private and repo.template count only while a repository is empty.")
  return { headMoves: wasEmpty || defaultBranch !== before.default_branch, lines, defaultBranch }
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
