import { createHash } from "node:crypto"
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { StorageUnavailable } from "./blobs.ts"
import type { StoragePlace } from "./s3-place.ts"
import { type Answered, readError } from "./s3-xml.ts"

/** Requests to an object store that speaks S3: signed (AWS Signature Version 4), with deadlines, and tried again where that does no harm. */

export interface S3Credentials {
  readonly accessKey: string
  readonly secretKey: string
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** Left out for what concerns the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Statuses that are answers; every other is an error. */
  readonly accept: readonly number[]
}

export interface S3Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
}

export interface S3Limits {
  /** Milliseconds until a connection is free, until the store begins to answer, and between two pieces of what is sent. */
  readonly answerMs: number
  /** Milliseconds after which a request is not tried again. */
  readonly totalMs: number
  /** Connections at once. */
  readonly connections: number
  /** Requests that wait for one of them; more are refused at once. */
  readonly waiting: number
}

const defaultLimits: S3Limits = { answerMs: 10_000, totalMs: 15_000, connections: 256, waiting: 1024 }
/** Milliseconds before the second attempt; each further one waits twice as long. */
const REST_MS = 100
/** Bytes of an answer that is read as a whole: a list of a thousand objects has a tenth of it. */
const MOST_OF_TEXT = 4 * 2 ** 20
/** Milliseconds that an unused connection is kept. */
const IDLE_MS = 60_000

/** Called once for every attempt, with the status of the answer, or `lost`. */
export type WatchRequest = (method: S3Request["method"], outcome: number | "lost") => void

export interface S3 {
  /** Answers with headers; the caller reads the body to its end, or destroys it. Rejects with {@link StorageUnavailable}. */
  readonly ask: (request: S3Request) => Promise<S3Answer>
  /** The same for a body that is short. */
  readonly askText: (
    request: S3Request,
  ) => Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }>
  /** An address by which anyone may do this, with just these headers, for so many seconds. */
  readonly addressOf: (request: Pick<S3Request, "method" | "key" | "query" | "headers">, seconds: number) => Promise<string>
  readonly close: () => void
}

interface S3Options {
  readonly limits?: Partial<S3Limits>
  readonly watch?: WatchRequest | undefined
}

export async function openS3(place: StoragePlace, credentials: S3Credentials, { limits: given, watch }: S3Options = {}): Promise<S3> {
  const { AwsV4Signer } = await import("aws4fetch")
  const limits = { ...defaultLimits, ...given }
  const isSecure = place.endpoint.protocol === "https:"
  const http = process.getBuiltinModule(isSecure ? "node:https" : "node:http")
  const agent: Agent = new http.Agent({ keepAlive: true, maxSockets: limits.connections, timeout: IDLE_MS })
  const own = { accessKeyId: credentials.accessKey, secretAccessKey: credentials.secretKey, service: "s3", region: place.region }
  // The keys of a day that the secret gives.
  const cache = new Map<string, ArrayBuffer>()
  let underWay = 0

  async function signed({ method, key, query = {}, headers = {}, body }: Omit<S3Request, "accept">) {
    const digest = createHash("sha256")
      .update(body ?? "")
      .digest("hex")
    return new AwsV4Signer({
      ...own,
      cache,
      method,
      url: place.urlOf(key, query),
      headers: { ...headers, "x-amz-content-sha256": digest },
    }).sign()
  }

  async function once(request: S3Request): Promise<S3Answer> {
    const { url, headers } = await signed(request)
    const { method, body } = request
    const sent = http.request(url, {
      method,
      agent,
      // Counts from the beginning, as long as there is no connection yet.
      timeout: limits.answerMs,
      headers: {
        ...Object.fromEntries(headers),
        ...((body || method === "PUT" || method === "POST") && { "content-length": body?.length ?? 0 }),
      },
    })
    const answer = await answerOf(sent, body, limits.answerMs)
    answer.setTimeout(limits.answerMs, () => answer.destroy(new StorageUnavailable("the object store has stopped sending")))
    // A body that is left unread, or breaks off between two readings, is no fault of the process.
    answer.on("error", () => {})
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer }
  }

  async function attempt(request: S3Request): Promise<S3Answer | Failure> {
    try {
      const answer = await once(request)
      watch?.(request.method, answer.status)
      return request.accept.includes(answer.status) ? answer : await refusalOf(answer)
    } catch (error) {
      watch?.(request.method, "lost")
      return { isPassing: true, error: new StorageUnavailable("the object store does not answer", error) }
    }
  }

  async function ask(request: S3Request): Promise<S3Answer> {
    if (underWay >= limits.connections + limits.waiting) throw new StorageUnavailable("too many requests wait for the object store")
    const end = performance.now() + limits.totalMs
    underWay += 1
    try {
      for (let rest = REST_MS; ; rest *= 2) {
        const outcome = await attempt(request)
        if ("status" in outcome) return outcome
        const wait = rest * (0.5 + Math.random() / 2)
        if (!outcome.isPassing || performance.now() + wait > end) throw outcome.error
        await sleep(wait)
      }
    } finally {
      underWay -= 1
    }
  }

  return {
    ask,
    async askText(request) {
      const { status, headers, body } = await ask(request)
      return { status, headers, text: await textOf(body) }
    },
    async addressOf({ method, key, query = {}, headers = {} }, seconds) {
      const url = place.urlOf(key, { ...query, "X-Amz-Expires": String(seconds) })
      const { url: address } = await new AwsV4Signer({ ...own, cache, method, url, headers, signQuery: true, allHeaders: true }).sign()
      return address.href
    },
    close: () => agent.destroy(),
  }
}

/** Sends a request, and resolves with what is answered. Nothing may be silent for longer than `answerMs`: what waits for a connection, nor the store. */
function answerOf(sent: ClientRequest, body: Buffer | undefined, answerMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const silent = () => sent.destroy(new Error(`nothing was heard for ${answerMs / 1_000} s`))
    // Node counts from the moment when there is a connection.
    const queued = setTimeout(silent, answerMs)
    sent.once("socket", () => clearTimeout(queued))
    sent.once("close", () => clearTimeout(queued))
    sent.on("timeout", silent)
    sent.once("response", resolve)
    sent.on("error", reject)
    sent.end(body)
  })
}

/** Statuses with which a store asks for patience. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

interface Failure {
  readonly isPassing: boolean
  readonly error: StorageUnavailable
}

async function refusalOf({ status, body }: S3Answer): Promise<Failure> {
  const text = await textOf(body).catch(() => "")
  const { code, message }: Answered = readError(text)
  return {
    // The store did not get the whole request in its time.
    isPassing: PASSING.has(status) || code === "RequestTimeout",
    error: new StorageUnavailable(`the object store refuses with ${[status, code, message.replace(/\.$/, "")].filter(Boolean).join(", ")}`),
  }
}

async function textOf(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes: Buffer = chunk
    size += bytes.length
    if (size > MOST_OF_TEXT) throw new StorageUnavailable("the object store sends more than was asked for")
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString("utf8")
}
