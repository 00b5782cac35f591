/** Pools of connections to the PostgreSQL server that takes writes now, of those that the URL names. */
import { Socket } from "node:net"
import pg from "pg"
import type { DriverOptions } from "./database.ts"
import { DatabaseUnavailable, ENDED, postgresFailure, stateOf } from "./failures.ts"
import type { Places } from "./places.ts"

/** Calls that may wait for each connection of a pool; further ones are refused. */
export const WAITING_PER_CONNECTION = 50
/** With one, a process would wait for each long statement. */
const FEWEST_CONNECTIONS = 2

// The server is a standby, stops, or starts: https://www.postgresql.org/docs/15/errcodes-appendix.html
const elsewhere = /^(25006|57P0[1-3])$/

/** Sends what is written in one turn of the event loop by one call of the system, where statements that are asked together would take one each. */
class GatheringSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork())
  }
}

export interface Connections {
  readonly readers: pg.Pool
  readonly writers: pg.Pool
  /** For reads that take no time: one connection, which many use at once. */
  readonly quick: pg.Pool
  /** Waits for a connection of the pool. Throws {@link DatabaseUnavailable} when there is none in time. */
  take(pool: pg.Pool): Promise<pg.PoolClient>
  /** Why a statement of this connection has failed: later ones than the first that was told {@link ENDED} only see that the connection is lost. */
  causeOf(client: pg.ClientBase, error: unknown): unknown
  /** Says what has failed: where the server no longer takes writes, all connections that were made so far are given up. */
  failed(error: unknown): void
  /** Says that this server takes writes: connections to others, which may never answer again, are ended. */
  isPrimary(place: string): void
}

export function createConnections(options: DriverOptions, places: Places, types: pg.CustomTypesConfig): Connections {
  const { logger, waitMs, poolSize } = options
  let generation = 0
  const generations = new WeakMap<pg.ClientBase, number>()
  const endings = new WeakMap<pg.ClientBase, unknown>()
  const clients = new Set<Client>()

  /** A connection to the place that is current when it is made. */
  class Client extends pg.Client {
    readonly place: string
    constructor(config?: pg.ClientConfig) {
      const place = places.current()
      // Each place may take a part of the time.
      super({ ...config, connectionString: place, connectionTimeoutMillis: waitMs / places.count, stream: () => new GatheringSocket() })
      this.place = place
      generations.set(this, generation)
      clients.add(this)
      this.on("end", () => clients.delete(this))
      // A connection that is lost while in use rejects its statement; without a listener the event would end the process.
      this.on("error", (error) => void causeOf(this, error))
    }
  }

  function pool(settings: Pick<pg.PoolConfig, "options" | "pipeline" | "max">): pg.Pool {
    const made = new pg.Pool({
      max: poolSize,
      types,
      application_name: "hearth",
      ...settings,
      Client,
      async onConnect(client) {
        await requirePrimary(client)
        if (client instanceof Client) isPrimary(client.place)
      },
      // For a free connection as well as for a new one.
      connectionTimeoutMillis: waitMs,
      keepAlive: true,
      // A pool must not keep a process alive.
      allowExitOnIdle: true,
    })
    made.on("error", (error) => logger.warn({ err: error }, "an idle database connection was lost"))
    return made
  }

  function causeOf(client: pg.ClientBase, error: unknown): unknown {
    if (stateOf(error) === ENDED) endings.set(client, error)
    return endings.get(client) ?? error
  }

  function isPrimary(place: string): void {
    for (const client of clients) if (client.place !== place) abandon(client)
  }

  function failed(error: unknown): void {
    const cause = error instanceof DatabaseUnavailable ? error.cause : error
    if (elsewhere.test(stateOf(cause))) generation += 1
  }

  /** One that a new connection could not be made to is left for the next, once for each of them. */
  async function connect(made: pg.Pool): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      const place = places.current()
      try {
        return await made.connect()
      } catch (error) {
        // All connections are in use: no other place has more.
        const isFull = made.totalCount >= made.options.max && !isAnswer(error) && !(error instanceof Standby)
        if (!isFull) places.leave(place)
        if (isFull || attempt >= places.count) throw error
      }
    }
  }

  // Behind a pooler of transactions a connection has no settings of its own.
  const readOnly = options.transactionPooling ? {} : { options: "-c default_transaction_read_only=on" }
  const quick = pool({ ...readOnly, max: 1, pipeline: true })
  return {
    readers: pool(readOnly),
    quick,
    // What a transaction asks at once is sent at once.
    writers: pool({ pipeline: true }),
    causeOf,
    failed,
    isPrimary,
    async take(made) {
      if (made !== quick) made.options.max = Math.min(poolSize, Math.max(FEWEST_CONNECTIONS, options.share(poolSize)))
      if (made.waitingCount >= made.options.max * WAITING_PER_CONNECTION)
        throw new DatabaseUnavailable(undefined, "Too many calls wait for a connection to the database")
      for (;;) {
        const client = await connect(made).catch((error: unknown) => {
          throw error instanceof Standby ? new DatabaseUnavailable(undefined, error.message) : postgresFailure(error, isAnswer(error))
        })
        if (generations.get(client) === generation) return client
        client.release(true)
      }
    },
  }
}

/** Whether the server itself has sent this error; any other says that it could not be asked. */
export const isAnswer = (error: unknown): boolean => error instanceof pg.DatabaseError

/** The server is there, and takes no writes. */
export class Standby extends Error {
  constructor() {
    super("The server is a standby, which takes no writes")
    this.name = "Standby"
  }
}

/** Reads too need the primary: a standby is behind, and what was a primary before may have other rows. */
export async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ readonly standby: boolean | number }>("select pg_is_in_recovery() as standby")
  if (rows[0]?.standby) throw new Standby()
}

/** Ends a connection, whose statements then fail. */
export function abandon(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy()
}
