import type { Socket } from "node:net"

/**
 * Limits the connections that have not signed in yet, as anyone can open them. Each has a slot for a limited time. When all slots are taken, a new
 * connection replaces the oldest one from the address with the most connections, so that one address with many idle connections can't keep others
 * out.
 */
export interface Lobby {
  /** Adds a new connection; it is closed when its time is over. */
  readonly enter: (socket: Socket) => void
  /** The client has sent its SSH version line, and gets the time that a person needs to type a passphrase. */
  readonly greeted: (socket: Socket) => void
  /** The client has signed in, or is gone. */
  readonly leave: (socket: Socket) => void
  readonly waiting: () => number
}

export interface LobbyOptions {
  readonly seats: number
  /** Milliseconds until the client must have sent its version line. */
  readonly greetingMs: number
  /** Milliseconds until it must have signed in. */
  readonly signInMs: number
}

interface Seat {
  readonly address: string
  timer: NodeJS.Timeout
}

export function openLobby({ seats, greetingMs, signInMs }: LobbyOptions): Lobby {
  // In order of arrival.
  const taken = new Map<Socket, Seat>()
  const cutAfter = (socket: Socket, ms: number): NodeJS.Timeout => setTimeout(() => socket.destroy(), ms).unref()

  function leave(socket: Socket): void {
    clearTimeout(taken.get(socket)?.timer)
    taken.delete(socket)
  }

  function makeRoom(): void {
    const crowds = Map.groupBy(taken, ([, { address }]) => address)
    const [largest] = [...crowds.values()].sort((a, b) => b.length - a.length)
    const [oldest] = largest?.[0] ?? []
    if (!oldest) return
    leave(oldest)
    oldest.destroy()
  }

  return {
    leave,
    enter(socket) {
      if (taken.size >= seats) makeRoom()
      taken.set(socket, { address: socket.remoteAddress ?? "", timer: cutAfter(socket, greetingMs) })
      socket.once("close", () => leave(socket))
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
