/** A part of something, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The one part that a Range header asks for, cut to what there is; "none" where it asks for nothing that can be given. Undefined where there
 * is no header, or one that means the whole: other units, several parts and broken ones may be answered with everything (RFC 9110, 14.2).
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
