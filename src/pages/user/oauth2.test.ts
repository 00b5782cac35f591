import { expect } from "vitest"
import { type Browser, openBrowser, type Page } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"
import { freePort } from "../../../tests/support/ports.ts"
import { enableTwoFactor } from "../../features/people/sign-in/second-factor/two-factor.ts"
import { SECURITY } from "./testing.ts"

/** A site, and another Hearth at which its people sign in: once trusted with registration and addresses ("trusted"), once not ("plain"). */
async function open(kind: FreshKind) {
  const [port, port2] = [await freePort(), await freePort()]
  const [root, issuer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port2}`]
  const there = await freshHearth("sqlite", { rootUrl: issuer, http: { port: port2 } })
  for (const name of ["ann", "ben", "carol", "dora", "eve", "finn"]) await there.person(name)
  const { body } = await there.call(there.root, "POST /user/applications/oauth2", {
    name: "Here",
    redirect_uris: ["trusted", "plain"].map((name) => `${root}/user/oauth2/${name}/callback`),
    confidential_client: true,
  })
  const common = { issuer, clientId: body.client_id, clientSecret: body.client_secret }
  const here = await freshHearth(kind, {
    rootUrl: root,
    http: { port },
    outgoing: { allowedHosts: "loopback" },
    signIn: {
      providers: [
        { name: "trusted", title: "The Other", ...common, registration: true, linkByEmail: true },
        { name: "plain", ...common },
        { name: "gone", issuer: "http://127.0.0.1:9", clientId: "x", clientSecret: "x" },
        { name: "inside", issuer: "https://10.0.0.1", clientId: "x", clientSecret: "x" },
      ],
    },
  })
  const { services } = here.hearth
  const browser = () => openBrowser(root)
  /** Goes to the other site as this person, agrees, and gives the address that leads back. */
  const agree = async (name: string, location: string): Promise<string> => {
    const person = openBrowser(issuer)
    await person.signIn(name, PASSWORD)
    const asked = await person.get(location)
    return (asked.status === 200 ? await person.submit(asked, { granted: "true" }) : asked).location
  }
  const through = async (which: Browser, name: string, provider: string, target = "/"): Promise<Page> => {
    const sent = await which.get(`/user/oauth2/${provider}?redirect_to=${encodeURIComponent(target)}`)
    return which.get(await agree(name, sent.location))
  }
  const isSignedInAs = async (which: Browser) => /Signed in as (\w+)/.exec((await which.get(SECURITY)).text)?.[1]
  const close = async () => {
    await here.close()
    await there.close()
  }
  return { ...here, there, services, root, browser, agree, through, isSignedInAs, close }
}

withWorld("signing in at another provider", { open }, ({ test, world }) => {
  test("the login page names them, and leads there with state, nonce and PKCE", async () => {
    const { browser, services } = world
    const ann = browser()
    const page = await ann.get("/user/login?redirect_to=%2Fx")
    expect(page.text).toContain('href="/user/oauth2/trusted?redirect_to=%2Fx"')
    const sent = await ann.get("/user/oauth2/trusted?redirect_to=%2Fx")
    const { searchParams } = new URL(sent.location)
    for (const name of ["state", "nonce", "code_challenge"]) expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    expect(searchParams.get("code_challenge_method")).toBe("S256")
    expect(sent.headers.get("set-cookie")).toMatch(/^hearth_sign_in=v1\.[\w-]+; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax$/)
    expect((await services.database.read.selectFrom("used_tickets").selectAll().execute()).length).toBe(0)
  })

  test("who is new chooses a name, and is known from then on", async () => {
    const { browser, isSignedInAs, through } = world
    const ann = browser()
    const back = await through(ann, "ann", "trusted", SECURITY)
    expect([back.status, back.location]).toEqual([303, "/user/link_account"])
    const page = await ann.get("/user/link_account")
    expect(page.text).toContain("Sign in with The Other")
    const fields = { new: "1", name: "user" }
    const reserved = await ann.post("/user/link_account", fields)
    expect([reserved.status, reserved.text.includes("name-fault")]).toEqual([422, true])
    const made = await ann.post("/user/link_account", { ...fields, name: "ann-new" })
    expect([made.status, made.location]).toEqual([303, SECURITY])
    expect((await ann.get(SECURITY)).text).toMatch(/<strong>ann<\/strong> at The Other/)
    const again = browser()
    expect((await through(again, "ann", "trusted", "/x")).location).toBe("/x")
    expect(await isSignedInAs(again)).toBe("ann")
  })

  test("a verified address lets into its account only by a provider that is trusted with that", async () => {
    const { browser, isSignedInAs, person, through } = world
    await person("ben")
    const stranger = browser()
    expect((await through(stranger, "ben", "plain")).location).toBe("/user/link_account")
    const offered = await stranger.get("/user/link_account")
    expect(offered.text).not.toContain("Create a new account")
    expect((await stranger.post("/user/link_account", { new: "1", name: "ben-two" })).status).toBe(403)
    expect(await isSignedInAs(stranger)).toBeUndefined()
    const ben = browser()
    expect((await through(ben, "ben", "trusted")).location).toBe("/")
    expect(await isSignedInAs(ben)).toBe("ben")
  })

  test("an account here is linked by its password, with its second factor", async () => {
    const { browser, isSignedInAs, person, services, through } = world
    await person("carol-here")
    const user = await services.database.read
      .selectFrom("users")
      .selectAll()
      .where("lower_name", "=", "carol-here")
      .executeTakeFirstOrThrow()
    const { recoveryCodes } = await services.database.write((tx) => enableTwoFactor(services, tx, user))
    const carol = browser()
    await through(carol, "carol", "plain", "/x")
    const page = await carol.get("/user/link_account")
    const wrong = await carol.submit(page, { login: "carol-here", password: "wrong" })
    expect(wrong.status).toBe(401)
    const second = await carol.submit(wrong, { login: "carol-here", password: PASSWORD })
    expect(second.forms[0]?.action).toBe("/user/two_factor")
    expect(await services.database.read.selectFrom("linked_accounts").select("id").where("user_id", "=", user.id).execute()).toHaveLength(0)
    const done = await carol.submit(second, { code: recoveryCodes[0] ?? "" })
    expect([done.status, done.location]).toEqual([303, "/x"])
    // From now on the provider stands for the password, and not for the code.
    const next = browser()
    const asked = await through(next, "carol", "plain")
    expect([asked.status, asked.forms[0]?.action, await isSignedInAs(next)]).toEqual([200, "/user/two_factor", undefined])
  })

  test("an answer of the provider is good for the browser that asked, once, and for nothing else", async () => {
    const { agree, browser, isSignedInAs, person, through } = world
    await person("dora")
    const dora = browser()
    await through(dora, "dora", "trusted")
    expect(await isSignedInAs(dora)).toBe("dora")
    // Login CSRF: the attacker's answer, brought to the victim's browser.
    const attacker = browser()
    const asked = await attacker.get("/user/oauth2/trusted")
    const answer = await agree("dora", asked.location)
    const victim = browser()
    expect([(await victim.get(answer)).status, await isSignedInAs(victim)]).toEqual([400, undefined])
    await victim.get("/user/oauth2/trusted")
    expect([(await victim.get(answer)).status, await isSignedInAs(victim)]).toEqual([400, undefined])
    // Twice at the same time, with the same cookies.
    const cookies = new Map(attacker.cookies)
    const copy = browser()
    for (const [name, value] of cookies) copy.cookies.set(name, value)
    const both = await Promise.all([attacker.get(answer), copy.get(answer)])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400])
    // Of one provider, at the address of another.
    const mixed = browser()
    const sent = await mixed.get("/user/oauth2/trusted")
    const moved = (await agree("dora", sent.location)).replace("/trusted/", "/plain/")
    expect([(await mixed.get(moved)).status, await isSignedInAs(mixed)]).toEqual([400, undefined])
  })

  test("who says no there, and a provider that is not there, end in words", async () => {
    const { browser, root } = world
    const eve = browser()
    const sent = await eve.get("/user/oauth2/trusted")
    const state = new URL(sent.location).searchParams.get("state") ?? ""
    const denied = await eve.get(`/user/oauth2/trusted/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(root)}`)
    expect([denied.status, denied.text.includes("did not let you in")]).toEqual([400, true])
    for (const name of ["gone", "inside"]) expect((await browser().get(`/user/oauth2/${name}`)).status).toBe(503)
    expect((await browser().get("/user/oauth2/unknown")).status).toBe(404)
    expect((await browser().get("/user/oauth2/unknown/callback")).status).toBe(404)
  })

  test("one's own account is linked by a form, after a fresh proof, and unlinked unless nothing else is left", async () => {
    const { agree, browser, isSignedInAs, person } = world
    await person("eve-here")
    const eve = browser()
    await eve.signIn("eve-here", PASSWORD)
    const evil = await eve.post("/user/oauth2/plain", {}, { "sec-fetch-site": "cross-site" })
    expect(evil.status).toBe(403)
    const page = await eve.post("/user/oauth2/plain", {})
    const address = /href="(http[^"]+)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
    expect((await eve.get(await agree("eve", address))).location).toBe(SECURITY)
    const overview = await eve.get(SECURITY)
    expect(overview.text).toMatch(/<strong>eve<\/strong> at plain/)
    // Another person can't take it.
    await person("finn-here")
    const finn = browser()
    await finn.signIn("finn-here", PASSWORD)
    const other = await finn.post("/user/oauth2/plain", {})
    const taken = await finn.get(await agree("eve", /href="(http[^"]+)"/.exec(other.text)?.[1]?.replaceAll("&amp;", "&") ?? ""))
    expect([taken.status, taken.text.includes("signs in someone else here")]).toEqual([409, true])
    const id = /links\/remove"><input type="hidden" name="id" value="(\d+)"/.exec(overview.text)?.[1] ?? ""
    expect((await finn.post(`${SECURITY}/links/remove`, { id })).status).toBe(404)
    expect((await eve.post(`${SECURITY}/links/remove`, { id })).status).toBe(303)
    const stranger = browser()
    await stranger.get("/")
    expect(await isSignedInAs(stranger)).toBeUndefined()
  })

  test("where it leads afterwards stays on this site", async () => {
    const { browser, through } = world
    for (const target of ["//evil.example", "/\\evil.example", "https://evil.example/", "/a\r\nlocation: x", "/\t/evil.example"])
      expect((await through(browser(), "dora", "trusted", target)).location).toBe("/")
  })
})
