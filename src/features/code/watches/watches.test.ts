import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

withHearth("watches", { people: ["ann", "ben"], on: databaseKinds }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    for (const name of ["open", "more"]) await forge.call(ann, "POST /user/repos", { name })
    await forge.call(ann, "POST /user/repos", { name: "hush", private: true })
  })

  const status = async (caller: Caller, route: string) => (await forge.call(caller, route)).status
  const list = async (caller: Caller, route: string) => {
    const { body, headers } = await forge.call(caller, route)
    return {
      names: body.map((record: { name?: string; login?: string }) => record.name ?? record.login),
      total: headers.get("x-total-count"),
    }
  }
  const watchers = async (repository: string): Promise<number> =>
    (await forge.call(forge.root, `GET /repos/ann/${repository}`)).body.watchers_count
  const rows = async (repository: string) => {
    const { id } = (await forge.call(forge.root, `GET /repos/ann/${repository}`)).body
    const { read } = forge.hearth.services.database
    return {
      modes: (await read.selectFrom("watches").select("mode").where("repository_id", "=", id).orderBy("user_id").execute()).map(
        ({ mode }) => mode,
      ),
      told: (await read.selectFrom("activities").select("id").where("repository_id", "=", id).where("op_type", "=", "watch_repo").execute())
        .length,
    }
  }

  test("begin once, are told to the feed once, and end", async () => {
    expect(await status(ben, "GET /repos/ann/open/subscription")).toBe(404)
    const { body: repository } = await forge.call(ben, "GET /repos/ann/open")
    const info = {
      subscribed: true,
      ignored: false,
      reason: null,
      created_at: repository.created_at,
      url: `${repository.url}/subscription`,
      repository_url: repository.url,
    }
    for (const _ of [1, 2]) expect(await forge.call(ben, "PUT /repos/ann/open/subscription")).toMatchObject({ status: 200, body: info })
    expect((await forge.call(ben, "GET /repos/ann/open/subscription")).body).toEqual(info)
    expect(await watchers("open")).toBe(2)
    // The user who watches, and the watching owner.
    expect((await rows("open")).told).toBe(2)
    expect(await list(undefined, "GET /repos/ann/open/subscribers")).toEqual({ names: ["ann", "ben"], total: "2" })

    for (const _ of [1, 2]) expect(await status(ben, "DELETE /repos/ann/open/subscription")).toBe(204)
    expect(await watchers("open")).toBe(1)
    expect(await rows("open")).toMatchObject({ modes: ["automatic"] })
  })

  test("added automatically are declined when they are ended, and started again on request", async () => {
    expect(await status(ann, "DELETE /repos/ann/more/subscription")).toBe(204)
    expect(await rows("more")).toEqual({ modes: ["declined"], told: 0 })
    expect(await watchers("more")).toBe(0)
    expect(await status(ann, "GET /repos/ann/more/subscription")).toBe(404)
    expect(await list(ann, "GET /repos/ann/more/subscribers")).toEqual({ names: [], total: "0" })
    expect((await list(ann, "GET /user/subscriptions")).names).not.toContain("more")

    expect(await status(ann, "PUT /repos/ann/more/subscription")).toBe(200)
    expect(await rows("more")).toEqual({ modes: ["normal"], told: 1 })
    expect(await watchers("more")).toBe(1)
  })

  test("added automatically become explicit without an entry in the feed", async () => {
    expect(await status(ann, "PUT /repos/ann/open/subscription")).toBe(200)
    expect(await rows("open")).toEqual({ modes: ["normal"], told: 2 })
    expect(await watchers("open")).toBe(1)
  })

  test("are listed for oneself, and for others as far as they are open to all", async () => {
    await forge.call(ann, "PUT /repos/ann/hush/collaborators/ben", { permission: "read" })
    for (const name of ["hush", "open"]) expect(await status(ben, `PUT /repos/ann/${name}/subscription`)).toBe(200)
    expect(await list(ben, "GET /user/subscriptions")).toEqual({ names: ["open", "hush"], total: "2" })
    expect(await list(ben, "GET /users/ben/subscriptions?limit=1&page=2")).toEqual({ names: ["hush"], total: "2" })
    for (const caller of [ann, forge.root])
      expect(await list(caller, "GET /users/ben/subscriptions")).toEqual({ names: ["open"], total: "1" })
    // The permissions are those of the user whose list it is.
    expect((await forge.call(ben, "GET /users/ann/subscriptions")).body[0].permissions).toEqual({ admin: true, push: true, pull: true })
  })

  test("end with the loss of access, and stay where some remains", async () => {
    await forge.call(ann, "PUT /repos/ann/open/collaborators/ben", { permission: "write" })
    for (const name of ["hush", "open"]) expect(await status(ann, `DELETE /repos/ann/${name}/collaborators/ben`)).toBe(204)
    expect(await list(ben, "GET /user/subscriptions")).toEqual({ names: ["open"], total: "1" })
    expect(await rows("hush")).toMatchObject({ modes: ["automatic"] })
    expect(await watchers("hush")).toBe(1)
    expect(await watchers("open")).toBe(2)
  })

  test("show who watches, but not those who hide", async () => {
    const cal = await forge.person("cal", { visibility: "private" })
    expect(await status(cal, "PUT /repos/ann/more/subscription")).toBe(200)
    expect(await list(ben, "GET /repos/ann/more/subscribers")).toEqual({ names: ["ann"], total: "1" })
    expect(await list(cal, "GET /repos/ann/more/subscribers")).toEqual({ names: ["ann", "cal"], total: "2" })
    expect(await status(ben, "GET /users/cal/subscriptions")).toBe(404)
  })

  test("begin on an archived repository too", async () => {
    await forge.call(ann, "PATCH /repos/ann/more", { archived: true })
    expect(await status(ben, "PUT /repos/ann/more/subscription")).toBe(200)
    expect(await status(ben, "DELETE /repos/ann/more/subscription")).toBe(204)
  })

  test("are refused to those who are blocked, on what is hidden or missing, and without signing in", async () => {
    const dan = await forge.person("dan")
    await forge.call(ann, "PUT /user/blocks/dan")
    expect(await forge.call(dan, "PUT /repos/ann/open/subscription")).toMatchObject({ status: 403, body: { message: "user is blocked" } })
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect(await status(dan, `${method} /repos/ann/hush/subscription`)).toBe(404)
      expect(await status(dan, `${method} /repos/ann/none/subscription`)).toBe(404)
      expect(await status(undefined, `${method} /repos/ann/open/subscription`)).toBe(401)
    }
    expect(await status(dan, "GET /repos/ann/hush/subscribers")).toBe(404)
    expect(await status(dan, "GET /users/nobody/subscriptions")).toBe(404)
    expect(await status(undefined, "GET /users/ben/subscriptions")).toBe(401)
    expect(await status(undefined, "GET /user/subscriptions")).toBe(401)
  })
})
