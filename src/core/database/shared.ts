/** One connection for all who need it at the same time. Their statements are sent as they come, and answered in that order. */
import type { PoolClient } from "pg"
import { DatabaseUnavailable } from "./failures.ts"

interface Lease {
  readonly client: Promise<PoolClient>
  users: number
  failure: DatabaseUnavailable | undefined
}

/** `take` gives a connection, which goes back when nobody uses it. More than `most` at once are refused with {@link DatabaseUnavailable}. */
export function createShared(take: () => Promise<PoolClient>, most: number) {
  let current: Lease | undefined

  async function leave(lease: Lease): Promise<void> {
    lease.users -= 1
    // Those who come after a failure get another connection.
    if (current === lease && (lease.users === 0 || lease.failure)) current = undefined
    if (lease.users === 0) (await lease.client.catch(() => undefined))?.release(lease.failure)
  }

  return {
    async use<R>(work: (client: PoolClient) => Promise<R>): Promise<R> {
      current ??= { client: take(), users: 0, failure: undefined }
      const lease = current
      if (lease.users >= most) throw new DatabaseUnavailable(undefined, "Too many calls wait for a connection to the database")
      lease.users += 1
      try {
        return await work(await lease.client)
      } catch (error) {
        if (error instanceof DatabaseUnavailable) lease.failure ??= error
        throw error
      } finally {
        void leave(lease)
      }
    },
  }
}
