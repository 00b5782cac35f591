import { beforeAll, describe, expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic } from "../../../../tests/support/hearth.ts"

withHearth("administration of people", { people: ["bob"], on: databaseKinds }, ({ test, forge, bob }) => {
  const edit = (name: string, body: object) => forge.call(forge.root, `PATCH /admin/users/${name}`, { login_name: name, ...body })

  describe("creating", () => {
    const given = { username: "carla", email: "carla@example.com", password: "carla-Pass-1" }
    const create = (more: object, caller = forge.root) => forge.call(caller, "POST /admin/users", { ...given, ...more })

    test("gives everything that was sent", async () => {
      const made = await create({
        full_name: "Carla C.",
        visibility: "limited",
        restricted: true,
        login_name: "carla",
        source_id: 0,
        created_at: "2020-02-03T04:05:06Z",
      })
      expect(made).toMatchObject({
        status: 201,
        body: {
          login: "carla",
          full_name: "Carla C.",
          email: "carla@example.com",
          visibility: "limited",
          restricted: true,
          active: true,
          is_admin: false,
          login_name: "carla",
          created: "2020-02-03T04:05:06Z",
          last_login: "1970-01-01T00:00:00Z",
        },
      })
    })

    test("asks for another password at the first sign-in, unless told not to", async () => {
      await create({ username: "hasty", email: "hasty@example.com" })
      const asked = await forge.call(basic("hasty", given.password), "GET /user")
      expect(asked).toMatchObject({ status: 403, body: { message: expect.stringContaining("must change your password") } })
      await edit("hasty", { must_change_password: false })
      expect((await forge.call(basic("hasty", given.password), "GET /user")).status).toBe(200)
    })

    test.each([
      ["a name that is taken", { username: "BOB" }, 422, "[username]"],
      ["an address that is taken", { username: "dora", email: "Bob@Example.com" }, 422, "[email]"],
      ["no name", { username: "" }, 422, "[username]"],
      ["a reserved name", { username: "api" }, 422, "[username]"],
      ["no address", { username: "dora", email: "nonsense" }, 422, "[email]"],
      ["a short password", { username: "dora", password: "short" }, 400, "[password]"],
      ["a blank password", { username: "dora", password: " ".repeat(12) }, 400, "[password]"],
      ["no password", { username: "dora", password: null }, 400, "[password]"],
      ["an unknown visibility", { username: "dora", visibility: "secret" }, 422, "[visibility]"],
      ["an unknown source", { username: "dora", source_id: 7 }, 422, "[source_id]"],
      ["a moment before 1970", { username: "dora", created_at: "1969-01-01T00:00:00Z" }, 422, "[created_at]"],
    ])("refuses %s and makes nothing", async (_, more, status, message) => {
      const refused = await create({ email: "dora@example.com", ...more })
      expect(refused).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
      expect((await forge.call(forge.root, "GET /users/dora")).status).toBe(404)
      expect((await forge.call(forge.root, "GET /admin/emails/search?q=dora")).body).toEqual([])
    })

    test("two at the same time get the name once", async () => {
      const both = await Promise.all([1, 2].map((n) => create({ username: "twin", email: `twin${n}@example.com` })))
      expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    })

    test("is for site administrators", async () => {
      expect((await create({ username: "dora" }, bob)).status).toBe(403)
      expect((await forge.call(undefined, "POST /admin/users", given)).status).toBe(401)
    })
  })

  describe("changing", () => {
    beforeAll(() => forge.person("eve"))

    test("changes what is sent and leaves the rest", async () => {
      await edit("eve", { full_name: "Eve", location: "Ghent", website: "https://eve.example.com", max_repo_creation: 3 })
      const changed = await edit("eve", { location: "", visibility: "" })
      expect(changed).toMatchObject({
        status: 200,
        body: { full_name: "Eve", location: "", website: "https://eve.example.com", visibility: "public" },
      })
      const row = await forge.hearth.services.database.read
        .selectFrom("users")
        .selectAll()
        .where("name", "=", "eve")
        .executeTakeFirstOrThrow()
      expect(row).toMatchObject({ max_repositories: 3, login_name: "eve" })
    })

    test("a new password counts at once, and the old one no longer", async () => {
      const old = basic("eve", "pass-word-1")
      expect((await forge.call(old, "GET /user")).status).toBe(200)
      expect((await edit("eve", { password: "" })).status).toBe(200)
      expect((await forge.call(old, "GET /user")).status).toBe(200)
      await edit("eve", { password: "another-Pass-9" })
      expect((await forge.call(old, "GET /user")).status).toBe(401)
      expect((await forge.call(basic("eve", "another-Pass-9"), "GET /user")).status).toBe(200)
      await edit("eve", { password: "pass-word-1" })
    })

    test("a new primary address replaces the old one, also as a name to sign in by", async () => {
      expect((await forge.call(basic("eve@example.com", "pass-word-1"), "GET /user")).status).toBe(200)
      expect(await edit("eve", { email: "eve@example.net" })).toMatchObject({ status: 200, body: { email: "eve@example.net" } })
      expect((await forge.call(basic("eve@example.com", "pass-word-1"), "GET /user")).status).toBe(401)
      expect((await forge.call(basic("EVE@example.net", "pass-word-1"), "GET /user")).status).toBe(200)
    })

    test.each([
      ["without a login name", { login_name: undefined }, 422, "[login_name]"],
      ["a short password", { password: "tiny" }, 400, "[password]"],
      ["an address that is taken", { email: "bob@example.com" }, 400, "[email]"],
      ["what is no address", { email: "nonsense" }, 400, "[email]"],
      ["an impossible website", { website: "not a url" }, 422, "[website]"],
      ["an unknown source", { source_id: 3 }, 422, "[source_id]"],
      ["a limit below -1", { max_repo_creation: -2 }, 422, "[max_repo_creation]"],
    ])("refuses %s, and changes nothing", async (_, body, status, message) => {
      const refused = await edit("eve", { full_name: "Changed", ...body })
      expect(refused).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
      expect((await forge.call(forge.root, "GET /users/eve")).body).toMatchObject({ full_name: "Eve", email: "eve@example.net" })
    })

    test("refuses an organisation, an unknown user, and callers who are no administrators", async () => {
      await forge.call(bob, "POST /orgs", { username: "guild" })
      expect((await edit("guild", { full_name: "x" })).status).toBe(422)
      expect((await edit("nobody", {})).status).toBe(404)
      expect((await forge.call(bob, "PATCH /admin/users/bob", { login_name: "bob", admin: true })).status).toBe(403)
    })

    test("the last administrator stays one, until there is another", async () => {
      for (const change of [{ admin: false }, { active: false }, { prohibit_login: true }])
        expect(await edit("root", change)).toMatchObject({ status: 400, body: { message: expect.stringContaining("last administrator") } })
      await edit("eve", { admin: true })
      expect((await edit("eve", { admin: false })).status).toBe(200)
    })

    test("of two administrators who step down together, one stays", async () => {
      await edit("eve", { admin: true })
      const eve = basic("eve", "pass-word-1")
      const both = await Promise.all([
        forge.call(eve, "PATCH /admin/users/root", { login_name: "root", admin: false }),
        edit("eve", { admin: false }),
      ])
      const left = await forge.hearth.services.database.read.selectFrom("users").select("name").where("is_admin", "=", 1).execute()
      expect(left.length).toBe(1)
      expect(both.map(({ status }) => status)).toContain(200)
      await forge.hearth.services.database.write((tx) => tx.updateTable("users").set({ is_admin: 1 }).where("name", "=", "root").execute())
      await edit("eve", { admin: false })
    })
  })

  describe("renaming", () => {
    test("the old name redirects to the new one, until it is taken", async () => {
      const fay = await forge.person("fay")
      expect((await forge.call(fay, "GET /user")).status).toBe(200)
      expect((await forge.call(forge.root, "POST /admin/users/fay/rename", { new_username: "Faye" })).status).toBe(204)
      const moved = await forge.call(bob, "GET /users/fay?x=1")
      expect(moved.status).toBe(307)
      expect(moved.headers.get("location")).toBe("/api/v1/users/Faye?x=1")
      expect((await forge.call(fay, "GET /user")).status).toBe(401)
      expect((await forge.call(basic("faye", "pass-word-1"), "GET /user")).status).toBe(200)
      await forge.person("fay", { email: "fay2@example.com" })
      expect((await forge.call(bob, "GET /users/fay")).body).toMatchObject({ login: "fay" })
    })

    test("back and forth, and in another letter case", async () => {
      await forge.person("gil")
      const steps = [
        ["gil", "gilbert"],
        ["gilbert", "gil"],
        ["gil", "GIL"],
      ]
      for (const [from, to] of steps)
        expect((await forge.call(forge.root, `POST /admin/users/${from}/rename`, { new_username: to })).status).toBe(204)
      expect((await forge.call(bob, "GET /users/gil")).body).toMatchObject({ login: "GIL" })
      expect((await forge.call(bob, "GET /users/gilbert")).status).toBe(307)
    })

    test("refuses names that are taken or none, organisations, and callers who are no administrators", async () => {
      await forge.person("hal")
      const rename = (name: string, to: string, caller = forge.root) =>
        forge.call(caller, `POST /admin/users/${name}/rename`, { new_username: to })
      expect((await rename("hal", "bob")).status).toBe(422)
      expect((await rename("hal", "user")).status).toBe(422)
      expect((await rename("hal", "a..b")).status).toBe(422)
      expect((await rename("nobody", "somebody")).status).toBe(404)
      expect((await rename("hal", "halle", bob)).status).toBe(403)
      await forge.call(bob, "POST /orgs", { username: "club" })
      expect((await rename("club", "clubs")).status).toBe(422)
    })
  })

  describe("listing", () => {
    beforeAll(async () => {
      await forge.person("zora", { full_name: "Zòra QUAGGA", visibility: "private" })
      await forge.person("zeno", { restricted: true })
    })
    const names = async (query: string) => {
      const { status, body } = await forge.call(forge.root, `GET /admin/users?${query}`)
      expect(status).toBe(200)
      return body.map((user: { login: string }) => user.login)
    }

    test("by name, full name and address, in any letter case", async () => {
      expect(await names("q=ZOR")).toEqual(["zora"])
      expect(await names("q=zòra%20quagga")).toEqual(["zora"])
      expect(await names("q=zeno@EXAMPLE")).toEqual(["zeno"])
      expect(await names("q=%25")).toEqual([])
    })

    test("with every filter", async () => {
      expect(await names("q=z&visibility=private")).toEqual(["zora"])
      expect(await names("q=z&is_restricted=true")).toEqual(["zeno"])
      expect(await names("q=ze&is_restricted=false")).toEqual([])
      expect(await names("is_admin=true")).toEqual(["root"])
      await edit("zeno", { active: false, prohibit_login: true })
      expect(await names("is_active=false&is_prohibit_login=true")).toEqual(["zeno"])
      expect(await names("login_name=zeno")).toEqual(["zeno"])
      expect(await names("source_id=1")).toEqual([])
      expect(await names("q=zora&is_2fa_enabled=false")).toEqual(["zora"])
      expect(await names("is_2fa_enabled=true")).toEqual([])
    })

    test("in every order, a page at a time, with the true total", async () => {
      expect(await names("q=z&order=desc")).toEqual(["zora", "zeno"])
      expect(await names("q=z&sort=id&order=asc")).toEqual(["zora", "zeno"])
      expect(await names("q=z&sort=created&order=desc")).toEqual(expect.arrayContaining(["zeno", "zora"]))
      const page = await forge.call(forge.root, "GET /admin/users?q=z&limit=1&page=2")
      expect(page.headers.get("x-total-count")).toBe("2")
      expect(page.body).toHaveLength(1)
      expect(page.headers.get("link")).toContain('rel="prev"')
    })

    test("refuses unknown words and plain users", async () => {
      expect((await forge.call(forge.root, "GET /admin/users?sort=weight")).status).toBe(422)
      expect((await forge.call(forge.root, "GET /admin/users?order=up")).status).toBe(422)
      expect((await forge.call(forge.root, "GET /admin/users?visibility=secret")).status).toBe(422)
      expect((await forge.call(bob, "GET /admin/users")).status).toBe(403)
    })

    test("takes as many queries for one user as for many", async () => {
      const { database } = forge.hearth.services
      const count = async (query: string) => (await statementsOf(database, () => names(query))).length
      expect(await count("limit=50")).toBe(await count("q=zora"))
    })

    test("addresses, by address and by whose they are", async () => {
      const { body, headers } = await forge.call(forge.root, "GET /admin/emails/search?q=quagga")
      expect(body).toEqual([{ email: "zora@example.com", verified: true, primary: true, user_id: expect.any(Number), username: "zora" }])
      expect(headers.get("x-total-count")).toBe("1")
      const all = await forge.call(forge.root, "GET /admin/emails?limit=50")
      expect(all.body.length).toBe(Number(all.headers.get("x-total-count")))
      expect((await forge.call(bob, "GET /admin/emails")).status).toBe(403)
    })
  })

  describe("badges", () => {
    beforeAll(async () => {
      await forge.person("ida")
      await forge.hearth.services.database.write((tx) =>
        tx
          .insertInto("badges")
          .values([
            { slug: "founder", description: "was there", image_url: "https://example.com/f.png" },
            { slug: "helper", description: "", image_url: "" },
          ])
          .execute(),
      )
    })
    const badges = async () =>
      (await forge.call(forge.root, "GET /admin/users/ida/badges")).body.map((badge: { slug: string }) => badge.slug)

    test("are given and taken, twice without harm", async () => {
      const give = () => forge.call(forge.root, "POST /admin/users/ida/badges", { badge_slugs: ["helper", "founder"] })
      expect((await give()).status).toBe(204)
      expect((await give()).status).toBe(204)
      expect(await badges()).toEqual(["founder", "helper"])
      const take = () => forge.call(forge.root, "DELETE /admin/users/ida/badges", { badge_slugs: ["helper"] })
      expect((await take()).status).toBe(204)
      expect((await take()).status).toBe(204)
      expect(await badges()).toEqual(["founder"])
    })

    test("refuses what is no badge, whole, and plain users", async () => {
      const refused = await forge.call(forge.root, "POST /admin/users/ida/badges", { badge_slugs: ["helper", "none"] })
      expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining("[badge_slugs]") } })
      expect(await badges()).toEqual(["founder"])
      expect((await forge.call(bob, "GET /admin/users/ida/badges")).status).toBe(403)
    })
  })
})
