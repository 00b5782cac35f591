import { Refusal, secondsIn } from "./refusal.ts"

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /** The address of the site, with or without a slash at its end: `https://git.example.com`. */
  readonly url: string
  /** An access token, or a function that gives one for each call. Without it calls are anonymous. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** Sent with every call, such as `{ sudo: "bob" }`, or an Authorization header of one's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** In place of the global one. */
  readonly fetch?: Fetch | undefined
  /** Milliseconds that a call may take with all its repetitions; 30,000 unless said otherwise. */
  readonly timeoutMs?: number | undefined
  /** How often a call is repeated that the server had no time for; 3 unless said otherwise. */
  readonly retries?: number | undefined
}

/** Where calls go, and as whom. */
export interface Client {
  readonly url: string
  readonly token: () => string | Promise<string>
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly retries: number
}

export interface CallOptions {
  /** Ends the call, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The same key with the same call does the work once, however often it is sent. With one, POST and PATCH are repeated too. */
  readonly idempotencyKey?: string | undefined
  /** The ETag of what is edited, as `onAnswer` has seen it: refused with 412 where somebody was faster. */
  readonly ifMatch?: string | undefined
  /** Sees status and headers of the answer before its body is read. */
  readonly onAnswer?: ((answer: { readonly status: number; readonly headers: Headers }) => void) | undefined
}

/** Makes a client. Throws TypeError for an address that is none. */
export function createClient({
  url,
  token,
  headers = {},
  fetch = globalThis.fetch,
  timeoutMs = 30_000,
  retries = 3,
}: ClientOptions): Client {
  const { origin, pathname } = new URL(url)
  return {
    url: origin + pathname.replace(/\/+$/, ""),
    token: typeof token === "function" ? token : () => token ?? "",
    headers,
    // Browsers call their fetch as a function of the window alone.
    fetch: (address, init) => fetch(address, init),
    timeoutMs,
    retries,
  }
}

/** Calls an operation, and gives its record, or undefined where it has none. */
export async function call<Answer>(
  client: Client,
  method: string,
  path: string,
  input?: object,
  options: CallOptions = {},
): Promise<Answer> {
  const text = await callText(client, method, path, input, options)
  return JSON.parse(text || "null") ?? undefined
}

/** Calls an operation that answers with a text. */
export async function callText(client: Client, method: string, path: string, input?: object, options: CallOptions = {}): Promise<string> {
  const { response, done } = await send(client, method, path, input, options)
  try {
    return await response.text()
  } finally {
    done()
  }
}

/** Calls an operation that answers with a file, which may be read as a stream. The time of the call ends where its body begins. */
export async function download(client: Client, method: string, path: string, input?: object, options: CallOptions = {}): Promise<Response> {
  const { response, done } = await send(client, method, path, input, options)
  done()
  return response
}

export interface Sent {
  readonly response: Response
  /** Ends the limit of time. */
  readonly done: () => void
}

const REPEATABLE: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"])

/** Sends a call, again where the server had no time for it and sending it twice does no harm. Throws Refusal for an answer that is no success. */
export async function send(client: Client, method: string, path: string, input: object | undefined, options: CallOptions): Promise<Sent> {
  const { timeoutMs = client.timeoutMs, retries = client.retries, idempotencyKey, ifMatch, onAnswer } = options
  const { address, body, type } = request(client, method, path, new Map(Object.entries(input ?? {})))
  const time = limitTime(timeoutMs, options.signal)
  const until = Date.now() + timeoutMs
  const isRepeatable = REPEATABLE.has(method) || idempotencyKey !== undefined
  try {
    for (let round = 0; ; round++) {
      const token = await client.token()
      time.signal.throwIfAborted()
      const headers = {
        accept: "application/json",
        ...(token && { authorization: `token ${token}` }),
        ...(type && { "content-type": type }),
        ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
        ...(ifMatch && { "if-match": ifMatch }),
        ...client.headers,
        ...options.headers,
      }
      const isLast = !isRepeatable || round >= retries
      let response: Response
      try {
        response = await client.fetch(address, { method, headers, signal: time.signal, ...(body !== undefined && { body }) })
      } catch (error) {
        if (isLast || time.signal.aborted) throw time.signal.aborted ? time.signal.reason : error
        await pause(pauseMs(round), time.signal)
        continue
      }
      if (response.ok || response.status === 304) {
        onAnswer?.(response)
        return { response, done: time.done }
      }
      const refusal = new Refusal(`${method} ${address.split("?", 1)[0]}`, response.status, response.headers, await response.text())
      const waitMs = refusal.retryAfter === undefined ? pauseMs(round) : refusal.retryAfter * 1000
      if (isLast || !isBusy(response) || Date.now() + waitMs > until) {
        onAnswer?.(response)
        throw refusal
      }
      await pause(waitMs, time.signal)
    }
  } catch (error) {
    time.done()
    throw error
  }
}

/** Whether the server asks for patience. */
const isBusy = ({ status, headers }: Response): boolean => status === 503 || (status === 429 && secondsIn(headers) !== undefined)

/** Half a second and twice as long each time, of which up to a half is left to chance, so that many clients don't come back at once. */
export const pauseMs = (round: number): number => Math.min(30_000, 500 * 2 ** round) * (1 - Math.random() / 2)

interface Request {
  readonly address: string
  readonly body: string | FormData | undefined
  readonly type: string | undefined
}

function request({ url }: Client, method: string, path: string, input: Map<string, unknown>): Request {
  const body = method === "GET" ? undefined : input.get("body")
  if (method !== "GET") input.delete("body")
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.get(name)
    input.delete(name)
    // An empty one would call another operation, and so would dots, which lead out of a folder even where they are escaped.
    if (value === undefined || value === null || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`${name} is missing in the path ${path}, or names nothing`)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of input)
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) query.append(name, String(one))
  const address = `${url}/api/v1${place}${query.size > 0 ? `?${query}` : ""}`
  if (body === undefined || body instanceof FormData) return { address, body, type: undefined }
  if (typeof body === "string") return { address, body, type: "text/plain;charset=utf-8" }
  return { address, body: JSON.stringify(body), type: "application/json" }
}

interface Time {
  readonly signal: AbortSignal
  readonly done: () => void
}

/** A signal that fires after some time, or with another. */
export function limitTime(ms: number, other?: AbortSignal): Time {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException(`there was no answer within ${ms} ms`, "TimeoutError")), ms)
  return {
    signal: other ? AbortSignal.any([controller.signal, other]) : controller.signal,
    done: () => clearTimeout(timer),
  }
}

/** Waits; rejects with the signal's reason when it fires meanwhile. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal.addEventListener("abort", stop, { once: true })
  })
}
