import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { NotYet } from "../../../core/jobs/jobs.ts"
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
import { updateRepository } from "../../code/repositories/store.ts"
import { readAllTags } from "../../code/tags/facts.ts"
import { findAllTags, putTags } from "../../code/tags/store.ts"
import { bringRecords } from "./bring.ts"
import { Elsewhere } from "./bringing.ts"
import { advanceImport, endImport, findImport, putOff, recordProgress } from "./imports-store.ts"
import { openOrigin } from "./origins/index.ts"
import { WaitUntil } from "./origins/origin.ts"
import { kindsOf, type Progress, readProgress, wantsWiki } from "./progress.ts"
import { importSecretContext } from "./secret.ts"

export interface ImportRun {
  readonly signal: AbortSignal
  readonly isLast: boolean
}

/**
 * Imports a repository from the source in the import's row, continuing where an earlier attempt stopped. Errors are written in the row.
 * Throws where another attempt may succeed.
 */
export async function runImport(services: Services, importId: number, { signal, isLast }: ImportRun): Promise<void> {
  const { database, log, now } = services
  const row = await findImport.first(database.read, { id: importId })
  const on = row && (await findRepositoryById.first(database.read, { id: row.repository_id }))
  if (!row || row.phase === "done" || row.phase === "failed" || row.phase === "stopped") return
  const end = (phase: "done" | "failed", error = "") => database.write((tx) => endImport(tx, { id: importId, phase, error, now: now() }))
  if (!on) {
    await end("failed", "the repository was deleted meanwhile")
    return
  }
  let isGitHere = row.phase === "records"
  let progress = readProgress(row)
  try {
    if (!isGitHere) {
      await importGit(services, on, row, signal)
      progress = { ...progress, git: { done: 1, total: 1 } }
      const serialized = JSON.stringify(progress)
      await database.write((tx) =>
        advanceImport(tx, { id: importId, before: row.cursor, cursor: row.cursor, progress: serialized, now: now() }),
      )
      isGitHere = true
    }
    const repository = (await findRepositoryById.first(database.read, { id: on.id })) ?? on
    const landing = { services, repository, imported: row }
    const target = opened(services, row, importSecretContext(importId))
    progress = await importWiki(landing, target, progress, signal)
    progress = await importLargeFiles(landing, target, progress, signal)
    if (kindsOf(row).length > 0)
      await bringRecords({ ...landing, origin: await openOrigin(services, row.service, target) }, progress, signal)
  } catch (error) {
    if (error instanceof Elsewhere) return
    if (error instanceof WaitUntil) {
      await database.write((tx) => putOff(tx, { id: importId, until: error.at, now: now() }))
      throw new NotYet(error.message, error.at)
    }
    const isFinal = error instanceof RemoteRefused || error instanceof SealBroken || isGitError(error, "remote")
    // If the server is unavailable, the rest is fetched later; while nothing is imported yet, the waiting caller gets the error at once.
    if (signal.aborted || (!isFinal && !isLast && isGitHere)) throw error
    if (!isFinal) log.error({ err: error, repository: on.id }, "a repository could not be imported")
    await end("failed", troubleOf(error))
    return
  }
  await end("done")
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
async function importGit(services: Services, row: RepositoryRow, imported: Import, signal: AbortSignal): Promise<void> {
  const { git } = services
  const repository = git.at(row.storage, row.object_format)
  const remote = await reachStored(services, imported, importSecretContext(imported.id))
  const listing = await git.remotes.list(remote, signal)
  const changes = changesTowards(followed(listing.references), followed(await git.references.list(repository)), false)
  await git.remotes.fetch(repository, remote, { ids: await missing(git, repository, changes), signal })
  await requireCommits(git, repository, changes)
  await git.references.update(
    repository,
    changes.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId })),
  )
  await insertReferences(services, row, repository, imported, listing)
  await alignHead(services, row.id)
}

async function insertReferences(
  services: Services,
  row: RepositoryRow,
  repository: Repository,
  { doer_id: doerId }: Import,
  listing: RemoteListing,
): Promise<void> {
  const { database, git, jobs, now } = services
  const repositoryId = row.id
  const names = (await git.references.list(repository, "refs/heads/")).flatMap(({ name }) => branchOf(name) ?? [])
  const tips = await readTips(git, repository, names)
  const tags = await readAllTags(git, repository, await findAllTags(database.read, { repositoryId }))
  const head = listing.head === undefined ? undefined : branchOf(listing.head)
  const there = (name: string) => names.includes(name)
  const stored = head !== undefined && (there(head) || names.length === 0) ? head : row.default_branch
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
