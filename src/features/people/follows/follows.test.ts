import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

const people = ["ann", "ben", { name: "ned", visibility: "private" }] as const

withHearth("following", { people, on: databaseKinds }, ({ test, forge, ann, ben, ned }) => {
  const status = async (caller: Caller, route: string) => (await forge.call(caller, route)).status
  const names = async (caller: Caller, path: string) => {
    const { body, headers } = await forge.call(caller, `GET ${path}`)
    expect(headers.get("x-total-count")).toBe(String(body.length))
    return body.map((user: { login: string }) => user.login)
  }
  const counters = async (name: string) => {
    const { body } = await forge.call(forge.root, `GET /users/${name}`)
    return [body.followers_count, body.following_count]
  }

  test("following twice, and oneself, changes nothing more", async () => {
    for (const target of ["ann", "ann", "ben"]) expect(await status(ben, `PUT /user/following/${target}`)).toBe(204)
    expect(await names(ann, "/user/followers")).toEqual(["ben"])
    expect(await names(ben, "/user/following")).toEqual(["ann"])
    expect(await counters("ann")).toEqual([1, 0])
    expect(await counters("ben")).toEqual([0, 1])
  })

  test("whether a user follows another can be checked", async () => {
    expect(await status(ben, "GET /user/following/ann")).toBe(204)
    expect(await status(ann, "GET /user/following/ben")).toBe(404)
    expect(await status(ann, "GET /users/ben/following/ann")).toBe(204)
    expect(await status(ann, "GET /users/ben/following/nobody")).toBe(404)
  })

  test("a private follower is shown to the users they follow, and to administrators", async () => {
    await forge.call(ned, "PUT /user/following/ann")
    expect(await names(ben, "/users/ann/followers")).toEqual(["ben"])
    expect(await names(ann, "/users/ann/followers")).toEqual(["ben", "ned"])
    expect(await names(forge.root, "/users/ann/followers")).toEqual(["ben", "ned"])
    expect(await counters("ann")).toEqual([2, 0])
  })

  test("organisations can be followed, and can't follow", async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    expect(await status(ben, "PUT /user/following/guild")).toBe(204)
    expect(await names(ben, "/users/ben/following")).toEqual(["ann", "guild"])
    expect(await names(ben, "/users/guild/followers")).toEqual(["ben"])
    expect(await names(ben, "/users/guild/following")).toEqual([])
  })

  test("ends, whether there was any or not", async () => {
    for (const _ of [1, 2]) expect(await status(ben, "DELETE /user/following/ann")).toBe(204)
    expect(await names(ann, "/user/followers")).toEqual(["ned"])
    expect(await counters("ann")).toEqual([1, 0])
    expect(await counters("ben")).toEqual([0, 1])
  })

  test("counters hold when many follow at once", async () => {
    await forge.person("star")
    const fans = await Promise.all(["f1", "f2", "f3", "f4"].map((name) => forge.person(name)))
    await Promise.all(fans.map((fan) => forge.call(fan, "PUT /user/following/star")))
    expect(await counters("star")).toEqual([4, 0])
  })

  test("refuses anonymous callers and unknown names", async () => {
    for (const route of ["GET /user/followers", "GET /users/ann/followers", "PUT /user/following/ann", "GET /users/nobody/followers"])
      expect(await status(undefined, route)).toBe(401)
    for (const route of ["GET /users/nobody/followers", "PUT /user/following/nobody", "DELETE /user/following/nobody"])
      expect(await status(ben, route)).toBe(404)
  })

  test("refuses blocked users in either direction, but no administrator", async () => {
    await forge.call(ben, "PUT /user/following/ann")
    await forge.call(ann, "PUT /user/blocks/ben")
    expect(await status(ben, "PUT /user/following/ann")).toBe(403)
    expect(await status(ann, "PUT /user/following/ben")).toBe(403)
    await forge.call(ann, "PUT /user/blocks/root")
    expect(await status(forge.root, "PUT /user/following/ann")).toBe(204)
  })
})
