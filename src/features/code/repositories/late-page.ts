import type { Page } from "../../../core/operation.ts"

type Part = Pick<Page, "limit" | "offset">

/** The same part of a list counted from its end, where it lies in the second half; undefined in the first half, and behind the end. */
export function offsetFromEnd({ limit, offset }: Part, total: number): Part | undefined {
  if (offset <= total / 2 || offset >= total) return undefined
  return { limit: Math.min(limit, total - offset), offset: Math.max(0, total - offset - limit) }
}
