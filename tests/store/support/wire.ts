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
  /** Ends the connection of the next commit: before it reaches the database, or in place of its answer. Resolves when that has happened. */
  readonly loseCommit: (when: "before" | "answer") => Promise<void>
  readonly close: () => Promise<void>
}

/** How a statement that commits looks in PostgreSQL's protocol: a simple query. */
const COMMIT = Buffer.from("commit\0")

export async function openWire(host: string, port: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let state: "joined" | "cut" | "frozen" = "joined"
  let losing: { readonly when: "before" | "answer"; readonly lost: () => void } | undefined

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
    let isAnswerLost: (() => void) | undefined
    near.on("data", (chunk) => {
      if (losing && chunk.includes(COMMIT)) {
        const { when, lost } = losing
        losing = undefined
        if (when === "before") {
          near.destroy()
          return lost()
        }
        isAnswerLost = lost
      }
      far.write(chunk)
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
    loseCommit: (when) =>
      new Promise((lost) => {
        losing = { when, lost }
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
