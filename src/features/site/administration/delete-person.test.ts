import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic, connect } from "../../../../tests/support/hearth.ts"

withHearth("deleting people", { people: ["bob"], on: databaseKinds }, ({ test, forge, bob }) => {
  const remove = (name: string, query = "") => forge.call(forge.root, `DELETE /admin/users/${name}${query}`)
  const get = (path: string) => forge.call(forge.root, `GET ${path}`)

  test("takes along what is theirs, and keeps the counters of others true", async () => {
    const ann = await forge.person("ann")
    const token = (await forge.call(ann, "POST /users/ann/tokens", { name: "all", scopes: ["all"] })).body.sha1
    await forge.call(bob, "POST /user/repos", { name: "box" })
    await forge.call(ann, "PUT /user/following/bob")
    await connect(forge, "ann", "bob/box")
    await forge.call(bob, "PUT /user/following/ann")
    expect((await get("/repos/bob/box")).body).toMatchObject({ stars_count: 1, watchers_count: 2 })

    expect((await remove("ann")).status).toBe(204)
    expect((await get("/users/ann")).status).toBe(404)
    expect((await remove("ann")).status).toBe(404)
    expect((await forge.call(ann, "GET /user")).status).toBe(401)
    expect((await forge.call(`token ${token}`, "GET /user")).status).toBe(401)
    expect((await get("/users/bob")).body).toMatchObject({ followers_count: 0, following_count: 0 })
    expect((await get("/repos/bob/box")).body).toMatchObject({ stars_count: 0, watchers_count: 1 })
    expect((await get("/admin/emails/search?q=ann@example.com")).body).toEqual([])
    await forge.person("ann")
  })

  test("refuses users who own repositories or belong to an organisation", async () => {
    expect(await remove("bob")).toMatchObject({ status: 422, body: { message: expect.stringContaining("repositories") } })
    const cem = await forge.person("cem")
    await forge.call(cem, "POST /orgs", { username: "guild" })
    expect(await remove("cem")).toMatchObject({ status: 422, body: { message: expect.stringContaining("guild") } })
    expect((await forge.call(cem, "GET /user")).status).toBe(200)
  })

  test("with purge deletes repositories, memberships, and organisations without another owner", async () => {
    const dan = await forge.person("dan")
    await forge.call(dan, "POST /user/repos", { name: "own" })
    await forge.call(dan, "POST /orgs", { username: "alone" })
    expect((await forge.call(dan, "POST /orgs/alone/repos", { name: "site" })).status).toBe(201)
    await forge.call(dan, "POST /orgs", { username: "shared" })
    const [owners] = (await forge.call(dan, "GET /orgs/shared/teams")).body
    await forge.call(dan, `PUT /teams/${owners.id}/members/bob`)

    expect((await remove("dan", "?purge=true")).status).toBe(204)
    for (const path of ["/users/dan", "/repos/dan/own", "/orgs/alone", "/repos/alone/site"]) expect((await get(path)).status).toBe(404)
    expect((await get(`/teams/${owners.id}/members`)).body).toMatchObject([{ login: "bob" }])
  })

  test("refuses organisations, oneself, and callers who are no administrators", async () => {
    expect(await remove("guild")).toMatchObject({ status: 422, body: { message: expect.stringContaining("organization") } })
    expect(await remove("root")).toMatchObject({ status: 422, body: { message: expect.stringContaining("yourself") } })
    expect((await forge.call(bob, "DELETE /admin/users/bob")).status).toBe(403)
    expect((await forge.call(undefined, "DELETE /admin/users/bob")).status).toBe(401)
  })

  test("refuses the last administrator, also where another one acts for someone else", async () => {
    await forge.person("eve")
    await forge.call(forge.root, "PATCH /admin/users/eve", { login_name: "eve", admin: true })
    const eve = basic("eve", "pass-word-1")
    await forge.call(eve, "PATCH /admin/users/root", { login_name: "root", prohibit_login: true })
    expect(await forge.call(eve, "DELETE /admin/users/eve?sudo=eve")).toMatchObject({ status: 422 })
    expect((await forge.call(eve, "DELETE /admin/users/root")).status).toBe(204)
  })
})
