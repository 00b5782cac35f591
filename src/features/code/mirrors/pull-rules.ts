import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { t, type Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { formatDuration, parseDuration } from "../repositories/durations.ts"
import type { EditRepoOption } from "../repositories/records.ts"
import { findMirrors } from "../repositories/store.ts"
import { updateMirror } from "./store.ts"

/** The context that the password or token of a mirror's remote is sealed for. */
export const mirrorSecretContext = (repositoryId: number): string => `mirror ${repositoryId}`

/**
 * Changes how a mirror follows its remote; says whether anything is different. Does nothing for a repository that is no mirror: clients send the whole record back.
 * Refuses `invalid` for `mirror_interval` if it is no duration or shorter than the site allows.
 */
export async function editMirror(
  tx: Transaction,
  { config, secrets }: Services,
  repositoryId: number,
  options: EditRepoOption,
  now: Seconds,
): Promise<boolean> {
  const {
    mirror_interval: interval,
    mirror_username: username,
    mirror_password: password,
    mirror_token: token,
    enable_prune: prune,
  } = options
  const sent = [interval, username, password, token, prune].some((wish) => wish !== undefined)
  const [mirror] = sent ? await findMirrors(tx, { repositoryIds: [repositoryId] }) : []
  if (!mirror) return false
  const seconds = interval === undefined ? undefined : requireInterval(interval, config.mirror.minInterval)
  const secret = token ?? password
  const renamed = username !== undefined && username !== mirror.remote_username
  // The stored secret belongs to the stored user name.
  const sealed = secret !== undefined ? seal(secret) : renamed ? "" : mirror.sealed_secret
  const changes = differencesFrom(mirror, {
    interval: seconds,
    enable_prune: prune === undefined ? undefined : flag(prune),
    remote_username: username,
    sealed_secret: sealed,
  })
  const timing = seconds === undefined ? {} : { next_sync_at: seconds === 0 ? 0 : now + seconds }
  if (Object.keys({ ...changes, ...timing }).length > 0) await updateMirror(tx, repositoryId, { ...changes, ...timing })
  return Object.keys(changes).length > 0

  function seal(text: string): string {
    return text === "" ? "" : secrets.seal(text, mirrorSecretContext(repositoryId))
  }
}

/** Seconds; 0 stops the mirror. Refuses `invalid` for `mirror_interval`. */
export function requireInterval(text: string, least: number): number {
  const interval = readInterval(text, least)
  if (typeof interval !== "number") throw refuse.invalid("mirror_interval", interval)
  return interval
}

/** Parses an interval into seconds, 0 to stop the mirror, or returns an error message. */
export function readInterval(text: string, least: number): number | Words {
  const seconds = parseDuration(text)
  if (seconds === undefined || seconds < 0) return t`must be a length of time such as 8h30m0s, or 0 to stop the mirror`
  return seconds !== 0 && seconds < least ? t`must be at least ${formatDuration(least)}, or 0 to stop the mirror` : seconds
}
