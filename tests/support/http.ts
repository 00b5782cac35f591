/** A minimal HTTP client for tests. */
import { request } from "node:http"

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Calling {
  /** The Authorization header; none for anonymous calls. */
  readonly authorization?: string | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON, a form as multipart/form-data. */
  readonly body?: unknown
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Sends one request to a path below /api/v1, and follows no redirection. */
export function send(url: string, method: string, path: string, { authorization, query, body, headers }: Calling = {}): Promise<Answered> {
  const parameters = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ""
  const given = { ...headers, ...(authorization && { authorization }), ...(isJson(body) && { "content-type": "application/json" }) }
  const content = body instanceof FormData ? body : isJson(body) ? JSON.stringify(body) : undefined
  return exchange(`${url}/api/v1${path}${parameters}`, { method, headers: given, body: content })
}

export interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | FormData | URLSearchParams | undefined
}

/**
 * What `fetch` does too, for three times the processor time and, where an answer comes before the body is read, over a new connection each time.
 * Follows no redirection, and asks for no compression.
 */
export async function exchange(address: string, { method = "GET", headers = {}, body }: Sending): Promise<Answered> {
  if (!(body instanceof FormData || body instanceof URLSearchParams)) return exchangeBytes(address, method, headers, body)
  const form = new Response(body)
  const type = form.headers.get("content-type") ?? ""
  return exchangeBytes(address, method, { ...headers, "content-type": type }, await form.bytes())
}

const exchangeBytes = (
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array | undefined,
): Promise<Answered> =>
  new Promise((resolve, refuse) => {
    const reject = (cause: Error): void => refuse(new TypeError("fetch failed", { cause }))
    // Node.js tells no length of what goes with a DELETE.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const all = { accept: "*/*", "user-agent": "node", ...length, ...headers }
    const sent = request(new URL(address), { method, headers: all }, (answer) => {
      const chunks: Buffer[] = []
      answer
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("error", reject)
        .on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: headersOf(answer.headersDistinct),
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        )
    })
    sent.on("error", reject).end(body)
  })

function headersOf(distinct: Readonly<Record<string, readonly string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(distinct)) for (const value of values) headers.append(name, value)
  return headers
}

const isJson = (body: unknown): boolean => body !== undefined && !(body instanceof FormData)

/** Like `send`, for calls that only prepare something: throws unless it succeeds, and gives the body as what the caller says it is. */
export async function must<T>(url: string, method: string, path: string, calling?: Calling): Promise<T> {
  const { status, text } = await send(url, method, path, calling)
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status} ${text}`)
  return JSON.parse(text === "" ? "null" : text)
}

export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`
