import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { VERSION } from "../version.ts"
import { requestOver } from "./connect.ts"
import type { Address } from "./guard.ts"

/** A request whose body, or whose answer's body, is too large for memory. */
export interface StreamRequest {
  readonly method: string
  /** An http or https address. */
  readonly url: string
  /** The machine that is connected to, as the guard has allowed it, whatever the name means by then. */
  readonly address: Address
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly content: Readable; readonly length: number }
  /** How long nothing may move, in milliseconds; the connection being made counts. */
  readonly silenceMs: number
  readonly signal: AbortSignal
}

export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** To be read to its end, or destroyed. Fails where the connection does. */
  readonly body: Readable
}

/** What is decided here, not by whoever says which headers to send. */
const OURS = new Set(["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer", "keep-alive"])

/**
 * Sends a request and gives the answer once its head is there. A redirect is an answer like any other. Rejects with what the connection says, and where
 * nothing moves any more.
 */
export function openStream({ method, url, address, headers = {}, body, silenceMs, signal }: StreamRequest): Promise<StreamAnswer> {
  const target = new URL(url)
  const start = requestOver(target.protocol)
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !OURS.has(name.toLowerCase())))
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined
    const sent = start(
      target,
      {
        method,
        headers: { "user-agent": `hearth/${VERSION}`, ...passed, ...(body && { "content-length": String(body.length) }) },
        signal,
        timeout: silenceMs,
        // One connection for each request: a kept one might have been let through for somebody else.
        agent: false,
        lookup: (_host, options, found) => (options.all ? found(null, [address]) : found(null, address.address, address.family)),
      },
      (came) => {
        answer = came
        resolve({ status: came.statusCode ?? 0, headers: came.headers, body: came })
      },
    )
    sent.on("timeout", () => {
      const error = new Error(`nothing came within ${silenceMs / 1000} s`)
      answer?.destroy(error)
      sent.destroy(error)
    })
    // After the head has come, the answer's own body tells.
    sent.on("error", reject)
    // What can't be sent to its end shows as an error of the request; an answer that comes before that is still an answer.
    if (body) pipeline(body.content, sent).catch(() => undefined)
    else sent.end()
  })
}
