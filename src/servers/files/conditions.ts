import type { FastifyRequest } from "fastify"
import type { ByteRange } from "../../core/download.ts"

/** The range that a request asks for of the bytes with this tag: as `readRange` says, and the whole where the client has begun with other bytes. */
export function rangeOf({ headers }: FastifyRequest, tag: string, size: number): ByteRange | "none" | undefined {
  const condition = headers["if-range"]
  return condition === undefined || condition === tag ? readRange(headers.range, size) : undefined
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

/** Whether an If-None-Match header names the tag; weak comparison, as for all conditional GETs. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(",").some((given) => {
    const value = given.trim()
    return value === "*" || value === tag || value === `W/${tag}`
  })
}
