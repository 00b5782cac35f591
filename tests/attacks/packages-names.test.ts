/*
 * Names of packages, versions and files that would lead out of a folder, out of a row, or out of an object. Contents are stored under names of our own, so no
 * name reaches the file system; names are checked all the same, for they end up in addresses, headers and records of others.
 */
import { expect } from "vitest"
import { publication } from "../../src/features/packages/npm/testing.ts"
import { send, storedFiles } from "../../src/features/packages/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld, type Person } from "../support/world.ts"
import { dial, head } from "./sockets.ts"

withWorld("tricks in names of packages", { open: openCheckedWorld }, ({ test, world }) => {
  let ann: Person
  test.beforeAll(async () => {
    ann = await world.person()
  })

  /** Sends a path as it stands, which `fetch` would tidy up. */
  async function raw(method: string, path: string, body = "x"): Promise<number> {
    const headers = { authorization: ann.authorization, "content-length": String(body.length), connection: "close" }
    const dialled = await dial(world.hearth.url, head(`${method} ${path}`, { headers }) + body, { from: "127.0.0.1" })
    await dialled.closed
    return Number(/^HTTP\/1\.1 (\d+)/.exec(dialled.received())?.[1])
  }

  const TRICKS = [
    "..",
    "%2e%2e",
    "..%2f..",
    "..%5c..",
    "%2e",
    "%00",
    "a%00b",
    "%c0%ae%c0%ae",
    "%",
    "%zz",
    "a%0d%0ab",
    "a%09b",
    "%e2%80%ae%00",
  ]

  test("are refused or missing, wherever they stand, and write nothing", async () => {
    const root = `/api/packages/${ann.name}`
    for (const trick of TRICKS)
      for (const path of [`/generic/${trick}/1/a`, `/generic/a/${trick}/a`, `/generic/a/1/${trick}`, `/npm/${trick}`, `/npm/@a%2f${trick}`])
        expect([400, 404], `PUT ${path}`).toContain(await raw("PUT", root + path))
    for (const path of ["/../../etc/passwd", "/generic/../../../../etc/passwd", "/generic/%2e%2e/%2e%2e/%2e%2e/etc/passwd"])
      for (const method of ["GET", "PUT", "DELETE"]) expect([400, 404, 405], `${method} ${path}`).toContain(await raw(method, root + path))
    expect(await raw("PUT", `/api/packages/${"%2e%2e"}/generic/a/1/a`)).toBe(404)
    expect(await raw("PUT", `/api/packages/a%00b/generic/a/1/a`)).toBe(404)
    expect(await storedFiles(world.hearth.services)).toEqual([])
    expect(await world.must(ann, `GET /packages/${ann.name}`)).toEqual([])
  })

  test("are missing in the API", async () => {
    for (const trick of ["%00", "a%00b", "..%2f..", "%2e%2e"])
      for (const path of [`generic/${trick}/1/files`, `generic/a/${trick}/files`, `${trick}/a/1/files`])
        expect(await raw("GET", `/api/v1/packages/${ann.name}/${path}`, "")).toBe(404)
    for (const [query, status] of [
      ["q=%00", 422],
      ["type=%00", 200],
      ["q=%25", 200],
      ["q=%5F", 200],
    ] as const)
      expect(await raw("GET", `/api/v1/packages/${ann.name}?${query}`, "")).toBe(status)
  })

  test("of a download can't add headers, nor pass for a page", async () => {
    const name = "a;filename=evil.html"
    const path = `generic/a/1/${encodeURIComponent(name)}`
    expect((await send(world.hearth, ann, `PUT ${ann.name}/${path}`, { body: "<script>alert(1)</script>" })).status).toBe(201)
    const { headers } = await send(world.hearth, undefined, `GET ${ann.name}/${path}`)
    expect(headers.get("content-disposition")).toBe('attachment; filename="a;filename=evil.html"')
    expect([headers.get("content-type"), headers.get("x-content-type-options")]).toEqual(["application/octet-stream", "nosniff"])
    expect(headers.get("content-security-policy")).toContain("sandbox")
    expect((await send(world.hearth, ann, `PUT ${ann.name}/generic/a/1/${encodeURIComponent('a".txt')}`, { body: "x" })).status).toBe(400)
  })

  test("that objects have already are names like any other, or none", async () => {
    const put = async (name: string, version = "1.0.0") =>
      (await send(world.hearth, ann, `PUT ${ann.name}/npm/${name}`, { body: publication({ name, version }) })).status
    expect([await put("__proto__"), await put("constructor"), await put("hasownproperty")]).toEqual([400, 201, 201])
    const answer = async (path: string) => (await send(world.hearth, ann, `GET ${ann.name}/npm/${path}`)).status
    expect([await answer("constructor"), await answer("constructor/constructor"), await answer("constructor/__proto__")]).toEqual([
      200, 404, 404,
    ])
    const polluting = publication({ name: "polluting", version: "1.0.0" })
      .replace('"index.js"', "")
      .replace("{", '{"__proto__":{"polluted":1},')
    expect((await send(world.hearth, ann, `PUT ${ann.name}/npm/polluting`, { body: polluting })).status).toBe(201)
    expect("polluted" in {}).toBe(false)
    const tag = await send(world.hearth, ann, `PUT ${ann.name}/npm/-/package/polluting/dist-tags/__proto__`, { body: '"1.0.0"' })
    expect(tag.status).toBe(400)
  })
})
