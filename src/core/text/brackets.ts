import type { Pattern } from "./automaton.ts"

/** What patterns of names share: `*` in a row, `[sets]` and `{braces}`. Each function reads from the position of the reader on. */

export interface Reader {
  readonly characters: readonly string[]
  at: number
}

/** The most nested braces. */
const DEEPEST = 10

/** The rest of a row of stars, after the first. Returns how many there are in all. */
export function readRow(reader: Reader): number {
  let stars = 1
  while (reader.characters[reader.at] === "*") {
    reader.at += 1
    stars += 1
  }
  return stars
}

/** A set after its `[`: characters and ranges, and all others after one of `negations`. Undefined for an invalid one. */
export function readSet(reader: Reader, negations: readonly string[]): Pattern | undefined {
  const negated = negations.includes(reader.characters[reader.at] ?? "")
  if (negated) reader.at += 1
  const ranges: (readonly [number, number])[] = []
  while (reader.characters[reader.at] !== "]") {
    const from = readSetCharacter(reader)
    if (from === undefined) return undefined
    const isRange = reader.characters[reader.at] === "-" && reader.characters[reader.at + 1] !== "]"
    if (isRange) reader.at += 1
    const to = isRange ? readSetCharacter(reader) : from
    if (to === undefined || to < from) return undefined
    ranges.push([from, to])
  }
  reader.at += 1
  if (ranges.length === 0) return undefined
  return { kind: "one", of: (one) => ranges.some(([from, to]) => from <= one && one <= to) !== negated }
}

function readSetCharacter(reader: Reader): number | undefined {
  const one = reader.characters[reader.at++]
  const meant = one === "\\" ? reader.characters[reader.at++] : one
  return meant?.codePointAt(0)
}

/** Alternatives after their `{`, each read by `readSequence`. Undefined for invalid ones, and where they are nested too deep. */
export function readBraces(
  reader: Reader,
  depth: number,
  readSequence: (reader: Reader, depth: number) => Pattern | undefined,
): Pattern | undefined {
  if (depth > DEEPEST) return undefined
  const parts: Pattern[] = []
  for (;;) {
    const part = readSequence(reader, depth)
    if (part === undefined) return undefined
    parts.push(part)
    const end = reader.characters[reader.at++]
    if (end === "}") return { kind: "choice", parts }
    if (end === undefined) return undefined
  }
}
