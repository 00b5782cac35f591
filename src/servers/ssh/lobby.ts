import type { Socket } from "node:net"

/**
 * Where those wait who have not signed in yet. Anybody may come in, so each has a seat only for a while; and when all are taken, the newcomer gets that of
 * whoever has sat longest among those who came with the largest crowd. Thus a crowd that only sits can't keep others out.
 */
export interface Lobby {
  /** Takes in a connection that has just begun; it is cut when its time is over. */
  readonly enter: (socket: Socket) => void
  /** The client has said that it speaks SSH, and gets the time that a person needs to type a passphrase. */
  readonly greeted: (socket: Socket) => void
  /** It has signed in, or is gone. */
  readonly leave: (socket: Socket) => void
  readonly waiting: () => number
}

export interface LobbyOptions {
  readonly seats: number
  /** Milliseconds until the client must have said its first line. */
  readonly greetingMs: number
  /** Milliseconds until it must have signed in. */
  readonly signInMs: number
}

interface Seat {
  readonly address: string
  timer: NodeJS.Timeout
}

export function openLobby({ seats, greetingMs, signInMs }: LobbyOptions): Lobby {
  // In the order of their coming.
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
