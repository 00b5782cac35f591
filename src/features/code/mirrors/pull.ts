import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { Refusal } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, type Reference, type RefName, type RemoteListing, type Repository, refName } from "../../../git/index.ts"
import { surveyJob } from "../languages/survey.ts"
import { findPointers } from "../lfs/pointers.ts"
import { alignHead, alignHeadJob } from "../pushes/head.ts"
import { moveReferences } from "../pushes/server-push.ts"
import type { RefChange } from "../pushes/step.ts"
import { updateRepository } from "../repositories/store.ts"
import { changesTowards, followed, missing, requireCommits } from "./changes.ts"
import { downloadFiles } from "./lfs.ts"
import { lfsServerOf } from "./lfs-server.ts"
import { mirrorSecretContext } from "./pull-rules.ts"
import { opened, type RemoteAddress, RemoteRefused, reach, troubleOf } from "./remote.ts"
import { nextSync } from "./schedule.ts"
import { findMirror, type Mirror, recordSync } from "./store.ts"
import { followWiki } from "./wiki.ts"

/** A reference name that serves as the lock for synchronisations of one repository. The reference itself never exists. */
const TURN = refName("refs/hearth/mirror")

/**
 * Synchronises a mirror with its remote, and records the result. Moved references have the same effects as a push by the owner. Repeating
 * it changes nothing. Throws only when it is interrupted, or when references here were changed meanwhile.
 */
export async function synchronize(services: Services, repositoryId: number, signal: AbortSignal): Promise<void> {
  const { database, git, log, now } = services
  const row = await findRepositoryById.first(database.read, { id: repositoryId })
  if (!row || row.is_mirror === 0) return
  const repository = git.at(row.storage, row.object_format)
  await git.references.inTurn(repository, TURN, async () => {
    const mirror = await findMirror.first(database.read, { repositoryId })
    if (!mirror) return
    try {
      const { moved, listing, lfsMissing } = await follow(services, row, repository, mirror, signal)
      const remoteHead = await followHead(services, row, mirror, listing)
      if (mirror.wiki === 1) {
        const target = opened(services, mirror, mirrorSecretContext(row.id))
        await followWiki(services, row, target, { pusherId: row.owner_id, prune: mirror.enable_prune === 1, tells: true, signal })
      }
      await record({
        repositoryId,
        lastSyncAt: now(),
        updatedAt: moved ? now() : mirror.updated_at,
        nextSyncAt: nextSync(now(), mirror.interval, 0),
        lastError: "",
        remoteHead,
        failures: 0,
        lfsMissing,
      })
    } catch (error) {
      // Interrupted by a shutdown, or references changed concurrently: the job is retried.
      if (signal.aborted || (error instanceof Refusal && error.kind === "conflict")) throw error
      const lastError = troubleOf(error)
      log.warn({ err: error, repository: repositoryId, reason: lastError }, "a mirror could not be synchronised")
      await record({
        repositoryId,
        lastSyncAt: mirror.last_sync_at,
        updatedAt: mirror.updated_at,
        nextSyncAt: nextSync(now(), mirror.interval, mirror.failures + 1),
        lastError,
        remoteHead: mirror.remote_head,
        failures: mirror.failures + 1,
        lfsMissing: mirror.lfs_missing,
      })
    }
  })

  function record(outcome: Parameters<typeof recordSync>[1]): Promise<void> {
    return database.write(async (tx) => {
      await recordSync(tx, outcome)
      publish(tx, { kind: "mirror.synchronized", repositoryId })
    })
  }
}

interface Followed {
  readonly moved: boolean
  readonly listing: RemoteListing
  readonly lfsMissing: number
}

async function follow(
  services: Services,
  row: RepositoryRow,
  repository: Repository,
  mirror: Mirror,
  signal: AbortSignal,
): Promise<Followed> {
  const { git } = services
  const target = opened(services, mirror, mirrorSecretContext(row.id))
  const remote = await reach(services, target)
  const listing = await git.remotes.list(remote, signal)
  const there = followed(listing.references)
  const here = followed(await git.references.list(repository))
  // A remote that lost its data must not delete the last copy.
  if (there.length === 0 && here.length > 0) throw new RemoteRefused("the repository there is empty; nothing was taken away here")
  const changes = changesTowards(there, here, mirror.enable_prune === 1)
  const ids = await missing(git, repository, changes)
  const addedBytes = ids.length === 0 ? 0 : await git.remotes.fetch(repository, remote, { ids, signal })
  await requireCommits(git, repository, changes)
  // Before branches move, so that their commits never point to missing large files.
  const lfsMissing = await downloadMirrored(services, row, mirror, target, { changes, here, signal })
  if (changes.length === 0) return { moved: false, listing, lfsMissing }
  const gone = changes.filter(({ newId }) => newId === null)
  // Deletions come first: a new branch may have the name of a former directory of branches.
  if (gone.length > 0) await moveReferences(services, row.owner_id, row, gone, { addedBytes: 0 })
  const rest = changes.filter(({ newId }) => newId !== null)
  if (rest.length > 0) await moveReferences(services, row.owner_id, row, rest, { addedBytes })
  return { moved: true, listing, lfsMissing }
}

interface Movement {
  readonly changes: readonly RefChange[]
  readonly here: readonly Reference[]
  readonly signal: AbortSignal
}

/** Downloads the large files of new commits, or all missing ones if some failed before. Returns how many are not available. */
async function downloadMirrored(
  services: Services,
  row: RepositoryRow,
  mirror: Mirror,
  target: RemoteAddress,
  { changes, here, signal }: Movement,
): Promise<number> {
  const { config, git } = services
  if (mirror.lfs === 0) return 0
  // When the site switches large files on again, all of them are requested.
  if (!config.lfs.enabled) return Math.max(mirror.lfs_missing, 1)
  const isWanting = mirror.lfs_missing > 0
  const old = here.map(({ id }) => id)
  const histories = {
    to: [...new Set([...changes.flatMap(({ newId }) => newId ?? []), ...(isWanting ? old : [])])],
    not: isWanting ? [] : [...new Set(old)],
  }
  const pointers = await findPointers(git, git.at(row.storage, row.object_format), histories)
  return (await downloadFiles(services, row, lfsServerOf(target, mirror.lfs_endpoint), pointers, { signal })).missing
}

/** Updates the default branch if the remote's HEAD has changed since the last time, to keep a choice made here. Returns the remote's HEAD. */
async function followHead(services: Services, row: RepositoryRow, mirror: Mirror, { head }: RemoteListing): Promise<RefName | ""> {
  const { database, git, jobs } = services
  const branch = head === undefined ? undefined : branchOf(head)
  if (head === undefined || branch === undefined) return ""
  if (head === mirror.remote_head || !(await git.references.resolve(git.at(row.storage, row.object_format), head))) return head
  await database.write(async (tx) => {
    await updateRepository(tx, row.id, { default_branch: branch })
    publish(tx, { kind: "repository.edited", repository: row, actor: { id: row.owner_id }, changed: ["default_branch"] })
    await jobs.enqueue(tx, alignHeadJob, { repositoryId: row.id })
    await jobs.enqueue(tx, surveyJob, { repositoryId: row.id })
  })
  await alignHead(services, row.id)
  return head
}
