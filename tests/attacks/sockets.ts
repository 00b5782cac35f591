/** Raw connections for tests that misbehave. Those from 127.0.0.9 are someone else's than those of `fetch`, which come from 127.0.0.1. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export const ATTACKER = "127.0.0.9"

export interface Dialled {
  readonly socket: Socket
  /** What the server has sent so far, if it is read. */
  readonly received: () => string
  /** Resolves when the server has closed the connection; a client that doesn't read what it is sent is not told. */
  readonly closed: Promise<unknown>
}

interface DialOptions {
  /** The address to come from. */
  readonly from?: string
  /** Whether to read what the server sends. */
  readonly reads?: boolean
}

/** Connects, and sends the beginning of a request. */
export async function dial(url: string, text: string, { from = ATTACKER, reads = true }: DialOptions = {}): Promise<Dialled> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.on("error", () => undefined)
  const closed = new Promise((resolve) => socket.once("close", resolve))
  let received = ""
  if (reads)
    socket.setEncoding("latin1").on("data", (part: string) => {
      received += part
    })
  else socket.pause()
  await Promise.race([once(socket, "connect"), closed])
  socket.write(text)
  return { socket, received: () => received, closed }
}

/** The head of a request, with Basic credentials in the form `user:password`. */
export function head(
  route: string,
  { login, headers = {} }: { readonly login?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): string {
  const authorization = login === undefined ? [] : [`authorization: Basic ${Buffer.from(login).toString("base64")}`]
  const lines = ["host: localhost", ...authorization, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return `${route} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`
}

export const CHUNKED = { "transfer-encoding": "chunked" }

/** A piece of a chunked body. */
export const chunk = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
}

export const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index))
