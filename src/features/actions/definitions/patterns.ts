import { anyCharacter, character, type Pattern, repeat, sequence } from "../../../core/text/automaton.ts"
import { type Reader, readBraces, readRow, readSet } from "../../../core/text/brackets.ts"

/** The patterns of filters for branches, tags and paths. They differ from globs: `?` and `+` repeat the character before them. */

/** The longest pattern in characters. */
const LONGEST = 1000

const SLASH = 47
const notSlash: Pattern = { kind: "one", of: (one) => one !== SLASH }
const nothing = sequence()

/**
 * Reads a pattern for whole texts. `*` stands for characters but slashes, `**` for any, `**` and a
 * slash at the beginning or after a slash also for nothing; `?` says that there may be one or none of the character before it, `+` one or more;
 * `[abc]`, `[a-z]`, `[!a]`, `{a,b}`, and `\` before a character to take it literally. Undefined for an invalid pattern.
 */
export function parsePattern(text: string): Pattern | undefined {
  const characters = Array.from(text)
  if (characters.length > LONGEST) return undefined
  const reader: Reader = { characters, at: 0 }
  const pattern = readSequence(reader, 0)
  return pattern && reader.at === characters.length ? pattern : undefined
}

/** Up to the end, or inside of braces up to a comma or the closing one. */
function readSequence(reader: Reader, depth: number): Pattern | undefined {
  const parts: Pattern[] = []
  for (let one = reader.characters[reader.at]; one !== undefined; one = reader.characters[reader.at]) {
    if (depth > 0 && (one === "," || one === "}")) break
    const part = readPart(one, reader, depth)
    if (part === undefined) return undefined
    parts.push(readQuantifiers(reader, part))
  }
  return sequence(...parts)
}

function readPart(one: string, reader: Reader, depth: number): Pattern | undefined {
  const isAfterSlash = reader.at === 0 || reader.characters[reader.at - 1] === "/"
  reader.at += 1
  switch (one) {
    case "*":
      return readStars(reader, isAfterSlash)
    case "[":
      return readSet(reader, ["!"])
    case "{":
      return readBraces(reader, depth + 1, readSequence)
    case "\\": {
      const escaped = reader.characters[reader.at++]
      return escaped === undefined ? undefined : literal(escaped)
    }
    // Nothing to repeat, nothing to close.
    case "?":
    case "+":
    case "]":
    case "}":
      return undefined
    default:
      return literal(one)
  }
}

const literal = (one: string): Pattern => character(one.codePointAt(0) ?? -1)

function readQuantifiers(reader: Reader, part: Pattern): Pattern {
  let repeated = part
  for (let one = reader.characters[reader.at]; one === "?" || one === "+"; one = reader.characters[reader.at]) {
    reader.at += 1
    repeated = one === "?" ? repeat(repeated, 0, 1) : repeat(repeated, 1)
  }
  return repeated
}

function readStars(reader: Reader, isAfterSlash: boolean): Pattern {
  if (readRow(reader) === 1) return repeat(notSlash)
  if (!isAfterSlash || reader.characters[reader.at] !== "/") return repeat(anyCharacter)
  reader.at += 1
  return { kind: "choice", parts: [nothing, sequence(repeat(anyCharacter), character(SLASH))] }
}
