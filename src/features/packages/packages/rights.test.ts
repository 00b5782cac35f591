import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { send as sendTo } from "../../../../tests/support/http.ts"
import { type Organization, openCheckedWorld, type Person } from "../../../../tests/support/world.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { send } from "../testing.ts"

withWorld("rights on packages", { open: openCheckedWorld, on: databaseKinds }, ({ test, world }) => {
  let ann: Person
  let ben: Person
  let eve: Person
  test.beforeAll(async () => {
    ann = await world.person()
    ben = await world.person()
    eve = await world.person()
  })

  const status = async (who: Person | undefined, route: string) =>
    (await send(world.hearth, who, route, route.startsWith("PUT") ? { body: "bytes" } : {})).status
  const api = async (who: Person | undefined, route: string, body?: object) => {
    const [method = "", path = ""] = route.split(" ")
    return (await sendTo(world.hearth.url, method, path, { authorization: who?.authorization, body })).status
  }
  const names = async (who: Person, owner: string) =>
    (await world.must<readonly { name: string }[]>(who, `GET /packages/${owner}`)).map(({ name }) => name).toSorted()
  const edit = (who: Person, route: string, body: object) => world.must(who, route, body)
  const tokenOf = async ({ id }: Person, ...scopes: readonly string[]): Promise<Person> => {
    const { database, now } = world.hearth.services
    const made = await database.write((tx) => createToken(tx, { userId: id, name: world.unique("token"), scopes, now: now() }))
    return { id, name: "", basic: "", authorization: `Bearer ${made.token}` }
  }

  test("of a person: all of their own, to read where the person is shown", async () => {
    const file = `${ann.name}/generic/own/1/a`
    expect(await status(ann, `PUT ${file}`)).toBe(201)
    const seen = async () => [await status(undefined, `GET ${file}`), await status(ben, `GET ${file}`), await status(ann, `GET ${file}`)]
    const listed = async () => [await api(undefined, `GET /packages/${ann.name}`), await api(ben, `GET /packages/${ann.name}`)]
    expect([await seen(), await listed()]).toEqual([
      [200, 200, 200],
      [401, 200],
    ])
    const show = (visibility: string) =>
      world.must("root", `PATCH /admin/users/${ann.name}`, { visibility, login_name: ann.name, source_id: 0 })
    await show("limited")
    expect([await seen(), await listed()]).toEqual([
      [401, 200, 200],
      [401, 200],
    ])
    await show("private")
    expect([await seen(), await listed()]).toEqual([
      [401, 404, 200],
      [401, 404],
    ])
    expect([await status(ben, "PUT nobody-here/generic/own/1/a"), await status(ben, `PUT ${file}`)]).toEqual([404, 404])
    expect([await status(undefined, "GET nobody-here/generic/own/1/a"), await status(undefined, `PUT ${file}`)]).toEqual([401, 401])
    await show("public")
  })

  test("of an organisation: as the packages unit of its teams says", async () => {
    const org = await world.organization(ann)
    const join = async (person: Person, units: object): Promise<void> => {
      const team = await world.team(org, { units_map: units })
      await world.must(ann, `PUT /teams/${team.id}/members/${person.name}`)
    }
    await join(ben, { "repo.packages": "write" })
    await join(eve, { "repo.packages": "read" })
    const file = `${org.name}/generic/ours/1/a`
    expect(await status(eve, `PUT ${file}`)).toBe(403)
    expect(await status(ben, `PUT ${file}`)).toBe(201)
    await edit(ann, `PATCH /orgs/${org.name}`, { visibility: "private" })
    const stranger = await world.person()
    for (const [who, expected] of [
      [ann, 200],
      [ben, 200],
      [eve, 200],
      [stranger, 404],
      [undefined, 401],
    ] as const)
      expect(await status(who, `GET ${file}`)).toBe(expected)
    expect(await api(eve, `DELETE /packages/${org.name}/generic/ours`)).toBe(403)
    expect(await api(stranger, `DELETE /packages/${org.name}/generic/ours`)).toBe(404)
    expect(await api(ben, `DELETE /packages/${org.name}/generic/ours`)).toBe(204)
  })

  test("of tokens: the scope is asked for, and what is limited to public things sees only that", async () => {
    const file = `${ben.name}/generic/scoped/1/a`
    const reads = await tokenOf(ben, "read:package")
    const none = await tokenOf(ben, "read:repository")
    const refused = await send(world.hearth, reads, `PUT ${file}`, { body: "x" })
    expect([refused.status, refused.headers.get("www-authenticate"), refused.text]).toEqual([
      403,
      'Bearer realm="packages", error="insufficient_scope", scope="write:package"',
      "the token lacks the scope write:package\n",
    ])
    expect(await status(await tokenOf(ben, "write:package"), `PUT ${file}`)).toBe(201)
    expect(await status(reads, `GET ${file}`)).toBe(200)
    expect(await status(none, `GET ${file}`)).toBe(403)
    expect(await api(none, `GET /packages/${ben.name}`)).toBe(403)

    const secret = await world.repository(ben, { private: true })
    await world.must(ben, `POST /packages/${ben.name}/generic/scoped/-/link/${secret.repo}`)
    const narrow = await tokenOf(ben, "read:package", "public-only")
    expect([await status(reads, `GET ${file}`), await status(narrow, `GET ${file}`)]).toEqual([200, 404])
    expect(await names(narrow, ben.name)).toEqual([])
    await world.must(ben, `DELETE /packages/${ben.name}/generic/scoped`)
  })

  test("of a package of a private repository: only for those who may read the repository's packages", async () => {
    const org = await world.organization(ann)
    const secret = await world.repository(org, { private: true })
    const member = await world.person()
    const reader = await world.person()
    const team = await world.team(org, { units_map: { "repo.packages": "write" } })
    await world.must(ann, `PUT /teams/${team.id}/members/${member.name}`)
    await world.must(ann, `PUT /repos/${org.name}/${secret.repo}/collaborators/${reader.name}`, { permission: "read" })
    for (const name of ["hidden", "open"]) await status(ann, `PUT ${org.name}/generic/${name}/1/a`)
    await world.must(ann, `POST /packages/${org.name}/generic/hidden/-/link/${secret.repo}`)
    const seen = (who: Person | undefined) => status(who, `GET ${org.name}/generic/hidden/1/a`)
    expect([await seen(ann), await seen(reader), await seen(member), await seen(eve), await seen(undefined)]).toEqual([
      200, 200, 404, 404, 404,
    ])
    expect([await names(ann, org.name), await names(reader, org.name), await names(eve, org.name)]).toEqual([
      ["hidden", "open"],
      ["hidden", "open"],
      ["open"],
    ])
    // Who may write to the other packages learns that the name is taken, and no more.
    expect(await status(member, `PUT ${org.name}/generic/hidden/2/a`)).toBe(403)
    expect(await api(member, `DELETE /packages/${org.name}/generic/hidden`)).toBe(404)

    const open = await world.repository(org)
    await edit(ann, `PATCH /repos/${org.name}/${open.repo}`, { has_packages: false })
    await world.must(ann, `POST /packages/${org.name}/generic/open/-/link/${open.repo}`)
    expect(await names(eve, org.name)).toEqual(["open"])
    await edit(ann, `PATCH /repos/${org.name}/${open.repo}`, { private: true })
    expect(await names(eve, org.name)).toEqual([])
    // The unit that is switched off hides them from all but the owners.
    expect([await names(reader, org.name), await names(ann, org.name)]).toEqual([["hidden"], ["hidden", "open"]])
  })

  test("what was linked to a private repository does not become public when the link ends", async () => {
    const org: Organization = await world.organization(ann)
    const member = await world.person()
    const team = await world.team(org)
    await world.must(ann, `PUT /teams/${team.id}/members/${member.name}`)
    const outcomes: Record<string, readonly number[]> = {}
    const seen = async (name: string) => {
      const get = (who: Person | undefined) => status(who, `GET ${org.name}/generic/${name}/1/a`)
      outcomes[name] = [await get(ann), await get(member), await get(eve), await get(undefined)]
    }
    for (const [name, hidden] of [
      ["unlinked", true],
      ["deleted", true],
      ["given", true],
      ["plain", false],
    ] as const) {
      const { repo } = await world.repository(org, { private: hidden })
      await status(ann, `PUT ${org.name}/generic/${name}/1/a`)
      await world.must(ann, `POST /packages/${org.name}/generic/${name}/-/link/${repo}`)
      if (name === "given") await world.must(ann, `POST /repos/${org.name}/${repo}/transfer`, { new_owner: ann.name })
      else if (name === "unlinked") await world.must(ann, `POST /packages/${org.name}/generic/${name}/-/unlink`)
      else await world.must(ann, `DELETE /repos/${org.name}/${repo}`)
      await seen(name)
      const { repository } = await world.must<{ repository: unknown }>(ann, `GET /packages/${org.name}/generic/${name}/1`)
      expect(repository).toBeNull()
    }
    const kept = [200, 200, 404, 404]
    expect(outcomes).toEqual({ unlinked: kept, deleted: kept, given: kept, plain: [200, 200, 200, 200] })
  })

  test("what became restricted by the end of a link is opened again, whatever its kind, by those who may write", async () => {
    const { repo } = await world.repository(ann, { private: true })
    const name = world.unique("freed")
    await status(ann, `PUT ${ann.name}/generic/${name}/1/a`)
    await world.must(ann, `POST /packages/${ann.name}/generic/${name}/-/link/${repo}`)
    await world.must(ann, `POST /packages/${ann.name}/generic/${name}/-/unlink`)
    const get = (who?: Person) => status(who, `GET ${ann.name}/generic/${name}/1/a`)
    const set = (who: Person, access: string) => api(who, `PUT /packages/${ann.name}/generic/${name}/-/access`, { access })
    expect([await get(eve), await set(eve, "public"), await set(ann, "open"), await set(ann, "public"), await get(eve)]).toEqual([
      404, 403, 422, 204, 200,
    ])
    expect([await set(ann, "public"), await set(ann, "restricted"), await get(eve), await get(ann)]).toEqual([204, 204, 404, 200])
    expect(await api(ann, `PUT /packages/${ann.name}/generic/none/-/access`, { access: "public" })).toBe(404)
  })

  test("links: to the owner's repositories, once, and away again by those who own them", async () => {
    const org = await world.organization(ann)
    const writer = await world.person()
    const { repo } = await world.repository(org)
    const { repo: other } = await world.repository(ann)
    const team = await world.team(org, { units_map: { "repo.packages": "write" }, includes_all_repositories: true })
    await world.must(ann, `PUT /teams/${team.id}/members/${writer.name}`)
    await status(writer, `PUT ${org.name}/generic/linked/1/a`)
    const link = (who: Person, name: string) => api(who, `POST /packages/${org.name}/generic/linked/-/link/${name}`)
    const unlink = (who: Person) => api(who, `POST /packages/${org.name}/generic/linked/-/unlink`)
    expect([await link(ann, other), await link(ann, "none"), await unlink(ann), await link(eve, repo)]).toEqual([404, 404, 400, 403])
    expect([await link(writer, repo), await link(writer, repo), await unlink(writer), await unlink(ann)]).toEqual([201, 400, 403, 204])
  })

  test("an owner that is renamed keeps them, and old addresses lead there", async () => {
    const org = await world.organization(ann)
    await status(ann, `PUT ${org.name}/generic/kept/1/a`)
    const name = world.unique("renamed")
    await world.must(ann, `POST /orgs/${org.name}/rename`, { new_name: name })
    expect(await status(undefined, `GET ${name}/generic/kept/1/a`)).toBe(200)
    const old = await send(world.hearth, undefined, `GET ${org.name}/generic/kept/1/a`)
    expect([old.status, old.headers.get("location")]).toEqual([307, `/api/packages/${name}/generic/kept/1/a`])
    expect(await names(ben, name)).toEqual(["kept"])
  })

  test("an owner of packages is not deleted by the way, and with purge they go", async () => {
    const org = await world.organization(ann)
    const person = await world.person()
    await status(ann, `PUT ${org.name}/generic/kept/1/a`)
    expect(await api(ann, `DELETE /orgs/${org.name}`)).toBe(422)
    await world.must(ann, `DELETE /packages/${org.name}/generic/kept`)
    expect(await api(ann, `DELETE /orgs/${org.name}`)).toBe(204)
    await status(person, `PUT ${person.name}/generic/kept/1/a`)
    const remove = async (query: string) =>
      (await sendTo(world.hearth.url, "DELETE", `/admin/users/${person.name}${query}`, { authorization: world.root })).status
    expect([await remove(""), await remove("?purge=true")]).toEqual([422, 204])
    const { read } = world.hearth.services.database
    expect(await read.selectFrom("packages").select("id").where("owner_id", "=", person.id).execute()).toEqual([])
  })
})
