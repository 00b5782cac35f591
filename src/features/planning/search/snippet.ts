import { wordsOf } from "../../../core/database/expressions.ts"

/** From a character to before another, in UTF-16 units. */
export type Range = readonly [from: number, to: number]

/** A piece of a text in which words are marked. */
export interface Snippet {
  readonly text: string
  readonly marks: readonly Range[]
  /** Whether there is more before it, and after it. */
  readonly isCutBefore: boolean
  readonly isCutAfter: boolean
}

const BEFORE = 60
const LONGEST = 240
/** Of longer texts only the beginning is looked through. */
const SEEN = 200_000

/** Where words of a text begin with one of those that were sought, in any letter case. */
export function markWords(text: string, sought: string): readonly Range[] {
  const words = wordsOf(sought.toLowerCase())
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: word, index }): readonly Range[] => {
    const lower = word.toLowerCase()
    const found = words.filter((each) => lower.startsWith(each))
    return found.length === 0 ? [] : [[index, index + Math.min(word.length, Math.max(...found.map((each) => each.length)))]]
  })
}

/** The piece of a text around the first word that was sought, or its beginning; blanks and line ends become one blank. */
export function snippetOf(whole: string, sought: string): Snippet {
  const text = whole.slice(0, SEEN).replaceAll(/\s+/g, " ").trim()
  const marks = markWords(text, sought)
  const first = marks[0]?.[0] ?? 0
  const from = first <= BEFORE ? 0 : text.indexOf(" ", first - BEFORE) + 1 || first
  const start = from > first ? first : from
  const end = Math.min(text.length, start + LONGEST)
  return {
    text: text.slice(start, end).toWellFormed(),
    marks: marks.filter(([, to]) => to <= end).map(([a, b]) => [a - start, b - start]),
    isCutBefore: start > 0,
    isCutAfter: end < text.length,
  }
}
