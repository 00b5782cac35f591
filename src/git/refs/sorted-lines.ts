/*
 * Lines that are sorted by the name that stands in each behind as many bytes, up to its end. Lines that begin with `^` belong to the one before.
 */

const [NEWLINE, CARET] = [10, 94]

/** Where the line of a name stands, or would stand: its start, and the end of the line that is there, without the line break. */
export function startsAt(lines: Buffer, width: number, name: Buffer): { readonly start: number; readonly end: number } {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const start = lineAt(lines, (low + high) >> 1)
    const end = endOf(lines, start)
    if (lines.compare(name, 0, name.length, Math.min(start + width, end), end) < 0) low = nextOf(lines, end)
    else high = start
  }
  return { start: low, end: endOf(lines, low) }
}

/** The start of the line that an offset is in. */
function lineAt(lines: Buffer, offset: number): number {
  let start = offset === 0 ? 0 : lines.lastIndexOf(NEWLINE, offset - 1) + 1
  while (start > 0 && lines[start] === CARET) start = start === 1 ? 0 : lines.lastIndexOf(NEWLINE, start - 2) + 1
  return start
}

function endOf(lines: Buffer, start: number): number {
  const end = start < lines.length ? lines.indexOf(NEWLINE, start) : -1
  return end === -1 ? lines.length : end
}

/** Where the next name stands, behind the line that ends there and what belongs to it. */
function nextOf(lines: Buffer, end: number): number {
  let next = Math.min(end + 1, lines.length)
  while (lines[next] === CARET) next = Math.min(endOf(lines, next) + 1, lines.length)
  return next
}

/** The lines with those of some names replaced, added, or left out where the value is null. */
export function spliced<N extends string, V>(
  lines: Buffer,
  width: number,
  changes: ReadonlyMap<N, V | null>,
  lineOf: (name: N, value: V) => string,
): Buffer {
  const sorted = [...changes].map(([name, value]) => ({ own: Buffer.from(name), name, value })).sort((a, b) => Buffer.compare(a.own, b.own))
  const parts: Buffer[] = []
  let copied = 0
  for (const { own, name, value } of sorted) {
    const { start, end } = startsAt(lines, width, own)
    parts.push(lines.subarray(copied, start))
    if (value !== null) parts.push(Buffer.from(lineOf(name, value)))
    const isThere = end - start === width + own.length && lines.compare(own, 0, own.length, start + width, end) === 0
    copied = isThere ? nextOf(lines, end) : start
  }
  return Buffer.concat([...parts, lines.subarray(copied)])
}
