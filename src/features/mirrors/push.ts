import { findRepositoryById } from "../../access/store.ts"
import type { Services } from "../../core/services.ts"
import { reachStored, troubleOf } from "./remote.ts"
import { nextSync } from "./schedule.ts"
import { findPushMirror, type PushMirror, recordPush } from "./store.ts"

/** What the secret of a push mirror is sealed for. */
export const pushSecretContext = (id: number): string => `push mirror ${id}`

/**
 * Makes a repository elsewhere what the one here is, and writes down how that went: why it failed in words, or "" where it succeeded.
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
  await database.write((tx) =>
    recordPush(tx, { id: mirror.id, lastSyncAt: now(), nextSyncAt: nextSync(now(), mirror.interval, failures), lastError, failures }),
  )
  return lastError
}

async function attempt(services: Services, mirror: PushMirror, signal: AbortSignal): Promise<string> {
  const { database, git } = services
  const row = await findRepositoryById.first(database.read, { id: mirror.repository_id })
  if (!row) return ""
  try {
    await git.remotes.push(
      git.at(row.storage, row.object_format),
      await reachStored(services, mirror, pushSecretContext(mirror.id)),
      signal,
    )
    return ""
  } catch (error) {
    if (signal.aborted) throw error
    return troubleOf(error)
  }
}
