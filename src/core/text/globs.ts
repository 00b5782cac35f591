import { anyCharacter, character, type Matcher, type Pattern, repeat, sequence, wholeMatcher } from "./automaton.ts"
import { type Reader, readBraces, readRow, readSet } from "./brackets.ts"

export interface GlobOptions {
  /** What `*` and `?` don't stand for; `**` does. Without it they stand for any character. */
  readonly separator?: "/"
}

/** The longest pattern in characters. */
const LONGEST = 1000

/** Compiles a glob into a function that tests whether it matches a whole text. Undefined for an invalid or very large one. Matching takes time linear in the text. */
export function compileGlob(glob: string, options: GlobOptions = {}): Matcher | undefined {
  const pattern = parseGlob(glob, options)
  return pattern && wholeMatcher(pattern)
}

/**
 * The same glob as data, to be compared together with others: `*` and `?`, `**`, `[a-z]`, `[!a-z]` or `[^a-z]`, `{one,other}`, and `\` before a character to take it literally.
 * Undefined for an invalid one.
 */
export function parseGlob(glob: string, { separator }: GlobOptions = {}): Pattern | undefined {
  if (glob.length > LONGEST) return undefined
  const reader = { characters: Array.from(glob), at: 0 }
  const within: Pattern = separator === undefined ? anyCharacter : { kind: "one", of: (one) => one !== separator.codePointAt(0) }
  const pattern = readSequence(reader, within, 0)
  return pattern && reader.at === reader.characters.length ? pattern : undefined
}

const code = (one: string): number => one.codePointAt(0) ?? -1

/** Up to the end, or inside of braces up to a comma or the closing one. */
function readSequence(reader: Reader, within: Pattern, depth: number): Pattern | undefined {
  const parts: Pattern[] = []
  for (let one = reader.characters[reader.at]; one !== undefined; one = reader.characters[reader.at]) {
    if (depth > 0 && (one === "," || one === "}")) break
    reader.at += 1
    const part = readPart(one, reader, within, depth)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return sequence(...parts)
}

function readPart(one: string, reader: Reader, within: Pattern, depth: number): Pattern | undefined {
  switch (one) {
    case "*":
      return repeat(readRow(reader) > 1 ? anyCharacter : within)
    case "?":
      return within
    case "[":
      return readSet(reader, ["!", "^"])
    case "{":
      return readBraces(reader, depth + 1, (inside, deeper) => readSequence(inside, within, deeper))
    case "\\": {
      const escaped = reader.characters[reader.at++]
      return escaped === undefined ? undefined : character(code(escaped))
    }
    case "]":
    case "}":
      return undefined
    default:
      return character(code(one))
  }
}
