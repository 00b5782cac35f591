import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as Listener, type Socket } from "node:net"
import { readUnread } from "./unread.ts"

/** How much of the server connections may take. */
export interface ConnectionLimits {
  /** Connections open at once. */
  readonly total: () => number
  /** Connections open at once from one address. Proxies that are trusted may open as many as they need. */
  readonly perAddress: () => number
  readonly isProxy: (address: string) => boolean
  /** A connection on which nothing moves for this long, while the server waits for the client, is closed. */
  readonly stallMs: number
  /** How long the body of a request may take to arrive in all. */
  readonly bodyMs: number
  /** The least bytes a second of a body that is on its way, on average over `stallMs`. */
  readonly bodyRate: number
}

export interface ConnectionCounts {
  readonly open: number
  /** Connections that were not accepted so far, because there were too many. */
  readonly refused: number
  /** Connections that were closed so far, because the client was too slow. */
  readonly cut: number
}

export interface Connections {
  readonly counts: () => ConnectionCounts
  /**
   * Takes no further connection, and lets the clients of those that are open go over to another process: each is closed after the next answer that begins.
   * Resolves when only those are left on which such an answer is under way, or after so many milliseconds.
   */
  readonly drain: (longestMs: number) => Promise<void>
}

/** A request whose body or answer is not complete. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly since: number
  /** The beginning of the time over which the rate is measured, and what had been read then. */
  from: number
  bytes: number
  /** The bytes that the client has taken of a long answer, and when they took some, or all. */
  taken: number
  takenAt: number
}

interface Connection {
  readonly address: string
  exchange: Exchange | undefined
  /** The client knows that the answer under way is the last. */
  isLast: boolean
}

/** A connection on which an answer is under way. */
interface Answering {
  readonly socket: Socket
  readonly exchange: Exchange
}

const REFUSAL = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
/** How many times in a span the rates are looked at. */
const LOOKS = 4
/** How often it is looked whether clients have gone over, in milliseconds. */
const DRAIN_LOOK_MS = 50

/**
 * Bounds the connections of a server, and closes those whose clients don't keep up. Nothing is held against a client while the server itself is at work: while it
 * computes an answer, or doesn't take more of a body.
 */
export function watchConnections(server: Server, limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>()
  const perAddress = new Map<string, number>()
  let [refused, cut] = [0, 0]
  let [isDraining, isDrained] = [false, false]

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    const isProxy = limits.isProxy(address)
    if ((!isProxy && (perAddress.get(address) ?? 0) >= limits.perAddress()) || (connections.size >= limits.total() && !closeIdle())) {
      refused += 1
      socket.on("error", () => {}).end(REFUSAL, () => socket.destroy())
      return
    }
    connections.set(socket, { address, exchange: undefined, isLast: false })
    if (!isProxy) perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    socket.once("close", () => {
      connections.delete(socket)
      if (isProxy) return
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
  })

  /** Makes room for a connection: closes the oldest idle one of the address that has the most. */
  function closeIdle(): boolean {
    let found: { readonly socket: Socket; readonly count: number } | undefined
    for (const [socket, { address, exchange }] of connections) {
      const count = perAddress.get(address) ?? 0
      if (exchange === undefined && count > (found?.count ?? 0)) found = { socket, count }
    }
    found?.socket.destroy()
    return found !== undefined
  }

  // Before the server's own listener, which may answer at once.
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (!connection) return
    if (isDraining) announceLast(connection, response)
    const now = performance.now()
    const exchange: Exchange = { request, response, since: now, from: now, bytes: request.socket.bytesRead, taken: 0, takenAt: now }
    connection.exchange = exchange
    const end = () => {
      if (connection.exchange === exchange && response.closed && request.complete) connection.exchange = undefined
      // Its answer had begun before it could say so. While there is time it is left open, since the next request may be on its way.
      if (isDrained && connection.exchange === undefined) request.socket.end()
    }
    response.once("close", end)
    request.once("end", end)
  })

  function announceLast(connection: Connection, response: ServerResponse): void {
    response.setHeader("connection", "close")
    connection.isLast = true
  }

  const close = (socket: Socket) => {
    cut += 1
    // What the client has not taken would otherwise stay in the system's buffers.
    socket.resetAndDestroy()
  }

  // Emitted when nothing has moved on the connection in either direction; a partial write counts as movement.
  server.setTimeout(limits.stallMs, (socket) => {
    const exchange = connections.get(socket)?.exchange
    if (exchange === undefined || waitsForClient(socket, exchange)) close(socket)
  })

  /** Closes those whose clients take nothing of a long answer, though the system still has room for what is sent to them. */
  async function closeUnread(long: readonly Answering[]): Promise<void> {
    // Before it is looked: what is sent meanwhile must not look like taken.
    const sent = long.map(({ socket }) => socket.bytesWritten - socket.writableLength)
    const unreadOf = await readUnread()
    const now = performance.now()
    for (const [index, { socket, exchange }] of long.entries()) {
      const left = unreadOf(socket)
      const taken = (sent[index] ?? 0) - left
      if (left === 0 || taken > exchange.taken) {
        exchange.taken = taken
        exchange.takenAt = now
      } else if (now - exchange.takenAt >= limits.stallMs && connections.get(socket)?.exchange === exchange) close(socket)
    }
  }

  const timer = setInterval(() => {
    const now = performance.now()
    const long = [...connections].flatMap(([socket, { exchange }]) =>
      exchange?.request.complete && now - exchange.since > limits.stallMs / LOOKS ? { socket, exchange } : [],
    )
    if (long.length > 0) void closeUnread(long)
    for (const [socket, { exchange }] of connections) {
      if (exchange === undefined || exchange.request.complete) continue
      if (now - exchange.since > limits.bodyMs) close(socket)
      else if (!waitsForBody(exchange)) restart(exchange, socket, now)
      else if (now - exchange.from >= limits.stallMs) {
        if (socket.bytesRead - exchange.bytes < (limits.bodyRate * (now - exchange.from)) / 1000) close(socket)
        else restart(exchange, socket, now)
      }
    }
  }, limits.stallMs / LOOKS).unref()
  server.once("close", () => clearInterval(timer))

  return {
    counts: () => ({ open: connections.size, refused, cut }),
    async drain(longestMs) {
      isDraining = true
      // The server's own way to close would close idle connections at once, on which requests may be on their way.
      Listener.prototype.close.call(server)
      for (const connection of connections.values())
        if (connection.exchange && !connection.exchange.response.headersSent) announceLast(connection, connection.exchange.response)
      const until = performance.now() + longestMs
      while (performance.now() < until && [...connections.values()].some(({ isLast }) => !isLast))
        await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS))
      isDrained = true
    },
  }
}

/** Whether the next byte is the client's to send or to take. */
const waitsForClient = (socket: Socket, exchange: Exchange): boolean => socket.writableLength > 0 || waitsForBody(exchange)

/** Whether more of the body would be taken if it came. */
const waitsForBody = ({ request }: Exchange): boolean => !request.complete && request.readableLength < request.readableHighWaterMark

function restart(exchange: Exchange, socket: Socket, now: number): void {
  exchange.from = now
  exchange.bytes = socket.bytesRead
}
