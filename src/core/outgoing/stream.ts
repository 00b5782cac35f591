import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { VERSION } from "../version.ts"
import type { Address } from "./guard.ts"
import { requestOver } from "./request.ts"

/** A request whose body, or whose answer's body, is too large for memory. */
export interface StreamRequest {
  readonly method: string
  /** An http or https address. */
  readonly url: string
  /** The address to connect to, as the guard has allowed it; the name is not resolved again. */
  readonly address: Address
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly content: Readable; readonly length: number }
  /** The idle timeout in milliseconds, including the time to connect. */
  readonly silenceMs: number
  readonly signal: AbortSignal
}

export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** To be read to its end, or destroyed. Fails if the connection does. */
  readonly body: Readable
}

/** Headers that are set here, not by the caller. */
const OURS = new Set(["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer", "keep-alive"])

/**
 * Sends a request and returns the answer once its headers have arrived. Redirects are not followed. Rejects with the error of the connection, and
 * after the idle timeout.
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
        // A new connection for each request: a kept one might have been allowed for another one.
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
    // After the headers, errors are those of the answer's body.
    sent.on("error", reject)
    // A body that can't be sent completely is an error of the request; an answer received before that still counts.
    if (body) pipeline(body.content, sent).catch(() => undefined)
    else sent.end()
  })
}
