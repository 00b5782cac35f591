import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"

/** No input gives a 500: every operation is sent what no client should send, by somebody who may do everything. */
describe.each(databaseKinds)("odd input (%s)", (kind) => {
  let fresh: FreshUrl
  let hearth: Hearth
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    hearth = await startHearth({ memory: true, config: { databaseUrl: fresh.url } })
    const made = await fetch(`${hearth.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization: `token ${hearth.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "repo" }),
    })
    expect(made.status).toBe(201)
  })
  afterAll(async () => {
    await hearth.close()
    await fresh.drop()
  })

  const send = async (operation: Operation, path: string, body?: string | Uint8Array<ArrayBuffer>, type = "application/json"): Promise<number> => {
    const answer = await fetch(`${hearth.url}/api/v1${path}`, {
      method: operation.method,
      headers: { authorization: `token ${hearth.token}`, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && operation.method !== "GET" && { body }),
      redirect: "manual",
    })
    await answer.arrayBuffer()
    return answer.status
  }
  // Nothing is to be deleted or handed away meanwhile, so the names lead to nothing, or to things that stay.
  const safe: Readonly<Record<string, string>> = { owner: "root", repo: "repo", username: "root", org: "none" }
  const pathWith = (operation: Operation, value: string) => operation.path.replace(/\{(\w+)\}/g, () => value)
  const plainPath = (operation: Operation) => operation.path.replace(/\{(\w+)\}/g, (_, name: string) => safe[name] ?? "0")

  const ODD_PARTS = ["%00", "%ff", "%zz", "..%2f..", "-1", "0", "9223372036854775808", "1e9", "%F0%9F%98%80", "a".repeat(900), "'%22%3B--", "%25", "undefined", "__proto__"]
  const ODD_QUERIES = [
    "page=-1&limit=-1",
    "page=99999999999999999999&limit=99999999999999999999",
    "page=9007199254740991&limit=50",
    "page=x&limit=1.5",
    "q=%00",
    "q=%25%27%22%5C_",
    "sort=%00&order=%00&state=%00&mode=%00",
    "sort=nonsense",
    "uid=-9223372036854775808&team_id=99999999999999999999&priority_owner_id=x&starredBy=-1",
    "q=a&q=b&q[]=c",
    "%=%",
  ]
  const ODD_VALUES = [null, true, -1, 0, 1e30, 1.5, "", "\u0000", "\ud800", "a".repeat(5000), "../../etc/passwd", "😀".repeat(200), [], {}, [null], [[]], { a: { b: 1 } }, ["\u0000"]]

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", { timeout: 120_000 }, async (_name, operation) => {
    const failures: string[] = []
    const note = (status: number, what: string) => {
      if (status >= 500) failures.push(`${status} for ${what}`)
    }
    for (const part of ODD_PARTS) if (operation.path.includes("{")) note(await send(operation, pathWith(operation, part)), `path ${part.slice(0, 20)}`)
    for (const query of ODD_QUERIES) if (operation.method === "GET") note(await send(operation, `${plainPath(operation)}?${query}`), `query ${query}`)
    if (operation.body) {
      const path = plainPath(operation)
      for (const body of ["{", "[]", "null", '"x"', "5", "", "{}", '{"__proto__":{"x":1}}', '{"name":"a","name":"b"}', "[".repeat(5000)]) note(await send(operation, path, body), `body ${body.slice(0, 20)}`)
      note(await send(operation, path, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), "bytes that are not UTF-8")
      note(await send(operation, path, "name=x&id=1"), "a form that says it is JSON")
      note(await send(operation, path, "name=x&id=1", "application/x-www-form-urlencoded"), "a form")
      note(await send(operation, path, "x", "text/plain"), "plain text")
      const fields = "properties" in operation.body && typeof operation.body.properties === "object" ? Object.keys(operation.body.properties ?? {}) : []
      for (const field of fields) for (const value of ODD_VALUES) note(await send(operation, path, JSON.stringify({ [field]: value })), `${field} = ${JSON.stringify(value).slice(0, 30)}`)
    }
    expect(failures).toEqual([])
  })

  it("answers odd methods and addresses with a refusal", async () => {
    for (const [method, path, status] of [
      ["POST", "/api/v1/version", 405],
      ["PROPFIND", "/api/v1/version", 405],
      ["GET", "/api/v1/%zz", 400],
      ["GET", "/api/v1/no/such/path", 404],
      ["GET", "/no-such-page/at-all/here/x", 404],
    ] as const) {
      const answer = await fetch(hearth.url + path, { method })
      expect([path, answer.status]).toEqual([path, status])
    }
  })

  it("refuses a body that is too large, and reads none for a stranger", async () => {
    const body = `{"name":"${"x".repeat(40 * 1024 * 1024)}"}`
    const answer = (authorization: string) =>
      fetch(`${hearth.url}/api/v1/user/repos`, { method: "POST", headers: { "content-type": "application/json", authorization }, body }).then(
        (sent) => sent.status,
        () => "cut off",
      )
    expect([413, "cut off"]).toContain(await answer(`token ${hearth.token}`))
    expect([401, "cut off"]).toContain(await answer(""))
  })
})
