import { request as send } from "node:http"
import Fastify from "fastify"
import { expect, test } from "vitest"
import { ConfigRefused, loadConfig } from "../../core/config.ts"
import { networkOf, plainAddress, readNetworks } from "../../core/networks.ts"
import { clientAddress } from "./address.ts"

/** What a server takes for the client's address when `from` connects and sends this header. */
async function seen(trustedProxies: string, from: string, forwarded?: string): Promise<string> {
  const app = Fastify({ trustProxy: readNetworks(trustedProxies) })
  app.get("/", async (request) => clientAddress(request))
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  try {
    return await new Promise((resolve, reject) => {
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
      send(url, { localAddress: from, headers, agent: false }, (response) => {
        response.setEncoding("utf8").once("data", resolve)
      })
        .on("error", reject)
        .end()
    })
  } finally {
    await app.close()
  }
}

test.each([
  ["without a header", "loopback", "127.0.0.2", undefined, "127.0.0.2"],
  ["with a header from a trusted proxy", "loopback", "127.0.0.2", "203.0.113.9", "203.0.113.9"],
  ["with a header that others wrote", "127.0.0.3, 10.0.0.0/8", "127.0.0.2", "203.0.113.9", "127.0.0.2"],
  ["with a header, and no proxy at all", "none", "127.0.0.1", "203.0.113.9", "127.0.0.1"],
  ["with what the client wrote before the proxy", "loopback", "127.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
  ["through two trusted proxies", "loopback,10.0.0.0/8", "127.0.0.1", "203.0.113.9, 10.1.2.3", "203.0.113.9"],
  ["with an IPv4 address written as IPv6", "loopback", "127.0.0.1", "::FFFF:203.0.113.9", "203.0.113.9"],
  ["with what is no address", "loopback", "127.0.0.1", "unknown", "127.0.0.1"],
])("the client's address %s", async (_, trusted, from, forwarded, wanted) => {
  expect(await seen(trusted, from, forwarded)).toBe(wanted)
})

test("limits count an IPv6 address by its /64", () => {
  const network = (text: string) => networkOf(plainAddress(text) ?? "")
  expect(network("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
  expect(network("2001:DB8:1:2::9%eth0")).toBe("2001:db8:1:2::/64")
  expect(network("2001:db8::1")).toBe("2001:db8:0:0::/64")
  expect(network("::1")).toBe("0:0:0:0::/64")
  expect(network("1:2:3:4:5:6:7::")).toBe("1:2:3:4::/64")
  expect(network("::ffff:127.0.0.1")).toBe("127.0.0.1")
})

test.each(["proxy.example.org", "10.0.0.0/33", "::1/129", "10.0.0.0/", "1.2.3"])("networks are not written as %s", (trustedProxies) => {
  expect(() => loadConfig({ env: {}, file: false, overrides: { http: { trustedProxies } } })).toThrow(ConfigRefused)
})
