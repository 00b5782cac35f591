import type { CompiledQuery } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { branchRef, type Commit, type Git, type ObjectId, type Repository } from "../../../git/index.ts"
import { countBranches } from "../repositories/counters-store.ts"
import { type BranchRow, findBranchNames, putRow, putRows, removeBranches } from "./store.ts"

/** A branch in git: its commit, or undefined if there is no such branch. */
export interface Tip {
  readonly name: string
  readonly commit: Commit | undefined
}

/** For more branches than this, all references are listed at once. */
const ONE_BY_ONE = 16
/** Commits read and rows written per batch. */
const BATCH = 64

async function tipIds(git: Git, repository: Repository, names: readonly string[]): Promise<ReadonlyMap<string, ObjectId>> {
  const refs = names.map((name) => ({ name, ref: branchRef(name) }))
  const ids = new Map<string, ObjectId>()
  if (names.length > ONE_BY_ONE) {
    const all = new Map((await git.references.list(repository, "refs/heads/")).map((reference) => [reference.name, reference.id]))
    for (const { name, ref } of refs) {
      const id = all.get(ref)
      if (id !== undefined) ids.set(name, id)
    }
  } else
    for (const { name, ref } of refs) {
      const id = await git.references.resolve(repository, ref)
      if (id !== undefined) ids.set(name, id)
    }
  return ids
}

/** The current commits of the branches. Reads git: must not be called inside a transaction. */
export async function readTips(git: Git, repository: Repository, names: readonly string[]): Promise<readonly Tip[]> {
  const ids = await tipIds(git, repository, names)
  const tips: Tip[] = []
  for (const batch of batches(names))
    tips.push(
      ...(await Promise.all(
        batch.map(async (name) => {
          const id = ids.get(name)
          return { name, commit: id && (await git.objects.readCommit(repository, id)) }
        }),
      )),
    )
  return tips
}

/** Whether the branches still point to these commits. */
export async function tipsUnchanged(git: Git, repository: Repository, tips: readonly Tip[]): Promise<boolean> {
  const ids = await tipIds(
    git,
    repository,
    tips.map(({ name }) => name),
  )
  return tips.every(({ name, commit }) => ids.get(name) === commit?.id)
}

/** Writes the rows of these branches, and updates the repository's branch count. */
export async function writeBranches(
  tx: Transaction,
  {
    repositoryId,
    tips,
    pusherId,
    now,
  }: { readonly repositoryId: number; readonly tips: readonly Tip[]; readonly pusherId: number; readonly now: Seconds },
): Promise<void> {
  const rowOf = (name: string, commit: Commit): BranchRow => ({
    repository_id: repositoryId,
    name,
    ...commitColumns(commit),
    pusher_id: pusherId,
    updated_at: now,
  })
  const [gone, there] = [tips.filter(({ commit }) => commit === undefined), tips.filter(({ commit }) => commit !== undefined)]
  if (gone.length > 0) await removeBranches(tx, { repositoryId, names: gone.map(({ name }) => name) })
  const [only] = there
  if (only?.commit && there.length === 1) {
    // Counted after the row is there: statements of a transaction are run in the order in which they are sent.
    await Promise.all([putRow(tx, rowOf(only.name, only.commit)), countBranches(tx, { repositoryId })])
    return
  }
  let statement: CompiledQuery | undefined
  for (const batch of batches(there)) {
    const rows = batch.flatMap(({ name, commit }) => (commit ? rowOf(name, commit) : []))
    // Batches of one size have one text: making it takes as long as writing the rows.
    const isLike = statement?.parameters.length === rows.length * Object.keys(rows[0] ?? {}).length
    statement = statement && isLike ? { ...statement, parameters: rows.flatMap((row) => Object.values(row)) } : putRows(tx, rows).compile()
    await tx.executeQuery(statement)
  }
  await countBranches(tx, { repositoryId })
}

export interface DefaultChoice {
  /** The stored default branch. */
  readonly stored: string
  readonly wasEmpty: boolean
  /** Branches that were just created, in the pusher's order. */
  readonly created: readonly string[]
}

/** Names that become the default branch if the stored one doesn't exist. */
const DEFAULT_NAMES = ["main", "master"]

/**
 * The default branch of a repository after a push: the stored one if it exists, else main or master, else, if the repository was empty, the
 * first one pushed.
 */
export function chooseDefault({ stored, wasEmpty, created }: DefaultChoice, exists: (name: string) => boolean): string {
  return [stored, ...DEFAULT_NAMES].find(exists) ?? (wasEmpty ? created.find(exists) : undefined) ?? stored
}

/** The same, by the stored branch rows, which need not be asked where the push has brought the stored one. */
export async function defaultBranchNow(
  db: Handle,
  repositoryId: number,
  choice: DefaultChoice & { readonly pushed: readonly Tip[] },
): Promise<string> {
  if (choice.pushed.some(({ name, commit }) => commit && name === choice.stored)) return choice.stored
  const first = choice.wasEmpty ? choice.created.slice(0, 1) : []
  const rows = await findBranchNames(db, { repositoryId, names: [choice.stored, ...DEFAULT_NAMES, ...first] })
  return chooseDefault({ ...choice, created: first }, (name) => rows.some((row) => row.name === name))
}

/** Longer messages are not stored, but read from git. */
const LONGEST_MESSAGE = 4000

/** The columns of a branch's row about its commit. */
export function commitColumns({ id, author, committer, message, signature }: Commit) {
  const texts = {
    commit_message: message,
    author_name: author.name,
    author_email: author.email,
    committer_name: committer.name,
    committer_email: committer.email,
  }
  // Signatures are verified at every read, since keys change. PostgreSQL can't store NUL characters.
  const isTold = !signature && message.length <= LONGEST_MESSAGE && !Object.values(texts).some((text) => text.includes("\0"))
  return {
    commit_id: id,
    is_told: flag(isTold),
    ...(isTold ? texts : { commit_message: "", author_name: "", author_email: "", committer_name: "", committer_email: "" }),
    authored_at: author.when,
    author_offset: author.offset,
    committed_at: committer.when,
  }
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
