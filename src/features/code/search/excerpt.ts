import { LONGEST_MARKED, type Matcher, type Range } from "./matcher.ts"

/** A line of a file as it is shown. */
export interface CodeLine {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** What is marked of the text; none in lines that only surround others. */
  readonly marks: readonly Range[]
  /** Whether the line is longer than the text. */
  readonly isCut: boolean
}

/** What is shown of a file. */
export interface Excerpt {
  /** Runs of adjacent lines. */
  readonly fragments: readonly (readonly CodeLine[])[]
  /** How many lines match, those that are not shown as well; counted up to a thousand. */
  readonly matches: number
}

const AROUND = 2
const MOST_SHOWN = 8
const MOST_COUNTED = 1000
const LONGEST_SHOWN = 300

/** The lines of a text that match, each with two before and after it. */
export function excerptOf(text: string, matcher: Matcher): Excerpt {
  const lines = text.split("\n")
  const found: number[] = []
  for (const [index, line] of lines.entries()) {
    if (found.length >= MOST_COUNTED) break
    if (matcher.matchesLine(line)) found.push(index)
  }
  const shown = found.slice(0, MOST_SHOWN)
  const matched = new Set(shown)
  const fragments: CodeLine[][] = []
  for (const at of shown)
    for (let index = Math.max(0, at - AROUND); index <= Math.min(lines.length - 1, at + AROUND); index++) {
      const last = fragments.at(-1)
      const before = last?.at(-1)?.number ?? 0
      if (index < before) continue
      // The empty end after the last line break is no line.
      if (index === lines.length - 1 && lines[index] === "" && !matched.has(index)) continue
      const line = shownLine(lines[index] ?? "", index + 1, matched.has(index) ? matcher : undefined)
      if (last && index === before) last.push(line)
      else fragments.push([line])
    }
  return { fragments, matches: found.length }
}

/** A long line is cut around its first mark. */
function shownLine(whole: string, number: number, matcher: Matcher | undefined): CodeLine {
  const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole
  const marks = matcher?.marks(line) ?? []
  if (line.length <= LONGEST_SHOWN) return { number, text: line, marks, isCut: false }
  const first = marks[0]?.[0] ?? 0
  const from = Math.min(Math.max(0, first - AROUND * 20), LONGEST_MARKED)
  // Half of a pair of surrogates is no character.
  const text = line.slice(from, from + LONGEST_SHOWN).toWellFormed()
  const inside = marks.flatMap(([start, end]): readonly Range[] => {
    const range: Range = [Math.max(0, start - from), Math.min(text.length, end - from)]
    return range[0] < range[1] ? [range] : []
  })
  return { number, text, marks: inside, isCut: true }
}
