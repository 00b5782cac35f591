import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { allOf, fold, type Need, needOf } from "./grams.ts"
import { readExpression } from "./required.ts"
import type { Mode } from "./words.ts"

/** From a character of a line to before another, in UTF-16 units. */
export type Range = readonly [from: number, to: number]

/** Whether and where texts hold what is sought. Takes time linear in the text. */
export interface Matcher {
  /** Undefined: every text must be read. */
  readonly need: Need | undefined
  /** Texts of which every text that matches holds one, or all; without regard to case. Where there are none, every text must be read. */
  readonly holds: { readonly texts: readonly string[]; readonly all: boolean }
  readonly matches: (text: string) => boolean
  readonly matchesLine: (line: string) => boolean
  /** Where in a line, in order and apart from each other. */
  readonly marks: (line: string) => readonly Range[]
}

/** Longer lines are marked up to here. */
export const LONGEST_MARKED = 2000
const MOST_MARKS = 100
/** The largest automaton: a file takes time in proportion to it. */
const LARGEST_PROGRAM = 2000

/** What finds these terms. Refuses `invalid` for a regular expression that is not one, or is too large. */
export const matcherOf = async (terms: readonly string[], mode: Mode, isCaseSensitive: boolean): Promise<Matcher> =>
  mode === "regexp" ? regexpMatcher(terms[0] ?? "", isCaseSensitive) : termMatcher(terms, mode === "words", isCaseSensitive)

function termMatcher(terms: readonly string[], isWords: boolean, isCaseSensitive: boolean): Matcher {
  const prepare = isCaseSensitive ? (text: string) => text : fold
  const sought = terms.map(prepare)
  const next = (text: string, term: string, from: number): number => {
    let at = text.indexOf(term, from)
    while (isWords && at >= 0 && !isWhole(text, term, at)) at = text.indexOf(term, at + 1)
    return at
  }
  const places = (line: string): readonly Range[] => {
    const text = prepare(line)
    return sought.flatMap((term) => {
      const ranges: Range[] = []
      for (let at = next(text, term, 0); at >= 0 && ranges.length < MOST_MARKS; at = next(text, term, at + term.length))
        ranges.push([at, at + term.length])
      return ranges
    })
  }
  return {
    need: allOf(terms.map(needOf)),
    holds: { texts: terms, all: true },
    matches: (text) => {
      const prepared = prepare(text)
      return sought.every((term) => next(prepared, term, 0) >= 0)
    },
    matchesLine: (line) => {
      const prepared = prepare(line)
      return sought.some((term) => next(prepared, term, 0) >= 0)
    },
    marks: (line) => apart(places(line.slice(0, LONGEST_MARKED))),
  }
}

/** What goes on a word; in scripts without blanks every character may begin one. */
const WORD = /(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}_]/u

/** Whether a word neither begins before nor goes on after it. */
function isWhole(text: string, term: string, at: number): boolean {
  const end = at + term.length
  const joins = (left: string | undefined, right: string | undefined): boolean =>
    left !== undefined && right !== undefined && WORD.test(left) && WORD.test(right)
  return !joins(text[at - 1], text[at]) && !joins(text[end - 1], text[end])
}

async function regexpMatcher(expression: string, isCaseSensitive: boolean): Promise<Matcher> {
  const compiled = await compile(expression, isCaseSensitive)
  const { need, first, mayMatch, linesIn, mayCrossLines } = readExpression(expression)
  return {
    need,
    holds: { texts: first ?? [], all: false },
    // Only lines count. Where nothing says which may match, that the whole text matches is told faster than for each line, and leaves out most.
    matches: (text) =>
      linesIn
        ? Iterator.from(linesIn(fold(text))).some(([from, to]) => compiled.test(text.slice(from, to)))
        : compiled.test(text) && (!mayCrossLines || text.split("\n").some((line) => compiled.test(line))),
    matchesLine: (line) => mayMatch(fold(line)) && compiled.test(line),
    marks: (line) => {
      const matcher = compiled.matcher(line.slice(0, LONGEST_MARKED))
      const ranges: Range[] = []
      while (ranges.length < MOST_MARKS && matcher.find())
        if (matcher.end() > matcher.start()) ranges.push([matcher.start(), matcher.end()])
      return ranges
    },
  }
}

async function compile(expression: string, isCaseSensitive: boolean) {
  const { RE2JS, RE2JSException } = await import("re2js")
  try {
    const compiled = RE2JS.compile(expression, RE2JS.MULTILINE | (isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE))
    if (compiled.programSize() <= LARGEST_PROGRAM) return compiled
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw refuse.invalid("q", t`is not a regular expression: ${error.message.slice(0, 200)}`)
  }
  throw refuse.invalid("q", "is too large a regular expression")
}

/** Ranges in order, those that touch as one. */
function apart(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)]
    else joined.push([from, to])
  }
  return joined
}
