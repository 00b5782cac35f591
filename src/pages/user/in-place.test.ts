import { expect } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../tests/support/hearth.ts"
import { NEW, openSignInWorld, SECURITY } from "./testing.ts"

const CREATE = "/repo/create"
const TOKENS = "/user/settings/applications/new"

async function open() {
  const world = await openSignInWorld("memory")
  for (const name of ["ann", "ben", "carol", "chief"]) await world.person(name)
  for (const name of ["novice", "wary"]) await world.person(name, { must_change_password: true })
  return {
    ...world,
    has: async (name: string) => (await world.call(world.root, `GET /repos/${name}`)).status === 200,
    signedIn: async (name: string) => {
      const browser = world.browser()
      await browser.signIn(name, PASSWORD)
      return browser
    },
  }
}

withWorld("going on where one was", { open }, ({ test, world }) => {
  test("who must change their password is led through: sign in, choose one, and there they are", async () => {
    const { browser, isSignedIn, call } = world
    const novice = browser()
    const asked = await novice.signIn("novice", PASSWORD, "/explore/repos?q=x")
    expect([asked.status, asked.text.includes("Choose a new password"), asked.text.includes('role="alert"')]).toEqual([200, true, false])
    expect(await isSignedIn(novice)).toBe(false)
    const refused = async (wanted: string, again: string) =>
      (await novice.submit(asked, { new_password: wanted, new_password_again: again })).text
    expect(await refused(NEW, "other")).toContain("The two new passwords differ.")
    expect(await refused("short", "short")).toContain("Must have at least 8 characters.")
    expect(await refused(PASSWORD, PASSWORD)).toContain("Must differ from the current password.")
    const done = await novice.submit(asked, { new_password: NEW, new_password_again: NEW })
    expect([done.status, done.location, await isSignedIn(novice)]).toEqual([303, "/explore/repos?q=x", true])
    expect((await call(basic("novice", NEW), "GET /user")).status).toBe(200)
    // The step is good once.
    const late = await browser().submit(asked, { new_password: `${NEW}0`, new_password_again: `${NEW}0` })
    expect([late.status, late.text.includes("The sign-in has expired")]).toEqual([400, true])
  })

  test("with a second factor, which comes before; the API keeps saying what is to be done", async () => {
    const { browser, isSignedIn, factorOf, codeFor, call } = world
    const { secret } = await factorOf("wary")
    const wary = browser()
    const second = await wary.signIn("wary", PASSWORD)
    expect(second.forms[0]?.action).toBe("/user/two_factor")
    const asked = await wary.submit(second, { code: codeFor(secret) })
    expect(asked.forms[0]?.action).toBe("/user/new_password")
    world.clock.now += 60
    const api = await call(basic("wary", PASSWORD), "GET /user", undefined, { "x-gitea-otp": codeFor(secret) })
    expect([api.status, api.body.message]).toEqual([403, expect.stringContaining("/user/change_password")])
    // A ticket is for the account as it was.
    await world.call(world.root, "PATCH /admin/users/wary", {
      source_id: 0,
      login_name: "wary",
      password: `${PASSWORD}0`,
      must_change_password: true,
    })
    const late = await wary.submit(asked, { new_password: NEW, new_password_again: NEW })
    expect([late.status, await isSignedIn(wary)]).toEqual([400, false])
  })

  test("what was typed as one person is shown to another, and sent only when they say so", async () => {
    const { signedIn, has } = world
    const ann = await signedIn("ann")
    await ann.post("/user/logout", {})
    const asked = await ann.post(CREATE, { name: "shared", description: "two words" })
    expect(asked.status).toBe(401)
    const other = await ann.submit(asked, { sign_in_login: "ben", sign_in_password: PASSWORD })
    expect([other.status, await has("ann/shared"), await has("ben/shared")]).toEqual([409, false, false])
    expect(other.text).toContain("two words")
    // Signed in meanwhile as a third: asked again.
    await ann.post("/user/logout", {})
    await ann.signIn("carol", PASSWORD)
    const third = await ann.submit(other, {})
    expect([third.status, await has("ben/shared")]).toEqual([409, false])
    expect((await ann.submit(third, {})).status).toBe(303)
    expect(await has("carol/shared")).toBe(true)
  })

  test("with scripts a page says who it was for, whoever has signed in since in another tab", async () => {
    const { signedIn, has } = world
    const ben = await signedIn("ben")
    const other = await ben.post(CREATE, { name: "tabs", sign_in_person: "ann" })
    expect([other.status, await has("ben/tabs")]).toEqual([409, false])
    expect((await ben.post(CREATE, { name: "tabs", sign_in_person: "ben" })).status).toBe(303)
    expect(await has("ben/tabs")).toBe(true)
  })

  test("a form that has to be confirmed is held, and goes on with all that was typed", async () => {
    const { signedIn, clock } = world
    const carol = await signedIn("carol")
    clock.now += 1_000
    const asked = await carol.post(TOKENS, { name: "deploys & more", user: "read:user" })
    expect([asked.status, asked.text.includes("Confirm access"), asked.forms[0]?.fields["name"]]).toEqual([403, true, "deploys & more"])
    const wrong = await carol.submit(asked, { sign_in_password: "wrong" })
    expect([wrong.status, wrong.forms[0]?.fields["name"]]).toEqual([401, "deploys & more"])
    const done = await carol.submit(wrong, { sign_in_password: PASSWORD })
    expect([done.status, done.text.includes("Your new token")]).toEqual([200, true])
  })

  test("secrets are held too, unreadable, and for that person alone", async () => {
    const { clock, call } = world
    await call(world.root, "PATCH /admin/users/chief", { source_id: 0, login_name: "chief", admin: true })
    const root = await world.signedIn("chief")
    clock.now += 1_000
    const typed = { login_name: "ann", password: NEW, must_change_password: "true" }
    const asked = await root.post("/-/admin/users/ann/password", typed)
    expect([asked.status, asked.text.includes(NEW), asked.text.includes("have to be entered again")]).toEqual([403, false, false])
    // What was sealed for one person is nothing for another, and nothing for another form.
    const sealed = { sign_in_sealed: asked.forms[0]?.fields["sign_in_sealed"] ?? "" }
    const ben = await world.signedIn("ben")
    expect((await ben.post(CREATE, { ...sealed, sign_in_person: "ben" })).status).toBe(422)
    const done = await root.submit(asked, { sign_in_password: PASSWORD })
    expect([done.status, done.location]).toEqual([303, "/-/admin/users/ann"])
    expect((await call(basic("ann", NEW), "GET /user")).status).toBe(403)
  })

  test("who must change their password in place does so, and the form goes on", async () => {
    const { browser, has, call, root, isSignedIn } = world
    await world.person("late", { must_change_password: true })
    const late = browser()
    const asked = await late.post(CREATE, { name: "first" })
    const choosing = await late.submit(asked, { sign_in_login: "late", sign_in_password: PASSWORD })
    expect(choosing.text).toContain("Choose a new password")
    const wrong = await late.submit(choosing, { sign_in_new_password: NEW, sign_in_new_password_again: "x" })
    expect([wrong.status, wrong.forms[0]?.fields["name"]]).toEqual([422, "first"])
    const done = await late.submit(wrong, { sign_in_new_password: NEW, sign_in_new_password_again: NEW })
    expect([done.status, await isSignedIn(late), await has("late/first")]).toEqual([303, true, true])
    expect((await call(root, "GET /users/late")).status).toBe(200)
    expect((await late.get(SECURITY)).status).toBe(200)
  })
})
