import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { abandon, requirePrimary } from "./connections.ts"
import type { DriverOptions } from "./database.ts"
import type { createEmitter } from "./emitter.ts"
import { postgresFailure } from "./failures.ts"
import type { Places } from "./places.ts"

const firstPause = 100
const longestPause = 10_000

/** Milliseconds between two checks where nobody can listen. */
const CHECK_EVERY = 2_000

interface ListenerOptions extends Pick<DriverOptions, "logger" | "waitMs"> {
  readonly places: Places
}

interface ChannelListener {
  /** Gives the function that ends it. */
  add(channel: string, listener: (payload: string | undefined) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

type Emitter = ReturnType<typeof createEmitter>

/** Where nobody can listen: asks every listener to check, as after a lost connection. */
export function createChecker(emitter: Emitter): ChannelListener {
  const timer = setInterval(() => {
    for (const channel of emitter.channels()) emitter.send(channel, undefined)
  }, CHECK_EVERY).unref()
  return {
    async add(channel, listener) {
      const stop = emitter.add(channel, listener)
      return async () => stop()
    },
    close: async () => clearInterval(timer),
  }
}

/** A connection of its own that listens on PostgreSQL's channels, made at the first listener and made again whenever it is lost. */
export function createListener({ places, logger, waitMs }: ListenerOptions, emitter: Emitter): ChannelListener {
  let connection: Promise<pg.Client> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<pg.Client> {
    const place = places.current()
    const client = new pg.Client({
      connectionString: place,
      application_name: "hearth listener",
      keepAlive: true,
      connectionTimeoutMillis: waitMs,
    })
    client.on("notification", ({ channel, payload }) => emitter.send(channel, payload ?? ""))
    let lost = false
    const lose = (error?: Error) => {
      if (lost || closed) return
      lost = true
      logger.warn({ err: error }, "the connection that listens to the database was lost")
      connection = undefined
      reconnect(firstPause)
    }
    client.on("error", lose)
    try {
      await client.connect()
      // A standby tells nothing.
      await requirePrimary(client)
      client.on("end", () => lose())
      for (const channel of emitter.channels()) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      places.leave(place)
      abandon(client)
      throw error
    }
    return client
  }

  function reconnect(pause: number): void {
    timer = setTimeout(async () => {
      if (closed || connection !== undefined) return
      connection = connect()
      try {
        await connection
        // Notifications sent in between are lost: every listener is called, to check again.
        for (const channel of emitter.channels()) emitter.send(channel, undefined)
      } catch {
        connection = undefined
        reconnect(Math.min(pause * 2, longestPause))
      }
    }, pause)
    timer.unref()
  }

  return {
    async add(channel: string, listener: (payload: string | undefined) => void): Promise<() => Promise<void>> {
      const stop = emitter.add(channel, listener)
      try {
        connection ??= connect()
        await (await connection).query(`listen ${pg.escapeIdentifier(channel)}`)
      } catch (error) {
        stop()
        connection = undefined
        throw postgresFailure(error, error instanceof pg.DatabaseError)
      }
      return async () => {
        stop()
        if (emitter.channels().includes(channel) || connection === undefined || closed) return
        // A server that does not answer must not keep this one from stopping.
        const unlistened = connection.then((client) => client.query(`unlisten ${pg.escapeIdentifier(channel)}`)).catch(() => {})
        await Promise.race([unlistened, sleep(waitMs, undefined, { ref: false })])
      }
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await (await connection?.catch(() => undefined))?.end()
    },
  }
}
