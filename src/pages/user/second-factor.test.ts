import { expect } from "vitest"
import { openAuthenticator } from "../../../tests/support/authenticator.ts"
import type { Browser } from "../../../tests/support/browser.ts"
import { databaseKinds, type FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../tests/support/hearth.ts"
import { createToken } from "../../features/people/sign-in/credentials/tokens.ts"
import { letGoWithoutFactor } from "../../features/people/users/factors-store.ts"
import { openSignInWorld, passkeyFormOf, SECURITY } from "./testing.ts"

const DAY = 86_400
const PATH = "/user/second_factor"
const ENROLL = `${SECURITY}/two_factor/enroll`

async function openWith(kind: FreshKind, security: object) {
  const world = await openSignInWorld(kind, { security: { secondFactorGraceSeconds: 7 * DAY, sessionSeconds: 400 * DAY, ...security } })
  const { browser, clock, codeFor } = world
  const enter = async (name: string) => {
    const made = browser()
    const entered = await made.post("/user/login", { login: name, password: PASSWORD, remember: "on", redirect_to: "/explore/repos" })
    return { browser: made, entered }
  }
  const enroll = async (which: Browser) => {
    await which.post("/user/confirm", { password: PASSWORD })
    const page = await which.get(ENROLL)
    const secret = (/Secret: <code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? "").replaceAll(" ", "")
    const done = await which.submit(page, { code: codeFor(secret) })
    clock.now += 30
    return { done, secret }
  }
  const tokenOf = async (name: string) => {
    const { id: userId } = await world.userOf(name)
    const wanted = { userId, name: `t${clock.now}`, scopes: ["all"], now: clock.now }
    return `token ${(await world.services.database.write((tx) => createToken(tx, wanted))).token}`
  }
  const run = (task: string) => world.services.jobs.tasks.run(task)
  return { ...world, enter, enroll, tokenOf, run }
}

withWorld(
  "a second factor that the site requires",
  {
    open: async (kind) => {
      const world = await openWith(kind, { secondFactor: "everyone" })
      await world.factorOf("root")
      for (const name of ["ann", "ben"]) await world.person(name)
      return world
    },
  },
  ({ test, world }) => {
    test("is asked for after the sign-in, and is all that is left once the time is over", async () => {
      const { call, clock, enroll, enter, tokenOf, url } = world
      const { browser: ann, entered } = await enter("ann")
      expect([entered.status, entered.location]).toEqual([303, `${PATH}?redirect_to=%2Fexplore%2Frepos`])
      const asked = await ann.get(entered.location ?? "")
      expect([asked.status, asked.text.includes("The time to set it up ends"), asked.text.includes('href="/explore/repos"')]).toEqual([
        200,
        true,
        true,
      ])
      expect((await ann.get("/explore/repos")).status).toBe(200)
      const token = await tokenOf("ann")
      expect((await call(token, "GET /user")).status).toBe(200)

      clock.now += 7 * DAY + 1
      const led = await ann.get("/explore/repos?q=x")
      expect([led.status, led.location]).toEqual([303, `${PATH}?redirect_to=%2Fexplore%2Frepos%3Fq%3Dx`])
      const over = await ann.get(PATH)
      expect([over.status, over.text.includes("Set it up now to go on"), over.text.includes(">Later<")]).toEqual([200, true, false])
      // Nothing else can be done: no form, no stream, no file, and nothing in the API, with whatever credential.
      expect((await ann.post(`${SECURITY}/sessions/end_others`, {})).status).toBe(403)
      for (const path of [
        "/",
        "/user/settings",
        "/user/settings/applications",
        "/notifications?live",
        "/login/oauth/authorize?client_id=x",
      ])
        expect((await ann.get(path)).location, path).toMatch(`${PATH}?redirect_to=`)
      for (const caller of [basic("ann", PASSWORD), token]) {
        const refused = await call(caller, "GET /user")
        expect([refused.status, refused.body.message]).toEqual([
          403,
          expect.stringContaining(`Set it up at: ${world.services.site.rootUrl}${PATH}`),
        ])
      }
      const git = await fetch(`${url}/ann/x.git/info/refs?service=git-upload-pack`, { headers: { authorization: basic("ann", PASSWORD) } })
      expect(git.status).toBe(403)
      expect((await ann.get("/user/logout")).status).toBe(200)

      const { done } = await enroll(ann)
      expect(done.status).toBe(200)
      expect([(await ann.get("/explore/repos")).status, (await ann.get(PATH)).location]).toEqual([200, "/"])
      expect((await call(token, "GET /user")).status).toBe(200)
      // Who switches it off has to set it up again.
      await ann.post(`${SECURITY}/two_factor/disable`, {})
      expect((await ann.get("/explore/repos")).location).toMatch(PATH)
    })

    test("may be a passkey, which is then asked for beside the password", async () => {
      const { browser, call, clock, enter } = world
      const { browser: ben } = await enter("ben")
      const key = openAuthenticator({ origin: world.services.site.rootUrl, rpId: "localhost" })
      const form = passkeyFormOf(await ben.get(`${SECURITY}/passkeys/new`))
      await ben.post(form.action, { ...form.fields, name: "Laptop", credential: key.create(form.options) })
      clock.now += 8 * DAY
      expect((await ben.get("/explore/repos")).status).toBe(200)
      const thief = browser()
      const half = await thief.post("/user/login", { login: "ben", password: PASSWORD })
      expect([half.status, half.text.includes("Use a passkey or security key")]).toEqual([200, true])
      // A code is none where there is no app.
      expect((await thief.submit(half, { code: "000000" })).status).toBe(422)
      expect((await thief.get(SECURITY)).status).toBe(303)
      expect((await call(basic("ben", PASSWORD), "GET /user")).status).toBe(403)
      const again = browser()
      const second = passkeyFormOf(await again.post("/user/login", { login: "ben", password: PASSWORD }))
      const entered = await again.post(second.action, { ...second.fields, credential: key.get(second.options) })
      expect([entered.status, (await again.get("/explore/repos")).status]).toEqual([303, 200])
    })

    test("leaves whoever came later as long, and whom the operator lets go without as long as that", async () => {
      const { call, clock, services } = world
      await world.person("eve")
      clock.now += 6 * DAY
      expect((await call(basic("eve", PASSWORD), "GET /user")).status).toBe(200)
      clock.now += 2 * DAY
      expect((await call(basic("eve", PASSWORD), "GET /user")).status).toBe(403)
      const { id: userId } = await world.userOf("eve")
      await services.database.write((tx) => letGoWithoutFactor.changes(tx, { userId, until: clock.now + DAY }))
      expect((await call(basic("eve", PASSWORD), "GET /user")).status).toBe(200)
      clock.now += DAY
      expect((await call(basic("eve", PASSWORD), "GET /user")).status).toBe(403)
    })
  },
)

withWorld(
  "a second factor that administrators need",
  {
    open: async (kind) => {
      const world = await openWith(kind, { secondFactor: "administrators" })
      await world.person("ann")
      return world
    },
  },
  ({ test, world }) => {
    test("is not asked of others", async () => {
      const { call, enter } = world
      world.clock.now += 8 * DAY
      expect((await enter("ann")).entered.location).toBe("/explore/repos")
      expect((await call(basic("ann", PASSWORD), "GET /user")).status).toBe(200)
      expect((await call(world.root, "GET /user")).status).toBe(403)
      await world.factorOf("root")
      expect((await call(world.root, "GET /user")).status).toBe(200)
    })
  },
)

withWorld(
  "a second factor that an organization requires",
  {
    on: databaseKinds,
    open: async (kind) => {
      const world = await openWith(kind, {})
      for (const name of ["ann", "ben", "out", "joe", "kim", "lee"]) await world.person(name)
      return world
    },
  },
  ({ test, world }) => {
    test("keeps members and collaborators without one out after the grace period, until they have one", async () => {
      const { call, clock, enroll, enter, factorOf, run } = world
      const [ann, ben, out] = ["ann", "ben", "out"].map((name) => basic(name, PASSWORD))
      await call(ann, "POST /orgs", { username: "acme", visibility: "private" })
      await call(ann, "POST /orgs/acme/repos", { name: "secret", private: true, auto_init: true })
      const team = await call(ann, "POST /orgs/acme/teams", {
        name: "all",
        permission: "write",
        units: ["repo.code"],
        includes_all_repositories: true,
      })
      await call(ann, `PUT /teams/${team.body.id}/members/ben`)
      await call(ann, "PUT /repos/acme/secret/collaborators/out", { permission: "write" })
      const edit = (body: object) => call(annsToken, "PATCH /orgs/acme", body)
      const annsToken = await world.tokenOf("ann")
      const refused = await edit({ two_factor_required: true })
      expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("your own account first")])
      await factorOf("ann")
      const required = await edit({ two_factor_required: true, two_factor_grace_days: 3 })
      expect(required.body).toMatchObject({
        two_factor_required: true,
        two_factor_due_at: new Date((clock.now + 3 * DAY) * 1000).toISOString().replace(".000", ""),
      })
      // Another change moves nothing.
      expect((await edit({ description: "x", two_factor_required: true })).body.two_factor_due_at).toBe(required.body.two_factor_due_at)

      const lacking = async () => {
        const found = world.services.database.read.selectFrom("users").select("name").where("lacks_required_factor", "=", 1).orderBy("name")
        return (await found.execute()).map(({ name }) => name)
      }
      const reach = async (who: string | undefined) => [
        (await call(who, "GET /repos/acme/secret")).status,
        (await call(who, "GET /repos/acme/secret/contents/README.md")).status,
        (await call(who, "GET /user/repos")).body.length,
        (await call(who, "GET /repos/search?private=true")).body.data.length,
      ]
      await run("require_second_factors")
      expect(await reach(ben)).toEqual([200, 200, 1, 1])
      const { entered, browser } = await enter("ben")
      expect((await browser.get(entered.location ?? "")).text).toContain("acme</bdi> requires it. The time to set it up ends")

      clock.now += 3 * DAY
      await run("require_second_factors")
      const bensToken = await world.tokenOf("ben")
      for (const who of [ben, bensToken, out]) expect(await reach(who)).toEqual([404, 404, 0, 0])
      expect(await reach(annsToken)).toEqual([200, 200, 1, 1])
      // So do those who come later, at once: with a team, as a collaborator, with a repository.
      const [joe, kim, lee] = ["joe", "kim", "lee"].map((name) => basic(name, PASSWORD))
      await call(annsToken, `PUT /teams/${team.body.id}/members/joe`)
      await call(annsToken, "PUT /repos/acme/secret/collaborators/kim", { permission: "write" })
      await call(annsToken, "POST /user/repos", { name: "moved", private: true })
      await call(annsToken, "PUT /repos/ann/moved/collaborators/lee", { permission: "write" })
      expect((await call(lee, "GET /repos/ann/moved")).status).toBe(200)
      expect((await call(annsToken, "POST /repos/ann/moved/transfer", { new_owner: "acme" })).status).toBe(202)
      for (const who of [joe, kim]) expect(await reach(who)).toEqual([404, 404, 0, 0])
      expect([(await call(lee, "GET /repos/acme/moved")).status, (await call(lee, "GET /user/repos")).body.length]).toEqual([404, 0])
      await run("require_second_factors")
      expect((await call(annsToken, "DELETE /repos/acme/moved")).status).toBe(204)
      expect(await lacking()).toEqual(["ben", "joe", "kim", "lee", "out"])
      await run("require_second_factors")
      expect(await lacking()).toEqual(["ben", "joe", "kim", "out"])
      // The organization itself they still see, and what they would have to do.
      expect((await call(ben, "GET /orgs/acme")).status).toBe(200)
      const told = await call(ben, "PUT /orgs/acme/public_members/ben")
      expect([told.status, told.body.message]).toEqual([403, expect.stringContaining("requires two-factor authentication")])
      expect((await call(ben, "POST /orgs/acme/repos", { name: "x" })).status).toBe(403)
      expect((await call(ben, "GET /packages/acme")).status).toBe(404)
      expect((await browser.get("/acme/secret")).status).toBe(404)
      // Who is no owner does not see who lacks one.
      expect(
        (await call(annsToken, "GET /orgs/acme/members?filter=2fa_disabled")).body.map(({ login }: { login: string }) => login),
      ).toEqual(["ben", "joe"])
      expect((await call(ben, "GET /orgs/acme/members?filter=2fa_disabled")).status).toBe(403)

      expect((await enroll(browser)).done.status).toBe(200)
      expect(await reach(bensToken)).toEqual([200, 200, 1, 1])
      expect((await edit({ two_factor_required: false })).body).toMatchObject({ two_factor_required: false, two_factor_due_at: null })
      expect(await reach(out)).toEqual([200, 200, 1, 1])
      await run("require_second_factors")
      expect(await lacking()).toEqual([])
    })
  },
)
