import { restOf } from "../../../core/operation.ts"
import type { Page } from "../../../core/page.ts"

/** The methods that pages and forms at this path take; none where no address has its form. */
export function pageMethodsOn(pages: readonly Page[], path: string): readonly string[] {
  const fitting = pages.filter(({ address }) => patternOf(address).test(path))
  return [...new Set(fitting.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))]
}

function patternOf(address: string): RegExp {
  const rest = restOf(address)
  const source = address
    .split(/(\{\w+\})/)
    .map((part) => (part === `{${rest}}` ? ".*" : part.startsWith("{") ? "[^/]+" : part.replace(/[.*+?^$()|[\]\\]/g, "\\$&")))
  return new RegExp(`^${source.join("")}/?$`)
}
