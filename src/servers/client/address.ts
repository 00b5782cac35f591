import type { FastifyRequest } from "fastify"
import { plainAddress } from "../../core/networks.ts"

const known = new WeakMap<object, string>()

/**
 * The address of the client that sent a request, in its shortest form; "" when the connection is gone. It is that of the connection, unless a
 * proxy in `http.trustedProxies` names another one in X-Forwarded-For (see `trustProxy` in ../http.ts). The only place that decides this: limits,
 * logs and the audit log use it.
 */
export function clientAddress(request: Pick<FastifyRequest, "ip" | "socket">): string {
  const before = known.get(request)
  if (before !== undefined) return before
  // A trusted proxy that names something other than an address is taken for the client itself.
  const address = plainAddress(request.ip ?? "") ?? plainAddress(request.socket.remoteAddress ?? "") ?? ""
  known.set(request, address)
  return address
}
