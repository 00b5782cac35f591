import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply } from "fastify"
import type { Language } from "../../../core/language/language.ts"
import { Words } from "../../../core/language/message.ts"
import type { PageEvent, SentEvents } from "../../../core/page.ts"
import { waitAtMost } from "../../../core/timeout.ts"

/** Events for scripts on pages, as `text/event-stream`. */

/** Milliseconds of silence after which a comment is sent: proxies cut connections on which nothing moves. */
const QUIET_MS = 15_000

export type SendEvents = (reply: FastifyReply, sent: SentEvents, language: Language) => Promise<FastifyReply>

/** Sends events until they end, the reader is gone, or the server stops. They are made no faster than the reader takes them. */
export function openEventStreams(app: FastifyInstance): SendEvents {
  const stopping = new AbortController()
  app.addHook("preClose", async () => stopping.abort())
  return async (reply, { events }, language) => {
    const gone = new AbortController()
    const stop = () => gone.abort()
    stopping.signal.addEventListener("abort", stop)
    reply.raw.once("close", () => {
      stopping.signal.removeEventListener("abort", stop)
      stop()
    })
    if (stopping.signal.aborted || reply.raw.closed) stop()
    const source = events(gone.signal)
    // What is refused is refused with its status.
    const first = await source.next()
    reply.headers({
      "content-type": "text/event-stream;charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      // Proxies that collect answers before they pass them on know this header.
      "x-accel-buffering": "no",
    })
    // As bytes: a stream of objects would make sixteen of them ahead of a slow reader.
    return reply.send(Readable.from(textsOf(first, source, stop, language), { objectMode: false, highWaterMark: 4 * 1024 }))
  }
}

async function* textsOf(
  first: IteratorResult<PageEvent, void>,
  source: AsyncGenerator<PageEvent, void>,
  stop: () => void,
  language: Language,
) {
  const say = (_: string, value: unknown): unknown => (value instanceof Words ? value.in(language) : value)
  let coming = Promise.resolve(first)
  const nextText = async (): Promise<string | undefined> => {
    const came = await waitAtMost(QUIET_MS, coming)
    if (came === undefined) return ":\n\n"
    if (came.done) return undefined
    coming = source.next()
    return `event: ${came.value.name}\ndata: ${JSON.stringify(came.value.data, say)}\n\n`
  }
  try {
    // Nothing is kept of an event while the next one is waited for.
    for (let text = await nextText(); text !== undefined; text = await nextText()) {
      yield text
      text = ""
    }
  } finally {
    // No one waits for what was on its way.
    coming.catch(() => {})
    stop()
  }
}
