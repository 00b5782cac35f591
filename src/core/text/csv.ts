/** Reads values as RFC 4180 says, leniently: quoted ones may hold separators, line breaks, and quotation marks that are doubled. */
export function* rowsOf(text: string, separator: string): Generator<readonly string[]> {
  let row: string[] = []
  let at = text.startsWith("\ufeff") ? 1 : 0
  while (at < text.length) {
    const [value, end] = text[at] === '"' ? quoted(text, at + 1) : ["", at]
    const [more, next] = plain(text, end, separator)
    row.push(value + more)
    at = next
    if (text[at] === separator) {
      at++
      if (at === text.length) row.push("")
      continue
    }
    at += text.startsWith("\r\n", at) ? 2 : 1
    yield row
    row = []
  }
  if (row.length > 0) yield row
}

function quoted(text: string, from: number): readonly [value: string, end: number] {
  const parts: string[] = []
  for (let at = from; ; ) {
    const end = text.indexOf('"', at)
    if (end < 0) return [parts.join("") + text.slice(at), text.length]
    parts.push(text.slice(at, end))
    if (text[end + 1] !== '"') return [parts.join(""), end + 1]
    parts.push('"')
    at = end + 2
  }
}

function plain(text: string, from: number, separator: string): readonly [value: string, end: number] {
  let end = from
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++
  return [text.slice(from, end), end]
}

export interface Table {
  readonly rows: readonly (readonly string[])[]
  /** There are more rows or columns, or longer values, than the limits. */
  readonly isCut: boolean
}

/** What is read of a table: rows, columns, and UTF-16 units of a value. */
export const TABLE_LIMITS = { rows: 2_000, columns: 100, length: 1_000 } as const

/** The values of a text as plain texts, up to the limits. Reads no further than them, but for the end of a row. Never throws. */
export function readTable(text: string, separator: string): Table {
  const rows: (readonly string[])[] = []
  let isCut = false
  for (const row of rowsOf(text, separator)) {
    if (rows.length === TABLE_LIMITS.rows) return { rows, isCut: true }
    isCut ||= row.length > TABLE_LIMITS.columns || row.some(({ length }) => length > TABLE_LIMITS.length)
    rows.push(row.slice(0, TABLE_LIMITS.columns).map((value) => value.slice(0, TABLE_LIMITS.length)))
  }
  return { rows, isCut }
}
