import { expect } from "vitest"
import { withHearth } from "../../../tests/support/fixture.ts"
import { findUserByName } from "../../access/store.ts"
import { type Actor, anonymous, signedInAs } from "../../core/actor.ts"
import { operations } from "../../operations.ts"
import { answerCall, operationAt, takesFiles } from "./call.ts"

/** A call from inside the process and a request are the same thing: what one is answered, the other is. */
withHearth("calls of operations", { people: ["ann", "eve"] }, ({ test, forge, call, ann, eve }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "open" })
    await call(ann, "POST /user/repos", { name: "hidden", private: true })
    for (const title of ["one", "two", "three"]) await call(ann, "POST /repos/ann/open/issues", { title })
    await call(ann, "POST /user/repos", { name: "old" })
    await call(ann, "PATCH /repos/ann/old", { name: "new" })
  })

  const actorOf = async (name: string, change: (actor: Actor) => Actor = (actor) => actor): Promise<Actor> => {
    const user = await findUserByName.first(forge.hearth.services.database.read, { lowerName: name })
    return change(user ? signedInAs(user) : anonymous)
  }
  const inside = async (name: string, route: string, body?: unknown) => {
    const [method = "", address = ""] = route.split(" ")
    const actor = await actorOf(name)
    const given = operationAt(operations, method, address)
    return answerCall(forge.hearth.services, { ...given, body, caller: { actor }, request: { id: "inside", ip: "127.0.0.1" } })
  }
  const plain = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)))

  test("are answered as requests are: records, pages, refusals and former names", async () => {
    for (const [name, header, route, body] of [
      ["ann", ann, "GET /api/v1/repos/ann/open"],
      ["ann", ann, "GET /repos/ann/open/issues?limit=1&page=2"],
      ["", undefined, "GET /repos/ann/open/issues/2"],
      ["", undefined, "POST /repos/ann/open/issues", { title: "not signed in" }],
      ["eve", eve, "GET /repos/ann/hidden"],
      ["eve", eve, "PATCH /repos/ann/open", { description: "not hers" }],
      ["ann", ann, "POST /repos/ann/open/issues", { body: "no title" }],
      ["ann", ann, "POST /repos/ann/open/issues", { title: 5 }],
      ["ann", ann, "POST /repos/ann/open/issues", { title: "nul \0" }],
      ["ann", ann, "GET /repos/ann/open/issues?type=other&state=unreadable"],
      ["ann", ann, "PATCH /repos/ann/open/issues/1", { title: null }],
      ["eve", eve, "GET /admin/users"],
    ] as const) {
      const outside = await call(header, route.replace("/api/v1", ""), body)
      const answered = await inside(name, route, body)
      expect(answered.status, route).toBe(outside.status)
      const timeless = (record: unknown) => JSON.stringify(record)?.replace(/"updated_at":"[^"]*"/g, "")
      expect(timeless(plain(answered.body)), route).toEqual(timeless(outside.body))
      for (const name of ["link", "x-total-count", "etag"])
        expect(answered.headers[name], route).toBe(outside.headers.get(name) ?? undefined)
    }
    const moved = await inside("ann", "GET /repos/ann/old/issues/1?x=1")
    expect(moved).toMatchObject({ status: 301, headers: { location: "/api/v1/repos/ann/new/issues/1?x=1" } })
  })

  test("need the scopes of a token, whatever its person may do", async () => {
    const user = await findUserByName.first(forge.hearth.services.database.read, { lowerName: "ann" })
    if (!user) throw new TypeError("there is no ann")
    const credential = { kind: "token", tokenId: 1, scopes: new Set(["read:issue"]), publicOnly: false } as const
    const caller = { actor: { kind: "user", user, credential, basic: false } as const }
    const given = operationAt(operations, "POST", "/repos/ann/open/issues")
    const request = { id: "inside", ip: "127.0.0.1" }
    const answered = await answerCall(forge.hearth.services, { ...given, body: { title: "no" }, caller, request })
    expect(answered.status).toBe(403)
    expect(answered.body).toMatchObject({ message: expect.stringContaining("required=[write:issue]") })
  })

  test("are refused where there is no operation, and where it takes or gives a file", async () => {
    expect(() => operationAt(operations, "GET", "/nothing/here")).toThrow("not found")
    expect(() => operationAt(operations, "PUT", "/api/v1/repos/ann/open/issues")).toThrow("this method is not allowed here")
    expect(() => operationAt(operations, "GET", "/repos/ann/%00")).toThrow("not found")
    expect(operations.filter(takesFiles).length).toBeGreaterThan(3)
    expect((await inside("ann", "GET /repos/ann/open/raw/README.md")).status).toBe(422)
  })

  test("have their values as the paths of requests have them", () => {
    const path = (method: string, address: string) => operationAt(operations, method, address).path
    expect(path("GET", "/repos/ann/open/contents/a%20b/c.md?ref=x")).toEqual({ owner: "ann", repo: "open", filepath: "a b/c.md" })
    expect(path("GET", "/repos/ann/open/git/commits/abc.diff")).toEqual({ owner: "ann", repo: "open", sha: "abc", diffType: "diff" })
    expect(path("GET", "/repos/ann/open/wiki/page/A%20B")).toEqual({ owner: "ann", repo: "open", pageName: "A%20B" })
  })
})
