import { anyCharacter, character, type Matcher, type Pattern, repeat, sequence, wholeMatcher } from "./automaton.ts"

/**
 * Regular expressions as data, for what an engine (re2js, which the search of code matches with) doesn't tell or do: which texts every match holds, and many patterns,
 * expressions and globs, compared together in one pass (automaton.ts).
 */

/** The longest expression in characters. */
const LONGEST = 1000
const MOST_REPEATS = 1000
/** The most nested groups. */
const DEEPEST = 50

/**
 * Compiles a regular expression into a function that tests whether it matches somewhere in a text, in time linear in the text: without back-references
 * and lookaround. `(?i)` at the beginning ignores case. Undefined for an invalid or very large expression.
 */
export function compileRegex(expression: string): Matcher | undefined {
  const pattern = parseAnywhere(expression)
  return pattern && wholeMatcher(pattern)
}

/** The same as data for whole texts, to be compared together with others. */
export function parseAnywhere(expression: string): Pattern | undefined {
  const pattern = parseRegex(expression)
  const around = repeat(anyCharacter)
  return pattern && sequence(around, pattern, around)
}

/** An expression as data. Undefined for an invalid or very large one. */
export function parseRegex(expression: string): Pattern | undefined {
  if (expression.length > LONGEST) return undefined
  const flags = /^\(\?([ims]+)\)/.exec(expression)
  const reader: Reader = {
    characters: Array.from(expression.slice(flags?.[0].length ?? 0)),
    at: 0,
    ignoreCase: flags?.[1]?.includes("i") ?? false,
  }
  const pattern = readChoice(reader, 0)
  return reader.at < reader.characters.length ? undefined : pattern
}

interface Reader {
  readonly characters: readonly string[]
  at: number
  readonly ignoreCase: boolean
}

const peek = ({ characters, at }: Reader): string | undefined => characters[at]

/** Consumes this text if it comes next. */
function skip(reader: Reader, text: string): boolean {
  if (reader.characters.slice(reader.at, reader.at + text.length).join("") !== text) return false
  reader.at += text.length
  return true
}

function readChoice(reader: Reader, depth: number): Pattern | undefined {
  const parts: Pattern[] = []
  do {
    const part = readSequence(reader, depth)
    if (part === undefined) return undefined
    parts.push(part)
  } while (skip(reader, "|"))
  return parts.length === 1 ? parts[0] : { kind: "choice", parts }
}

function readSequence(reader: Reader, depth: number): Pattern | undefined {
  const parts: Pattern[] = []
  for (let one = peek(reader); one !== undefined && one !== "|" && one !== ")"; one = peek(reader)) {
    const atom = readAtom(reader, depth)
    const part = atom && readRepeats(reader, atom)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return sequence(...parts)
}

function readAtom(reader: Reader, depth: number): Pattern | undefined {
  const one = reader.characters[reader.at++]
  switch (one) {
    case undefined:
    case "*":
    case "+":
    case "?":
      return undefined
    case ".":
      return { kind: "one", of: (other) => other !== 10 }
    case "^":
      return { kind: "place", fits: (before) => before === -1 }
    case "$":
      return { kind: "place", fits: (_, after) => after === -1 }
    case "(":
      return readGroup(reader, depth + 1)
    case "[":
      return readClass(reader)
    case "\\":
      return readEscape(reader)
    default:
      return folded(reader, character(codeOf(one)))
  }
}

function readGroup(reader: Reader, depth: number): Pattern | undefined {
  if (depth > DEEPEST) return undefined
  if (peek(reader) === "?") {
    const opening = /^\?(?::|P?<\w+>)/.exec(reader.characters.slice(reader.at, reader.at + 100).join(""))?.[0]
    if (opening === undefined) return undefined
    reader.at += opening.length
  }
  const inside = readChoice(reader, depth)
  return inside && skip(reader, ")") ? inside : undefined
}

function readRepeats(reader: Reader, atom: Pattern): Pattern | undefined {
  const counts = readCounts(reader)
  if (counts === undefined) return atom
  const [min, max] = counts
  if (max < min || min > MOST_REPEATS || (max !== Number.POSITIVE_INFINITY && max > MOST_REPEATS)) return undefined
  // Lazy or greedy: for whether it matches at all that is the same.
  skip(reader, "?")
  return readCounts({ ...reader }) === undefined ? repeat(atom, min, max) : undefined
}

function readCounts(reader: Reader): readonly [number, number] | undefined {
  if (skip(reader, "*")) return [0, Number.POSITIVE_INFINITY]
  if (skip(reader, "+")) return [1, Number.POSITIVE_INFINITY]
  if (skip(reader, "?")) return [0, 1]
  if (peek(reader) !== "{") return undefined
  const counted = /^\{(\d{1,5})(,(\d{1,5})?)?\}/.exec(reader.characters.slice(reader.at, reader.at + 20).join(""))
  if (!counted) return undefined
  const [whole, min = "", comma, max] = counted
  reader.at += whole.length
  return [Number(min), comma === undefined ? Number(min) : max === undefined ? Number.POSITIVE_INFINITY : Number(max)]
}

// --- single characters -----------------------------------------------------------------------------------------------------------

type Test = (codePoint: number) => boolean

const codeOf = (one: string): number => one.codePointAt(0) ?? -1
const within =
  (from: number, to: number): Test =>
  (one) =>
    from <= one && one <= to
const either =
  (...tests: readonly Test[]): Test =>
  (one) =>
    tests.some((test) => test(one))
const not =
  (test: Test): Test =>
  (one) =>
    !test(one)
const among = (text: string): Test => {
  const codes = new Set(Array.from(text, codeOf))
  return (one) => codes.has(one)
}

const digit = within(48, 57)
const lower = within(97, 122)
const upper = within(65, 90)
const word = either(digit, lower, upper, among("_"))
const space = among(" \t\n\f\r")

const CLASSES: Readonly<Record<string, Test>> = { d: digit, w: word, s: space, D: not(digit), W: not(word), S: not(space) }
const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }
const NAMED: Readonly<Record<string, Test>> = {
  alnum: either(digit, lower, upper),
  alpha: either(lower, upper),
  digit,
  lower,
  upper,
  punct: either(within(33, 47), within(58, 64), within(91, 96), within(123, 126)),
  space: either(space, among("\v")),
  word,
  xdigit: either(digit, within(97, 102), within(65, 70)),
}

/** The same character in its other case, where the expression ignores it. */
function folded({ ignoreCase }: Reader, pattern: Pattern): Pattern {
  if (!ignoreCase || pattern.kind !== "one") return pattern
  const { of } = pattern
  return {
    ...pattern,
    of: (one) => {
      const text = String.fromCodePoint(one)
      return of(one) || of(codeOf(text.toLowerCase())) || of(codeOf(text.toUpperCase()))
    },
  }
}

function readEscape(reader: Reader): Pattern | undefined {
  const boundary = (one: number): boolean => word(one)
  const here = peek(reader)
  if (here === "b" || here === "B") {
    reader.at += 1
    return { kind: "place", fits: (before, after) => (boundary(before) !== boundary(after)) === (here === "b") }
  }
  if (here === "A" || here === "z") {
    reader.at += 1
    return { kind: "place", fits: (before, after) => (here === "A" ? before : after) === -1 }
  }
  const test = readEscaped(reader)
  if (test === undefined) return undefined
  const isItself = here !== undefined && !/[A-Za-z0-9]/.test(here)
  return isItself ? character(codeOf(here)) : folded(reader, { kind: "one", of: test })
}

/** What follows a backslash, inside of a class or outside. */
function readEscaped(reader: Reader): Test | undefined {
  const one = reader.characters[reader.at++]
  if (one === undefined) return undefined
  const named = CLASSES[one]
  if (named !== undefined) return named
  const control = CONTROLS[one]
  if (control !== undefined) return within(control, control)
  if (one === "x") {
    const hex = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(reader.characters.slice(reader.at, reader.at + 8).join(""))
    if (!hex) return undefined
    reader.at += hex[0].length
    const value = Number.parseInt(hex[1] ?? hex[2] ?? "", 16)
    return within(value, value)
  }
  // Escaped letters and digits without a meaning are refused: other dialects give them one.
  return /[A-Za-z0-9]/.test(one) ? undefined : within(codeOf(one), codeOf(one))
}

function readClass(reader: Reader): Pattern | undefined {
  const negated = skip(reader, "^")
  const tests: Test[] = []
  for (let first = true; first || peek(reader) !== "]"; first = false) {
    const test = readClassPart(reader)
    if (test === undefined) return undefined
    tests.push(test)
  }
  reader.at += 1
  const inside = folded(reader, { kind: "one", of: either(...tests) })
  if (inside.kind !== "one") return undefined
  return negated ? { kind: "one", of: not(inside.of) } : inside
}

function readClassPart(reader: Reader): Test | undefined {
  const named = /^\[:(\^?)(\w+):\]/.exec(reader.characters.slice(reader.at, reader.at + 20).join(""))
  if (named) {
    const test = NAMED[named[2] ?? ""]
    reader.at += named[0].length
    return test && (named[1] ? not(test) : test)
  }
  const one = reader.characters[reader.at++]
  if (one === undefined) return undefined
  if (one === "\\") return readEscaped(reader)
  const from = codeOf(one)
  if (peek(reader) !== "-" || reader.characters[reader.at + 1] === "]") return within(from, from)
  reader.at += 1
  const end = reader.characters[reader.at++]
  const meant = end === "\\" ? reader.characters[reader.at++] : end
  if (meant === undefined || codeOf(meant) < from) return undefined
  return within(from, codeOf(meant))
}
