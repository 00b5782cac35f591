import type { Pattern } from "../../../core/text/automaton.ts"
import { parseRegex } from "../../../core/text/regex.ts"
import { allOf, anyOf, fold, type Need, needOf, sizeOf } from "./grams.ts"

/** What is known of an expression without its engine. */
export interface Known {
  /** What every text has that it matches; undefined where that can't be said. */
  readonly need: Need | undefined
  /** Whether a text, without regard to case, has what each match holds: much faster than the engine, and more exact than the index. */
  readonly mayMatch: (folded: string) => boolean
  /** Each line that matches holds one of these, without regard to case; undefined where nothing is known that it holds. */
  readonly first: readonly string[] | undefined
  /** Where the lines begin and end that may match, in a text without regard to case. Undefined with `first`. */
  readonly linesIn: ((folded: string) => Iterable<Range>) | undefined
  /** Whether a match may go from one line to the next. */
  readonly mayCrossLines: boolean
}

type Range = readonly [from: number, to: number]

/** An index is asked for no more than this. */
const MOST = 48

/** Texts that every match holds: one, all or some of these; undefined for none. */
type Parts = string | { readonly kind: "all" | "any"; readonly of: readonly Parts[] } | undefined

/** What is known of an expression. One that our own parser does not know, though the engine does, counts as one that says nothing. */
export function readExpression(expression: string): Known {
  const pattern = parseRegex(expression)
  if (pattern === undefined) return { need: undefined, mayMatch: () => true, first: undefined, linesIn: undefined, mayCrossLines: true }
  const parts = partsOf(pattern)
  const need = needOfParts(parts)
  const first = soughtFirst(parts)
  return {
    need: need !== undefined && sizeOf(need) <= MOST ? need : undefined,
    mayMatch: (folded) => holds(folded, parts),
    first,
    linesIn: first && ((folded) => linesWith(folded, first, parts)),
    mayCrossLines: takesNewline(pattern),
  }
}

function partsOf(pattern: Pattern): Parts {
  switch (pattern.kind) {
    case "one":
    case "place":
      return undefined
    case "choice": {
      const of = pattern.parts.map(partsOf)
      return of.includes(undefined) ? undefined : { kind: "any", of }
    }
    case "repeat":
      return pattern.min > 0 ? partsOf(pattern.part) : undefined
    case "sequence":
      return partsOfSequence(pattern.parts)
  }
}

/** Runs of characters, and what stands between them. */
function partsOfSequence(parts: readonly Pattern[]): Parts {
  const of: Parts[] = []
  let run = ""
  const endRun = () => {
    if (run !== "") of.push(fold(run))
    run = ""
  }
  for (const part of parts) {
    if (part.kind === "one" && part.literal !== undefined) run += String.fromCodePoint(part.literal)
    else if (part.kind !== "place") {
      endRun()
      of.push(partsOf(part))
    }
  }
  endRun()
  const known = of.filter((part) => part !== undefined)
  return known.length > 0 ? { kind: "all", of: known } : undefined
}

function needOfParts(parts: Parts): Need | undefined {
  if (parts === undefined) return undefined
  if (typeof parts === "string") return needOf(parts)
  return (parts.kind === "all" ? allOf : anyOf)(parts.of.map(needOfParts))
}

function holds(folded: string, parts: Parts): boolean {
  if (parts === undefined) return true
  if (typeof parts === "string") return folded.includes(parts)
  return parts.kind === "all" ? parts.of.every((part) => holds(folded, part)) : parts.of.some((part) => holds(folded, part))
}

/** Texts of which each match holds at least one: the longest, as they are the rarest. */
function soughtFirst(parts: Parts): readonly string[] | undefined {
  if (parts === undefined) return undefined
  if (typeof parts === "string") return [parts]
  const each = parts.of.map(soughtFirst).filter((texts) => texts !== undefined)
  if (parts.kind === "any") return each.length === parts.of.length ? each.flat() : undefined
  const shortest = (texts: readonly string[]): number => Math.min(...texts.map(({ length }) => length))
  return each.toSorted((a, b) => shortest(b) - shortest(a))[0]
}

/** The lines that hold one of these texts, and all that each match holds. */
function* linesWith(folded: string, texts: readonly string[], parts: Parts): Generator<Range> {
  if (!holds(folded, parts)) return
  for (const text of texts)
    for (let at = folded.indexOf(text); at >= 0; ) {
      const from = at === 0 ? 0 : folded.lastIndexOf("\n", at - 1) + 1
      const end = folded.indexOf("\n", at)
      const to = end < 0 ? folded.length : end
      if (holds(folded.slice(from, to), parts)) yield [from, to]
      at = folded.indexOf(text, Math.max(to, at + 1))
    }
}

const NEWLINE = 10

function takesNewline(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case "one":
      return pattern.of(NEWLINE)
    case "place":
      return false
    case "repeat":
      return takesNewline(pattern.part)
    default:
      return pattern.parts.some(takesNewline)
  }
}
