import type { Blobs } from "../blobs/blobs.ts"
import type { Database, Handle } from "../database/database.ts"
import { findValue, putValue } from "../values/store.ts"

/**
 * While a backup is made, nothing is removed that its rows may name: files of what is deleted meanwhile stay for the sweeps, and repositories wait. A process that is
 * killed is waited for no longer than this, in seconds.
 */
const LIVES = 180
const RENEW_MS = 45_000
const NAME = "backup.until"

/** Until when nothing is to be removed, in seconds since 1970; 0 while no backup is made. */
export async function heldUntil(db: Handle, now: number): Promise<number> {
  const until = Number((await findValue.first(db, { name: NAME }))?.value ?? 0)
  return until > now ? until : 0
}

/** Gives the function that ends it. */
export async function holdRemovals(database: Database, now: () => number): Promise<() => void> {
  const put = (): Promise<void> =>
    database.write(async (tx) => {
      await putValue(tx, { name: NAME, value: String(now() + LIVES) })
    })
  await put()
  const timer = setInterval(() => void put().catch(() => {}), RENEW_MS).unref()
  // It is not taken back, since another backup may be under way.
  return () => clearInterval(timer)
}

/** Blobs that stay while a backup is made. The sweeps remove them later: no row names them any more. */
export function heldBlobs(blobs: Blobs, database: Pick<Database, "read">, now: () => number): Blobs {
  const isHeld = async (): Promise<boolean> => (await heldUntil(database.read, now())) > 0
  return {
    ...blobs,
    async remove(key) {
      if (!(await isHeld())) await blobs.remove(key)
    },
    async removeBelow(folder) {
      if (!(await isHeld())) await blobs.removeBelow(folder)
    },
  }
}
