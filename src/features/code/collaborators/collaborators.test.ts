import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

const people = ["ann", "ben", "cal", { name: "dan", visibility: "private" }] as const

withHearth("collaborators", { people, on: databaseKinds }, ({ test, forge, ann, ben, cal, dan }) => {
  test.beforeAll(async () => {
    for (const name of ["open", "box"]) await forge.call(ann, "POST /user/repos", { name, private: name === "box" })
  })

  const status = async (caller: Caller, route: string, body?: object) => (await forge.call(caller, route, body)).status
  const add = (name: string, permission?: string, caller: Caller = ann) =>
    status(caller, `PUT /repos/ann/box/collaborators/${name}`, permission === undefined ? undefined : { permission })
  const list = async (caller: Caller, query = "") => {
    const { body, headers } = await forge.call(caller, `GET /repos/ann/box/collaborators${query}`)
    return { names: body.map((user: { login: string }) => user.login), total: headers.get("x-total-count") }
  }
  const permission = async (caller: Caller, name: string, repository = "ann/box") => {
    const { status, body } = await forge.call(caller, `GET /repos/${repository}/collaborators/${name}/permission`)
    return status === 200 ? body.permission : status
  }

  test("are added, as writers unless told otherwise, changed and listed", async () => {
    expect(await add("ben")).toBe(204)
    expect(await add("CAL", "read")).toBe(204)
    expect([await permission(ann, "ben"), await permission(ann, "cal")]).toEqual(["write", "read"])
    expect(await list(cal)).toEqual({ names: ["ben", "cal"], total: "2" })
    expect(await list(ann, "?limit=1&page=2")).toEqual({ names: ["cal"], total: "2" })
    expect(await add("cal", "admin")).toBe(204)
    expect(await permission(cal, "cal")).toBe("admin")
    expect(await list(ann)).toEqual({ names: ["ben", "cal"], total: "2" })
    expect(await status(ben, "GET /repos/ann/box/collaborators/cal")).toBe(204)
    expect(await status(ben, "GET /repos/ann/box/collaborators/ann")).toBe(404)
  })

  test("who hide are known to administrators alone", async () => {
    expect(await add("dan", "read")).toBe(422)
    // Who follows an owner lets them know.
    await forge.call(dan, "PUT /user/following/ann")
    expect(await add("dan", "read")).toBe(204)
    expect((await list(ben)).names).toEqual(["ben", "cal"])
    expect(await list(dan)).toEqual({ names: ["ben", "cal", "dan"], total: "3" })
    expect((await list(ann)).names).toEqual(["ben", "cal", "dan"])
    expect(await status(ben, "GET /repos/ann/box/collaborators/dan")).toBe(422)
    expect(await status(ann, "GET /repos/ann/box/collaborators/dan")).toBe(204)
  })

  test("are asked about by themselves, administrators of the repository and of the site", async () => {
    expect(await permission(ben, "BEN")).toBe("write")
    expect(await permission(ben, "cal")).toBe(403)
    expect(await permission(cal, "ben")).toBe("write")
    expect(await permission(ann, "ann")).toBe("owner")
    expect(await permission(forge.root, "dan")).toBe("read")
    expect(await permission(ann, "nobody")).toBe(404)
    expect(await permission(undefined, "ben", "ann/open")).toBe(401)
    expect(await permission(undefined, "ben")).toBe(404)
    // Nothing is disclosed about a hidden user who has no relation to the repository.
    expect(await permission(ann, "dan", "ann/open")).toBe(404)
    expect(await permission(forge.root, "dan", "ann/open")).toBe("read")

    const { body } = await forge.call(ben, "GET /repos/ann/box/collaborators/ben/permission")
    expect(body).toMatchObject({ role_name: "write", user: { login: "ben", active: false } })
    const owner = await forge.call(ann, "GET /repos/ann/box/collaborators/ann/permission")
    expect(owner.body.user).toMatchObject({ login: "ann", active: true })
  })

  test("show no hidden address to any caller", async () => {
    await forge.call(ben, "PATCH /user/settings", { hide_email: true })
    await forge.call(ann, "PATCH /user/settings", { hide_email: true })
    const address = async (caller: Caller, name: string): Promise<string> =>
      (await forge.call(caller, `GET /repos/ann/box/collaborators/${name}/permission`)).body.user.email
    expect(await address(ann, "ben")).toMatch(/@noreply\./)
    expect(await address(cal, "ann")).toMatch(/@noreply\./)
    expect(await address(ann, "ann")).toBe("ann@example.com")
  })

  test("may be administered by those among them who are administrators", async () => {
    await forge.person("eve")
    expect(await add("eve", "read", ben)).toBe(403)
    expect(await status(ben, "DELETE /repos/ann/box/collaborators/cal")).toBe(403)
    expect(await add("eve", "read", cal)).toBe(204)
    expect(await status(cal, "DELETE /repos/ann/box/collaborators/eve")).toBe(204)
    expect((await list(ann)).names).not.toContain("eve")
  })

  test("are people with working accounts, and not the owner", async () => {
    await forge.person("fay")
    await forge.call(forge.root, "PATCH /admin/users/fay", { active: false, login_name: "fay", source_id: 0 })
    await forge.call(ann, "POST /orgs", { username: "guild" })
    for (const name of ["nobody", "guild", "fay", "ann"]) expect([name, await add(name)]).toEqual([name, 422])
    expect(await add("ben", "owner")).toBe(422)
    for (const method of ["GET", "DELETE"]) expect(await status(ann, `${method} /repos/ann/box/collaborators/nobody`)).toBe(422)
    expect(await permission(ann, "ben")).toBe("write")
  })

  test("can't be users who have blocked the owner or are blocked by them", async () => {
    const gus = await forge.person("gus")
    await forge.person("hal")
    await forge.call(gus, "PUT /user/blocks/ann")
    await forge.call(ann, "PUT /user/blocks/hal")
    for (const name of ["gus", "hal"]) {
      expect(await add(name)).toBe(403)
      expect(await add(name, "read", cal)).toBe(403)
    }
    // Also if the person has blocked the administrator who adds them, but not the owner.
    const ida = await forge.person("ida")
    await forge.call(ida, "PUT /user/blocks/cal")
    expect(await add("ida", "read", cal)).toBe(403)
    expect(await add("ida", "read")).toBe(204)
  })

  test("lose what they had when they are removed, also of an archived repository", async () => {
    await forge.call(ann, "PATCH /repos/ann/box", { archived: true })
    expect(await status(ben, "PUT /repos/ann/box/subscription")).toBe(200)
    for (const _ of [1, 2]) expect(await status(ann, "DELETE /repos/ann/box/collaborators/ben")).toBe(204)
    expect(await status(ben, "GET /repos/ann/box")).toBe(404)
    expect((await forge.call(ann, "GET /repos/ann/box")).body.watchers_count).toBe(1)
    expect(await permission(ann, "ben")).toBe("none")
    expect(await add("ben", "read")).toBe(204)
    expect(await status(ben, "GET /repos/ann/box/subscription")).toBe(404)
  })

  test("of an organization's repository may have it through a team as well, and then keep their watch", async () => {
    await forge.call(ann, "POST /orgs/guild/repos", { name: "tool", private: true })
    const { id } = (await forge.call(ann, "POST /orgs/guild/teams", { name: "crew", units_map: { "repo.code": "read" } })).body
    await forge.call(ann, `PUT /teams/${id}/repos/guild/tool`)
    await forge.call(ann, `PUT /teams/${id}/members/ben`)
    expect(await status(ann, "PUT /repos/guild/tool/collaborators/ben", { permission: "admin" })).toBe(204)
    expect(await permission(ben, "ben", "guild/tool")).toBe("admin")
    expect(await status(ann, "DELETE /repos/guild/tool/collaborators/ben")).toBe(204)
    expect(await status(ben, "GET /repos/guild/tool/subscription")).toBe(200)
    expect(await permission(ben, "ben", "guild/tool")).toBe("none")
  })

  test("are hidden with the repository, and not shown to anonymous callers", async () => {
    const jon = await forge.person("jon")
    expect(await status(jon, "GET /repos/ann/box/collaborators")).toBe(404)
    expect(await add("jon", "read", jon)).toBe(404)
    expect(await status(undefined, "GET /repos/ann/open/collaborators")).toBe(401)
    expect(await status(undefined, "GET /repos/ann/open/collaborators/ben")).toBe(401)
    expect(await status(undefined, "PUT /repos/ann/open/collaborators/ben", {})).toBe(401)
    expect(await status(undefined, "DELETE /repos/ann/open/collaborators/ben")).toBe(401)
  })
})
