/** The marks that git puts around what is in conflict. */

const MARK = /^(?:<{7}|>{7}|\|{7})(?: .*)?$|^={7}$/

/** The number of the first line that is a mark, and that neither side has as its own; undefined where none is left. */
export function markLeft(text: string, sides: readonly string[]): number | undefined {
  const known = sides.map(countMarks)
  const seen = new Map<string, number>()
  for (const [index, line] of text.split("\n").entries()) {
    if (!MARK.test(line)) continue
    const times = (seen.get(line) ?? 0) + 1
    seen.set(line, times)
    if (!known.some((marks) => (marks.get(line) ?? 0) >= times)) return index + 1
  }
  return undefined
}

function countMarks(text: string): ReadonlyMap<string, number> {
  const marks = new Map<string, number>()
  for (const line of text.split("\n")) if (MARK.test(line)) marks.set(line, (marks.get(line) ?? 0) + 1)
  return marks
}
