import { expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { UNITS } from "../../../access/modes.ts"
import { type Answer, each, idOf, messageOf, openWorld, type Person } from "../organizations/testing.ts"

/** Teams through the API: creating, changing, showing and deleting them. */
withWorld("teams", { open: openWorld, on: databaseKinds }, ({ test, world }) => {
  let olive: Person
  let anna: Person
  let stranger: Person
  let org: string
  let owners: number

  test.beforeAll(async () => {
    olive = await world.person("olive")
    anna = await world.person("anna")
    stranger = await world.person("stranger")
    org = world.name("org")
    await world.call(olive, "POST /orgs", { username: org })
    owners = Number(each(await world.call(olive, `GET /orgs/${org}/teams`), "id")[0])
    await world.call(olive, `PUT /teams/${await make()}/members/${anna.name}`)
  })

  const post = (body: object, as = olive): Promise<Answer> => world.call(as, `POST /orgs/${org}/teams`, body)
  const make = async (body: object = {}): Promise<number> =>
    idOf(await post({ name: world.name("team"), units_map: { "repo.code": "read" }, ...body }))
  const everyUnit = (mode: string) => Object.fromEntries(UNITS.map((unit) => [unit, mode]))

  test("a new team has what was sent, and is private unless said", async () => {
    const name = world.name("Team")
    const answer = await post({
      name,
      description: "who read",
      units_map: { "repo.wiki": "none", "repo.code": "write", "repo.ext_wiki": "admin" },
    })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        name,
        description: "who read",
        organization: { name: org },
        permission: "none",
        units: ["repo.code", "repo.wiki", "repo.ext_wiki"],
        units_map: { "repo.code": "write", "repo.wiki": "none", "repo.ext_wiki": "read" },
        includes_all_repositories: false,
        can_create_org_repo: false,
        visibility: "private",
      },
    })
  })

  test("a team of administrators has every unit", async () => {
    expect((await post({ name: world.name("team"), permission: "admin", visibility: "" })).body).toMatchObject({
      permission: "admin",
      units: UNITS,
      units_map: everyUnit("admin"),
    })
  })

  const units_map = { "repo.code": "read" }
  test.each([
    ["the name of another team, in other letters", () => ({ name: "OWNERS", units_map }), "name"],
    ["a reserved name", () => ({ name: "New", units_map }), "name"],
    ["no name", () => ({ units_map }), "name"],
    ["a name with a blank", () => ({ name: "two words", units_map }), "name"],
    ["an unknown visibility", () => ({ name: world.name("t"), units_map, visibility: "secret" }), "visibility"],
    ["no units", () => ({ name: world.name("t"), permission: "write" }), "units_map"],
    ["an empty list of units", () => ({ name: world.name("t"), units: [] }), "units_map"],
    ["an unknown unit", () => ({ name: world.name("t"), units_map: { "repo.cellar": "read" } }), "units_map"],
    ["an unknown older unit", () => ({ name: world.name("t"), units: ["repo.cellar"] }), "units"],
    ["an unknown mode", () => ({ name: world.name("t"), units_map: { "repo.code": "some" } }), "units_map.repo.code"],
    ["owning a unit", () => ({ name: world.name("t"), units_map: { "repo.code": "owner" } }), "units_map.repo.code"],
    ["an unknown permission", () => ({ name: world.name("t"), units_map, permission: "some" }), "permission"],
    ["a second owning team", () => ({ name: world.name("t"), units_map, permission: "owner" }), "permission"],
  ])("%s is refused by its field", async (_what, body, field) => {
    const answer = await post(body())
    expect(answer.status).toBe(422)
    expect(messageOf(answer)).toContain(`[${field}`)
  })

  test("only owners and the site administrator make, change and delete", async () => {
    const id = await make()
    for (const [as, status] of [
      [anna, 403],
      [stranger, 403],
      [undefined, 401],
    ] as const) {
      expect((await world.call(as, `POST /orgs/${org}/teams`, { name: world.name("t"), units_map })).status).toBe(status)
      expect((await world.call(as, `PATCH /teams/${id}`, { description: "x" })).status).toBe(status)
      expect((await world.call(as, `DELETE /teams/${id}`)).status).toBe(status)
    }
    expect((await world.call(world.root, `PATCH /teams/${id}`, { description: "by the administrator" })).status).toBe(200)
    expect((await world.call(world.root, `DELETE /teams/${id}`)).status).toBe(204)
    expect((await world.call(olive, `GET /teams/${id}`)).status).toBe(404)
  })

  test("an edit changes what is sent and nothing else", async () => {
    const id = await make({ description: "before", can_create_org_repo: true })
    const name = world.name("Renamed")
    const edited = await world.call(olive, `PATCH /teams/${id}`, { name, visibility: "limited" })
    const expected = { name, description: "before", visibility: "limited", can_create_org_repo: true, units_map }
    expect(edited).toMatchObject({ status: 200, body: { ...expected, organization: null } })
    expect((await world.call(olive, `PATCH /teams/${id}`, { units_map: { "repo.pulls": "write" }, visibility: "" })).body).toMatchObject({
      ...expected,
      units_map: { "repo.pulls": "write" },
    })
    // A record may be sent back as it was read.
    const { body } = await world.call(olive, `GET /teams/${id}`)
    const sentBack = await world.call(olive, `PATCH /teams/${id}`, typeof body === "object" && body !== null ? body : {})
    expect(sentBack).toMatchObject({ status: 200, body: { name, units_map: { "repo.pulls": "write" }, visibility: "limited" } })
    expect((await world.call(olive, `PATCH /teams/${id}`, { name: name.toUpperCase() })).body).toMatchObject({ name: name.toUpperCase() })
  })

  test("an edit is refused what a new team is, and taking administration without naming units", async () => {
    const id = await make()
    const refused = async (body: object) => {
      const answer = await world.call(olive, `PATCH /teams/${id}`, body)
      return [answer.status, messageOf(answer)]
    }
    expect(await refused({ name: "owners" })).toEqual([422, expect.stringContaining("[name]")])
    expect(await refused({ name: "new" })).toEqual([422, expect.stringContaining("[name]")])
    expect(await refused({ name: "a/b" })).toEqual([422, expect.stringContaining("[name]")])
    expect(await refused({ permission: "owner" })).toEqual([422, expect.stringContaining("[permission]")])
    expect(await refused({ units_map: { "repo.cellar": "read" } })).toEqual([422, expect.stringContaining("[units_map")])
    expect((await world.call(olive, `PATCH /teams/${id}`, { permission: "admin" })).body).toMatchObject({ units_map: everyUnit("admin") })
    expect(await refused({ permission: "write" })).toEqual([422, expect.stringContaining("[units_map]")])
    expect((await world.call(olive, `PATCH /teams/${id}`, { permission: "write", units_map })).body).toMatchObject({
      permission: "none",
      units_map,
    })
  })

  test("the owners' team can't be renamed, hidden, demoted or deleted", async () => {
    const changes = [
      { name: "bosses" },
      { visibility: "public" },
      { permission: "admin" },
      { includes_all_repositories: false },
      { can_create_org_repo: false },
      { units_map: { "repo.code": "read" } },
    ]
    for (const change of changes) {
      const answer = await world.call(olive, `PATCH /teams/${owners}`, change)
      expect(answer.status).toBe(422)
      expect(messageOf(answer)).toContain(`[${Object.keys(change)[0]}]`)
    }
    expect((await world.call(olive, `DELETE /teams/${owners}`)).status).toBe(422)
    const { body } = await world.call(olive, `GET /teams/${owners}`)
    const described = { ...(typeof body === "object" ? body : {}), description: "who own" }
    expect(await world.call(olive, `PATCH /teams/${owners}`, described)).toMatchObject({
      status: 200,
      body: { name: "Owners", description: "who own", permission: "owner", visibility: "limited", units_map: everyUnit("owner") },
    })
  })

  test("a team is shown as its visibility says, alone, in the list and in a search", async () => {
    const own = world.name("org")
    await world.call(olive, "POST /orgs", { username: own })
    const member = await world.person("member")
    const ids: Record<string, number> = {}
    for (const visibility of ["public", "limited", "private"])
      ids[visibility] = idOf(await world.call(olive, `POST /orgs/${own}/teams`, { name: visibility, units_map, visibility }))
    const joined = idOf(await world.call(olive, `POST /orgs/${own}/teams`, { name: "joined", units_map }))
    await world.call(olive, `PUT /teams/${joined}/members/${member.name}`)

    const alone = (as: Person | undefined) =>
      Promise.all(
        ["public", "limited", "private"].map(async (visibility) => (await world.call(as, `GET /teams/${ids[visibility]}`)).status),
      )
    expect(await alone(olive)).toEqual([200, 200, 200])
    expect(await alone(world.root)).toEqual([200, 200, 200])
    expect(await alone(member)).toEqual([200, 200, 404])
    expect(await alone(stranger)).toEqual([200, 404, 404])
    expect(await alone(undefined)).toEqual([401, 401, 401])
    expect((await world.call(undefined, "GET /teams/999999999")).status).toBe(404)

    const list = async (as: Person, path = "teams") => each(await world.call(as, `GET /orgs/${own}/${path}`), "name")
    const everything = ["Owners", "joined", "limited", "private", "public"]
    expect(await list(olive)).toEqual(everything)
    expect(await list(world.root)).toEqual(everything)
    expect(await list(member)).toEqual(["Owners", "joined", "limited", "public"])
    expect(await list(stranger)).toEqual(["public"])
    expect((await world.call(undefined, `GET /orgs/${own}/teams`)).status).toBe(401)
    // And so are its members, its repositories and its feed.
    for (const part of ["members", "members/nobody", "repos", `repos/${own}/nothing`, "activities/feeds"]) {
      const statuses = async (as: Person) =>
        Promise.all(["public", "limited", "private"].map(async (name) => (await world.call(as, `GET /teams/${ids[name]}/${part}`)).status))
      const there = part.includes("/n") ? 404 : 200
      expect([part, await statuses(olive)]).toEqual([part, [there, there, there]])
      expect([part, await statuses(member)]).toEqual([part, [there, there, 404]])
      expect([part, await statuses(stranger)]).toEqual([part, [there, 404, 404]])
    }
    expect(await list(olive, "teams/search")).toEqual(everything)
    expect(await list(member, "teams/search")).toEqual(["Owners", "joined", "limited", "public"])
    const found = await world.call(stranger, `GET /orgs/${own}/teams/search`)
    expect(found.body).toMatchObject({ ok: true, data: [{ name: "public" }] })
    expect(found.headers.get("x-total-count")).toBe("1")
    expect((await world.call(undefined, `GET /orgs/${own}/teams/search`)).status).toBe(401)

    // In an organisation that the caller can't see, nothing is found at all.
    await world.call(olive, `PATCH /orgs/${own}`, { visibility: "private" })
    expect(await alone(stranger)).toEqual([404, 404, 404])
    expect((await world.call(stranger, `GET /orgs/${own}/teams/search`)).status).toBe(404)
    expect((await world.call(stranger, `GET /orgs/${own}/teams`)).status).toBe(404)
    expect((await world.call(stranger, `PATCH /teams/${ids["public"]}`, {})).status).toBe(404)
  })

  test("a search looks in names and, unless told otherwise, descriptions", async () => {
    const word = world.name("needle")
    await make({ name: `${word}-a`, description: "x" })
    await make({ name: world.name("other"), description: `ÄRGER ${word}` })
    const found = async (query: string) => each(await world.call(olive, `GET /orgs/${org}/teams/search?${query}`), "description")
    expect(await found(`q=${word.toUpperCase()}`)).toEqual(["x", `ÄRGER ${word}`])
    expect(await found(`q=${word}&include_desc=false`)).toEqual(["x"])
    expect(await found("q=%C3%A4rger")).toEqual([`ÄRGER ${word}`])
    expect(await found("q=%25")).toEqual([])
  })

  test("the caller's teams come with their organisations", async () => {
    const own = world.name("org")
    const member = await world.person("member")
    await world.call(member, "POST /orgs", { username: own })
    expect((await world.call(member, "GET /user/teams")).body).toMatchObject([{ name: "Owners", organization: { name: own } }])
    expect((await world.call(undefined, "GET /user/teams")).status).toBe(401)
  })

  test("a list takes the same number of queries however long it is", async () => {
    const own = world.name("org")
    await world.call(olive, "POST /orgs", { username: own })
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) await world.call(olive, `POST /orgs/${own}/teams`, { name: world.name("t"), units_map })
    }
    const queries = async () => (await statementsOf(world.services.database, () => world.call(olive, `GET /orgs/${own}/teams`))).length
    await add(1)
    const few = await queries()
    await add(8)
    expect(await queries()).toBe(few)
  })
})
