import { type CallOptions, type Client, callText, limitTime, pause, pauseMs, send } from "./call.ts"
import { isRefusal } from "./refusal.ts"

/** Something that has happened, and that the caller may see. The kinds are those of docs/events.md. */
export interface HearthEvent {
  /** Its place in the log, from which a reader goes on. */
  readonly position: string
  readonly kind: string
  readonly at: string
  readonly actor: { readonly id: number; readonly login: string } | null
  readonly repository: { readonly id: number; readonly full_name: string | null; readonly private: boolean } | null
  readonly subject: {
    readonly type: string
    readonly id: number | null
    /** Of an issue or pull request, as title and state are, which are told as they are now. */
    readonly number?: number
    readonly title?: string
    readonly state?: "open" | "closed"
    readonly html_url?: string
  }
  /** What else there is to tell, by the kind of the event. */
  readonly details: Readonly<Record<string, unknown>>
}

/** What is told of: the query of `GET /events`. */
export interface EventFilter {
  /** Events behind this position; those from now on where it is left out. */
  readonly after?: string | undefined
  /** Full names of repositories. */
  readonly repository?: string | readonly string[] | undefined
  readonly owner?: string | readonly string[] | undefined
  /** Kinds, or what they begin with, such as `issue.` */
  readonly kind?: string | readonly string[] | undefined
  /** What the caller takes part in. */
  readonly involved?: boolean | undefined
}

export interface EventOptions extends Omit<CallOptions, "idempotencyKey" | "ifMatch"> {
  /** A connection on which nothing came for so many milliseconds, not even the server's sign of life, is made anew; 90,000 unless said otherwise. */
  readonly silenceMs?: number | undefined
}

const LONGEST_EVENT = 4 * 2 ** 20

/**
 * What happens, as it happens: `for await (const event of events(client, { repository: "acme/rocket" }))`. A connection that ends is made anew where the
 * last one was, without a gap. It reads no further than it is asked for. Ends when the signal fires. Throws Refusal where the caller may not listen, or
 * may not any more, and with 410 where what followed the position is not kept any more.
 */
export async function* events(
  client: Client,
  filter: EventFilter = {},
  options: EventOptions = {},
): AsyncGenerator<HearthEvent, void, undefined> {
  const { silenceMs = 90_000, headers } = options
  const signal = options.signal ?? new AbortController().signal
  const { after, ...wanted } = filter
  let last = after
  let waitMs = 0
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const more = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }), ...headers }
      const { response, done } = await send(client, "GET", "/events", wanted, { ...options, headers: more })
      done()
      for await (const message of messages(response, silenceMs, signal)) {
        failures = 0
        waitMs = message.retryMs ?? waitMs
        last = message.id ?? last
        if (message.event === "message" && message.data !== "") yield JSON.parse(message.data)
      }
    } catch (error) {
      if (signal.aborted) return
      if (isRefusal(error) && error.status < 500 && error.status !== 429) throw error
    }
    await pause(Math.max(waitMs, failures > 0 ? pauseMs(failures) : 0), signal).catch(() => {})
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

/** What has happened behind a position, and the position to go on from. */
export interface EventsAfter {
  readonly events: readonly HearthEvent[]
  readonly position: string
}

/**
 * The same for those who would rather ask than hold a connection open: what there is behind `after`, or as soon as there is something within `wait`
 * seconds, 30 unless said otherwise and 60 at most.
 */
export async function eventsAfter(
  client: Client,
  { wait = 30, ...filter }: EventFilter & { readonly wait?: number } = {},
  options: Omit<CallOptions, "idempotencyKey" | "ifMatch"> = {},
): Promise<EventsAfter> {
  let position = filter.after ?? ""
  const lines = await callText(
    client,
    "GET",
    "/events",
    { ...filter, wait },
    {
      ...options,
      timeoutMs: (options.timeoutMs ?? client.timeoutMs) + wait * 1000,
      headers: { accept: "application/jsonl", ...options.headers },
      onAnswer: (answer) => {
        position = answer.headers.get("x-hearth-position") ?? position
        options.onAnswer?.(answer)
      },
    },
  )
  return { events: lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])), position }
}
