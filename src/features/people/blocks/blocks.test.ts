import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Caller, connect } from "../../../../tests/support/hearth.ts"

withHearth("blocks", { people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const status = async (caller: Caller, route: string) => (await forge.call(caller, route)).status
  const user = async (name: string) => (await forge.call(forge.root, `GET /users/${name}`)).body

  test("end all relations between the two, in both directions", async () => {
    for (const caller of [ann, ben]) expect((await forge.call(caller, "POST /user/repos", { name: "box" })).status).toBe(201)
    for (const [caller, name, other] of [
      [ann, "ann", "ben"],
      [ben, "ben", "ann"],
    ] as const) {
      expect(await status(caller, `PUT /user/following/${other}`)).toBe(204)
      await connect(forge, name, `${other}/box`)
    }
    expect(await user("ann")).toMatchObject({ followers_count: 1, following_count: 1, starred_repos_count: 1 })

    expect(await status(ann, "PUT /user/blocks/ben?note=noise")).toBe(204)
    for (const name of ["ann", "ben"]) {
      expect(await user(name)).toMatchObject({ followers_count: 0, following_count: 0, starred_repos_count: 0 })
      expect((await forge.call(forge.root, `GET /repos/${name}/box`)).body).toMatchObject({ stars_count: 0, watchers_count: 1 })
    }
    expect(await forge.hearth.services.database.read.selectFrom("collaborations").selectAll().execute()).toEqual([])
  })

  test("are listed and checked, and kept when repeated", async () => {
    expect(await status(ann, "PUT /user/blocks/ben")).toBe(204)
    const { body, headers } = await forge.call(ann, "GET /user/blocks")
    expect(body).toMatchObject([{ login: "ben" }])
    expect(headers.get("x-total-count")).toBe("1")
    const { note } = await forge.hearth.services.database.read.selectFrom("blocks").select("note").executeTakeFirstOrThrow()
    expect(note).toBe("noise")
    expect(await status(ann, "GET /user/blocks/ben")).toBe(204)
    expect(await status(ben, "GET /user/blocks/ann")).toBe(404)
    expect((await forge.call(ben, "GET /user/blocks")).body).toEqual([])
  })

  test("end, whether there was one or not", async () => {
    for (const _ of [1, 2]) expect(await status(ann, "DELETE /user/blocks/ben")).toBe(204)
    expect(await status(ann, "GET /user/blocks/ben")).toBe(404)
    expect(await status(ben, "PUT /user/following/ann")).toBe(204)
  })

  test("refuse oneself, organisations, unknown names and anonymous callers", async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    expect(await forge.call(ann, "PUT /user/blocks/ann")).toMatchObject({ status: 400, body: { message: "cannot block the user" } })
    expect(await forge.call(ann, "PUT /user/blocks/guild")).toMatchObject({
      status: 400,
      body: { message: "cannot block an organization" },
    })
    expect(await status(ann, "PUT /user/blocks/nobody")).toBe(404)
    expect(await status(undefined, "PUT /user/blocks/ben")).toBe(401)
    expect(await status(undefined, "GET /user/blocks")).toBe(401)
  })
})
