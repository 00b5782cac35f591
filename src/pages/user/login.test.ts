import { TOTP } from "otpauth"
import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../tests/support/browser.ts"
import { type FreshKind, statementsOf } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"
import { freePort } from "../../../tests/support/ports.ts"
import { findUserByName } from "../../access/store.ts"
import { enableTwoFactor } from "../../features/people/sign-in/second-factor/two-factor.ts"

const clock = { now: 1_800_000_000 }
const PRIVATE = "/user/settings/applications"

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind, {}, { now: () => clock.now })
  for (const name of ["ann", "ben", "carol", "dora", "eve"]) await forge.person(name)
  const { services, url } = forge.hearth
  const browser = () => openBrowser(url)
  const isSignedIn = async (which: Browser) => (await which.get(PRIVATE)).status === 200
  const factorOf = (name: string) =>
    services.database.write(async (tx) => {
      const user = await findUserByName.first(tx, { lowerName: name })
      if (!user) throw new Error(`there is no ${name}`)
      return enableTwoFactor(services, tx, user)
    })
  const change = (name: string, body: object) =>
    forge.call(forge.root, `PATCH /admin/users/${name}`, { source_id: 0, login_name: name, ...body })
  return { ...forge, services, browser, isSignedIn, factorOf, change }
}

const codeFor = (secret: string, at = clock.now): string => new TOTP({ secret }).generate({ timestamp: at * 1000 })

withWorld("signing in on the pages", { open }, ({ test, world }) => {
  test("a name or an address and the password, and back to where one came from", async () => {
    const { browser, call, isSignedIn, root } = world
    const ann = browser()
    const sent = await ann.get(PRIVATE)
    expect([sent.status, sent.location]).toEqual([303, `/user/login?redirect_to=${encodeURIComponent(PRIVATE)}`])
    const page = await ann.get(sent.location)
    expect(page.status).toBe(200)
    expect(page.text.match(/<h1\b/g)).toHaveLength(1)
    const done = await ann.submit(page, { login: "ANN@example.com", password: PASSWORD })
    expect([done.status, done.location]).toEqual([303, PRIVATE])
    expect(await isSignedIn(ann)).toBe(true)
    expect((await ann.get("/user/login?redirect_to=/x")).location).toBe("/x")
    expect((await call(root, "GET /users/ann")).body.last_login).toBe(new Date(clock.now * 1000).toISOString().replace(".000", ""))
  })

  test("the cookie is for the server only, of this site only, and for all of it; over https under a name that others can't set", async () => {
    const { browser } = world
    const { headers } = await browser().signIn("ann", PASSWORD)
    expect(headers.getSetCookie()[0]).toMatch(/^hearth_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const kept = await browser().post("/user/login", { login: "ann", password: PASSWORD, remember: "on" })
    expect(kept.headers.getSetCookie()[0]).toMatch(/^hearth_session=[\w-]{43}; Path=\/; Max-Age=2678400; HttpOnly; SameSite=Lax$/)
    const port = await freePort()
    const admin = { username: "root", password: PASSWORD }
    const secure = await freshHearth("sqlite", { rootUrl: "https://forge.example", http: { port }, admin })
    try {
      const through = openBrowser(`http://127.0.0.1:${port}`)
      const sent = await through.signIn("root", PASSWORD)
      expect(sent.headers.getSetCookie()[0]).toMatch(/^__Host-hearth_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
      expect((await through.get(PRIVATE)).status).toBe(200)
      // The name without the prefix, which an unprotected page could set, counts for nothing.
      const [text = ""] = through.cookies.values()
      through.cookies.clear()
      through.cookies.set("hearth_session", text)
      expect((await through.get(PRIVATE)).status).toBe(303)
    } finally {
      await secure.close()
    }
  })

  test("a wrong password keeps the way back and the name, and says nothing of which of them is wrong", async () => {
    const { browser, isSignedIn } = world
    const texts = []
    for (const login of ["ann", "no-such-name"]) {
      const one = browser()
      const answer = await one.signIn(login, "wrong", "/x?y=1")
      expect([answer.status, one.cookies.size, await isSignedIn(one)]).toEqual([401, 0, false])
      expect(answer.forms[0]?.fields).toMatchObject({ login, redirect_to: "/x?y=1" })
      // What a passkey has to sign differs each time.
      const even = answer.text.replace(/&quot;challenge&quot;:&quot;[\w-]+/, "").replace(/name="passkey_ticket" value="[^"]+"/, "")
      texts.push(even.replaceAll(login, "NAME"))
    }
    expect(texts[0]).toBe(texts[1])
    // Right at last.
    const ann = browser()
    const done = await ann.submit(await ann.signIn("ann", "wrong", "/x?y=1"), { password: PASSWORD })
    expect([done.status, done.location]).toEqual([303, "/x?y=1"])
  })

  test("pages of other sites can't sign a person in or out", async () => {
    const { browser, isSignedIn } = world
    const ann = browser()
    const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    expect((await ann.post("/user/login", { login: "ann", password: PASSWORD }, evil)).status).toBe(403)
    await ann.signIn("ann", PASSWORD)
    expect((await ann.post("/user/logout", {}, evil)).status).toBe(403)
    expect((await ann.get("/user/logout")).status).toBe(200)
    expect(await isSignedIn(ann)).toBe(true)
  })

  test("signing out ends the session, not only the cookie", async () => {
    const { browser, isSignedIn } = world
    const ann = browser()
    await ann.signIn("ann", PASSWORD)
    const copy = browser()
    for (const [name, value] of ann.cookies) copy.cookies.set(name, value)
    expect(await isSignedIn(copy)).toBe(true)
    const out = await ann.submit(await ann.get("/user/logout"), {})
    expect([out.status, out.location, [...ann.cookies.keys()]]).toEqual([303, "/", ["hearth_person"]])
    expect(await isSignedIn(copy)).toBe(false)
  })

  test("a session that someone else put into the browser is not taken over, and the earlier one ends", async () => {
    const { browser, isSignedIn } = world
    const ann = browser()
    ann.cookies.set("hearth_session", "A".repeat(43))
    expect(await isSignedIn(ann)).toBe(false)
    await ann.signIn("ann", PASSWORD)
    const first = ann.cookies.get("hearth_session") ?? ""
    expect(first).not.toBe("A".repeat(43))
    await ann.submit(await ann.get("/user/login?again=1"), { login: "ann", password: PASSWORD })
    expect(ann.cookies.get("hearth_session")).not.toBe(first)
    const old = browser()
    old.cookies.set("hearth_session", first)
    expect([await isSignedIn(old), await isSignedIn(ann)]).toEqual([false, true])
    // With a second cookie of the name, it can't be known which of them is ours.
    const two = await fetch(world.hearth.url + PRIVATE, {
      headers: { cookie: `hearth_session=${"B".repeat(43)}; hearth_session=${ann.cookies.get("hearth_session")}` },
      redirect: "manual",
    })
    expect(two.status).toBe(303)
  })

  test.for([
    ["a new password", { password: "another-Pass-9" }],
    ["deactivation", { active: false }],
    ["a prohibited sign-in", { prohibit_login: true }],
  ] as const)("%s ends all sessions", async ([, body]) => {
    const { browser, change, isSignedIn, person } = world
    const name = `user-${clock.now++}`
    await person(name)
    const [one, two, other] = [browser(), browser(), browser()]
    for (const each of [one, two]) await each.signIn(name, PASSWORD)
    await other.signIn("ann", PASSWORD)
    expect((await change(name, { full_name: "Somebody" })).status).toBe(200)
    expect(await isSignedIn(one)).toBe(true)
    expect((await change(name, body)).status).toBe(200)
    expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(other)]).toEqual([false, false, true])
  })

  test("accounts that can't be used are told why, with the right password only", async () => {
    const { browser, change } = world
    await change("eve", { active: false })
    const told = await browser().signIn("eve", PASSWORD)
    expect([told.status, told.text.includes("This account is not activated")]).toEqual([403, true])
    expect((await browser().signIn("eve", "wrong")).text).not.toContain("not activated")
    await change("eve", { active: true })
  })

  test("with a second factor there is no session before its code, which works once and for a while", async () => {
    const { browser, factorOf, isSignedIn } = world
    const before = browser()
    await before.signIn("ben", PASSWORD)
    const { secret } = await factorOf("ben")
    expect(await isSignedIn(before)).toBe(false)
    const ben = browser()
    const second = await ben.signIn("ben", PASSWORD, PRIVATE)
    expect([second.status, ben.cookies.size, second.forms[0]?.action]).toEqual([200, 0, "/user/two_factor"])
    const wrong = await ben.submit(second, { code: "000000" })
    expect([wrong.status, ben.cookies.size]).toEqual([422, 0])
    const code = codeFor(secret)
    const done = await ben.submit(wrong, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect([done.status, done.location, await isSignedIn(ben)]).toEqual([303, PRIVATE, true])
    expect((await browser().submit(second, { code })).status).toBe(422)
    // The first step is good for five minutes, for the account as it was, and can't be made up.
    clock.now += 300
    const late = await browser().submit(second, { code: codeFor(secret) })
    expect([late.status, late.forms[0]?.action]).toEqual([400, "/user/login"])
    for (const ticket of ["", "x", second.forms[0]?.fields["ticket"]?.slice(1) ?? ""])
      expect((await browser().post("/user/two_factor", { ticket, code: codeFor(secret) })).forms[0]?.action).toBe("/user/login")
    expect((await browser().get("/user/two_factor")).location).toBe("/user/login")
  })

  test("a recovery code lets in once, however it is written, and wrong ones are counted as codes are", async () => {
    const { browser, call, factorOf, isSignedIn, person } = world
    await person("gina")
    const { recoveryCodes, secret } = await factorOf("gina")
    const [scratch = "", another = ""] = recoveryCodes
    expect(new Set(recoveryCodes).size).toBe(8)
    const enter = async (code: string) => {
      const gina = browser()
      return { gina, answer: await gina.submit(await gina.signIn("gina", PASSWORD), { code }) }
    }
    expect((await enter("aaaa-bbbb-cccc-dddd")).answer.status).toBe(422)
    const { gina, answer } = await enter(` ${scratch.toUpperCase().replaceAll("-", " ")} `)
    expect([answer.status, await isSignedIn(gina)]).toEqual([303, true])
    expect((await enter(scratch)).answer.status).toBe(422)
    expect((await enter(another)).answer.status).toBe(303)
    expect((await call(basic("gina", PASSWORD), "GET /user", undefined, { "x-gitea-otp": scratch })).status).toBe(401)
    expect((await enter(codeFor(secret))).answer.status).toBe(303)
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await enter(`aaaa-bbbb-cccc-ddd${"abcdef"[count]}`)).answer.status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  })

  test("a code that is begun before the credentials change is not taken after", async () => {
    const { browser, change, factorOf } = world
    const { secret } = await factorOf("carol")
    const second = await browser().signIn("carol", PASSWORD)
    await change("carol", { password: "another-Pass-9" })
    const answer = await browser().submit(second, { code: codeFor(secret) })
    expect([answer.status, answer.forms[0]?.action]).toEqual([400, "/user/login"])
  })

  test("passwords and codes can't be guessed here either", async () => {
    const { browser, call, factorOf, person } = world
    await person("frank")
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await browser().signIn("frank", `wrong ${count}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await browser().signIn("frank", PASSWORD)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"])
    expect((await call(basic("frank", PASSWORD), "GET /user")).status).toBe(429)
    clock.now += 30
    const { secret } = await factorOf("frank")
    const second = await browser().signIn("frank", PASSWORD)
    expect(second.forms[0]?.action).toBe("/user/two_factor")
    const codes = []
    for (let count = 0; count < 6; count++) codes.push((await browser().submit(second, { code: `00000${count}` })).status)
    expect(codes).toEqual([422, 422, 422, 422, 422, 429])
    expect((await browser().submit(second, { code: codeFor(secret) })).status).toBe(429)
  })

  test("a session ends after its time without use, and costs one statement", async () => {
    const { browser, isSignedIn, services } = world
    const dora = browser()
    await dora.signIn("dora", PASSWORD)
    const statements = await statementsOf(services.database, () => dora.get("/user/login"))
    expect(statements.map(({ sql }) => sql)).toEqual([expect.stringMatching(/^select .* from "sessions"/)])
    clock.now += 86_400 - 1
    expect(await isSignedIn(dora)).toBe(true)
    // That it was used is written down beside the answer.
    const ends = async () =>
      (await services.database.read.selectFrom("sessions").select("expires_at").orderBy("id", "desc").executeTakeFirstOrThrow()).expires_at
    await expect.poll(ends).toBe(clock.now + 86_400)
    clock.now += 86_399
    expect(await isSignedIn(dora)).toBe(true)
    await expect.poll(ends).toBe(clock.now + 86_400)
    clock.now += 86_400
    expect(await isSignedIn(dora)).toBe(false)
  })

  test("a session that is kept lasts anew when it is used in the second half of its time", async () => {
    const { browser, isSignedIn, services } = world
    const dora = browser()
    await dora.post("/user/login", { login: "dora", password: PASSWORD, remember: "on" })
    const ends = async () =>
      (await services.database.read.selectFrom("sessions").select("expires_at").orderBy("id", "desc").executeTakeFirstOrThrow()).expires_at
    const first = await ends()
    expect(first).toBe(clock.now + 31 * 86_400)
    clock.now += 15 * 86_400
    expect((await dora.get(PRIVATE)).headers.get("set-cookie")).toBeNull()
    expect(await ends()).toBe(first)
    clock.now += 86_400
    const used = await dora.get(PRIVATE)
    expect(used.headers.get("set-cookie")).toMatch(/^hearth_session=[\w-]{43}; Path=\/; Max-Age=2678400; HttpOnly; SameSite=Lax$/)
    await expect.poll(ends).toBe(clock.now + 31 * 86_400)
    expect(await isSignedIn(dora)).toBe(true)
  })
})
