import type { Socket } from "node:net"

/**
 * Limits the connections that have not signed in yet, as anyone can open them. Each has a slot for a limited time. When all slots are taken, a new
 * connection replaces the oldest one from the address with the most connections, so that one address with many idle connections can't keep others
 * out.
 */
export interface PendingConnections {
  /** Adds a new connection; it is closed when its time is over. */
  readonly add: (socket: Socket) => void
  /** The client has sent its SSH version line, and gets the time that a person needs to type a passphrase. */
  readonly greeted: (socket: Socket) => void
  /** The client has signed in, or is gone. */
  readonly remove: (socket: Socket) => void
  readonly waiting: () => number
}

export interface PendingOptions {
  readonly slots: number
  /** Milliseconds until the client must have sent its version line. */
  readonly greetingMs: number
  /** Milliseconds until it must have signed in. */
  readonly signInMs: number
}

interface Slot {
  readonly address: string
  timer: NodeJS.Timeout
}

export function openPendingConnections({ slots, greetingMs, signInMs }: PendingOptions): PendingConnections {
  // In order of arrival.
  const taken = new Map<Socket, Slot>()
  const cutAfter = (socket: Socket, ms: number): NodeJS.Timeout => setTimeout(() => socket.destroy(), ms).unref()

  function remove(socket: Socket): void {
    clearTimeout(taken.get(socket)?.timer)
    taken.delete(socket)
  }

  function evictOldest(): void {
    const byAddress = Map.groupBy(taken, ([, { address }]) => address)
    const [largest] = [...byAddress.values()].sort((a, b) => b.length - a.length)
    const [oldest] = largest?.[0] ?? []
    if (!oldest) return
    remove(oldest)
    oldest.destroy()
  }

  return {
    remove,
    add(socket) {
      if (taken.size >= slots) evictOldest()
      taken.set(socket, { address: socket.remoteAddress ?? "", timer: cutAfter(socket, greetingMs) })
      socket.once("close", () => remove(socket))
    },
    greeted(socket) {
      const seat = taken.get(socket)
      if (!seat) return
      clearTimeout(seat.timer)
      seat.timer = cutAfter(socket, signInMs)
    },
    waiting: () => taken.size,
  }
}
