import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { each, idOf, messageOf, openWorld, type Person } from "./testing.ts"

/** Organisations through the API: creating, changing, showing and deleting them. */
withWorld("organisations", { open: openWorld }, ({ test, world }) => {
  let alice: Person
  let bob: Person
  test.beforeAll(async () => {
    alice = await world.person("alice")
    bob = await world.person("bob")
  })

  const make = async (as: Person, visibility = "public"): Promise<string> => {
    const name = world.name("org")
    const answer = await world.call(as, "POST /orgs", { username: name, visibility, email: "desk@example.com" })
    expect(answer.status).toBe(201)
    return name
  }

  test("a new one has every detail that was sent, and owners with everything", async () => {
    const name = world.name("org")
    const details = {
      full_name: "The Org",
      email: "desk@example.com",
      description: "About us",
      website: "https://org.example.com/",
      location: "Utrecht",
      visibility: "limited",
      repo_admin_change_team_access: true,
    }
    const answer = await world.call(alice, "POST /orgs", { username: name, ...details })
    expect(answer).toMatchObject({ status: 201, body: { name, username: name, ...details } })
    const teams = await world.call(alice, `GET /orgs/${name}/teams`)
    expect(teams.body).toMatchObject([
      { name: "Owners", permission: "owner", includes_all_repositories: true, can_create_org_repo: true, visibility: "limited" },
    ])
    expect(each(await world.call(alice, `GET /orgs/${name}/members`), "login")).toEqual([alice.name])
    expect(each(await world.call(alice, `GET /orgs/${name}/public_members`), "login")).toEqual([])
  })

  test.each([
    ["a name in use, in other letters", () => ({ username: bob.name.toUpperCase() }), "username"],
    ["no name", () => ({ full_name: "Nameless" }), "username"],
    ["an impossible name", () => ({ username: "-dash" }), "username"],
    ["a reserved name", () => ({ username: "milestones" }), "username"],
    ["an unknown visibility", () => ({ username: world.name("org"), visibility: "hidden" }), "visibility"],
    ["an impossible website", () => ({ username: world.name("org"), website: "org.example.com" }), "website"],
    ["an impossible address", () => ({ username: world.name("org"), email: "nobody" }), "email"],
  ])("%s is refused by its field", async (_what, body, field) => {
    const answer = await world.call(alice, "POST /orgs", body())
    expect(answer.status).toBe(422)
    expect(messageOf(answer)).toContain(`[${field}]`)
  })

  test("making one takes a sign-in and the right to", async () => {
    const body = { username: world.name("org") }
    expect((await world.call(undefined, "POST /orgs", body)).status).toBe(401)
    expect((await world.call(await world.person("dan", { mayCreate: false }), "POST /orgs", body)).status).toBe(403)
  })

  test("the site administrator makes one for a person, whatever that person may", async () => {
    const dan = await world.person("dan", { mayCreate: false })
    const username = world.name("org")
    expect((await world.call(alice, `POST /admin/users/${dan.name}/orgs`, { username })).status).toBe(403)
    expect((await world.call(world.root, "POST /admin/users/nobody/orgs", { username })).status).toBe(404)
    expect((await world.call(world.root, `POST /admin/users/${await make(alice)}/orgs`, { username })).status).toBe(422)
    expect((await world.call(world.root, `POST /admin/users/${dan.name}/orgs`, { username })).status).toBe(201)
    expect((await world.call(dan, `PATCH /orgs/${username}`, { description: "mine" })).status).toBe(200)
  })

  test("each visibility is shown to whom it is meant for", async () => {
    const restricted = await world.person("rita", { restricted: true })
    const names = { public: await make(alice), limited: await make(alice, "limited"), private: await make(alice, "private") }
    const seen = async (as: Person | undefined) => {
      const listed = each(await world.call(as, "GET /orgs?limit=50"), "name")
      const shown: string[] = []
      for (const [visibility, name] of Object.entries(names)) {
        const { status } = await world.call(as, `GET /orgs/${name}`)
        expect([200, 404]).toContain(status)
        // The list and the single answer agree.
        expect(listed.includes(name)).toBe(status === 200)
        if (status === 200) shown.push(visibility)
      }
      return shown
    }
    expect(await seen(undefined)).toEqual(["public"])
    expect(await seen(restricted)).toEqual(["public"])
    expect(await seen(bob)).toEqual(["public", "limited"])
    expect(await seen(alice)).toEqual(["public", "limited", "private"])
    expect(await seen(world.root)).toEqual(["public", "limited", "private"])
    expect((await world.call(alice, "GET /admin/orgs")).status).toBe(403)
    expect(each(await world.call(world.root, "GET /admin/orgs?limit=50"), "name")).toEqual(expect.arrayContaining(Object.values(names)))
    expect((await world.call(bob, `GET /orgs/${alice.name}`)).status).toBe(404)
  })

  test("the address is not for those who have not signed in", async () => {
    const name = await make(alice)
    expect((await world.call(undefined, `GET /orgs/${name}`)).body).toMatchObject({ email: "" })
    expect((await world.call(bob, `GET /orgs/${name}`)).body).toMatchObject({ email: "desk@example.com" })
    expect(each(await world.call(undefined, "GET /orgs?limit=50"), "email").filter((email) => email !== "")).toEqual([])
  })

  test("an edit changes what is sent and nothing else", async () => {
    const name = await make(alice)
    const edited = await world.call(alice, `PATCH /orgs/${name}`, {
      description: "More",
      visibility: "",
      repo_admin_change_team_access: true,
    })
    expect(edited).toMatchObject({
      status: 200,
      body: { description: "More", visibility: "public", email: "desk@example.com", repo_admin_change_team_access: true },
    })
    expect((await world.call(alice, `PATCH /orgs/${name}`, { email: "" })).body).toMatchObject({ email: "", description: "More" })
    expect((await world.call(alice, `PATCH /orgs/${name}`, { email: "no address" })).status).toBe(422)
    expect((await world.call(alice, `PATCH /orgs/${name}`, { description: "d".repeat(256) })).status).toBe(422)
    expect((await world.call(bob, `PATCH /orgs/${name}`, { description: "x" })).status).toBe(403)
    expect((await world.call(undefined, `PATCH /orgs/${name}`, { description: "x" })).status).toBe(401)
    expect((await world.call(world.root, `PATCH /orgs/${name}`, { description: "by the administrator" })).status).toBe(200)
    expect((await world.call(bob, `PATCH /orgs/${await make(alice, "private")}`, { description: "x" })).status).toBe(404)
  })

  test("turning private ends the watches of those who no longer see its repositories", async () => {
    const name = await make(alice)
    const { id } = await world.repository(name, alice)
    await world.watch(bob, id)
    expect(await world.watchers(id)).toEqual([alice.user.id, bob.user.id])
    await world.call(alice, `PATCH /orgs/${name}`, { visibility: "limited" })
    expect(await world.watchers(id)).toEqual([alice.user.id, bob.user.id])
    await world.call(alice, `PATCH /orgs/${name}`, { visibility: "private" })
    expect(await world.watchers(id)).toEqual([alice.user.id])
  })

  test("after a rename the old name leads to the new one", async () => {
    const name = await make(alice)
    const renamed = world.name("org")
    expect((await world.call(bob, `POST /orgs/${name}/rename`, { new_name: renamed })).status).toBe(403)
    const taken = await world.call(alice, `POST /orgs/${name}/rename`, { new_name: bob.name })
    expect(taken.status).toBe(422)
    expect(messageOf(taken)).toContain("[new_name]")
    expect((await world.call(alice, `POST /orgs/${name}/rename`, { new_name: renamed })).status).toBe(204)
    const old = await world.call(bob, `GET /orgs/${name}`)
    expect(old.status).toBe(307)
    expect(old.headers.get("location")).toBe(`/api/v1/orgs/${renamed}`)
  })

  test("deleting takes an organisation without repositories", async () => {
    const name = await make(alice)
    const { id } = await world.repository(name, alice)
    const refused = await world.call(alice, `DELETE /orgs/${name}`)
    expect(refused.status).toBe(422)
    expect(messageOf(refused)).toContain("repositories")
    await world.services.database.write((tx) => tx.deleteFrom("repositories").where("id", "=", id).execute())
    expect((await world.call(bob, `DELETE /orgs/${name}`)).status).toBe(403)
    expect((await world.call(bob, `PUT /user/following/${name}`)).status).toBe(204)
    expect((await world.call(alice, `DELETE /orgs/${name}`)).status).toBe(204)
    expect((await world.call(alice, `GET /orgs/${name}`)).status).toBe(404)
    expect((await world.call(bob, "GET /user")).body).toMatchObject({ following_count: 0 })
  })

  test("a picture is shown under its own address until it is taken away", async () => {
    const name = await make(alice)
    const address = async () => (await world.call(alice, `GET /orgs/${name}`)).body
    const drawn = await address()
    const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    expect((await world.call(bob, `POST /orgs/${name}/avatar`, { image })).status).toBe(403)
    expect((await world.call(alice, `POST /orgs/${name}/avatar`, { image: "?" })).status).toBe(400)
    expect((await world.call(alice, `POST /orgs/${name}/avatar`, { image: "bm8gcGljdHVyZQ==" })).status).toBe(422)
    expect((await world.call(alice, `POST /orgs/${name}/avatar`, { image })).status).toBe(204)
    expect(await address()).not.toEqual(drawn)
    expect((await world.call(bob, `DELETE /orgs/${name}/avatar`)).status).toBe(403)
    expect((await world.call(alice, `DELETE /orgs/${name}/avatar`)).status).toBe(204)
    expect(await address()).toEqual(drawn)
  })

  test("a person's permissions are for the person, members and the administrator", async () => {
    const name = await make(alice)
    const carol = await world.person("carol")
    const bosses = idOf(await world.call(alice, `POST /orgs/${name}/teams`, { name: "bosses", permission: "admin" }))
    await world.call(alice, `PUT /teams/${bosses}/members/${carol.name}`)
    const of = (as: Person | undefined, person: Person) => world.call(as, `GET /users/${person.name}/orgs/${name}/permissions`)
    const nothing = { is_owner: false, is_admin: false, can_write: false, can_read: false, can_create_repository: false }
    const everything = { is_owner: true, is_admin: true, can_write: true, can_read: true, can_create_repository: true }
    expect((await of(alice, alice)).body).toEqual(everything)
    expect((await of(carol, alice)).body).toEqual(everything)
    expect((await of(world.root, carol)).body).toEqual({ ...everything, is_owner: false, can_create_repository: false })
    expect((await of(bob, bob)).body).toEqual(nothing)
    expect((await of(bob, carol)).status).toBe(403)
    expect((await of(undefined, carol)).status).toBe(401)
    expect((await world.call(bob, `GET /users/${bob.name}/orgs/${await make(alice, "private")}/permissions`)).status).toBe(404)
  })

  test("of a person's organisations others see those that the person shows", async () => {
    const erin = await world.person("erin")
    const [open, hidden] = [await make(erin), await make(erin, "private")]
    const names = async (as: Person, path = `/users/${erin.name}/orgs`) => each(await world.call(as, `GET ${path}`), "name")
    expect(await names(erin, "/user/orgs")).toEqual([open, hidden])
    expect(await names(world.root)).toEqual([open, hidden])
    expect(await names(bob)).toEqual([])
    await world.call(erin, `PUT /orgs/${open}/public_members/${erin.name}`)
    await world.call(erin, `PUT /orgs/${hidden}/public_members/${erin.name}`)
    const shown = await world.call(bob, `GET /users/${erin.name}/orgs`)
    expect(each(shown, "name")).toEqual([open])
    expect(shown.headers.get("x-total-count")).toBe("1")
    expect((await world.call(undefined, `GET /users/${erin.name}/orgs`)).status).toBe(401)
  })
})
