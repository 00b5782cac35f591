/** A standby that answers reads which may be a second old. */
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { isAnswer } from "./connections.ts"
import type { DriverOptions } from "./database.ts"
import { messageOf } from "./failures.ts"
import type { Outcome } from "./session.ts"

export interface ReplicaSettings {
  readonly url: string
  readonly options: Pick<DriverOptions, "logger" | "poolSize" | "transactionPooling" | "waitMs">
  readonly types: pg.CustomTypesConfig
  /** How far the primary's log has been written. */
  readonly written: () => Promise<string | undefined>
}

export interface Replica {
  /** Whether it is known to have all that was committed a second ago. */
  isRecent(): boolean
  /** Runs a statement; undefined where that fails, so that the primary must be asked. */
  answer<R>(sql: string, parameters: readonly unknown[], name: string | undefined): Promise<Outcome<R> | undefined>
  close(): Promise<void>
}

/** The age of what may be shown, and how often the replica is looked at, in milliseconds. */
const OLDEST_MS = 1_000
const LOOK_MS = 250
/** Milliseconds that a statement may take there before the primary is asked in its place. */
const PATIENCE_MS = 2_000

export function createReplica({ url, options, types, written }: ReplicaSettings): Replica {
  const { logger, poolSize, transactionPooling, waitMs } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    application_name: "hearth replica",
    connectionTimeoutMillis: Math.min(waitMs, PATIENCE_MS),
    query_timeout: PATIENCE_MS,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  /** A moment of which everything that was committed before is known to be there. */
  let confirmed = Number.NEGATIVE_INFINITY
  pool.on("error", () => {
    confirmed = Number.NEGATIVE_INFINITY
  })
  let isClosed = false
  let wasRecent: boolean | undefined

  const isRecent = (): boolean => performance.now() - confirmed <= OLDEST_MS

  /** Asks the replica whether it has come to where the primary was at the look before. */
  async function watch(): Promise<void> {
    let before: { readonly at: number; readonly place: string } | undefined
    while (!isClosed) {
      try {
        const at = performance.now()
        const place = await written()
        if (before && (await has(before.place))) confirmed = before.at
        before = place === undefined ? undefined : { at, place }
      } catch (error) {
        before = undefined
        if (wasRecent !== false && !isClosed) logger.warn({ err: messageOf(error) }, "the replica of the database can't be looked at")
      }
      if (wasRecent !== isRecent()) {
        wasRecent = isRecent()
        logger.info(
          { recent: wasRecent },
          wasRecent ? "the replica of the database answers reads" : "reads go to the primary: the replica is behind or gone",
        )
      }
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  }

  /** False on a server that is no standby. */
  async function has(place: string): Promise<boolean> {
    const { rows } = await pool.query<{ readonly there: number | null }>(
      "select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as there",
      [place],
    )
    return rows[0]?.there === 1
  }

  void watch()

  return {
    isRecent,
    async answer<R>(sql: string, parameters: readonly unknown[], name: string | undefined) {
      const config = { text: sql, values: [...parameters] }
      try {
        const { rows, rowCount } = await pool.query(name === undefined || transactionPooling ? config : { ...config, name })
        return { rows, changes: rowCount ?? 0 } satisfies Outcome<R>
      } catch (error) {
        // It may have given the statement up, since that would hold up what comes from the primary.
        if (!isAnswer(error)) confirmed = Number.NEGATIVE_INFINITY
        return undefined
      }
    },
    close() {
      isClosed = true
      return pool.end()
    },
  }
}
