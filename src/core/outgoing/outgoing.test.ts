import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Guard, HostRefused, openGuard, readAllowed } from "./guard.ts"
import { openOutgoing } from "./request.ts"

/** A name server that knows these names only. */
const names =
  (known: Readonly<Record<string, readonly string[]>>) =>
  async (host: string): Promise<readonly { readonly address: string; readonly family: number }[]> =>
    (known[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))

const outcome = (guard: Guard, host: string): Promise<string> =>
  guard.resolve(host).then(
    ({ address }) => address,
    (error: unknown) => (error instanceof HostRefused ? "refused" : String(error)),
  )

describe("the guard of outgoing calls", () => {
  it.each([
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "168.63.129.16",
    "192.0.0.8",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:a00:1",
    "0:0:0:0:0:ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::127.0.0.1",
    "::a00:1",
    "2001:2::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "fe80::1",
    "fd00::1",
    "ff02::1",
  ])("refuses %s unless it is allowed", async (host) => {
    expect(await outcome(openGuard("external"), host)).toBe("refused")
    expect(await outcome(openGuard("*"), host)).not.toBe("refused")
  })

  it.each(["8.8.8.8", "172.32.0.1", "192.167.1.1", "2606:4700::1111", "100.128.0.1"])("lets %s pass", async (host) => {
    expect(await outcome(openGuard("external"), host)).toBe(host)
  })

  it("looks at what a name means, at all of it", async () => {
    const find = names({ "good.example": ["8.8.8.8"], "bad.example": ["10.0.0.1"], "both.example": ["8.8.8.8", "127.0.0.1"] })
    const guard = openGuard("external", find)
    expect(await outcome(guard, "good.example")).toBe("8.8.8.8")
    expect(await outcome(guard, "GOOD.example.")).toBe("8.8.8.8")
    expect(await outcome(guard, "bad.example")).toBe("refused")
    expect(await outcome(guard, "both.example")).toBe("refused")
    expect(await outcome(guard, "none.example")).toBe("refused")
  })

  it("allows what an operator names", async () => {
    const find = names({ "ci.local": ["10.1.2.3"], "db.local": ["10.9.9.9"], "ci.office.example": ["192.168.3.3"] })
    const guard = openGuard("external, 10.1.0.0/16, *.office.example, loopback", find)
    expect(await outcome(guard, "ci.local")).toBe("10.1.2.3")
    expect(await outcome(guard, "db.local")).toBe("refused")
    expect(await outcome(guard, "ci.office.example")).toBe("192.168.3.3")
    expect(await outcome(guard, "127.0.0.1")).toBe("127.0.0.1")
    expect(await outcome(openGuard("private"), "8.8.8.8")).toBe("refused")
    expect(await outcome(openGuard(""), "8.8.8.8")).toBe("refused")
  })

  it("knows a word that means nothing", () => {
    expect(readAllowed("external, 10.0.0.0/33")).toBeUndefined()
    expect(readAllowed("what is this")).toBeUndefined()
    expect(() => openGuard("http://x")).toThrow(TypeError)
  })
})

describe("outgoing requests", () => {
  const server = createServer((request, response) => {
    if (request.url === "/redirect") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
    else if (request.url === "/silent") return
    else if (request.url === "/slow") response.write("and then")
    else if (request.url === "/long") response.end("x".repeat(10_000))
    else {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => response.end(`${request.method} ${request.headers.host} ${request.headers["user-agent"]} ${body}`))
    }
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  const limits = { timeoutMs: 60_000, maxBytes: 1_000 }
  const open = (allowed: string) => openOutgoing(openGuard(allowed, names({ "hook.example": ["127.0.0.1"] })), "hearth/test")

  it("go to the address that was looked at, under the name that was asked for", async () => {
    const answer = await open("*").send({ method: "POST", url: `http://hook.example:${port}/`, body: "ü", ...limits })
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(`POST hook.example:${port} hearth/test ü`)
  })

  it("go nowhere else", async () => {
    const { send } = open("external")
    await expect(send({ method: "GET", url: `http://hook.example:${port}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
    await expect(send({ method: "GET", url: `http://127.0.0.1:${port}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
    await expect(send({ method: "GET", url: `http://2130706433:${port}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
    await expect(send({ method: "GET", url: `http://0x7f.1:${port}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
    await expect(send({ method: "GET", url: "file:///etc/passwd", ...limits })).rejects.toBeInstanceOf(HostRefused)
  })

  it("go to the address that was allowed, whatever the name means a moment later", async () => {
    let asked = 0
    const rebinding = async () => [{ address: asked++ === 0 ? "127.0.0.2" : "127.0.0.1", family: 4 }]
    const { send } = openOutgoing(openGuard("127.0.0.2", rebinding), "hearth/test")
    await expect(send({ method: "GET", url: `http://hook.example:${port}/`, ...limits })).rejects.toThrow("ECONNREFUSED")
    expect(asked).toBe(1)
    await expect(send({ method: "GET", url: `http://hook.example:${port}/`, ...limits })).rejects.toBeInstanceOf(HostRefused)
  })

  it("follow no redirect, wait for no silence, and keep no flood", async () => {
    const { send } = open("*")
    expect((await send({ method: "GET", url: `http://127.0.0.1:${port}/redirect`, ...limits })).status).toBe(302)
    await expect(send({ method: "GET", url: `http://127.0.0.1:${port}/silent`, ...limits, timeoutMs: 300 })).rejects.toThrow(
      "no answer within 0.3 s",
    )
    await expect(send({ method: "GET", url: `http://127.0.0.1:${port}/slow`, ...limits, timeoutMs: 300 })).rejects.toThrow(
      "no answer within 0.3 s",
    )
    const long = await send({ method: "GET", url: `http://127.0.0.1:${port}/long`, ...limits })
    expect([long.body.length, long.cut]).toEqual([1_000, true])
  })

  it("wait no longer for name servers, and not when no one waits any more", async () => {
    const { send } = openOutgoing(
      openGuard("*", () => new Promise(() => {})),
      "hearth",
    )
    const request = { method: "GET", url: "http://slow.example/", ...limits }
    await expect(send({ ...request, timeoutMs: 50 })).rejects.toThrow("no answer within 0.05 s")
    await expect(send({ ...request, signal: AbortSignal.abort(new Error("no one waits")) })).rejects.toThrow("no one waits")
  })
})
