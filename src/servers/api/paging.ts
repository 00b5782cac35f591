import type { Page } from "../../core/operation.ts"

/**
 * The Link header of a page: next, last, first, prev in that order (clients take the first as the next), absolute, with the other
 * parameters kept in sorted order. Undefined where one page holds everything.
 *
 * @param address the absolute address without its query.
 */
export function linkHeader(address: string, parameters: URLSearchParams, page: Page, total: number): string | undefined {
  const last = Math.max(1, Math.ceil(total / page.limit))
  const current = Math.min(page.number, last)
  const to = (number: number, rel: string): string => {
    const query = new URLSearchParams(parameters)
    query.set("page", String(number))
    query.sort()
    return `<${address}?${query}>; rel="${rel}"`
  }
  const links = [
    ...(current < last ? [to(current + 1, "next"), to(last, "last")] : []),
    ...(current > 1 ? [to(1, "first"), to(current - 1, "prev")] : []),
  ]
  return links.length === 0 ? undefined : links.join(",")
}
