import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { publish } from "../../../core/events/publish.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { bytesOf, commitChange, commitHead } from "../../../core/repositories/commit.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, branchRef, type Commit, type Git, type Move, type ObjectId, type RefName, type Repository } from "../../../git/index.ts"
import { lastCommits } from "../contents/last-commits.ts"
import { chooseDefault } from "../pushes/branches.ts"
import { takeWholeEntry } from "../pushes/entries.ts"
import { pointHead } from "../pushes/head.ts"
import type { RefChange } from "../pushes/step.ts"
import { AFTER_PUSH_SECONDS, maintainKind } from "../repositories/maintain-job.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { addressOfFile } from "./names.ts"
import type { PageChange } from "./page-change.ts"
import { growWiki } from "./store.ts"
import { pageFiles } from "./view.ts"

/** What follows when references of a wiki have moved: everything is stored in one transaction, with the events about its pages. */

/** A change of a wiki's references that was made, or is about to be. */
export interface PushedWiki {
  readonly repositoryId: number
  readonly pusherId: number
  readonly changes: readonly RefChange[]
  /** What happened to pages, where that is known; otherwise it is read from git. */
  readonly told?: readonly PageChange[] | undefined
}

export interface SettlingWiki extends PushedWiki {
  /** Its journal entry. */
  readonly entryId: number
  /** Bytes that the object store grew by; undefined if it must be measured. */
  readonly addedBytes: number | undefined
}

/** The most pages that one push tells of: one that changes more is an import. */
const MOST_TOLD = 100
/** The most commits that are read for the messages. */
const MOST_COMMITS = 1000

/** Stores the size and tells of the pages. Does nothing if the journal entry was taken by another process. */
export async function settleWiki(services: Services, settling: SettlingWiki): Promise<void> {
  const { database, git } = services
  const { repositoryId, entryId, changes, addedBytes } = settling
  const row = await findRepositoryById.first(database.read, { id: repositoryId })
  if (!row) {
    await database.write((tx) => takeWholeEntry(tx, entryId))
    return
  }
  const repository = wikiAt(git, row)
  await pointHead(git, async () => ({ repository, ref: await shownBranch(git, repository, changes) }))
  const found = await prepare(services, repository, settling, await git.references.head(repository))
  const growth = addedBytes === undefined ? { base: 0, added: await git.repositories.size(repository) } : { base: 1, added: addedBytes }
  await database.write(async (tx) => {
    if (await takeWholeEntry(tx, entryId)) await write(tx, services, settling, { ...found, growth })
  })
}

/** Moves references of a wiki and stores what follows, in one transaction. Throws GitError `conflict` and `stale`; then nothing has changed. */
export async function settleWikiMove(services: Services, move: Move, pushed: PushedWiki): Promise<void> {
  const { database, git, now } = services
  const { view } = move
  const shown = await shownBranch(git, view, pushed.changes)
  const found = await move.within(() => prepare(services, view, pushed, shown))
  const change = await move.seal()
  const versions = await database.write(async (tx) => {
    const made = await commitChange(tx, change, now())
    await commitHead(tx, change.key, shown)
    await write(tx, services, pushed, { ...found, growth: { base: 1, added: bytesOf(change.packs) } })
    return made
  })
  await move.made(versions)
}

interface Found {
  readonly pages: readonly PageChange[]
  readonly isFragmented: boolean
}

const prepare = async ({ git }: Services, repository: Repository, { told, changes }: PushedWiki, shown: RefName): Promise<Found> => ({
  pages: told ?? (await changedPages(git, repository, changes, shown)),
  isFragmented: await git.maintenance.needed(repository),
})

async function write(
  tx: Transaction,
  { jobs, now }: Services,
  { repositoryId, pusherId }: PushedWiki,
  { pages, isFragmented, growth }: Found & { readonly growth: { readonly base: number; readonly added: number } },
): Promise<void> {
  await growWiki(tx, { repositoryId, ...growth })
  const home = await findRepositoryById.first(tx, { id: repositoryId })
  const owner = home && (await findUserById.first(tx, { id: home.owner_id }))
  const actor = owner?.id === pusherId ? owner : await findUserById.first(tx, { id: pusherId })
  if (home && owner && actor) for (const page of pages) publish(tx, { ...page, repository: home, owner, actor, at: now() })
  if (isFragmented) await enqueueOnce(tx, jobs, maintainKind, { repositoryId, part: "wiki" }, { runAt: now() + AFTER_PUSH_SECONDS })
}

/** The branch that is to be shown: one of those that were pushed, where the one that is shown doesn't exist. */
async function shownBranch(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefName> {
  const stored = branchOf(await git.references.head(repository)) ?? ""
  const names = (await git.references.list(repository, "refs/heads/")).map(({ name }) => branchOf(name) ?? "")
  const created = changes.flatMap(({ ref }) => branchOf(ref) ?? [])
  return branchRef(chooseDefault({ stored, wasEmpty: true, created }, (name) => names.includes(name)))
}

/** What a push did to the pages of the branch that is shown. A page under another name is a new one. */
async function changedPages(
  git: Git,
  repository: Repository,
  changes: readonly RefChange[],
  shown: RefName,
): Promise<readonly PageChange[]> {
  const change = changes.find(({ ref }) => ref === shown)
  if (!change) return []
  const filesOf = async (id: ObjectId | null) => {
    const commit = id === null ? undefined : await git.objects.readCommit(repository, id)
    return { commit, files: new Map((await pageFiles(git, repository, commit?.tree)).map((entry) => [entry.name, entry.id])) }
  }
  const [before, after] = [await filesOf(change.oldId), await filesOf(change.newId)]
  const written = [...after.files].filter(([name, id]) => before.files.get(name) !== id).map(([name]) => name)
  const removed = [...before.files.keys()].filter((name) => !after.files.has(name))
  const told = written.slice(0, MOST_TOLD)
  const comments = after.commit ? await messagesOf(git, repository, after.commit, told) : () => ""
  return [
    ...told.map((name) => ({
      kind: before.files.has(name) ? ("wiki.edited" as const) : ("wiki.created" as const),
      page: addressOfFile(name, (other) => after.files.has(other)),
      comment: comments(name),
    })),
    ...removed.slice(0, MOST_TOLD - told.length).map((name) => ({
      kind: "wiki.deleted" as const,
      page: addressOfFile(name, (other) => before.files.has(other)),
      comment: "",
    })),
  ]
}

/** The message of the last commit that wrote each of these files. */
async function messagesOf(git: Git, repository: Repository, tip: Commit, names: readonly string[]): Promise<(name: string) => string> {
  const ids = await lastCommits(git, repository, tip, [], names, MOST_COMMITS)
  const messages = new Map<ObjectId, string>()
  for (const id of new Set(ids.values())) messages.set(id, (await git.objects.readCommit(repository, id)).message.trim())
  return (name) => messages.get(ids.get(name) ?? tip.id) ?? tip.message.trim()
}
