import { expect } from "vitest"
import { type AuthenticatorOptions, openAuthenticator } from "../../../tests/support/authenticator.ts"
import type { Browser } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../tests/support/hearth.ts"
import { openSignInWorld, passkeyFormOf, SECURITY } from "./testing.ts"

const NEW = `${SECURITY}/passkeys/new`

async function open(kind: FreshKind) {
  const world = await openSignInWorld(kind)
  const origin = world.services.site.rootUrl
  for (const name of ["ann", "ben", "carol", "dora"]) await world.person(name)
  const device = (more: Partial<AuthenticatorOptions> = {}) => openAuthenticator({ origin, rpId: "localhost", ...more })
  type Device = ReturnType<typeof device>
  const add = async (browser: Browser, key: Device, name = "Laptop") => {
    const form = passkeyFormOf(await browser.get(NEW))
    return browser.post(form.action, { ...form.fields, name, credential: key.create(form.options) })
  }
  const enrolled = async (name: string, key: Device) => {
    const browser = world.browser()
    await browser.signIn(name, PASSWORD)
    const added = await add(browser, key)
    expect([added.status, added.location]).toEqual([303, SECURITY])
    return browser
  }
  const answerOf = async (browser: Browser, key: Device, asserting = {}, path = "/user/login") => {
    const form = passkeyFormOf(await browser.get(path))
    return { action: form.action, fields: { ...form.fields, credential: key.get(form.options, asserting) } }
  }
  const enter = async (browser: Browser, key: Device, asserting = {}) => {
    const { action, fields } = await answerOf(browser, key, asserting)
    return browser.post(action, fields)
  }
  return { ...world, device, add, enrolled, answerOf, enter }
}

withWorld("passkeys", { open }, ({ test, world }) => {
  test("one is added with a name, shown with its last use, and lets in without a password", async () => {
    const { browser, clock, device, enrolled, enter, isSignedIn } = world
    const key = device()
    const ann = await enrolled("ann", key)
    expect((await ann.get(SECURITY)).text).toMatch(/<strong>Laptop<\/strong>.*never used/)
    clock.now += 60
    const other = browser()
    const entered = await enter(other, key)
    expect([entered.status, entered.location, await isSignedIn(other)]).toEqual([303, "/", true])
    const overview = await other.get(SECURITY)
    expect(overview.text).toMatch(/<strong>Laptop<\/strong>.*last used/)
    expect(overview.text).toContain("by passkey")
  })

  test("an answer works once, also where it is sent twice at the same time", async () => {
    const { answerOf, browser, device, enrolled, isSignedIn } = world
    const key = device()
    await enrolled("ann", key)
    const { action, fields } = await answerOf(browser(), key)
    const answers = await Promise.all([browser().post(action, fields), browser().post(action, fields)])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
    const replayed = browser()
    expect((await replayed.post(action, fields)).status).toBe(400)
    expect(await isSignedIn(replayed)).toBe(false)
  })

  test.for([
    ["for another site", { origin: "http://evil.example" }],
    ["for another domain", { rpId: "evil.example" }],
    ["over another challenge", { challenge: "A".repeat(43) }],
    ["without a look at the person", { verifies: false }],
  ] as const)("an answer %s is not taken", async ([, asserting]) => {
    const { browser, device, enrolled, enter, isSignedIn } = world
    const key = device()
    await enrolled("ann", key)
    const thief = browser()
    const answer = await enter(thief, key, asserting)
    expect([answer.status, await isSignedIn(thief)]).toEqual([400, false])
    expect(answer.text).toContain("could not be verified")
  })

  test("an answer that is late, made up, or of a key that no one has is not taken", async () => {
    const { answerOf, browser, clock, device, enrolled, enter } = world
    const key = device()
    await enrolled("ann", key)
    const { action, fields } = await answerOf(browser(), key)
    clock.now += 601
    expect((await browser().post(action, fields)).status).toBe(400)
    for (const credential of ["", "{}", "[]", "null", '{"id":"x","response":{}}', "x".repeat(10_000)])
      expect((await browser().post(action, { ...(await answerOf(browser(), key)).fields, credential })).status).toBe(400)
    const unknown = device()
    unknown.create({ challenge: "x", user: { id: "x" } })
    expect((await enter(browser(), unknown)).status).toBe(400)
  })

  test("a copy that counts on from an older state is not taken", async () => {
    const { browser, device, enrolled, enter } = world
    const key = device({ counts: true })
    await enrolled("ann", key)
    expect((await enter(browser(), key)).status).toBe(303)
    expect((await enter(browser(), key)).status).toBe(303)
    key.rewind()
    expect((await enter(browser(), key)).status).toBe(400)
  })

  test("after a password a key stands for the code, only one of the same account, and without a look at the person", async () => {
    const { browser, device, enrolled, factorOf, isSignedIn } = world
    const [bens, carols] = [device(), device()]
    await enrolled("ben", bens)
    await enrolled("carol", carols)
    await factorOf("ben")
    const ben = browser()
    const second = await ben.signIn("ben", PASSWORD)
    const form = passkeyFormOf(second)
    expect(form.action).toBe("/user/two_factor")
    expect(form.options.allowCredentials).toHaveLength(1)
    const wrong = await ben.post(form.action, { ...form.fields, credential: carols.get(form.options) })
    expect([wrong.status, await isSignedIn(ben)]).toEqual([400, false])
    const again = passkeyFormOf(wrong)
    const done = await ben.post(again.action, { ...again.fields, credential: bens.get(again.options, { verifies: false }) })
    expect([done.status, await isSignedIn(ben)]).toEqual([303, true])
    // The answer was for the second step of this account: it opens nothing without the password.
    const alone = browser()
    expect((await alone.post("/user/passkey", { ...again.fields, credential: bens.get(again.options) })).status).toBe(400)
    // The first step is used up with it.
    const fresh = passkeyFormOf(await browser().signIn("ben", PASSWORD))
    const reused = await browser().post(form.action, {
      ...fresh.fields,
      ticket: form.fields["ticket"] ?? "",
      credential: bens.get(fresh.options),
    })
    expect(reused.status).toBe(400)
  })

  test("adding and removing one needs a fresh proof of who it is, and ends the other sessions", async () => {
    const { browser, clock, device, enrolled, enter, isSignedIn } = world
    const key = device()
    const [other, dora] = [browser(), await enrolled("dora", key)]
    await other.signIn("dora", PASSWORD)
    const id = /name="id" value="(\d+)"/.exec((await dora.get(SECURITY)).text)?.[1] ?? ""
    clock.now += 900
    const sent = await dora.post(`${SECURITY}/passkeys/remove`, { id })
    // The page that asks holds what was sent, see in-place.test.ts.
    expect([sent.status, sent.text.includes("Confirm access")]).toEqual([403, true])
    expect((await dora.get(NEW)).location).toBe(`/user/confirm?redirect_to=${encodeURIComponent(NEW)}`)
    const page = await dora.get(`/user/confirm?redirect_to=${encodeURIComponent(SECURITY)}`)
    expect((await dora.submit(page, { password: "wrong" })).status).toBe(401)
    const before = dora.cookies.get("hearth_session")
    expect((await dora.submit(page, { password: PASSWORD })).location).toBe(SECURITY)
    expect(dora.cookies.get("hearth_session")).not.toBe(before)
    const old = browser()
    old.cookies.set("hearth_session", before ?? "")
    expect(await isSignedIn(old)).toBe(false)
    const ben = browser()
    await ben.signIn("ann", PASSWORD)
    expect((await ben.post(`${SECURITY}/passkeys/remove`, { id })).status).toBe(404)
    expect((await dora.post(`${SECURITY}/passkeys/remove`, { id })).status).toBe(303)
    expect([await isSignedIn(dora), await isSignedIn(other)]).toEqual([true, false])
    expect((await enter(browser(), key)).status).toBe(400)
  })

  test("a key confirms who it is, and a bad name is said beside its field", async () => {
    const { clock, device, enrolled } = world
    const key = device()
    const ann = await enrolled("ann", key)
    clock.now += 900
    const form = passkeyFormOf(await ann.get(`/user/confirm?redirect_to=${encodeURIComponent(NEW)}`))
    expect((await ann.post(form.action, { ...form.fields, credential: key.get(form.options) })).location).toBe(NEW)
    const bad = await world.add(ann, device(), " ")
    expect([bad.status, bad.text.includes('id="name-fault"')]).toEqual([422, true])
  })
})
