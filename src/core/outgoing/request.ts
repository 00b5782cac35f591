import { unlessAborted } from "../timeout.ts"
import { type Guard, HostRefused } from "./guard.ts"

// Importing node:http by name makes Node load its whole fetch for it, 10 MB that nothing here uses.
const { request } = process.getBuiltinModule("node:http")
const { request: requestSecurely } = process.getBuiltinModule("node:https")

/** The function that starts a request by this protocol. */
export const requestOver = (protocol: string): typeof request => (protocol === "https:" ? requestSecurely : request)

export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Timeout in milliseconds, from the start to the end of the answer. */
  readonly timeoutMs: number
  /** The most bytes of the answer's body to read; the rest is dropped. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** True if the body was longer than that. */
  readonly cut: boolean
}

/** Sends requests to other servers. */
export interface Outgoing {
  /**
   * Sends one request to the address that the guard has allowed, and to no other: it connects to the address that was checked, and a redirect is
   * returned as the answer, not followed. Rejects with {@link HostRefused}, or the error of the connection.
   */
  readonly send: (request: OutgoingRequest) => Promise<OutgoingAnswer>
  readonly guard: Guard
}

/** Creates the client for requests to other servers. */
export function openOutgoing(guard: Guard, agent: string): Outgoing {
  async function send({ method, url, headers, body, timeoutMs, maxBytes, signal }: OutgoingRequest): Promise<OutgoingAnswer> {
    const target = new URL(url)
    if (target.protocol !== "http:" && target.protocol !== "https:") throw new HostRefused(`${target.protocol} addresses are not called`)
    const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
    const reasonOf = (error: unknown) => (ended.aborted && !signal?.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error)
    const { address, family } = await unlessAborted(ended, guard.resolve(target.hostname)).catch((error: unknown) => {
      throw reasonOf(error)
    })
    const request = requestOver(target.protocol)
    return new Promise((resolve, reject) => {
      const sent = request(
        target,
        {
          method,
          headers: {
            "user-agent": agent,
            ...headers,
            ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
          },
          signal: ended,
          // A new connection for each request: a kept one might have been allowed for another one.
          agent: false,
          lookup: (_host, options, found) => (options.all ? found(null, [{ address, family }]) : found(null, address, family)),
        },
        (answer) => {
          const chunks: Buffer[] = []
          let size = 0
          const finish = (cut: boolean) =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: Object.fromEntries(
                Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
              ),
              body: Buffer.concat(chunks).subarray(0, maxBytes),
              cut,
            })
          answer.on("data", (chunk: Buffer) => {
            size += chunk.length
            chunks.push(chunk)
            if (size <= maxBytes) return
            finish(true)
            answer.destroy()
          })
          answer.on("end", () => finish(false))
          answer.on("error", reject)
        },
      )
      sent.on("error", (error) => reject(reasonOf(error)))
      sent.end(body)
    })
  }
  return { send, guard }
}
