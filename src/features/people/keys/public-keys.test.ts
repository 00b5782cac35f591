import { afterAll, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { type KeyFolder, openKeyFolder } from "./ssh/testing.ts"

withHearth("keys of people", { people: ["ann", "ben", { name: "cal", visibility: "private" }] }, ({ test, forge, ann, ben, cal }) => {
  let keys: KeyFolder
  test.beforeAll(async () => {
    keys = await openKeyFolder()
  })
  afterAll(() => keys.close())

  const line = async () => (await keys.make("ed25519")).line
  const add = async (caller: Caller, title: string, key?: string, to = "/user/keys") =>
    forge.call(caller, `POST ${to}`, { title, key: key ?? (await line()) })

  test("are added, read, listed a page at a time, found by fingerprint, and removed", async () => {
    const made = await keys.make("ed25519")
    const { status, body } = await add(ann, " laptop ", made.line)
    expect(status).toBe(201)
    expect(body).toMatchObject({ title: "laptop", key: made.line, fingerprint: made.fingerprint, key_type: "user", user: { login: "ann" } })
    expect(body.last_used_at).toBe(body.created_at)
    expect(body.url).toBe(`${forge.hearth.url}/api/v1/user/keys/${body.id}`)
    await add(ann, "desktop")

    const list = await forge.call(ann, "GET /user/keys?limit=1&page=2")
    expect(list.body.map(({ title }: { title: string }) => title)).toEqual(["desktop"])
    expect(list.headers.get("x-total-count")).toBe("2")
    const found = await forge.call(ann, `GET /user/keys?fingerprint=${encodeURIComponent(made.fingerprint)}`)
    expect(found.body.map(({ title }: { title: string }) => title)).toEqual(["laptop"])
    expect((await forge.call(ann, `GET /user/keys/${body.id}`)).body).toEqual(body)

    expect((await forge.call(ben, `DELETE /user/keys/${body.id}`)).status).toBe(403)
    expect((await forge.call(ann, `DELETE /user/keys/${body.id}`)).status).toBe(204)
    expect((await forge.call(ann, `DELETE /user/keys/${body.id}`)).status).toBe(404)
    expect((await forge.call(ann, `GET /user/keys/${body.id}`)).status).toBe(404)
  })

  test("say whether they are read-only, however they are asked for", async () => {
    for (const [caller, to] of [
      [ben, "/user/keys"],
      [forge.root, "/admin/users/ben/keys"],
    ] as const)
      for (const wanted of [true, false, undefined]) {
        const title = `${to} ${wanted}`
        const { status, body } = await forge.call(caller, `POST ${to}`, { title, key: await line(), read_only: wanted })
        expect([status, body.read_only]).toEqual([201, wanted ?? false])
        expect((await forge.call(ben, `GET /user/keys/${body.id}`)).body.read_only).toBe(wanted ?? false)
        for (const list of ["/user/keys", "/users/ben/keys"])
          expect((await forge.call(ben, `GET ${list}`)).body).toContainEqual(expect.objectContaining({ title, read_only: wanted ?? false }))
      }
    expect((await forge.call(ben, "POST /user/keys", { title: "odd", key: await line(), read_only: "yes" })).status).toBe(422)
  })

  test("of others are read without what is only for them, and not at all where they hide", async () => {
    const mine = (await add(ann, "shown")).body
    const hidden = (await add(cal, "hidden")).body
    const seen = (await forge.call(ben, `GET /user/keys/${mine.id}`)).body
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(["user"]))
    expect(seen.key).toBe(mine.key)
    expect((await forge.call(ben, "GET /users/ann/keys")).body).toContainEqual(seen)
    expect((await forge.call(forge.root, "GET /users/ann/keys")).body).toContainEqual(expect.objectContaining({ key_type: "user" }))
    expect((await forge.call(ben, `GET /user/keys/${hidden.id}`)).status).toBe(404)
    expect((await forge.call(ben, "GET /users/cal/keys")).status).toBe(404)
    expect((await forge.call(undefined, "GET /users/ann/keys")).status).toBe(401)
  })

  test("are one of a kind on the whole site, titles on an account", async () => {
    const key = await line()
    expect((await add(ann, "one of a kind", key)).status).toBe(201)
    for (const caller of [ann, ben]) {
      const { status, body } = await add(caller, "again", `${key} with another comment`)
      expect([status, body.message]).toEqual([422, "[key]: this key is in use here already"])
    }
    expect((await add(ann, "one of a kind")).body.message).toMatch(/^\[title\]: /)
    expect((await add(ben, "one of a kind")).status).toBe(201)
  })

  test("two people who add the same key at once: one gets it", async () => {
    const key = await line()
    const answers = await Promise.all([add(ann, "race", key), add(ben, "race", key)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  })

  test.each([
    ["no title", { key: "ssh-ed25519 AAAA" }, "title"],
    ["a blank title", { title: "  ", key: "ssh-ed25519 AAAA" }, "title"],
    ["no key", { title: "x" }, "key"],
    ["a private key", { title: "x", key: "-----BEGIN RSA PRIVATE KEY-----" }, "key"],
    ["nonsense", { title: "x", key: "ssh-ed25519 AAAA" }, "key"],
  ])("are refused with %s", async (_name, body, field) => {
    const answer = await forge.call(ann, "POST /user/keys", body)
    expect(answer.status).toBe(422)
    expect(answer.body.message).toMatch(new RegExp(`^\\[${field}\\]: `))
  })

  test("are added and removed for others by administrators of the site", async () => {
    const { status, body } = await add(forge.root, "from above", undefined, "/admin/users/ben/keys")
    expect(status).toBe(201)
    expect(body.user.login).toBe("ben")
    expect((await forge.call(forge.root, `DELETE /admin/users/ann/keys/${body.id}`)).status).toBe(403)
    expect((await add(ann, "x", undefined, "/admin/users/ben/keys")).status).toBe(403)
    expect((await forge.call(ann, `DELETE /admin/users/ben/keys/${body.id}`)).status).toBe(403)
    expect((await add(forge.root, "x", undefined, "/admin/users/nobody/keys")).status).toBe(404)
    expect((await forge.call(forge.root, `DELETE /admin/users/ben/keys/${body.id}`)).status).toBe(204)
    await forge.call(ann, "POST /orgs", { username: "crew" })
    expect((await add(forge.root, "x", undefined, "/admin/users/crew/keys")).body.message).toMatch(/^\[username\]: /)
  })

  test("go with the account, and are free again", async () => {
    const dan = await forge.person("dan")
    const key = await line()
    expect((await add(dan, "mine", key)).status).toBe(201)
    expect((await forge.call(forge.root, "DELETE /admin/users/dan")).status).toBe(204)
    expect((await add(ann, "was dan's", key)).status).toBe(201)
  })
})
