/**
 * Anyone who may set a webhook, a mirror or a migration makes this server call an address, and tried to have it call the machine itself, its network or
 * the metadata service of a cloud: by other spellings of an address, by IPv6 addresses that translators and tunnels turn into IPv4 ones, and by names.
 * IPv4-translated addresses and those that belong to none passed for public. Now of IPv6 only global unicast counts as public, without its special parts.
 */
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { HostRefused, openGuard } from "../../src/core/outgoing/guard.ts"
import { openOutgoing } from "../../src/core/outgoing/request.ts"
import { withHearth } from "../support/fixture.ts"

/** Ways to write an IPv4 address: as itself, and as the IPv6 addresses that lead to it somewhere. */
function spellingsOf(address: string): readonly string[] {
  const bytes = address.split(".").map(Number)
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  const [high, low] = [hex.slice(0, 4), hex.slice(4)]
  return [
    address,
    String(Number.parseInt(hex, 16)),
    `0x${hex}`,
    `0${Number.parseInt(hex, 16).toString(8)}`,
    bytes.map((byte) => `0${byte.toString(8)}`).join("."),
    bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
    `${address}.`,
    [...address].map((digit) => (/\d/.test(digit) ? String.fromCodePoint(0xff10 + Number(digit)) : digit)).join(""),
    address.replaceAll(".", "。"),
    // IPv4-mapped, IPv4-compatible, IPv4-translated, both NAT64 networks, 6to4, Teredo, and what belongs to none.
    `[::ffff:${address}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[::${address}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[64:ff9b:1:ffff::${address}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[4000::${address}]`,
    `[8000::${address}]`,
  ]
}

const SPECIAL = [
  ["this network", "0.0.0.0"],
  ["loopback", "127.0.0.1"],
  ["private", "10.0.0.1"],
  ["private", "172.16.0.1"],
  ["private", "192.168.0.1"],
  ["shared with a provider", "100.64.0.1"],
  ["metadata of clouds", "169.254.169.254"],
  ["metadata of one cloud", "168.63.129.16"],
  ["metadata of another cloud", "192.0.0.192"],
  ["benchmarks", "198.19.0.1"],
  ["multicast", "224.0.0.251"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
] as const

const SPECIAL_6 = ["[::]", "[::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[100::1]", "[5f00::1]", "[2001:db8::1]"]

let reached = 0
const here = createServer((_request, response) => {
  reached++
  response.end()
})
beforeAll(() => new Promise<void>((resolve) => here.listen(0, "127.0.0.1", resolve)))
afterAll(() => new Promise((resolve) => here.close(resolve)))
const port = (): number => {
  const address = here.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe("the client of outgoing requests", () => {
  const limits = { method: "GET", timeoutMs: 1_000, maxBytes: 10 }

  it.each(SPECIAL)("calls no address of %s: %s", async (_what, address) => {
    const { send } = openOutgoing(openGuard("external"), "hearth/test")
    for (const host of spellingsOf(address)) {
      const outcome = await send({ url: `http://${host}:${port()}/`, ...limits }).catch((error: unknown) => error)
      expect(outcome, host).toBeInstanceOf(HostRefused)
    }
    expect(reached).toBe(0)
  })

  it("calls no special address of IPv6", async () => {
    const { send } = openOutgoing(openGuard("external"), "hearth/test")
    for (const host of SPECIAL_6)
      await expect(send({ url: `http://${host}:${port()}/`, ...limits }), host).rejects.toBeInstanceOf(HostRefused)
  })

  it("lets public addresses pass, also as IPv4-mapped ones", async () => {
    const guard = openGuard("external")
    for (const host of ["8.8.8.8", "[::ffff:8.8.8.8]", "[2606:4700::1111]", "[2a00:1450::1]"])
      expect(await guard.resolve(host), host).toMatchObject({ address: host.replace(/[[\]]/g, "") })
  })

  it("asks for a name once, and refuses it with one bad address among its own", async () => {
    for (const addresses of [["::ffff:0:7f00:1"], ["8.8.8.8", "64:ff9b::7f00:1"], ["fe80::1%lo"]]) {
      let asked = 0
      const find = async () => {
        asked++
        return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      }
      const { send } = openOutgoing(openGuard("external", find), "hearth/test")
      await expect(send({ url: `http://name.example:${port()}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
      expect(asked).toBe(1)
    }
  })
})

withHearth("a migration", { people: ["ann"] }, ({ test, forge, ann }) => {
  test("from the machine itself is refused in every spelling, and calls nothing", async () => {
    for (const host of [...spellingsOf("127.0.0.1"), "localhost", "LOCALHOST."]) {
      const body = { clone_addr: `http://${host}:${port()}/a/b.git`, repo_name: "taken", repo_owner: "ann" }
      const answer = await forge.call(ann, "POST /repos/migrate", body)
      expect([host, answer.status, answer.body.message]).toEqual([host, 422, expect.stringContaining("may not be called")])
    }
    expect(reached).toBe(0)
  })
})
