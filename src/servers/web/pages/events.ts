import type { Language } from "../../../core/language/language.ts"
import { Words } from "../../../core/language/message.ts"
import type { PageEvent, SentEvents } from "../../../core/page.ts"
import type { Streamed } from "../../../core/streamed.ts"
import { waitAtMost } from "../../../core/timeout.ts"

/** Milliseconds of silence after which a comment is sent: proxies cut connections on which nothing moves. */
const QUIET_MS = 15_000

/** Events for scripts on pages, as `text/event-stream`. */
export const eventStream = ({ events }: SentEvents, language: Language): Streamed => ({
  type: "text/event-stream",
  begin: async (signal) => {
    const source = events(signal)
    // What is refused is refused with its status.
    const first = await source.next()
    return { pieces: textsOf(first, source, language) }
  },
})

async function* textsOf(first: IteratorResult<PageEvent, void>, source: AsyncGenerator<PageEvent, void>, language: Language) {
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
  }
}
