/** What a hostile server, or hostile values, can do to who uses `hearth/client`. */
import { describe, expect, it } from "vitest"
import { type CallOptions, call, createClient, type Fetch } from "../../src/client/call.ts"
import { events } from "../../src/client/events.ts"
import { each } from "../../src/client/pages.ts"

const against = (answer: (address: string, init: RequestInit) => Response | Promise<Response>) => {
  const addresses: string[] = []
  const fetch: Fetch = async (address, init) => {
    addresses.push(address)
    return answer(address, init)
  }
  return { client: createClient({ url: "https://git.example.com", token: "secret-token", fetch, timeoutMs: 300 }), addresses }
}

describe("values of a path", () => {
  it.each(["..", ".", "", undefined, null])("can't lead to another operation: %s", async (repo) => {
    const { client, addresses } = against(() => Response.json({}))
    await expect(call(client, "DELETE", "/repos/{owner}/{repo}", { owner: "acme", repo })).rejects.toThrow("repo is missing")
    expect(addresses).toEqual([])
  })

  it.each(["../../admin/users/bob", "x?purge=true", "x#y", "x\r\nx-evil: 1", "%2e%2e"])("stay in their place: %s", async (repo) => {
    const { client, addresses } = against(() => Response.json({}))
    await call(client, "DELETE", "/repos/{owner}/{repo}", { owner: "acme", repo })
    const { pathname, search, hash } = new URL(addresses[0] ?? "")
    expect(decodeURIComponent(pathname)).toBe(`/api/v1/repos/acme/${repo}`)
    expect([search, hash]).toEqual(["", ""])
  })
})

describe("a server", () => {
  it("can't have the token sent elsewhere by a Link, nor be asked for pages without end", async () => {
    const { client, addresses } = against((address) => {
      const page = Number(new URL(address).searchParams.get("page"))
      return Response.json([page], { headers: { link: `<https://evil.example/api/v1/x?page=${page < 3 ? page + 1 : 1}>; rel="next"` } })
    })
    const list = (one: typeof client, input: { readonly page?: number }, options?: CallOptions) =>
      call<readonly number[]>(one, "GET", "/x", input, options)
    const found: number[] = []
    for await (const entry of each(list, client, {})) found.push(entry)
    expect(found).toEqual([1, 2, 3])
    expect(addresses.every((address) => address.startsWith("https://git.example.com/api/v1/x?"))).toBe(true)
  })

  it("can't keep a call that begins to be answered and never ends", async () => {
    const { client } = against((_address, { signal }) => {
      const body = new ReadableStream({ start: (controller) => signal?.addEventListener("abort", () => controller.error(signal.reason)) })
      return new Response(body, { headers: { "content-type": "application/json" } })
    })
    await expect(call(client, "GET", "/user")).rejects.toMatchObject({ name: "TimeoutError" })
  })

  it("can't fill the memory with an event that never ends: its connection is given up", async () => {
    const stop = new AbortController()
    let sent = 0
    let connections = 0
    const { client } = against(() => {
      connections++
      if (connections > 1) stop.abort()
      const piece = new TextEncoder().encode("data: ".padEnd(2 ** 20, "x"))
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            sent += piece.length
            controller.enqueue(piece)
          },
        }),
      )
    })
    for await (const _ of events(client, {}, { signal: stop.signal })) throw new Error("there is no event")
    expect(connections).toBe(2)
    expect(sent).toBeLessThan(16 * 2 ** 20)
  })

  it("has no token in what a refusal says", async () => {
    const { client } = against(() => Response.json({ message: "no" }, { status: 403 }))
    const error = await call(client, "GET", "/user", { q: "private words" }).catch((thrown: unknown) => thrown)
    expect(`${error}${JSON.stringify(error)}`).not.toMatch(/secret-token|private/)
  })
})
