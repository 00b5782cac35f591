/**
 * A load generator that takes little of the processor beside the server: prepared requests over kept-alive connections, and of the answers only the status and the length are read.
 * `node light-load.ts` reads a {@link LightLoad} as JSON from stdin, and prints how many requests were answered in a second.
 */
import { connect } from "node:net"
import { text } from "node:stream/consumers"

export interface LightLoad {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Whole requests, which are sent in turn. */
  readonly requests: readonly string[]
  /** The digit that the statuses of the answers begin with. */
  readonly status: number
}

const { port, connections, seconds, requests, status }: LightLoad = JSON.parse(await text(process.stdin))
const prepared = requests.map((request) => Buffer.from(request))
const END_OF_HEAD = Buffer.from("\r\n\r\n")
let answered = 0
let next = 0

function serveOne(): void {
  const socket = connect(port, "127.0.0.1").setNoDelay(true)
  const ask = (): void => void socket.write(prepared[next++ % prepared.length] ?? "")
  let kept: Buffer = Buffer.alloc(0)
  let left = 0
  socket.on("connect", ask)
  socket.on("error", (error) => {
    throw error
  })
  socket.on("data", (chunk: Buffer) => {
    if (left > chunk.length) {
      left -= chunk.length
      return
    }
    if (left === 0) {
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      const end = kept.indexOf(END_OF_HEAD)
      if (end === -1) return
      const head = kept.toString("latin1", 0, end)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined || Number(head[9]) !== status) throw new Error(`an unexpected answer: ${kept.toString("latin1", 0, 1_000)}`)
      left = Number(length) - (kept.length - end - 4)
      kept = Buffer.alloc(0)
      if (left > 0) return
    }
    left = 0
    answered += 1
    ask()
  })
}

for (let index = 0; index < connections; index++) serveOne()
// The first second is not counted.
setTimeout(() => {
  answered = 0
  setTimeout(() => process.stdout.write(String(answered / seconds), () => process.exit(0)), seconds * 1_000)
}, 1_000)
