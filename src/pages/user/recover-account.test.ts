import { TOTP } from "otpauth"
import { beforeEach, describe, expect } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, freshHearth } from "../../../tests/support/hearth.ts"
import { publish } from "../../core/events/publish.ts"
import { enableTwoFactor } from "../../features/people/sign-in/second-factor/two-factor.ts"
import { findAddressesOf } from "../../features/people/users/addresses-store.ts"
import { makeCode } from "../../features/people/users/codes.ts"
import { ACTIVATE, FORGOT, INVALID_LINK, NEW, OLD, openWebWorld, RECOVER } from "./testing.ts"

withWorld("mails about accounts", { open: (kind) => openWebWorld(kind) }, ({ test, world: scene }) => {
  beforeEach(async () => {
    // Mail left over from an earlier test must not reach the next one.
    await scene.hearth.services.jobs.drain()
    scene.server.arrived.length = 0
  })

  const reset = (code: string, password = NEW, more = {}) =>
    scene.post(RECOVER, { code, new_password: password, new_password_again: password, ...more })
  let count = 0
  /** A new user with the password OLD. */
  const newUser = async (more = {}): Promise<string> => {
    const name = `p${++count}`
    await scene.person(name, more)
    return name
  }

  test("an account that is made with send_notify is told of, without a password or a code", async () => {
    await scene.person("wendy", { send_notify: true })
    await scene.hearth.services.jobs.drain()
    const [mail, ...more] = scene.server.arrived
    expect([mail?.to, mail?.headers.get("subject"), more]).toEqual(["wendy@example.com", "Welcome to localhost", []])
    const link = `${scene.hearth.url}${FORGOT}`
    expect(mail?.parts.get("text/plain")).toContain(`wendy`)
    expect(mail?.parts.get("text/plain")?.split("\r\n")).toContain(link)
    expect(mail?.parts.get("text/html")).toContain(`<a href="${link}">`)
    expect(JSON.stringify([...(mail?.parts ?? [])])).not.toMatch(/pass-word-1|code=/)
    scene.server.arrived.length = 0
    await scene.person("quiet")
    expect(await scene.mailed("quiet@example.com")).toBeUndefined()
  })

  describe("a forgotten password", () => {
    test("is replaced by a link, once, and the old one is void at once", async () => {
      const name = await newUser({ must_change_password: true })
      expect((await scene.request(FORGOT)).text).toContain('method="post" action="/user/forgot_password">')
      expect((await scene.post(FORGOT, { address: ` ${name.toUpperCase()}@Example.com ` })).status).toBe(200)
      await scene.hearth.services.jobs.drain()
      const [mail] = scene.server.arrived
      const url = new RegExp(`${scene.hearth.url}${RECOVER}\\?code=\\S+`).exec(mail?.parts.get("text/plain") ?? "")?.[0] ?? ""
      expect(mail?.parts.get("text/html")).toContain(`<a href="${url}">`)
      expect(mail?.parts.get("text/plain")).toContain("good once, for 3 hours")
      const code = new URL(url).searchParams.get("code") ?? ""

      for (const _ of [1, 2]) {
        const page = await scene.request(url)
        expect([page.status, page.text.includes(name), page.text.includes(code)]).toEqual([200, true, true])
        expect(page.headers.get("referrer-policy")).toBe("same-origin")
        expect(page.headers.get("cache-control")).toBe("no-store")
        expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
        expect(page.text).not.toContain("Authentication code")
      }
      const { credentials_version } = await scene.userOf(name)
      expect((await reset(code)).text).toContain("Password changed")
      expect(await scene.userOf(name)).toMatchObject({ must_change_password: 0, credentials_version: credentials_version + 1 })
      expect([await scene.signsIn(name, OLD), await scene.signsIn(name, NEW)]).toEqual([false, true])

      for (const again of [await scene.request(url), await reset(code, "third-Pass-99")])
        expect([again.status, again.text]).toEqual([404, expect.stringContaining(INVALID_LINK)])
      expect(await scene.signsIn(name, NEW)).toBe(true)
    })

    test("leaves tokens and further addresses as they are", async () => {
      const name = await newUser()
      const token = await scene.call(basic(name, OLD), `POST /users/${name}/tokens`, { name: "t", scopes: ["all"] })
      await reset(await scene.codeFor(name, "recover"))
      expect((await scene.call(`token ${token.body.sha1}`, "GET /user")).status).toBe(200)
    })

    test("used twice at once is replaced once", async () => {
      const name = await newUser()
      const code = await scene.codeFor(name, "recover")
      const answers = await Promise.all([reset(code, "first-Pass-11"), reset(code, "second-Pass-22")])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
      const signedIn = [await scene.signsIn(name, "first-Pass-11"), await scene.signsIn(name, "second-Pass-22")]
      expect(signedIn).toEqual(answers.map(({ status }) => status === 200))
    })

    test.each([
      ["a short one", { new_password: "short", new_password_again: "short" }, "Password must have at least 8 characters"],
      ["a blank one", { new_password: " ".repeat(12), new_password_again: " ".repeat(12) }, "Password must not be blank"],
      ["none", { new_password: "", new_password_again: "" }, "Password must have"],
      ["two that differ", { new_password: NEW, new_password_again: `${NEW}0` }, "The two new passwords differ"],
    ])("is not replaced by %s, and the code stays good", async (_, fields, problem) => {
      const name = await newUser()
      const code = await scene.codeFor(name, "recover")
      const refused = await scene.post(RECOVER, { code, ...fields })
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(refused.text).toContain(problem)
      expect(refused.text).toContain(code)
      expect(await scene.signsIn(name, OLD)).toBe(true)
      expect((await reset(code)).status).toBe(200)
    })

    test("of an account with a second factor takes that too, and only a few guesses", async () => {
      const name = await newUser()
      const { services } = scene.hearth
      const user = await scene.userOf(name)
      const { secret } = await services.database.write((tx) => enableTwoFactor(services, tx, user))
      const generate = (offset = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + offset })
      await scene.post(FORGOT, { address: `${name}@example.com` })
      const code = (await scene.mailed(`${name}@example.com`)) ?? ""
      expect((await scene.request(`${RECOVER}?code=${code}`)).text).toContain("Authentication code")
      for (const wrong of ["", "000000x", "12345"]) {
        const refused = await reset(code, NEW, { second_factor: wrong })
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("authenticator app shows now")])
      }
      const weak = await reset(code, "short", { second_factor: generate() })
      expect([weak.status, await scene.signsIn(name, OLD)]).toEqual([400, false])
      expect((await reset(code, NEW, { second_factor: generate() })).status).toBe(200)
      expect((await scene.call(basic(name, NEW), "GET /user", undefined, { "x-gitea-otp": generate(30_000) })).status).toBe(200)

      await scene.wait(181)
      await scene.post(FORGOT, { address: `${name}@example.com` })
      const next = (await scene.mailed(`${name}@example.com`)) ?? ""
      for (const status of [400, 400, 400, 400, 400, 429]) expect((await reset(next, OLD, { second_factor: "none" })).status).toBe(status)
      const late = await reset(next, OLD, { second_factor: generate(30_000) })
      expect([late.status, late.text]).toEqual([429, expect.stringContaining("even a right one is not accepted now")])
    })

    test("is mailed to the primary address only, whichever confirmed one was given", async () => {
      const name = await newUser()
      await scene.call(basic(name, OLD), "POST /user/emails", { emails: [`${name}-b@example.com`] })
      expect(await scene.mailed(`${name}-b@example.com`)).toBeDefined()
      await scene.post(FORGOT, { address: `${name}-b@example.com` })
      expect(await scene.mailed("nobody")).toBeUndefined()
      await scene.post(ACTIVATE, { code: await scene.codeFor(name, "confirm", 60, `${name}-b@example.com`) })
      await scene.post(FORGOT, { address: `${name}-b@example.com` })
      expect(await scene.mailed(`${name}@example.com`)).toBeTruthy()
    })

    test("is mailed once in three minutes, however often and however simultaneously one asks", async () => {
      const name = await newUser()
      const ask = () => scene.post(FORGOT, { address: `${name}@example.com` })
      await Promise.all([ask(), ask(), ask()])
      expect(await scene.mailed(`${name}@example.com`)).toBeTruthy()
      await scene.wait(170)
      await ask()
      expect(await scene.mailed("nobody")).toBeUndefined()
      await scene.wait(11)
      await ask()
      expect(await scene.mailed(`${name}@example.com`)).toBeTruthy()
    })

    test("is answered the same and as late, whether there is an account or not", async () => {
      const [name, inactive, prohibited] = [await newUser(), await newUser(), await newUser()]
      await scene.change(inactive, { is_active: 0 })
      await scene.change(prohibited, { prohibit_login: 1 })
      const addresses = [`${name}@example.com`, "nobody@example.com", `${inactive}@example.com`, `${prohibited}@example.com`, name, ""]
      const answers = await Promise.all(
        addresses.map(async (address) => {
          const began = performance.now()
          const { status, text } = await scene.post(FORGOT, { address })
          expect(performance.now() - began).toBeGreaterThan(395)
          return { status, text }
        }),
      )
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(await scene.mailed(`${name}@example.com`)).toBeTruthy()
    })

    test("is not mailed once the account may not sign in any more, and the link is void then", async () => {
      const name = await newUser()
      const code = await scene.codeFor(name, "recover")
      await scene.post(FORGOT, { address: `${name}@example.com` })
      await scene.hearth.services.jobs.drain()
      // The row holds the recipient and the purpose, and no credentials.
      const stored = await scene.hearth.services.database.read
        .selectFrom("jobs")
        .select("payload")
        .where("kind", "=", "mail.account")
        .execute()
      expect(stored.some(({ payload }) => payload.includes("recover."))).toBe(false)
      scene.server.arrived.length = 0
      const { services } = scene.hearth
      const mail = { userId: (await scene.userOf(name)).id, address: `${name}@example.com` } as const
      for (const changes of [{ is_active: 0 }, { prohibit_login: 1 }] as const) {
        await scene.wait(181)
        await services.database.write(async (tx) => {
          publish(tx, { kind: "account.recoveryAsked", user: { id: mail.userId }, to: { address: mail.address }, at: services.now() })
          await tx.updateTable("users").set(changes).where("id", "=", mail.userId).execute()
        })
        expect(await scene.mailed("nobody")).toBeUndefined()
        expect((await reset(code)).status).toBe(404)
        await scene.change(name, { is_active: 1, prohibit_login: 0 })
      }
      expect((await reset(code)).status).toBe(200)
    })
  })

  describe("an added address", () => {
    const add = (name: string, ...emails: readonly string[]) => scene.call(basic(name, OLD), "POST /user/emails", { emails })
    const verified = async (name: string, email: string) =>
      (await scene.call(scene.root, `GET /admin/emails/search?q=${email}`)).body.find(
        (each: { username: string }) => each.username === name,
      )?.verified

    test("counts once the button behind its link was pressed, and not by looking", async () => {
      const name = await newUser()
      const email = `${name}-Work@example.com`
      expect(await add(name, email)).toMatchObject({
        status: 201,
        body: [
          { verified: true, primary: true },
          { email, verified: false, primary: false },
        ],
      })
      expect(await scene.signsIn(email, OLD)).toBe(false)
      const code = (await scene.mailed(email)) ?? ""
      for (const _ of [1, 2]) {
        const page = await scene.request(`${ACTIVATE}?code=${code}`)
        expect([page.status, page.text]).toEqual([200, expect.stringContaining(`<b>${email}</b>`)])
        expect(page.headers.get("referrer-policy")).toBe("same-origin")
      }
      expect(await verified(name, email)).toBe(false)
      const pressed = await scene.post(ACTIVATE, { code })
      expect([pressed.status, pressed.text]).toEqual([200, expect.stringContaining("Address confirmed")])
      expect([await verified(name, email), await scene.signsIn(email, OLD)]).toEqual([true, true])
      const again = await scene.post(ACTIVATE, { code })
      expect([again.status, again.text]).toEqual([404, expect.stringContaining(INVALID_LINK)])
    })

    test("is text in the mail and on the page, whatever is in it", async () => {
      const name = await newUser()
      const email = `o'neil&${name}@example.com`
      expect((await add(name, email)).status).toBe(201)
      await scene.hearth.services.jobs.drain()
      const [mail] = scene.server.arrived.splice(0)
      const escaped = `o&#39;neil&amp;${name}@example.com`
      expect(mail?.to).toBe(email)
      expect(mail?.parts.get("text/plain")).toContain(`added the address ${email} to`)
      expect(mail?.parts.get("text/html")).toContain(`added the address ${escaped} to`)
      expect((await scene.request(`${ACTIVATE}?code=${await scene.codeFor(name, "confirm", 60, email)}`)).text).toContain(escaped)
    })

    test("is one of several that wait, each with a link of its own", async () => {
      const name = await newUser()
      const [a, b] = [`${name}-a@example.com`, `${name}-b@example.com`]
      await add(name, a, b)
      await scene.hearth.services.jobs.drain()
      const codes = new Map(
        scene.server.arrived.map(({ to, parts }) => [to, /\?code=(\S+)/.exec(parts.get("text/plain") ?? "")?.[1] ?? ""]),
      )
      await scene.post(ACTIVATE, { code: codes.get(a) ?? "" })
      expect([await verified(name, a), await verified(name, b)]).toEqual([true, false])
      await scene.post(ACTIVATE, { code: codes.get(b) ?? "" })
      expect(await verified(name, b)).toBe(true)
    })

    test("gets another mail on demand, after a pause, without revealing whether it waits", async () => {
      const name = await newUser()
      const email = `${name}-w@example.com`
      await add(name, email)
      expect(await scene.mailed(email)).toBeTruthy()
      const answers = new Set<string>()
      for (const address of [email, `${name}@example.com`, "nobody@example.com"])
        answers.add((await scene.post(ACTIVATE, { address })).text)
      expect(answers.size).toBe(1)
      expect(await scene.mailed("nobody")).toBeUndefined()
      await scene.wait(181)
      await scene.post(ACTIVATE, { address: email })
      expect(await scene.mailed(email)).toBeTruthy()
    })

    test("that was taken away again has a void link", async () => {
      const name = await newUser()
      const email = `${name}-w@example.com`
      await add(name, email)
      const code = await scene.codeFor(name, "confirm", 60, email)
      await scene.call(basic(name, OLD), "DELETE /user/emails", { emails: [email] })
      expect((await scene.post(ACTIVATE, { code })).status).toBe(404)
    })

    test("can't be kept from others without confirming it", async () => {
      const [squatter, owner] = [await newUser(), await newUser()]
      const email = `${owner}-own@example.com`
      await add(squatter, email)
      const code = await scene.codeFor(squatter, "confirm", 60, email)
      expect((await add(squatter, email)).status).toBe(422)
      expect((await add(owner, email)).status).toBe(201)
      expect((await scene.post(ACTIVATE, { code })).status).toBe(404)
      await scene.post(ACTIVATE, { code: await scene.codeFor(owner, "confirm", 60, email) })
      expect(await add(squatter, email)).toMatchObject({ status: 422, body: { message: expect.stringContaining("[emails]") } })
      expect(await verified(owner, email)).toBe(true)
    })

    test("is one of twenty a day", async () => {
      const name = await newUser()
      const emails = Array.from({ length: 21 }, (_, index) => `${name}-${index}@example.com`)
      expect(await add(name, ...emails)).toMatchObject({ status: 422, body: { message: expect.stringContaining("20 addresses") } })
      await add(name, ...emails.slice(0, 20))
      await scene.call(basic(name, OLD), "DELETE /user/emails", { emails: emails.slice(0, 20) })
      expect((await add(name, ...emails.slice(20))).status).toBe(422)
      await scene.wait(86_401)
      expect((await add(name, ...emails.slice(20))).status).toBe(201)
      await scene.hearth.services.jobs.drain()
    })
  })

  describe("a code", () => {
    const holds = async (code: string) => (await scene.request(`${RECOVER}?code=${encodeURIComponent(code)}`)).status === 200

    test("is void when altered, in each of its parts", async () => {
      const [name, other] = [await newUser(), await newUser()]
      const code = await scene.codeFor(name, "recover")
      expect(await holds(code)).toBe(true)
      const [purpose, id, expiry, mac = ""] = code.split(".")
      const otherId = (await scene.userOf(other)).id
      const altered = [
        `confirm.${id}.${expiry}.${mac}`,
        `${purpose}.${otherId}.${expiry}.${mac}`,
        `${purpose}.${"9".repeat(15)}.${expiry}.${mac}`,
        `${purpose}.${id}.${Number(expiry) + 3600}.${mac}`,
        `${purpose}.${id}.${expiry}.${mac.slice(0, -1)}`,
        `${purpose}.${id}.${expiry}.${mac[0] === "A" ? "B" : "A"}${mac.slice(1)}`,
        (await scene.codeFor(name, "activate")).replace("activate", "recover"),
        `${purpose}.${id}.${expiry}.`,
        `${code}.${mac}`,
        `${code}\n`,
        "",
        "..",
        "x".repeat(5000),
      ]
      for (const each of altered) {
        expect(await holds(each), each).toBe(false)
        expect((await reset(each)).status, each).toBe(404)
        expect((await scene.post(ACTIVATE, { code: each || "x" })).status, each).toBe(404)
      }
      expect(await scene.signsIn(name, OLD)).toBe(true)
    })

    test("is good for its purpose only", async () => {
      const name = await newUser()
      const email = `${name}-w@example.com`
      await scene.call(basic(name, OLD), "POST /user/emails", { emails: [email] })
      expect((await reset(await scene.codeFor(name, "confirm", 60, email))).status).toBe(404)
      expect((await reset(await scene.codeFor(name, "activate"))).status).toBe(404)
      expect((await scene.post(ACTIVATE, { code: await scene.codeFor(name, "recover") })).status).toBe(404)
      await scene.post(ACTIVATE, { code: await scene.codeFor(name, "confirm", 60, email) })
      // Properly signed, but without effect: the account is active, the address confirmed, and the other one isn't primary.
      for (const purpose of ["activate", "confirm"] as const)
        expect((await scene.post(ACTIVATE, { code: await scene.codeFor(name, purpose) })).status).toBe(404)
      expect((await reset(await scene.codeFor(name, "recover", 60, email))).status).toBe(404)
      expect(await scene.signsIn(name, OLD)).toBe(true)
    })

    test("of another site is void", async () => {
      const name = await newUser()
      const [primary] = await findAddressesOf(scene.hearth.services.database.read, { userId: (await scene.userOf(name)).id })
      const elsewhere = await freshHearth("memory")
      try {
        const { secrets, now } = elsewhere.hearth.services
        if (primary)
          expect(await holds(makeCode(secrets, { purpose: "recover", user: await scene.userOf(name), address: primary }, now() + 60))).toBe(
            false,
          )
      } finally {
        await elsewhere.close()
      }
    })

    test("ends with its time", async () => {
      const name = await newUser()
      expect(await holds(await scene.codeFor(name, "recover", 0))).toBe(false)
      expect((await reset(await scene.codeFor(name, "recover", -1))).status).toBe(404)
      expect(await holds(await scene.codeFor(name, "recover", 30))).toBe(true)
    })

    test.each<readonly [string, (name: string) => Promise<unknown>]>([
      ["a change of the password", (name) => scene.call(scene.root, `PATCH /admin/users/${name}`, { login_name: name, password: NEW })],
      [
        "a change of the primary address",
        (name) => scene.call(scene.root, `PATCH /admin/users/${name}`, { login_name: name, email: `${name}-n@example.com` }),
      ],
      ["another name", (name) => scene.call(scene.root, `POST /admin/users/${name}/rename`, { new_username: `${name}-renamed` })],
      [
        "a second factor",
        async (name) => {
          const { services } = scene.hearth
          const user = await scene.userOf(name)
          return services.database.write((tx) => enableTwoFactor(services, tx, user))
        },
      ],
      [
        "a token's end",
        async (name) => {
          const made = await scene.call(basic(name, OLD), `POST /users/${name}/tokens`, { name: "t", scopes: ["all"] })
          await scene.call(basic(name, OLD), `DELETE /users/${name}/tokens/${made.body.id}`)
        },
      ],
      ["the account's deletion", (name) => scene.call(scene.root, `DELETE /admin/users/${name}`)],
    ])("is void after %s", async (_, happen) => {
      const name = await newUser()
      const code = await scene.codeFor(name, "recover")
      expect(await holds(code)).toBe(true)
      await happen(name)
      expect(await holds(code)).toBe(false)
      expect((await reset(code)).status).toBe(404)
    })

    test("of a deleted user is invalid for the next user with the name and the address", async () => {
      const name = await newUser()
      const code = await scene.codeFor(name, "recover")
      await scene.call(scene.root, `DELETE /admin/users/${name}`)
      await scene.person(name)
      expect((await reset(code)).status).toBe(404)
      expect(await scene.signsIn(name, OLD)).toBe(true)
    })

    test("to confirm an address is void after a change of the password, and follows the account to another name", async () => {
      const [name, other] = [await newUser(), await newUser()]
      for (const each of [name, other]) await scene.call(basic(each, OLD), "POST /user/emails", { emails: [`${each}-w@example.com`] })
      const codes = await Promise.all([name, other].map((each) => scene.codeFor(each, "confirm", 60, `${each}-w@example.com`)))
      await reset(await scene.codeFor(name, "recover"))
      await scene.call(scene.root, `POST /admin/users/${other}/rename`, { new_username: `${other}-renamed` })
      expect((await scene.post(ACTIVATE, { code: codes[0] ?? "" })).status).toBe(404)
      expect((await scene.post(ACTIVATE, { code: codes[1] ?? "" })).text).toContain(`${other}-renamed`)
    })
  })

  test("an account that an administrator makes inactive can't be activated by mail", async () => {
    const name = await newUser()
    const code = await scene.codeFor(name, "activate")
    await scene.call(scene.root, `PATCH /admin/users/${name}`, { login_name: name, active: false })
    await scene.post(ACTIVATE, { address: `${name}@example.com` })
    await scene.post(FORGOT, { address: `${name}@example.com` })
    expect(await scene.mailed("nobody")).toBeUndefined()
    for (const each of [code, await scene.codeFor(name, "activate")]) expect((await scene.post(ACTIVATE, { code: each })).status).toBe(404)
    expect((await scene.userOf(name)).is_active).toBe(0)
  })

  test("a form that is too large is refused", async () => {
    for (const path of [FORGOT, RECOVER, ACTIVATE]) expect((await scene.post(path, { address: "a".repeat(70_000) })).status).toBe(413)
  })
})
