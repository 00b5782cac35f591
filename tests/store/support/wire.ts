/** A TCP proxy between a server and its database, which can be cut, and which can lose the answer to a commit. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Wire {
  readonly port: number
  /** Ends all connections, and refuses new ones until it is joined. */
  readonly cut: () => void
  /** Nothing passes any more in either direction, and nothing is refused, until it is joined. */
  readonly freeze: () => void
  readonly join: () => void
  /**
   * Ends the connection of the commit of a transaction that wrote a text: before it reaches the database, or in place of its answer. Resolves when that has
   * happened.
   */
  readonly loseCommit: (when: "before" | "answer", text: string) => Promise<void>
  /** Calls `stop` before the commit of such a transaction is passed on, and drops it. Resolves then. */
  readonly stopBefore: (text: string, stop: () => void) => Promise<void>
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly text: string
  readonly how: "end" | "end after" | "drop"
  readonly done: () => void
}

/** How a statement that commits looks in PostgreSQL's protocol: a simple query. */
const COMMIT = Buffer.from("commit\0")

export async function openWire(host: string, port: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let state: "joined" | "cut" | "frozen" = "joined"
  let waiting: Waiting | undefined

  const server = createServer({ allowHalfOpen: false }, (near) => {
    if (state === "cut") return void near.destroy()
    const far = connect(port, host)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.once("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    let hasWritten = false
    let isAnswerLost: (() => void) | undefined
    near.on("data", (chunk) => {
      hasWritten ||= waiting !== undefined && chunk.includes(waiting.text)
      if (waiting === undefined || !hasWritten || !chunk.includes(COMMIT)) return void far.write(chunk)
      const { how, done } = waiting
      waiting = undefined
      if (how === "end after") {
        isAnswerLost = done
        return void far.write(chunk)
      }
      if (how === "end") near.destroy()
      done()
    })
    far.on("data", (chunk) => {
      if (!isAnswerLost) return void near.write(chunk)
      near.destroy()
      isAnswerLost()
    })
    if (state === "frozen") for (const socket of [near, far]) socket.pause()
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()

  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    cut() {
      state = "cut"
      for (const socket of sockets) socket.destroy()
    },
    freeze() {
      state = "frozen"
      for (const socket of sockets) socket.pause()
    },
    join() {
      state = "joined"
      for (const socket of sockets) socket.resume()
    },
    loseCommit: (when, text) =>
      new Promise((done) => {
        waiting = { text, how: when === "before" ? "end" : "end after", done }
      }),
    stopBefore: (text, stop) =>
      new Promise((resolve) => {
        const done = () => {
          stop()
          resolve()
        }
        waiting = { text, how: "drop", done }
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
