import type { FastifyRequest } from "fastify"
import { onFirstUseOf } from "../../core/memoize.ts"
import { readNetworks } from "../../core/networks.ts"
import type { Services } from "../../core/services.ts"
import type { ProxyPerson } from "../../features/people/sign-in/proxy.ts"

const isTrustedBy = onFirstUseOf(({ config }: Services) => readNetworks(config.signIn.proxy.networks))

/**
 * Who the proxy says has signed in there, if the connection itself comes from one that is believed: what a header says about the way here doesn't count.
 * A header that is there twice, or holds more than a name, says nothing.
 */
export function proxyPerson(services: Services, request: FastifyRequest): ProxyPerson | undefined {
  const { header, mailHeader, nameHeader } = services.config.signIn.proxy
  if (header === "" || !isTrustedBy(services)(request.socket.remoteAddress ?? "")) return undefined
  const textOf = (name: string): string => {
    const value = name === "" ? "" : (request.headers[name.toLowerCase()] ?? "")
    return typeof value === "string" ? Buffer.from(value, "latin1").toString("utf8").trim() : ""
  }
  const name = textOf(header)
  if (!/^[\w.-]{1,100}$/.test(name)) return undefined
  return { name, mail: textOf(mailHeader), fullName: textOf(nameHeader) }
}
