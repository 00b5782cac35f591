import { randomBytes } from "node:crypto"
import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { NEVER, rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { formatDuration } from "../repositories/durations.ts"
import { readInterval } from "./pull-rules.ts"
import { pushOut, pushSecretContext } from "./push.ts"
import type { CreatePushMirrorOption, PushMirror as PushMirrorRecord } from "./records.ts"
import { RemoteRefused, reach, readRemote } from "./remote.ts"
import { nextSync } from "./schedule.ts"
import { findPushMirrors, insertPushMirror, type PushMirror, putPushSecret, removePushMirror } from "./store.ts"

/**
 * Adds a push mirror to a repository. Nothing is pushed yet. Refuses, with the statuses that existing clients expect, `badRequest` for an invalid
 * address or interval, and `unauthenticated` for an address that must not be called.
 */
export async function addPushMirror(
  services: Services,
  repository: Repository,
  actor: User,
  options: CreatePushMirrorOption,
): Promise<PushMirror> {
  const { config, database, secrets, now } = services
  const interval = readInterval(options.interval ?? "", config.mirror.minInterval)
  if (typeof interval !== "number") throw refuse.badRequest(t`interval ${interval}`)
  const target = readRemote(options.remote_address ?? "", options.remote_username, options.remote_password)
  if (!target) throw refuse.badRequest("remote_address must be an http or https address")
  await reach(services, target).catch((error: unknown) => {
    if (!(error instanceof RemoteRefused)) throw error
    throw error.forbidden ? refuse.badCredentials(error.message) : refuse.badRequest(error.message)
  })
  return database.write(async (tx) => {
    const id = await insertPushMirror(tx, {
      repository_id: repository.id,
      remote_name: `remote_mirror_${randomBytes(8).toString("hex")}`,
      remote_url: target.url,
      remote_username: target.username,
      sealed_secret: "",
      interval,
      sync_on_commit: flag(options.sync_on_commit ?? false),
      created_at: now(),
      next_sync_at: nextSync(now(), interval, 0),
    })
    // The id in the seal's context is known only now.
    const sealed = target.secret === "" ? "" : secrets.seal(target.secret, pushSecretContext(id))
    publish(tx, { kind: "pushMirror.added", repositoryId: repository.id, pushMirror: { id }, actor })
    return putPushSecret(tx, id, sealed)
  })
}

/** Removes a push mirror; what was pushed stays there. Refuses `notFound`. */
export async function dropPushMirror(tx: Transaction, repositoryId: number, name: string, actor: User): Promise<void> {
  const pushMirror = await removePushMirror.first(tx, { repositoryId, name })
  if (!pushMirror) throw refuse.notFound()
  publish(tx, { kind: "pushMirror.removed", repositoryId, pushMirror, actor })
}

/** Pushes to all mirrors of a repository now, one after the other. Refuses `invalid` with the reasons of failures. */
export async function pushToAll(services: Services, repositoryId: number, signal: AbortSignal): Promise<void> {
  const failures: string[] = []
  for (const { id, remote_name } of await findPushMirrors(services.database.read, { repositoryId })) {
    const trouble = await pushOut(services, id, signal)
    if (trouble !== "") failures.push(`${remote_name}: ${trouble}`)
  }
  if (failures.length > 0) throw refuse.invalid("push_mirrors", failures.join("; "))
}

export const presentPushMirror = ({ name }: Repository, mirror: PushMirror): PushMirrorRecord => ({
  repo_name: name,
  remote_name: mirror.remote_name,
  remote_address: mirror.remote_url,
  created: mirror.created_at === 0 ? NEVER : rfc3339(mirror.created_at),
  last_update: mirror.last_sync_at === 0 ? null : rfc3339(mirror.last_sync_at),
  last_error: mirror.last_error,
  interval: formatDuration(mirror.interval),
  sync_on_commit: mirror.sync_on_commit === 1,
})
