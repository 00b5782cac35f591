import { waitAtMost } from "../../src/core/timeout.ts"
import type { Caller } from "./hearth.ts"

/** An event of a stream: its name, its id, and its data. */
export interface SentEvent {
  readonly name: string
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly data: any
}

export interface EventReader {
  readonly status: number
  /** The body of a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly refusal: any
  /** The next event; undefined where the stream has ended, or nothing comes for so many milliseconds. */
  readonly next: (milliseconds?: number) => Promise<SentEvent | undefined>
  /** The kinds of what comes until one of this kind does, that one included. */
  readonly until: (kind: string) => Promise<readonly string[]>
  readonly close: () => void
}

/** Follows `GET /api/v1/events`, as a browser does. */
export async function followEvents(url: string, caller: Caller, query = "", lastEventId?: string): Promise<EventReader> {
  const stop = new AbortController()
  const response = await fetch(`${url}/api/v1/events${query}`, {
    signal: stop.signal,
    headers: {
      accept: "text/event-stream",
      ...(caller !== undefined && { authorization: caller }),
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
  })
  const refusal = response.status === 200 ? undefined : await response.json()
  const events = eventsIn(response)
  let coming: Promise<IteratorResult<SentEvent, void>> | undefined
  const next: EventReader["next"] = async (milliseconds = 20_000) => {
    coming ??= events.next()
    const came = await waitAtMost(milliseconds, coming)
    if (came) coming = undefined
    return came?.done ? undefined : came?.value
  }
  return {
    status: response.status,
    refusal,
    next,
    async until(kind) {
      const kinds: string[] = []
      for (let event = await next(); event; event = await next()) {
        if (event.data.kind !== undefined) kinds.push(event.data.kind)
        if (event.data.kind === kind) return kinds
      }
      throw new Error(`the stream ended without ${kind}: ${kinds.join(", ")}`)
    },
    close: () => stop.abort(),
  }
}

async function* eventsIn({ body }: Response): AsyncGenerator<SentEvent, void> {
  let text = ""
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n")
        text = text.slice(end + 2)
        const value = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = value("data")
        if (data !== undefined) yield { name: value("event") ?? "message", id: value("id") ?? "", data: JSON.parse(data) }
      }
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error
  }
}
