/** An answer of the server that is no success: what was refused, and what would be accepted. Thrown by every call. */
export class Refusal<Status extends number = number> extends Error {
  readonly status: Status
  /** The method and address of the call, without its query. */
  readonly call: string
  /** The name of the input that was refused, where the message begins with one: `[title]: is required`. */
  readonly field: string | undefined
  /** After how many seconds the same call may succeed, where the server knows. */
  readonly retryAfter: number | undefined
  /** By which administrators find the request in the server's log. */
  readonly requestId: string | undefined
  /** What was answered: an object with `message` and sometimes more, a text, or undefined. */
  readonly body: unknown

  constructor(call: string, status: Status, headers: Headers, text: string) {
    const body = parsed(text)
    const message = messageIn(body)
    super(message ? `${status}: ${message}` : `${call} was answered with ${status}`)
    this.name = "Refusal"
    this.call = call
    this.status = status
    this.field = /^\[([^\]]+)\]: /.exec(message)?.[1]
    this.retryAfter = secondsIn(headers)
    this.requestId = headers.get("x-request-id") ?? undefined
    this.body = body
  }
}

/** Whether a call was refused with one of these statuses, or with any where none is named. */
export const isRefusal = <Status extends number = number>(error: unknown, ...statuses: readonly Status[]): error is Refusal<Status> =>
  error instanceof Refusal && (statuses.length === 0 || statuses.some((status) => status === error.status))

/** The seconds of a Retry-After header; dates are not read, as Hearth sends none. */
export function secondsIn(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? ""
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

const messageIn = (body: unknown): string =>
  typeof body === "object" && body !== null && "message" in body && typeof body.message === "string" ? body.message : ""
