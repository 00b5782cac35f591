import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { databaseKinds, statementsOf, undisturbed } from "../../../tests/support/database.ts"
import { freshHearth, type TestHearth } from "../../../tests/support/hearth.ts"
import { openDatabase } from "../../core/database/open.ts"

/** Answers are cached while the database is unchanged. A stale answer must never be served. */
describe.each(databaseKinds)("cached answers (%s)", (kind) => {
  let test: TestHearth
  beforeEach(async () => {
    test = await freshHearth(kind)
    await test.call(test.root, "POST /orgs", { username: "acme", description: "before" })
  })
  afterEach(() => test.close())

  const description = async () => (await test.call(test.root, "GET /orgs/acme")).body.description

  it("are given again without being made again, with the same headers", async () => {
    const { database } = test.hearth.services
    const statements = await undisturbed(database, async (mark) => {
      const first = await test.call(test.root, `GET /orgs?limit=1&${mark}`)
      expect(first.headers.get("x-total-count")).toBe("1")
      return statementsOf(database, async () => {
        const second = await test.call(test.root, `GET /orgs?limit=1&${mark}`)
        expect(second.body).toEqual(first.body)
        for (const header of ["etag", "x-total-count", "content-type"]) expect(second.headers.get(header)).toBe(first.headers.get(header))
      })
    })
    // The caller is looked up every time.
    expect(statements).toHaveLength(1)
  })

  it("are void after a write of this process", async () => {
    expect(await description()).toBe("before")
    await test.call(test.root, "PATCH /orgs/acme", { description: "after" })
    expect(await description()).toBe("after")
  })

  it("are void after a write of another process", async () => {
    expect(await description()).toBe("before")
    const other = await openDatabase({ url: test.hearth.services.config.databaseUrl })
    await other.write((tx) => tx.updateTable("users").set({ description: "elsewhere" }).where("lower_name", "=", "acme").execute())
    await other.close()
    expect(await description()).toBe("elsewhere")
  })

  it("are not served to other callers", async () => {
    const eve = await test.person("eve")
    await test.call(test.root, "PATCH /orgs/acme", { visibility: "private" })
    const status = async (caller: string | undefined) => (await test.call(caller, "GET /orgs/acme")).status
    expect(await status(test.root)).toBe(200)
    expect(await status(eve)).toBe(404)
    expect(await status(undefined)).toBe(404)
    expect(await status(test.root)).toBe(200)
  })

  it("are compared with what the client knows", async () => {
    const tag = (await test.call(test.root, "GET /orgs/acme")).headers.get("etag") ?? ""
    const again = await test.call(test.root, "GET /orgs/acme", undefined, { "if-none-match": tag })
    expect([again.status, again.body]).toEqual([304, undefined])
  })
})
