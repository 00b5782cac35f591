/** A minimal HTTP client for tests. */

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
export async function send(
  url: string,
  method: string,
  path: string,
  { authorization, query, body, headers }: Calling = {},
): Promise<Answered> {
  const parameters = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ""
  const answer = await fetch(`${url}/api/v1${path}${parameters}`, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(authorization && { authorization }), ...(isJson(body) && { "content-type": "application/json" }) },
    ...(body instanceof FormData && { body }),
    ...(isJson(body) && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const isJson = (body: unknown): boolean => body !== undefined && !(body instanceof FormData)

/** Like `send`, for calls that only prepare something: throws unless it succeeds, and gives the body as what the caller says it is. */
export async function must<T>(url: string, method: string, path: string, calling?: Calling): Promise<T> {
  const { status, text } = await send(url, method, path, calling)
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status} ${text}`)
  return JSON.parse(text === "" ? "null" : text)
}

export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`
