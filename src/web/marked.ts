import { type Html, html } from "../core/html.ts"

/** A text with `<mark>` around ranges of it, in UTF-16 units; they are in order and don't overlap. */
export function marked(text: string, ranges: readonly (readonly [from: number, to: number])[]): Html {
  let at = 0
  const parts = ranges.map(([from, to]) => {
    const part = html`${text.slice(at, from)}<mark>${text.slice(from, to)}</mark>`
    at = to
    return part
  })
  return html`${parts}${text.slice(at)}`
}
