import { type Html, html } from "../../../core/html.ts"
import type { Shown } from "../../../core/page.ts"
import { waitAtMost } from "../../../core/timeout.ts"

/** Pages whose rest is still being made when the first of it is sent. Most of them turn out to be short: those are pages like others. */

/** Characters of a rest that is waited for, and for how long. */
const SHORT = 65_536
const SOON_MS = 50

/** The page with its rest in its body, where that is short and comes soon; else as much of it as came, and the others as they come. */
export async function beginningOf(shown: Shown): Promise<Shown> {
  const { rest, ...page } = shown
  if (!rest) return shown
  const iterator = rest[Symbol.asyncIterator]()
  const parts: Html[] = []
  const until = performance.now() + SOON_MS
  let size = 0
  let coming = iterator.next()
  for (;;) {
    // Where it is not awaited now, it is later.
    coming.catch(() => {})
    const left = until - performance.now()
    const came = size < SHORT && left > 0 ? await waitAtMost(left, coming) : undefined
    const body = html`${shown.body}${parts}`
    if (!came) return { ...page, body, rest: following(coming, iterator) }
    if (came.done) return { ...page, body }
    parts.push(came.value)
    size += String(came.value).length
    coming = iterator.next()
  }
}

async function* following(coming: Promise<IteratorResult<Html>>, iterator: AsyncIterator<Html>): AsyncGenerator<Html> {
  try {
    for (let came = await coming; !came.done; came = await iterator.next()) yield came.value
  } finally {
    await iterator.return?.()
  }
}
