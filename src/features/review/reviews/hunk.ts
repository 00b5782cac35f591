import type { DiffFile, DiffHunk, DiffLine } from "../../../core/text/hunks.ts"

/** Positions of lines in a diff. A line of the new side is positive, one of the old side negative. */

/** Lines of a hunk that are shown up to the commented one. */
const SHOWN = 4

/** The lines of the diff up to this one, at least the `many` that a comment is about, under a header with their numbers; "" where the diff does not show the line. */
export function hunkUpTo(file: Pick<DiffFile, "hunks">, line: number, many = 1): string {
  for (const hunk of file.hunks) {
    const at = hunk.lines.findIndex(({ newLine, oldLine }) => (line > 0 ? newLine === line : oldLine === -line))
    if (at === -1) continue
    // Lines of the other side may stand between those that it is about.
    const first = hunk.lines.findIndex(({ newLine, oldLine }) => (line > 0 ? newLine === line - many + 1 : oldLine === -line - many + 1))
    return cut(hunk, at + 1, many === 1 ? SHOWN : Math.max(SHOWN, at + 1 - Math.max(0, first)))
  }
  return ""
}

function cut(hunk: DiffHunk, length: number, many: number): string {
  const hidden = hunk.lines.slice(0, Math.max(0, length - many))
  const shown = hunk.lines.slice(hidden.length, length)
  const header = hidden.length === 0 ? hunk.header : headerOf(hunk, hidden, shown)
  return [header, ...shown.map(({ kind, text }) => `${SIGNS[kind]}${text}`)].join("\n")
}

/** The numbers of the lines that `linesUpTo` shows, of which the last is the commented one: the unchanged ones after the hunk before it. */
export function linesShown(
  { hunks }: Pick<DiffFile, "hunks">,
  line: number,
  many: number,
): { readonly first: number; readonly last: number } {
  const last = Math.abs(line)
  return { first: Math.max(before(hunks, line).end, last - Math.max(SHOWN, many) + 1), last }
}

/** An excerpt like `hunkUpTo` for a line that the diff doesn't show: of these lines of the file, which are the same on both sides. */
export function linesUpTo({ hunks }: Pick<DiffFile, "hunks">, line: number, first: number, texts: readonly string[]): string {
  const { shift } = before(hunks, line)
  const [oldStart, newStart] = line > 0 ? [first - shift, first] : [first, first + shift]
  return [`@@ -${oldStart},${texts.length} +${newStart},${texts.length} @@`, ...texts.map((text) => ` ${text}`)].join("\n")
}

/** The first line after the hunks that come before one, on its side; and how many lines they add. */
function before(hunks: readonly DiffHunk[], line: number): { readonly end: number; readonly shift: number } {
  const ends = (hunk: DiffHunk): number => {
    const [start, count] = line > 0 ? [hunk.newStart, hunk.newCount] : [hunk.oldStart, hunk.oldCount]
    // A hunk without lines on this side comes after the line that it names.
    return start + Math.max(1, count)
  }
  const passed = hunks.filter((hunk) => ends(hunk) <= Math.abs(line))
  return {
    end: Math.max(1, ...passed.map(ends)),
    shift: passed.reduce((sum, { oldCount, newCount }) => sum + newCount - oldCount, 0),
  }
}

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { context: " ", added: "+", deleted: "-" }

function headerOf({ oldStart, newStart }: DiffHunk, hidden: readonly DiffLine[], shown: readonly DiffLine[]): string {
  const old = (lines: readonly DiffLine[]) => lines.filter(({ kind }) => kind !== "added").length
  const made = (lines: readonly DiffLine[]) => lines.filter(({ kind }) => kind !== "deleted").length
  return `@@ -${oldStart + old(hidden)},${old(shown)} +${newStart + made(hidden)},${made(shown)} @@`
}

/** The number of a line of the old side on the new one; undefined where it is gone or changed. */
export function lineAfter({ hunks }: Pick<DiffFile, "hunks">, line: number): number | undefined {
  let moved = line
  for (const { oldStart, oldCount, newCount, lines } of hunks) {
    // A hunk without lines comes after the line that it names.
    const first = oldCount === 0 ? oldStart + 1 : oldStart
    if (line < first) break
    if (line < first + oldCount) return lines.find(({ kind, oldLine }) => kind === "context" && oldLine === line)?.newLine
    moved += newCount - oldCount
  }
  return moved
}
