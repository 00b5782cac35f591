import { type CallOptions, type Client, callText, limitTime, pause, pauseMs, send } from "./call.ts"
import { isRefusal } from "./refusal.ts"

/** Something that has happened. Which kinds there are, and what they tell besides, is in docs/events.md. */
export interface HearthEvent {
  /** Its place in the log, from which a reader goes on. */
  readonly position: number
  readonly kind: string
  /** In seconds since 1970, or as a moment in ISO 8601, as the server tells it. */
  readonly at: string | number
  readonly actor: unknown
  readonly repository: unknown
  readonly subject: unknown
  readonly [more: string]: unknown
}

/** What is told of: the query of `GET /events`. */
export interface EventFilter {
  /** Events behind this position; those from now on where it is left out. */
  readonly after?: number | undefined
  readonly [parameter: string]: string | number | boolean | readonly string[] | undefined
}

export interface EventOptions extends Omit<CallOptions, "idempotencyKey" | "ifMatch"> {
  /** A connection on which nothing came for so many milliseconds, not even the server's sign of life, is made anew; 90,000 unless said otherwise. */
  readonly silenceMs?: number | undefined
}

const LONGEST_EVENT = 4 * 2 ** 20

/**
 * What happens, as it happens: `for await (const event of events(client, { repository: "acme/rocket" }))`. A connection that ends is made anew where the
 * last event was, without a gap. It reads no further than it is asked for. Ends when the signal fires; throws Refusal where the caller may not listen.
 */
export async function* events(
  client: Client,
  filter: EventFilter = {},
  options: EventOptions = {},
): AsyncGenerator<HearthEvent, void, undefined> {
  const { silenceMs = 90_000, signal, headers } = options
  const stop = new AbortController()
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  let last: string | undefined
  let failures = 0
  let waitMs = 0
  try {
    while (!ended.aborted) {
      try {
        const more = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }), ...headers }
        const { after, ...wanted } = filter
        const input = last === undefined ? filter : wanted
        const { response, done } = await send(client, "GET", "/events", input, { ...options, signal: ended, headers: more })
        done()
        for await (const message of messages(response, silenceMs, ended)) {
          failures = 0
          if (message.retryMs !== undefined) waitMs = message.retryMs
          if (message.id !== undefined) last = message.id
          if (message.event === "message" && message.data !== "") yield JSON.parse(message.data)
        }
      } catch (error) {
        if (ended.aborted) return
        if (isRefusal(error) && error.status < 500 && error.status !== 429) throw error
      }
      if (failures > 0 || waitMs > 0) await pause(Math.max(waitMs, failures > 0 ? pauseMs(failures) : 0), ended).catch(() => {})
      failures++
    }
  } finally {
    stop.abort()
  }
}

interface Message {
  readonly event: string
  readonly data: string
  readonly id?: string
  readonly retryMs?: number
}

/** The messages of a stream of server-sent events. Throws where one is too long, or nothing comes for too long. */
async function* messages({ body }: Response, silenceMs: number, signal: AbortSignal): AsyncGenerator<Message, void, undefined> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  try {
    while (true) {
      const { done, value } = await within(silenceMs, signal, reader.read())
      if (done) return
      text += value
      if (text.length > LONGEST_EVENT) throw new RangeError("an event is too long")
      // A carriage return at the end may be half of an end of line.
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r(?!\n)/)
      text = blocks.pop() ?? ""
      for (const block of blocks) yield messageOf(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** What the work gives, unless it takes too long or the signal fires. */
function within<T>(ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const time = limitTime(ms, signal)
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(time.signal.reason)
    if (time.signal.aborted) stop()
    time.signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject)
  }).finally(time.done)
}

function messageOf(block: string): Message {
  const data: string[] = []
  let event = "message"
  let rest: Pick<Message, "id" | "retryMs"> = {}
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === "data") data.push(value)
    else if (name === "event") event = value
    else if (name === "id" && !value.includes("\0")) rest = { ...rest, id: value }
    else if (name === "retry" && /^\d{1,6}$/.test(value)) rest = { ...rest, retryMs: Number(value) }
  }
  return { event, data: data.join("\n"), ...rest }
}

/**
 * The events behind a position, for those who would rather ask than hold a connection open: waits up to so many seconds (30 unless said otherwise)
 * until there are some.
 */
export async function eventsAfter(
  client: Client,
  after: number,
  { wait = 30, ...filter }: Omit<EventFilter, "after"> & { readonly wait?: number } = {},
  options: Omit<CallOptions, "idempotencyKey" | "ifMatch"> = {},
): Promise<readonly HearthEvent[]> {
  const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + wait * 1000
  const headers = { accept: "application/jsonl", ...options.headers }
  const lines = await callText(client, "GET", "/events", { ...filter, after, wait }, { ...options, timeoutMs, headers })
  return lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
}
