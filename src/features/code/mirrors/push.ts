import { isDeepStrictEqual } from "node:util"
import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, Reference, RefName } from "../../../git/index.ts"
import { findPointers } from "../lfs/pointers.ts"
import { findAnyLink } from "../lfs/store.ts"
import { sendFiles } from "./lfs.ts"
import { lfsServerOf } from "./lfs-server.ts"
import { opened, type RemoteAddress, reach, troubleOf } from "./remote.ts"
import { nextSync } from "./schedule.ts"
import { findPushMirror, type PushMirror, recordPush } from "./store.ts"

/** The context that the secret of a push mirror is sealed for. */
export const pushSecretContext = (id: number): string => `push mirror ${id}`

/**
 * Pushes a repository to a mirror on another server, and records and returns the result: the reason of a failure, or "" for success.
 * Throws only when it is interrupted.
 */
export async function pushOut(services: Services, pushMirrorId: number, signal: AbortSignal): Promise<string> {
  const { database, log, now } = services
  const mirror = await findPushMirror.first(database.read, { id: pushMirrorId })
  if (!mirror) return ""
  const lastError = await attempt(services, mirror, signal)
  if (lastError !== "")
    log.warn({ repository: mirror.repository_id, pushMirror: mirror.id, reason: lastError }, "a mirror could not be pushed to")
  const failures = lastError === "" ? 0 : mirror.failures + 1
  await database.write(async (tx) => {
    await recordPush(tx, { id: mirror.id, lastSyncAt: now(), nextSyncAt: nextSync(now(), mirror.interval, failures), lastError, failures })
    publish(tx, { kind: "pushMirror.synchronized", repositoryId: mirror.repository_id, pushMirror: mirror })
  })
  return lastError
}

async function attempt(services: Services, mirror: PushMirror, signal: AbortSignal): Promise<string> {
  const { database } = services
  const row = await findRepositoryById.first(database.read, { id: mirror.repository_id })
  if (!row) return ""
  try {
    await sendAll(services, row, opened(services, mirror, pushSecretContext(mirror.id)), signal)
    return ""
  } catch (error) {
    if (signal.aborted) throw error
    return troubleOf(error)
  }
}

/** Sends large files first, so that commits there never point to missing ones. Sends nothing if both are equal. */
async function sendAll(services: Services, row: RepositoryRow, target: RemoteAddress, signal: AbortSignal): Promise<void> {
  const { git } = services
  const repository = git.at(row.storage, row.object_format)
  const remote = await reach(services, target)
  const there = mirrored((await git.remotes.list(remote, signal)).references)
  const here = mirrored(await git.references.list(repository))
  if (isDeepStrictEqual(there, here)) return
  await sendLargeFiles(services, row, target, { here, there, signal })
  await git.remotes.push(repository, remote, signal)
}

/** The mirrored references by name. */
const mirrored = (references: readonly Reference[]): ReadonlyMap<RefName, ObjectId> =>
  new Map(
    references
      .filter(({ name }) => name.startsWith("refs/heads/") || name.startsWith("refs/tags/"))
      .map(({ name, id }): readonly [RefName, ObjectId] => [name, id]),
  )

interface Difference {
  readonly here: ReadonlyMap<RefName, ObjectId>
  readonly there: ReadonlyMap<RefName, ObjectId>
  readonly signal: AbortSignal
}

/** Sends the large files of new commits. Takes one query for a repository without large files. */
async function sendLargeFiles(
  services: Services,
  row: RepositoryRow,
  target: RemoteAddress,
  { here, there, signal }: Difference,
): Promise<void> {
  const { config, database, git } = services
  if (!config.lfs.enabled || !(await findAnyLink.first(database.read, { repositoryId: row.id }))) return
  const repository = git.at(row.storage, row.object_format)
  const known: ObjectId[] = []
  for (const id of new Set(there.values())) if (await git.objects.info(repository, id)) known.push(id)
  const pointers = await findPointers(git, repository, { to: [...new Set(here.values())], not: known })
  await sendFiles(services, row, lfsServerOf(target, ""), pointers, signal)
}
