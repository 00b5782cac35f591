import { expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { agentFamily } from "../../../features/people/sign-in/sessions/agents.ts"
import { openSignInWorld, SECURITY } from "../testing.ts"

const ENROLL = `${SECURITY}/two_factor/enroll`
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

async function open(kind: FreshKind) {
  const world = await openSignInWorld(kind)
  for (const name of ["ann", "ben", "carol", "dora", "eve"]) await world.person(name)
  return world
}

withWorld("security of an account", { open }, ({ test, world }) => {
  test("an authenticator app is on once a code of it was typed in, which is used up, and the recovery codes are shown once", async () => {
    const { browser, call, clock, codeFor, isSignedIn } = world
    const [ann, other] = [browser(), browser()]
    for (const each of [ann, other]) await each.signIn("ann", PASSWORD)
    const page = await ann.get(ENROLL)
    expect(page.text).toContain('<svg role="img" aria-label="QR code for your authenticator app"')
    const secret = (/Secret: <code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? "").replaceAll(" ", "")
    const wrong = await ann.submit(page, { code: "000000" })
    expect([wrong.status, wrong.text.includes('id="code-fault"'), wrong.text.includes(secret.slice(0, 4))]).toEqual([422, true, true])
    expect((await call(basic("ann", PASSWORD), "GET /user")).status).toBe(200)
    const done = await ann.submit(wrong, { code: codeFor(secret) })
    const codes = [...done.text.matchAll(/<code>((?:[a-z2-7]{4}-){3}[a-z2-7]{4})<\/code>/g)].map(([, code]) => code ?? "")
    expect([done.status, codes.length, done.headers.get("cache-control")]).toEqual([200, 8, "no-store"])
    expect([await isSignedIn(ann), await isSignedIn(other)]).toEqual([true, false])
    expect((await call(basic("ann", PASSWORD), "GET /user", undefined, { "x-gitea-otp": codeFor(secret) })).status).toBe(401)
    clock.now += 30
    expect((await call(basic("ann", PASSWORD), "GET /user", undefined, { "x-gitea-otp": codeFor(secret) })).status).toBe(200)
    expect((await ann.get(SECURITY)).text).toContain("8 recovery codes")
    // A proposal of before is void: it is for the account as it was.
    expect((await ann.submit(wrong, { code: codeFor(secret) })).status).toBe(400)
  })

  test("new recovery codes void those until now; switching it off asks for the password alone again", async () => {
    const { browser, factorOf, isSignedIn } = world
    const { recoveryCodes } = await factorOf("ben")
    const [first = "", old = ""] = recoveryCodes
    const ben = browser()
    await ben.submit(await ben.signIn("ben", PASSWORD), { code: first })
    const page = await ben.post(`${SECURITY}/two_factor/codes`, {})
    const [fresh = ""] = [...page.text.matchAll(/<code>((?:[a-z2-7]{4}-){3}[a-z2-7]{4})<\/code>/g)].map(([, code]) => code ?? "")
    const enter = async (code: string) => {
      const one = browser()
      return (await one.submit(await one.signIn("ben", PASSWORD), { code })).status
    }
    expect([await enter(old), await enter(fresh)]).toEqual([422, 303])
    const off = await ben.post(`${SECURITY}/two_factor/disable`, {})
    expect([off.status, await isSignedIn(ben)]).toEqual([303, true])
    expect((await browser().signIn("ben", PASSWORD)).status).toBe(303)
  })

  test("sessions are listed without what browsers send, and end one by one and all others", async () => {
    const { browser, clock, isSignedIn } = world
    const [carol, phone, tablet] = [browser(), browser(), browser()]
    await carol.post("/user/login", { login: "carol", password: PASSWORD }, { "user-agent": FIREFOX })
    clock.now += 60
    await phone.post("/user/login", { login: "carol", password: PASSWORD }, { "user-agent": "<script>alert(1)</script>" })
    await tablet.signIn("carol", PASSWORD)
    const page = await carol.get(SECURITY)
    expect(page.text).toContain("<strong>Firefox on Linux</strong>")
    expect(page.text).not.toContain("alert(1)")
    expect(page.text.match(/This browser/g)).toHaveLength(1)
    const ids = [...page.text.matchAll(/sessions\/end"><input type="hidden" name="id" value="(\d+)"/g)].map(([, id]) => id ?? "")
    expect(ids).toHaveLength(2)
    // Another person can't end them.
    const dora = browser()
    await dora.signIn("dora", PASSWORD)
    for (const id of ids) await dora.post(`${SECURITY}/sessions/end`, { id })
    expect([await isSignedIn(phone), await isSignedIn(tablet)]).toEqual([true, true])
    await carol.post(`${SECURITY}/sessions/end`, { id: ids[0] ?? "" })
    expect([await isSignedIn(phone), await isSignedIn(tablet)].sort()).toEqual([false, true])
    await carol.post(`${SECURITY}/sessions/end_others`, {})
    expect([await isSignedIn(phone), await isSignedIn(tablet), await isSignedIn(carol)]).toEqual([false, false, true])
  })

  test("a form that is sent after its session has ended loses nothing: the person signs in in place, and it goes on", async () => {
    const { browser, isSignedIn, userOf, services } = world
    const dora = browser()
    await dora.signIn("dora", PASSWORD)
    const other = browser()
    await other.signIn("dora", PASSWORD)
    const ends = async () =>
      services.database.read
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", (await userOf("dora")).id)
        .execute()
    const before = await ends()
    const [mine] = [before.at(-1)?.id ?? 0]
    await dora.post("/user/logout", {})
    // Browsers send line ends as CRLF, and read them in a page as LF.
    const note = 'line 1\nline "2" <b>'
    const typed = { id: String(mine), note: note.replace("\n", "\r\n"), password: "hidden-1", api_token: "hidden-2" }
    const asked = await dora.post(`${SECURITY}/sessions/end`, typed)
    expect(asked.status).toBe(401)
    expect(asked.text).not.toContain("hidden-")
    expect(asked.forms[0]?.action).toBe(`${SECURITY}/sessions/end`)
    expect(asked.forms[0]?.fields).toMatchObject({ id: String(mine), note })
    const wrong = await dora.submit(asked, { sign_in_login: "dora", sign_in_password: "wrong" })
    expect([wrong.status, wrong.forms[0]?.fields["note"], wrong.forms[0]?.fields["sign_in_password"]]).toEqual([401, note, ""])
    const done = await dora.submit(wrong, { sign_in_login: "dora", sign_in_password: PASSWORD })
    expect([done.status, done.location]).toEqual([303, SECURITY])
    expect([await isSignedIn(dora), await isSignedIn(other)]).toEqual([true, false])
  })

  test("with a second factor in place too, and never by a page of another site", async () => {
    const { browser, factorOf, isSignedIn } = world
    const { recoveryCodes } = await factorOf("eve")
    const eve = browser()
    const asked = await eve.post(`${SECURITY}/sessions/end_others`, { text: "kept" })
    const second = await eve.submit(asked, { sign_in_login: "eve", sign_in_password: PASSWORD })
    expect([second.status, second.forms[0]?.fields["text"], eve.cookies.size]).toEqual([401, "kept", 0])
    const wrong = await eve.submit(second, { sign_in_code: "000000" })
    expect([wrong.status, wrong.forms[0]?.fields["text"], await isSignedIn(eve)]).toEqual([422, "kept", false])
    const done = await eve.submit(wrong, { sign_in_code: recoveryCodes[0] ?? "" })
    expect([done.status, await isSignedIn(eve)]).toEqual([303, true])
    const fields = { sign_in_login: "ann", sign_in_password: PASSWORD }
    const evil = await browser().post(`${SECURITY}/sessions/end_others`, fields, { "sec-fetch-site": "cross-site" })
    expect([evil.status, evil.headers.get("set-cookie")]).toEqual([403, null])
  })

  test("a browser that says neither where a form comes from nor that it has no page is not believed", async () => {
    const { browser, isSignedIn, url } = world
    const carol = browser()
    await carol.signIn("carol", PASSWORD)
    const cookie = [...carol.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const send = (headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/user/logout`, { method: "POST", redirect: "manual", headers: { cookie, ...headers } })
    expect((await send({})).status).toBe(403)
    expect((await send({ origin: "null" })).status).toBe(403)
    expect((await send({ origin: "https://evil.example" })).status).toBe(403)
    expect(await isSignedIn(carol)).toBe(true)
    expect((await send({ origin: url })).status).toBe(303)
    expect(await isSignedIn(carol)).toBe(false)
  })

  test("password managers find where to change a password and to add a passkey", async () => {
    const { browser, services } = world
    const visitor = browser()
    expect((await visitor.get("/.well-known/change-password")).location).toBe("/user/change_password")
    expect(JSON.parse((await visitor.get("/.well-known/passkey-endpoints")).text)).toEqual({
      enroll: `${services.site.rootUrl}${SECURITY}/passkeys/new`,
      manage: services.site.rootUrl + SECURITY,
    })
  })
})

withWorld("families of browsers", { open: async () => ({ close: async () => undefined }) }, ({ test }) => {
  test.for([
    [FIREFOX, "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["curl/8.9.1", "curl"],
    ["<img src=x>", ""],
  ])("%s", ([agent, family]) => {
    expect(agentFamily(agent)).toBe(family)
  })
})
