import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { isDeleted } from "../../../access/rules.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal } from "../../../core/errors.ts"
import { NotYet } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, isGitError, type RemoteListing, type Repository } from "../../../git/index.ts"
import { surveyJob } from "../../code/languages/survey.ts"
import { findPointers } from "../../code/lfs/pointers.ts"
import { maintainJob } from "../../code/lifecycle/maintenance.ts"
import { changesTowards, followed, missing, requireCommits } from "../../code/mirrors/changes.ts"
import type { ImportTarget } from "../../code/mirrors/import-target.ts"
import { downloadFiles, type TransferProgress } from "../../code/mirrors/lfs.ts"
import { lfsServerOf } from "../../code/mirrors/lfs-server.ts"
import { opened, type RemoteAddress, RemoteRefused, reachStored, troubleOf } from "../../code/mirrors/remote.ts"
import { nextSync } from "../../code/mirrors/schedule.ts"
import { findMirror, type Import, recordLfsMissing, recordSync } from "../../code/mirrors/store.ts"
import { followWiki } from "../../code/mirrors/wiki.ts"
import { chooseDefault, readTips, writeBranches } from "../../code/pushes/branches.ts"
import { alignHead, alignHeadJob } from "../../code/pushes/head.ts"
import type { RefChange } from "../../code/pushes/step.ts"
import { updateRepository } from "../../code/repositories/store.ts"
import { readAllTags } from "../../code/tags/facts.ts"
import { findAllTags, putTags } from "../../code/tags/store.ts"
import { recheckBase } from "../../review/pulls/on-push.ts"
import { bringRecords, Elsewhere } from "./bring.ts"
import { advanceImport, failImport, findImport, finishImport, noteTrouble, putOff, recordProgress, UNFINISHED } from "./imports-store.ts"
import { openOrigin } from "./origins/index.ts"
import { type Fault, WaitUntil } from "./origins/origin.ts"
import { kindsOf, type Progress, readProgress, wantsWiki } from "./progress.ts"
import { leaveQueue } from "./queue.ts"
import { importSecretContext } from "./secret.ts"
import { putFaults } from "./writers/items-store.ts"

export interface ImportRun {
  readonly signal: AbortSignal
  readonly isLast: boolean
  /** Brings all, where no other server is asked. */
  readonly bring?: (row: Import, signal: AbortSignal) => Promise<void>
}

/**
 * Imports a repository from the source in the import's row, continuing where an earlier attempt stopped. Errors are written in the row.
 * Throws where another attempt may succeed.
 */
export async function runImport(services: Services, importId: number, { signal: given, isLast, bring }: ImportRun): Promise<void> {
  const { database, log, now } = services
  const stored = await findImport.first(database.read, { id: importId })
  if (!stored || !isUnfinished(stored)) return
  const stops = whileUnfinished(services, importId, given)
  const { signal } = stops
  let isGitHere = stored.phase === "records"
  try {
    if (bring) return await bring(stored, signal)
    const row = stored.phase === "queued" ? await leaveQueue(services, stored, signal) : stored
    const on = row && (await findOwned(database.read, row.repository_id))
    if (!row) return
    if (!on) throw new RemoteRefused(DELETED)
    let progress = readProgress(row)
    if (!isGitHere) {
      const faults = await importGit(services, on, row, signal)
      progress = { ...progress, git: { done: 1, total: 1, ...(faults.length > 0 && { missing: faults.length }) } }
      const serialized = JSON.stringify(progress)
      const isMine = await database.write(async (tx) => {
        await putFaults(tx, importId, "references", faults)
        const advance = { id: importId, before: row.cursor, cursor: row.cursor, progress: serialized, now: now() }
        return (await advanceImport.changes(tx, advance)) > 0
      })
      if (!isMine) return
      isGitHere = true
    }
    const repository = (await findRepositoryById.first(database.read, { id: on.id })) ?? on
    const landing = { services, repository, imported: row }
    const target = opened(services, row, importSecretContext(importId))
    progress = await importWiki(landing, target, progress, signal)
    progress = await importLargeFiles(landing, target, progress, signal)
    if (kindsOf(row).length > 0)
      await bringRecords({ ...landing, origin: await openOrigin(services, row.service, target) }, progress, signal)
    await database.write((tx) => finishImport(tx, { id: importId, now: now() }))
  } catch (error) {
    if (error instanceof Elsewhere || stops.hasStopped()) return
    if (error instanceof NotYet) throw error
    if (error instanceof WaitUntil) {
      await database.write((tx) => putOff(tx, { id: importId, until: error.at, now: now() }))
      throw new NotYet(error.message, error.at)
    }
    const isFinal = error instanceof RemoteRefused || error instanceof Refusal || error instanceof SealBroken || isGitError(error, "remote")
    const repositoryId = stored.repository_id
    const isGone = repositoryId !== 0 && !(await findOwned(database.read, repositoryId))
    const reason = isGone ? DELETED : troubleOf(error)
    // If the server is unavailable, the rest is fetched later; while nothing is imported yet, the waiting caller gets the error at once.
    if (given.aborted) throw error
    if (!isFinal && !isLast && isGitHere && !isGone) {
      await database.write((tx) => noteTrouble(tx, { id: importId, error: reason }))
      throw error
    }
    if (!isFinal && !isGone) log.error({ err: error, import: importId }, "a repository could not be imported")
    await database.write((tx) => failImport(tx, { id: importId, error: reason, now: now() }))
  } finally {
    stops.end()
  }
}

const DELETED = "the repository was deleted meanwhile"

/** The repository; undefined where it was deleted, though it may be kept for a while. */
async function findOwned(db: Handle, id: number): Promise<RepositoryRow | undefined> {
  const repository = await findRepositoryById.first(db, { id })
  return repository && isDeleted(repository) ? undefined : repository
}

const isUnfinished = ({ phase }: Pick<Import, "phase">): boolean => UNFINISHED.some((each) => each === phase)

/** How often a run looks whether it was stopped. */
const LOOK_MS = 2_000

/** A signal that is aborted with the given one, and soon after the import was stopped, by whatever process. */
function whileUnfinished({ database }: Services, id: number, given: AbortSignal) {
  const stop = new AbortController()
  const look = async () => {
    const row = await findImport.first(database.read, { id })
    if (!row || !isUnfinished(row)) stop.abort()
  }
  // Where the database does not answer, the run itself finds out.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
  timer.unref()
  return { signal: AbortSignal.any([given, stop.signal]), hasStopped: () => stop.signal.aborted, end: () => clearInterval(timer) }
}

/** Brings the wiki, if it is wanted and there is one, and records that. */
async function importWiki(
  { services, repository: row, imported }: ImportTarget,
  target: RemoteAddress,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  if (!wantsWiki(imported) || progress.wiki) return progress
  const isThere = await followWiki(services, row, target, { pusherId: imported.doer_id, prune: false, tells: false, signal })
  const count = isThere ? 1 : 0
  const brought: Progress = { ...progress, wiki: { done: count, total: count } }
  const { database, now } = services
  await database.write((tx) => recordProgress(tx, { id: imported.id, progress: JSON.stringify(brought), now: now() }))
  return brought
}

/** Downloads the large files that the repository refers to and doesn't have, and records the progress. */
async function importLargeFiles(
  { services, repository: row, imported }: ImportTarget,
  target: RemoteAddress,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  const { config, database, git, now } = services
  if (imported.lfs === 0 || !config.lfs.enabled) return progress
  const repository = git.at(row.storage, row.object_format)
  const tips = followed(await git.references.list(repository)).map(({ id }) => id)
  const pointers = await findPointers(git, repository, { to: [...new Set(tips)], not: [] })
  const withFiles = (brought: TransferProgress): Progress => ({ ...progress, large_files: brought })
  const onProgress = async (brought: TransferProgress) => {
    const text = JSON.stringify(withFiles(brought))
    await database.write((tx) => recordProgress(tx, { id: imported.id, progress: text, now: now() }))
  }
  const server = lfsServerOf(target, imported.lfs_endpoint)
  const brought = await downloadFiles(services, row, server, pointers, { signal, onProgress })
  await database.write((tx) => recordLfsMissing(tx, { repositoryId: row.id, missing: brought.missing }))
  return withFiles(brought)
}

/** The git part: objects, branches, tags and HEAD, and the rows about them. It has no entries in the feed: it is the repository's initial state. */
async function importGit(services: Services, row: RepositoryRow, imported: Import, signal: AbortSignal): Promise<readonly Fault[]> {
  const { git } = services
  const repository = git.at(row.storage, row.object_format)
  const remote = await reachStored(services, imported, importSecretContext(imported.id))
  const listing = await git.remotes.list(remote, signal)
  const wanted = changesTowards(followed(listing.references), followed(await git.references.list(repository)), false)
  await git.remotes.fetch(repository, remote, { ids: await missing(git, repository, wanted), signal })
  await requireCommits(git, repository, wanted)
  const { changes, faults } = await keepingOwn(services, repository, wanted)
  await git.references.update(
    repository,
    changes.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId })),
  )
  await insertReferences(services, row, repository, imported, listing)
  if (imported.since > 0) await recheckPulls(services, row.id, changes)
  await alignHead(services, row.id)
  return faults
}

/** The changes that lose nothing that was pushed here since an earlier run; the others are named. */
async function keepingOwn({ git }: Services, repository: Repository, wanted: readonly RefChange[]) {
  const changes: RefChange[] = []
  const faults: Fault[] = []
  for (const change of wanted) {
    const { ref, oldId, newId } = change
    const isBranch = branchOf(ref) !== undefined
    const isForward = oldId === null || newId === null || (isBranch && (await git.history.isAncestor(repository, oldId, newId)))
    if (isForward) changes.push(change)
    // A branch that is ahead here has all that is there.
    else if (!isBranch || newId === null || !(await git.history.isAncestor(repository, newId, oldId)))
      faults.push({ key: ref, why: "it was changed here too, and stays as it is here" })
  }
  return { changes, faults }
}

/** Open pull requests into a branch that has moved are assessed anew. */
const recheckPulls = ({ database, jobs }: Services, repositoryId: number, changes: readonly RefChange[]): Promise<void> =>
  database.write(async (tx) => {
    for (const branch of changes.flatMap(({ ref }) => branchOf(ref) ?? []))
      await enqueueOnce(tx, jobs, recheckBase, { repositoryId, branch })
  })

async function insertReferences(
  services: Services,
  row: RepositoryRow,
  repository: Repository,
  { doer_id: doerId, since }: Import,
  listing: RemoteListing,
): Promise<void> {
  const { database, git, jobs, now } = services
  const repositoryId = row.id
  const names = (await git.references.list(repository, "refs/heads/")).flatMap(({ name }) => branchOf(name) ?? [])
  const tips = await readTips(git, repository, names)
  const tags = await readAllTags(git, repository, await findAllTags(database.read, { repositoryId }))
  const head = listing.head === undefined ? undefined : branchOf(listing.head)
  const there = (name: string) => names.includes(name)
  const isTheirs = since === 0 && head !== undefined && (there(head) || names.length === 0)
  const stored = isTheirs ? head : row.default_branch
  const gitSize = await git.repositories.size(repository)
  await database.write(async (tx) => {
    await writeBranches(tx, { repositoryId, tips, pusherId: doerId, now: now() })
    await putTags(tx, repositoryId, tags)
    await updateRepository(tx, repositoryId, {
      default_branch: chooseDefault({ stored, wasEmpty: true, created: names }, there),
      is_empty: flag(names.length === 0),
      git_size: gitSize,
      updated_at: now(),
    })
    const mirror = await findMirror.first(tx, { repositoryId })
    if (mirror)
      await recordSync(tx, {
        repositoryId,
        lastSyncAt: now(),
        updatedAt: now(),
        nextSyncAt: nextSync(now(), mirror.interval, 0),
        lastError: "",
        remoteHead: listing.head ?? "",
        failures: 0,
        lfsMissing: 0,
      })
    await jobs.enqueue(tx, alignHeadJob, { repositoryId })
    await jobs.enqueue(tx, surveyJob, { repositoryId })
    await jobs.enqueue(tx, maintainJob, { repositoryId })
  })
}
