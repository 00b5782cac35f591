import { type Html, trusted } from "../html.ts"
import type { Range } from "../text/intraline.ts"

/** Of the highlighter's HTML: a character that is shown as its number, a tag, an entity, or other text. */
const PIECE = /<span class="iv" title="U\+([0-9A-F]+)">[^<]*<\/span>|<[^>]*>|&[^;]*;|[^<&]+/g

/**
 * A line of the highlighter's HTML with `<mark>` around ranges of the line's text. An element of a colour and a mark never overlap: one is complete inside
 * of the other.
 */
export function withMarks(html: Html, ranges: readonly Range[]): Html {
  if (ranges.length === 0) return html
  let result = ""
  /** Where in the text. */
  let at = 0
  let next = 0
  let isMarked = false
  const mark = (now: boolean): void => {
    if (now === isMarked) return
    result += now ? "<mark>" : "</mark>"
    isMarked = now
  }
  for (const [piece, number] of html.toString().matchAll(PIECE)) {
    if (piece.startsWith("<") && number === undefined) {
      mark(false)
      result += piece
      continue
    }
    const isText = number === undefined && !piece.startsWith("&")
    const units = isText ? piece.length : number !== undefined && Number.parseInt(number, 16) > 0xffff ? 2 : 1
    for (let done = 0; done < units; ) {
      let range = ranges[next]
      while (range && range[1] <= at) range = ranges[++next]
      const inside = range !== undefined && range[0] <= at
      const end = range === undefined ? Number.POSITIVE_INFINITY : inside ? range[1] : range[0]
      const length = isText ? Math.min(units - done, end - at) : units
      mark(inside)
      result += isText ? piece.slice(done, done + length) : piece
      done += length
      at += length
    }
  }
  mark(false)
  return trusted(result)
}
