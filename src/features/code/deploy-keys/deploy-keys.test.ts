import { afterAll, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { type KeyFolder, openKeyFolder } from "../../people/keys/ssh/testing.ts"

withHearth("keys of repositories", { people: ["ann", "ben"], on: databaseKinds }, ({ test, forge, ann, ben }) => {
  let keys: KeyFolder
  test.beforeAll(async () => {
    keys = await openKeyFolder()
    for (const name of ["one", "two", "gone"]) await forge.call(ann, "POST /user/repos", { name })
    await forge.call(ann, "POST /user/repos", { name: "hidden", private: true })
  })
  afterAll(() => keys.close())

  const line = async () => (await keys.make("ed25519")).line
  const add = (repository: string, title: string, key: string, more: object = {}, caller: Caller = ann) =>
    forge.call(caller, `POST /repos/ann/${repository}/keys`, { title, key, ...more })

  test("are added, read, listed and found, and removed", async () => {
    const made = await keys.make("ed25519")
    const { status, body } = await add("one", "builder", made.line, { read_only: true })
    expect(status).toBe(201)
    expect(body).toMatchObject({ title: "builder", key: made.line, fingerprint: made.fingerprint, read_only: true })
    expect(body.repository.full_name).toBe("ann/one")
    expect(body.url).toBe(`${forge.hearth.url}/api/v1/repos/ann/one/keys/${body.id}`)
    expect((await forge.call(ann, `GET /repos/ann/one/keys/${body.id}`)).body).toEqual(body)
    expect((await forge.call(ann, `GET /repos/ann/two/keys/${body.id}`)).status).toBe(404)

    await add("one", "deployer", await line())
    const titles = async (query: string) =>
      (await forge.call(ann, `GET /repos/ann/one/keys${query}`)).body.map(({ title }: { title: string }) => title)
    expect(await titles("")).toEqual(["builder", "deployer"])
    expect(await titles("?limit=1&page=2")).toEqual(["deployer"])
    expect(await titles(`?key_id=${body.key_id}`)).toEqual(["builder"])
    expect(await titles(`?fingerprint=${encodeURIComponent(made.fingerprint)}`)).toEqual(["builder"])
    expect(await titles("?fingerprint=SHA256:x")).toEqual([])

    expect((await forge.call(ann, `DELETE /repos/ann/two/keys/${body.id}`)).status).toBe(403)
    for (const _ of [1, 2]) expect((await forge.call(ann, `DELETE /repos/ann/one/keys/${body.id}`)).status).toBe(204)
    expect(await titles("")).toEqual(["deployer"])
  })

  test("may be the same in several repositories, once in each", async () => {
    const key = await line()
    const one = await add("one", "shared", key)
    const two = await add("two", "shared", key, { read_only: true })
    expect([one.status, two.status]).toEqual([201, 201])
    expect(two.body.key_id).toBe(one.body.key_id)
    expect(two.body.id).not.toBe(one.body.id)
    expect([one.body.read_only, two.body.read_only]).toEqual([false, true])
    expect((await add("two", "again", key)).body.message).toMatch(/^\[key\]: /)
    expect((await add("two", "shared", await line())).body.message).toMatch(/^\[title\]: /)
  })

  test("are never keys of users, nor the other way round, until they are unused", async () => {
    const key = await line()
    expect((await forge.call(ben, "POST /user/keys", { title: "mine", key })).status).toBe(201)
    expect((await add("one", "taken", key)).body.message).toMatch(/^\[key\]: /)

    const other = await line()
    const [first, second] = [await add("one", "kept", other), await add("two", "kept", other)]
    expect((await forge.call(ben, "POST /user/keys", { title: "theirs", key: other })).status).toBe(422)
    await forge.call(ann, `DELETE /repos/ann/one/keys/${first.body.id}`)
    expect((await forge.call(ben, "POST /user/keys", { title: "theirs", key: other })).status).toBe(422)
    await forge.call(ann, `DELETE /repos/ann/two/keys/${second.body.id}`)
    expect((await forge.call(ben, "POST /user/keys", { title: "theirs", key: other })).status).toBe(201)
  })

  test("go with the repository, and are free again", async () => {
    const key = await line()
    expect((await add("gone", "builder", key)).status).toBe(201)
    expect((await forge.call(ann, "DELETE /repos/ann/gone")).status).toBe(204)
    expect((await forge.call(ben, "POST /user/keys", { title: "free", key })).status).toBe(201)
  })

  test("one removed while it is added to another repository stays there", async () => {
    const key = await line()
    const { body } = await add("one", "moving", key)
    const [removed, added] = await Promise.all([forge.call(ann, `DELETE /repos/ann/one/keys/${body.id}`), add("two", "moving", key)])
    expect([removed.status, added.status]).toEqual([204, 201])
    expect((await forge.call(ann, `GET /repos/ann/two/keys/${added.body.id}`)).status).toBe(200)
  })

  test("are for administrators of the repository, and don't repeat it in the record", async () => {
    const key = await line()
    expect((await add("one", "mine", key, {}, ben)).status).toBe(403)
    expect((await add("hidden", "mine", key, {}, ben)).status).toBe(404)
    expect((await forge.call(undefined, "GET /repos/ann/one/keys")).status).toBe(401)
    await forge.call(ann, "PUT /repos/ann/one/collaborators/ben", { permission: "admin" })
    const made = await add("one", "mine", key, {}, ben)
    expect(made.status).toBe(201)
    expect(made.body.repository).toBeUndefined()
  })

  test("are refused where they are none", async () => {
    expect((await add("one", "bad", "ssh-ed25519 AAAA")).body.message).toMatch(/^\[key\]: /)
    expect((await add("one", "", await line())).body.message).toMatch(/^\[title\]: /)
  })
})
