import type { Socket } from "node:net"
import type { ConnectionError } from "fastify"
import { type Refusal, refuse } from "../core/errors.ts"

/** Answers to what arrives on a connection and is no HTTP request. No route has seen it, so it is answered here. */

/** The refusal of a request that names two hosts: Node goes by the first, and what is before the server may go by the other. */
export function refusalOfTwoHosts({ rawHeaders }: { readonly rawHeaders: readonly string[] }): Refusal | undefined {
  let hosts = 0
  // Names and values in turn. The length comes first, since this is done for every request.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  return hosts > 1 ? refuse.badRequest("a request has one Host header, and this one has several") : undefined
}

interface Answer {
  readonly status: string
  readonly message: string
}

const NO_HTTP: Answer = { status: "400 Bad Request", message: "this is no HTTP request that can be read" }

const ANSWERS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "the address and headers of the request are larger than 16 KiB together",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: "413 Payload Too Large", message: "the chunk extensions of the request are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", message: "the request took too long to arrive" },
}

/** Nothing more is said where the first line alone is too large. */
const LONG_ADDRESS: Answer = { status: "414 URI Too Long", message: "the address of the request is larger than 16 KiB" }

/** Answers what the HTTP parser can't read, and closes the connection. */
export function answerUnreadable(error: ConnectionError, socket: Socket): void {
  // The client is gone.
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const { status, message } = answerFor(error)
  const body = JSON.stringify({ message })
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json;charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-content-type-options: nosniff",
    "connection: close",
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}

function answerFor({ code, rawPacket }: ConnectionError): Answer {
  if (code === "HPE_HEADER_OVERFLOW" && Buffer.isBuffer(rawPacket) && !rawPacket.includes("\r\n")) return LONG_ADDRESS
  return ANSWERS[code] ?? NO_HTTP
}
