import type { Page } from "../operation.ts"

type Window = Pick<Page, "limit" | "offset">

/** A page of a list of this length, counted from the end of the list that is nearer: what stands before a page must be passed over. Behind the end it is counted from the beginning. */
export function nearerWindow({ limit, offset }: Window, total: number): Window & { readonly isReversed: boolean } {
  if (offset <= total / 2 || offset >= total) return { limit, offset, isReversed: false }
  const shown = Math.min(limit, total - offset)
  return { limit: shown, offset: total - offset - shown, isReversed: true }
}
