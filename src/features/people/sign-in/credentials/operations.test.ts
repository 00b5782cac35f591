import { TOTP } from "otpauth"
import { expect } from "vitest"
import { withHearth } from "../../../../../tests/support/fixture.ts"
import { basic } from "../../../../../tests/support/hearth.ts"
import { findUserByName } from "../../../../access/store.ts"
import { disableTwoFactor, enableTwoFactor } from "../second-factor/two-factor.ts"

withHearth("tokens", { people: ["alice", "bob"] }, ({ test, forge, alice, bob }) => {
  const make = (body: object, caller = alice) => forge.call(caller, "POST /users/alice/tokens", body)

  test("are returned once, and described afterwards", async () => {
    const made = await make({ name: "main", scopes: ["write:user", "read:user", "read:repository"] })
    expect(made).toMatchObject({ status: 201, body: { name: "main", scopes: ["read:repository", "write:user"] } })
    const { id, sha1, token_last_eight, created_at } = made.body
    expect(sha1).toMatch(/^[0-9a-f]{40}$/)
    expect(token_last_eight).toBe(sha1.slice(-8))
    const { body, headers } = await forge.call(alice, "GET /users/alice/tokens")
    expect(body).toMatchObject([{ id, sha1: "", name: "main" }])
    expect(headers.get("x-total-count")).toBe("1")
    const current = await forge.call(`token ${sha1}`, "GET /token")
    expect(current.body).toEqual({
      id,
      name: "main",
      scopes: ["read:repository", "write:user"],
      created_at,
      last_used_at: expect.any(String),
      last_used_address: "",
      expires_at: null,
      is_limited: false,
      repositories: [],
      owners: [],
      is_task: false,
      branches: [],
      operations: [],
      writes: null,
      writes_left: null,
      user: { id: expect.any(Number), login: "alice" },
    })
    const stored = await forge.hearth.services.database.read
      .selectFrom("access_tokens")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(stored)).not.toContain(sha1)
  })

  test.each([
    ["a name that is taken", { name: "main", scopes: ["all"] }, 400],
    ["no scope", { name: "x", scopes: [] }, 400],
    ["scopes that are left out", { name: "x" }, 400],
    ["an unknown scope", { name: "x", scopes: ["read:everything"] }, 400],
    ["no name", { scopes: ["all"] }, 422],
  ])("refuse %s", async (_, body, status) => {
    expect((await make(body)).status).toBe(status)
  })

  test("are for oneself and administrators, by Basic only", async () => {
    expect((await make({ name: "x", scopes: ["all"] }, bob)).status).toBe(403)
    expect((await forge.call(bob, "GET /users/alice/tokens")).status).toBe(403)
    expect((await forge.call(undefined, "GET /users/alice/tokens")).status).toBe(401)
    expect((await make({ name: "x", scopes: ["all"] }, forge.root)).status).toBe(401)
    const asBasic = basic("root", forge.hearth.token)
    expect((await make({ name: "from above", scopes: ["read:user"] }, asBasic)).status).toBe(201)
    expect((await forge.call(asBasic, "GET /users/nobody/tokens")).status).toBe(404)
  })

  test("create none with more access", async () => {
    const narrow = (await make({ name: "narrow", scopes: ["public-only", "write:user"] })).body.sha1
    const wide = (scopes: readonly string[]) => make({ name: `by narrow ${scopes}`, scopes }, basic("alice", narrow))
    expect((await wide(["all"])).status).toBe(403)
    expect((await wide(["write:user"])).status).toBe(403)
    expect((await wide(["public-only", "read:user"])).status).toBe(201)
  })

  test("are deleted by id and by name, and are invalid then", async () => {
    for (const by of ["id", "name"]) {
      const { body } = await make({ name: `spare ${by}`, scopes: ["all"] })
      expect((await forge.call(`token ${body.sha1}`, "GET /user")).status).toBe(200)
      expect((await forge.call(bob, `DELETE /users/alice/tokens/${body.id}`)).status).toBe(403)
      expect((await forge.call(bob, `DELETE /users/bob/tokens/${body.id}`)).status).toBe(404)
      expect((await forge.call(alice, `DELETE /users/alice/tokens/${encodeURIComponent(body[by])}`)).status).toBe(204)
      expect((await forge.call(`token ${body.sha1}`, "GET /user")).status).toBe(401)
      expect((await forge.call(alice, `DELETE /users/alice/tokens/${body.id}`)).status).toBe(404)
    }
  })

  test("delete themselves", async () => {
    const { sha1 } = (await make({ name: "brief", scopes: ["read:misc"] })).body
    expect((await forge.call(`token ${sha1}`, "DELETE /token")).status).toBe(204)
    expect((await forge.call(`token ${sha1}`, "GET /token")).status).toBe(401)
    expect((await forge.call(alice, "DELETE /token")).status).toBe(404)
    expect((await forge.call(alice, "GET /token")).status).toBe(404)
    expect((await forge.call(undefined, "GET /token")).status).toBe(401)
  })
})

withHearth("the second factor", { people: ["alice"] }, ({ test, forge, alice }) => {
  test("is required beside the password, each code once, and not beside tokens", async () => {
    const { services } = forge.hearth
    const signIn = async (code?: string) =>
      (await forge.call(alice, "GET /user", undefined, code === undefined ? {} : { "x-gitea-otp": code })).status
    const { sha1 } = (await forge.call(alice, "POST /users/alice/tokens", { name: "t", scopes: ["all"] })).body
    const user = await findUserByName.first(services.database.read, { lowerName: "alice" })
    if (!user) throw new Error("alice is missing")

    expect(await signIn()).toBe(200)
    const { secret, address } = await services.database.write((tx) => enableTwoFactor(services, tx, user))
    expect(address).toContain("otpauth://totp/")
    const code = new TOTP({ secret }).generate()
    expect(await signIn()).toBe(401)
    expect(await signIn(code === "000000" ? "000001" : "000000")).toBe(401)
    expect(await signIn(code)).toBe(200)
    expect(await signIn(code)).toBe(401)
    expect((await forge.call(`token ${sha1}`, "GET /user")).status).toBe(200)
    const { sealed_secret } = await services.database.read.selectFrom("two_factors").selectAll().executeTakeFirstOrThrow()
    expect(sealed_secret).not.toContain(secret)

    await expect(services.database.write((tx) => enableTwoFactor(services, tx, user))).rejects.toMatchObject({ kind: "conflict" })
    expect((await forge.call(forge.root, "GET /admin/users?is_2fa_enabled=true")).body).toMatchObject([{ login: "alice" }])
    expect(await services.database.write((tx) => disableTwoFactor(tx, user))).toBe(true)
    expect(await signIn()).toBe(200)
    expect(await services.database.write((tx) => disableTwoFactor(tx, user))).toBe(false)
  })
})

const DAY = 86_400
const clock = { now: 1_800_000_000 }

withHearth(
  "tokens that expire",
  { people: ["ann"], config: { security: { tokenSeconds: 30 * DAY } }, now: () => clock.now },
  ({ test, forge, ann }) => {
    const make = (body: object, caller = ann) => forge.call(caller, "POST /users/ann/tokens", { scopes: ["all"], ...body })
    const at = (days: number) => new Date((clock.now + days * DAY) * 1000).toISOString().replace(".000", "")

    test("last no longer than the site allows, nor than the token that makes them", async () => {
      expect((await make({ name: "usual" })).body.expires_at).toBe(at(30))
      const [long, past] = [await make({ name: "long", expires_at: at(31) }), await make({ name: "past", expires_at: at(-1) })]
      expect([long.status, long.body.message, past.status]).toEqual([422, "[expires_at]: must be at most 30 days from now", 422])
      const short = basic("ann", (await make({ name: "short", expires_at: at(3) })).body.sha1)
      expect((await make({ name: "by short" }, short)).body.expires_at).toBe(at(3))
      expect((await make({ name: "longer", expires_at: at(4) }, short)).status).toBe(403)
    })

    test("are refused from then on with a word why, say when and from where they were used, and are deleted in the end", async () => {
      const { sha1, id } = (await make({ name: "used", expires_at: at(10) })).body
      const token = `token ${sha1}`
      const used = async () => (await forge.call(token, "GET /token")).body
      await used()
      await expect.poll(async () => (await used()).last_used_address).toMatch(/127\.0\.0\.1|::1/)
      const before = (await used()).last_used_at
      clock.now += 59
      expect((await used()).last_used_at).toBe(before)
      clock.now += 10 * DAY
      const refused = await forge.call(token, "GET /user")
      expect([refused.status, refused.body.message]).toEqual([401, "this access token has expired"])
      const names = async () => (await forge.call(ann, "GET /users/ann/tokens?limit=50")).body.map((each: { id: number }) => each.id)
      await forge.hearth.services.jobs.tasks.run("expire_tokens")
      expect(await names()).toContain(id)
      clock.now += 31 * DAY
      await forge.hearth.services.jobs.tasks.run("expire_tokens")
      expect(await names()).not.toContain(id)
    })

    test("are listed for administrators, who revoke them", async () => {
      const { sha1, id } = (await make({ name: "theirs", repositories: [] })).body
      const found = await forge.call(forge.root, `GET /admin/tokens?q=${sha1.slice(-8)}`)
      expect(found.body).toMatchObject([{ id, name: "theirs", user: { login: "ann" }, expires_at: at(30), is_limited: false }])
      expect(JSON.stringify(found.body)).not.toContain(sha1)
      expect(
        (await forge.call(forge.root, "GET /admin/tokens?never_expires=true")).body.map((each: { name: string }) => each.name),
      ).not.toContain("theirs")
      expect((await forge.call(ann, "GET /admin/tokens")).status).toBe(403)
      expect((await forge.call(ann, `DELETE /admin/tokens/${id}`)).status).toBe(403)
      expect((await forge.call(forge.root, `DELETE /admin/tokens/${id}`)).status).toBe(204)
      expect((await forge.call(`token ${sha1}`, "GET /user")).status).toBe(401)
      expect((await forge.call(forge.root, `DELETE /admin/tokens/${id}`)).status).toBe(404)
    })
  },
)
