import type { File } from "../../core/file.ts"
import type { Page } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { type DeclaredRoute, type RouteTable, routeTable } from "../routing/routes.ts"
import type { SendStream } from "../streams.ts"
import { fileRoutes } from "./pages/files.ts"
import { pageRoutes } from "./pages/server.ts"

/** What is declared beside operations. */
export interface Web {
  readonly pages: readonly Page[]
  /** Answer addresses that nothing else has. */
  readonly otherwise?: readonly Page[]
  readonly files: readonly File[]
}

/** The routes of all records. Where none of them has an address, with whatever method, the pages for other addresses answer. */
export function wholeTable(
  services: Services,
  operations: readonly DeclaredRoute[],
  { pages, otherwise = [], files }: Web,
  sendStream: SendStream,
): RouteTable {
  const routes = pageRoutes(services, [...pages, ...otherwise], sendStream)
  const isOther = ({ operation }: DeclaredRoute): boolean => otherwise.some(({ id }) => id === operation)
  const others = routeTable(routes.filter(isOther))
  const { find, methodsAt } = routeTable([...operations, ...routes.filter((route) => !isOther(route)), ...fileRoutes(services, files)])
  const isNoOnes = (url: string): boolean => !url.startsWith("/api/") && methodsAt(url).length === 0
  return { find: (method, url) => find(method, url) ?? (isNoOnes(url) ? others.find(method, url) : undefined), methodsAt }
}
