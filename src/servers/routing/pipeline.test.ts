import { expect } from "vitest"
import { databaseKinds, statementsOf, undisturbed } from "../../../tests/support/database.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { openDatabase } from "../../core/database/open.ts"

/** Answers are cached while the database is unchanged. A stale answer must never be served. */
withHearth("cached answers", { people: ["eve"], on: databaseKinds }, ({ test, forge, call, eve }) => {
  test.beforeEach(async () => {
    await call(forge.root, "DELETE /orgs/acme")
    expect((await call(forge.root, "POST /orgs", { username: "acme", description: "before" })).status).toBe(201)
  })

  const description = async () => (await call(forge.root, "GET /orgs/acme")).body.description

  test("are given again without being made again, with the same headers", async () => {
    const { database } = forge.hearth.services
    const statements = await undisturbed(database, async (mark) => {
      const first = await call(forge.root, `GET /orgs?limit=1&${mark}`)
      // Kept from the second time on.
      await call(forge.root, `GET /orgs?limit=1&${mark}`)
      expect(first.headers.get("x-total-count")).toBe("1")
      return statementsOf(database, async () => {
        const second = await call(forge.root, `GET /orgs?limit=1&${mark}`)
        expect(second.body).toEqual(first.body)
        for (const header of ["etag", "x-total-count", "content-type"]) expect(second.headers.get(header)).toBe(first.headers.get(header))
      })
    })
    // The caller is looked up every time.
    expect(statements).toHaveLength(1)
  })

  test("are void after a write of this process", async () => {
    expect(await description()).toBe("before")
    await call(forge.root, "PATCH /orgs/acme", { description: "after" })
    expect(await description()).toBe("after")
  })

  test("are void after a write of another process", async () => {
    expect(await description()).toBe("before")
    const other = await openDatabase({ url: forge.hearth.services.config.databaseUrl })
    await other.write((tx) => tx.updateTable("users").set({ description: "elsewhere" }).where("lower_name", "=", "acme").execute())
    await other.close()
    expect(await description()).toBe("elsewhere")
  })

  test("are not served to other callers", async () => {
    await call(forge.root, "PATCH /orgs/acme", { visibility: "private" })
    const status = async (caller: string | undefined) => (await call(caller, "GET /orgs/acme")).status
    expect(await status(forge.root)).toBe(200)
    expect(await status(eve)).toBe(404)
    expect(await status(undefined)).toBe(404)
    expect(await status(forge.root)).toBe(200)
  })

  test("are compared with what the client knows", async () => {
    const tag = (await call(forge.root, "GET /orgs/acme")).headers.get("etag") ?? ""
    const again = await call(forge.root, "GET /orgs/acme", undefined, { "if-none-match": tag })
    expect([again.status, again.body]).toEqual([304, undefined])
  })
})
