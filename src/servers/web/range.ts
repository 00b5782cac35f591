/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The single range that a Range header asks for, cut to the size; "none" where it can't be satisfied. Undefined without a header, or where the whole
 * is to be sent: other units, several ranges and malformed ones may be answered with everything (RFC 9110, 14.2).
 */
export function readRange(header: string | undefined, size: number): ByteRange | "none" | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? []
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined
  if (from === "") {
    const length = Math.min(Number(to), size)
    return length === 0 ? "none" : { start: size - length, end: size - 1 }
  }
  const start = Number(from)
  if (to !== "" && Number(to) < start) return undefined
  if (start >= size) return "none"
  return { start, end: to === "" ? size - 1 : Math.min(Number(to), size - 1) }
}
