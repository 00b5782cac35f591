import { unixLines } from "../../../core/text/lines.ts"

/** Suggestions: code in a comment on lines, fenced as `suggestion`, that is to stand in their place. */

interface Parted {
  /** The lines in place of those that the comment is about; undefined where nothing is suggested. */
  readonly suggestion: readonly string[] | undefined
  /** The text without the suggestion. */
  readonly rest: string
}

/** Takes the first suggestion out of a text. */
export function partSuggestion(text: string): Parted {
  const lines = unixLines(text).split("\n")
  const from = lines.findIndex((line) => /^ {0,3}`{3,}suggestion[ \t]*$/.test(line))
  if (from === -1) return { suggestion: undefined, rest: text }
  const ticks = /`+/.exec(lines[from] ?? "")?.[0].length ?? 3
  const to = lines.findIndex((line, at) => at > from && /^ {0,3}`{3,}[ \t]*$/.test(line) && line.trim().length >= ticks)
  if (to === -1) return { suggestion: undefined, rest: text }
  return { suggestion: lines.slice(from + 1, to), rest: [...lines.slice(0, from), ...lines.slice(to + 1)].join("\n").trim() }
}

/** The lines on the new side of an excerpt of a diff, at most so many of its end. */
export const newLinesOf = (hunk: string, many: number): readonly string[] =>
  hunk
    .split("\n")
    .filter((line) => line.startsWith(" ") || line.startsWith("+"))
    .slice(-many)
    .map((line) => line.slice(1))
