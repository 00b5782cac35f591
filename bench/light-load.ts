/**
 * A load generator that takes little of the processor beside the server: prepared requests over kept-alive connections, and of the answers only the status and the length are read.
 * `node light-load.ts` reads a {@link LightLoad} as JSON from stdin, and prints a {@link LightFigure} as JSON.
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

export interface LightFigure {
  /** Requests that were answered in a second. */
  readonly perSecond: number
  /** Milliseconds of an answer: half of them took less, and 99 of 100. */
  readonly median: number
  readonly p99: number
}

const { port, connections, seconds, requests, status }: LightLoad = JSON.parse(await text(process.stdin))
const prepared = requests.map((request) => Buffer.from(request))
const END_OF_HEAD = Buffer.from("\r\n\r\n")
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n")
let times: number[] = []
let next = 0

function serveOne(): void {
  const socket = connect(port, "127.0.0.1").setNoDelay(true)
  let asked = 0
  const ask = (): void => {
    asked = performance.now()
    socket.write(prepared[next++ % prepared.length] ?? "")
  }
  let kept: Buffer = Buffer.alloc(0)
  let left = 0
  let isChunked = false
  socket.on("connect", ask)
  socket.on("error", (error) => {
    throw error
  })
  const end = (): void => {
    times.push(performance.now() - asked)
    ask()
  }
  /** Of an answer without a length; few such are long. */
  const takeChunk = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk]).subarray(-LAST_CHUNK.length)
    if (!kept.equals(LAST_CHUNK)) return
    kept = Buffer.alloc(0)
    isChunked = false
    end()
  }
  socket.on("data", (chunk: Buffer) => {
    if (isChunked) return takeChunk(chunk)
    if (left > chunk.length) {
      left -= chunk.length
      return
    }
    if (left === 0) {
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      const headEnd = kept.indexOf(END_OF_HEAD)
      if (headEnd === -1) return
      const head = kept.toString("latin1", 0, headEnd)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      isChunked = length === undefined && /\r\ntransfer-encoding: chunked/i.test(head) && Number(head[9]) === status
      if (isChunked) {
        const rest = kept.subarray(headEnd + 2)
        kept = Buffer.alloc(0)
        return takeChunk(rest)
      }
      if (length === undefined || Number(head[9]) !== status) throw new Error(`an unexpected answer: ${kept.toString("latin1", 0, 1_000)}`)
      left = Number(length) - (kept.length - headEnd - 4)
      kept = Buffer.alloc(0)
      if (left > 0) return
    }
    left = 0
    end()
  })
}

for (let index = 0; index < connections; index++) serveOne()
// The first second is not counted.
setTimeout(() => {
  times = []
  setTimeout(() => {
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
    const figure: LightFigure = { perSecond: times.length / seconds, median: at(0.5), p99: at(0.99) }
    process.stdout.write(JSON.stringify(figure), () => process.exit(0))
  }, seconds * 1_000)
}, 1_000)
