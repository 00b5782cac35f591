import { expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

withHearth("profiles", { on: databaseKinds }, ({ test, forge }) => {
  const callers: Record<string, Caller> = { nobody: undefined }
  test.beforeAll(async () => {
    callers["root"] = forge.root
    callers["zed"] = await forge.person("zed", { full_name: "Zed ZÉBRA" })
    callers["limo"] = await forge.person("limo", { visibility: "limited" })
    callers["priva"] = await forge.person("priva", { visibility: "private" })
    callers["restric"] = await forge.person("restric", { restricted: true })
    const narrow = await forge.call(callers["zed"], "POST /users/zed/tokens", { name: "narrow", scopes: ["public-only", "write:user"] })
    callers["narrow"] = `token ${narrow.body.sha1}`
  })

  test.each([
    ["nobody", ["zed", "restric"]],
    ["narrow", ["zed", "restric"]],
    ["restric", ["zed", "restric"]],
    ["zed", ["zed", "limo", "restric"]],
    ["priva", ["zed", "limo", "priva", "restric"]],
    ["root", ["zed", "limo", "priva", "restric"]],
  ])("%s may read %j", async (caller, readable) => {
    for (const name of ["zed", "limo", "priva", "restric"]) {
      const { status } = await forge.call(callers[caller], `GET /users/${name}`)
      expect([name, status]).toEqual([name, readable.includes(name) ? 200 : 404])
    }
  })

  test.each([
    ["nobody", ["restric", "root", "zed"]],
    ["narrow", ["restric", "root", "zed"]],
    ["restric", ["restric"]],
    ["zed", ["limo", "restric", "root", "zed"]],
    ["priva", ["limo", "priva", "restric", "root", "zed"]],
    ["root", ["limo", "priva", "restric", "root", "zed"]],
  ])("%s finds %j", async (caller, found) => {
    const { body, headers } = await forge.call(callers[caller], "GET /users/search")
    expect(body.data.map((user: { login: string }) => user.login)).toEqual(found)
    expect(headers.get("x-total-count")).toBe(String(found.length))
  })

  test("a search takes the keyword as it is, in any script and case", async () => {
    const found = async (query: string) =>
      (await forge.call(callers["limo"], `GET /users/search?${query}`)).body.data.map((user: { login: string }) => user.login)
    expect(await found("q=%20z%C3%A9bra%20")).toEqual(["zed"])
    expect(await found("q=%25")).toEqual([])
    expect(await found("q=_")).toEqual([])
    const { id } = (await forge.call(callers["zed"], "GET /user")).body
    expect(await found(`uid=${id}`)).toEqual(["zed"])
    expect(await found("uid=999999")).toEqual([])
  })

  test("a search takes as many queries for one as for many", async () => {
    const { database } = forge.hearth.services
    const count = async (query: string) =>
      (await statementsOf(database, () => forge.call(callers["limo"], `GET /users/search?${query}`))).length
    expect(await count("q=zed")).toBe(await count("limit=50"))
  })

  test("an account's state is for itself and for administrators", async () => {
    const seenBy = async (caller: string) => (await forge.call(callers[caller], "GET /users/zed")).body
    const hidden = { active: false, last_login: "0001-01-01T00:00:00Z", login_name: "", language: "" }
    expect(await seenBy("limo")).toMatchObject({ ...hidden, email: "zed@example.com" })
    expect(await seenBy("nobody")).toMatchObject({ ...hidden, email: expect.stringMatching(/^\d+\+zed@noreply\./) })
    for (const caller of ["zed", "root"])
      expect(await seenBy(caller)).toMatchObject({ active: true, last_login: "1970-01-01T00:00:00Z", email: "zed@example.com" })
  })

  test("GET /user asks for sign-in", async () => {
    expect((await forge.call(undefined, "GET /user")).status).toBe(401)
    expect((await forge.call(callers["narrow"], "GET /user")).body).toMatchObject({ login: "zed" })
  })

  test("the heatmap counts by quarters of an hour what the caller may know of", async () => {
    const { database, now } = forge.hearth.services
    for (const name of ["open", "closed"]) await forge.call(callers["zed"], "POST /user/repos", { name, private: name === "closed" })
    const rows = await database.read.selectFrom("repositories").select(["id", "name", "owner_id"]).execute()
    const quarter = Math.floor(now() / 900) * 900 - 9000
    await database.write(async (tx) => {
      await tx.deleteFrom("activities").execute()
      for (const { id, name, owner_id } of rows)
        for (const created_at of name === "open" ? [quarter, quarter + 899, quarter + 900, quarter - 367 * 86_400] : [quarter])
          await tx
            .insertInto("activities")
            .values({
              receiver_id: owner_id,
              actor_id: owner_id,
              op_type: "commit_repo",
              repository_id: id,
              comment_id: 0,
              ref_name: "",
              is_private: 0,
              is_hidden: 0,
              content: "",
              created_at,
            })
            .execute()
    })
    const heat = async (caller: string) => (await forge.call(callers[caller], "GET /users/zed/heatmap")).body
    const publicly = [
      { timestamp: quarter, contributions: 2 },
      { timestamp: quarter + 900, contributions: 1 },
    ]
    expect(await heat("nobody")).toEqual(publicly)
    expect(await heat("limo")).toEqual(publicly)
    expect(await heat("zed")).toEqual([{ timestamp: quarter, contributions: 3 }, publicly[1]])
    await forge.call(callers["zed"], "PATCH /user/settings", { hide_activity: true })
    expect(await heat("limo")).toEqual([])
    expect(await heat("root")).toEqual([{ timestamp: quarter, contributions: 3 }, publicly[1]])
    expect((await forge.call(callers["zed"], "GET /users/priva/heatmap")).status).toBe(404)
  })
})
