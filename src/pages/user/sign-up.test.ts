import { expect } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../tests/support/hearth.ts"
import { mailConfig, openMailServer } from "../../features/events/mail/testing.ts"
import { invitationCode, invite } from "../../features/people/sign-in/registration/registration.ts"
import { openSignInWorld, SECURITY } from "./testing.ts"

const SIGN_UP = "/user/sign_up"

async function openWith(kind: FreshKind, registration: "closed" | "invitation" | "open") {
  const server = await openMailServer()
  const world = await openSignInWorld(kind, { mail: mailConfig(server), users: { registration } })
  await world.person("ann")
  const mails = async () => {
    await world.services.jobs.drain()
    return server.arrived.splice(0).map(({ to, headers, parts }) => ({
      to,
      subject: headers.get("subject") ?? "",
      code: /sign_up\?code=(\S+)/.exec(parts.get("text/plain") ?? "")?.[1],
    }))
  }
  const close = async () => {
    await world.close()
    await server.close()
  }
  return { ...world, mails, close }
}

const account = { name: "newcomer", password: PASSWORD, password_again: PASSWORD }

withWorld("open registration", { open: (kind: FreshKind) => openWith(kind, "open") }, ({ test, world }) => {
  test("the address first, then name and password with the link of the mail, once", async () => {
    const { browser, call, isSignedIn, mails } = world
    const visitor = browser()
    const sent = await visitor.submit(await visitor.get(SIGN_UP), { email: "New.Comer@example.com" })
    expect(sent.text).toContain("Check your e-mail")
    expect((await call(world.root, "GET /users/newcomer")).status).toBe(404)
    const [mail, ...more] = await mails()
    expect([mail?.to, mail?.subject, more.length]).toEqual(["new.comer@example.com", "Your new account at localhost", 0])
    const page = await visitor.get(`${SIGN_UP}?code=${mail?.code}`)
    for (const [fields, field] of [
      [{ ...account, name: "admin/x" }, "name"],
      [{ ...account, name: "Explore" }, "name"],
      [{ ...account, name: "ann" }, "name"],
      [{ ...account, password: "short", password_again: "short" }, "password"],
      [{ ...account, password_again: "other" }, "password_again"],
    ] as const) {
      const refused = await visitor.submit(page, fields)
      expect([refused.status >= 400, refused.text.includes(`id="${field}-fault"`), field]).toEqual([true, true, field])
      expect(refused.text).not.toContain(PASSWORD)
    }
    const both = await Promise.all([visitor.submit(page, account), browser().submit(page, { ...account, name: "other" })])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 404])
    expect((await visitor.submit(page, { ...account, name: "third" })).status).toBe(404)
    const made = both[0]?.status === 303 ? "newcomer" : "other"
    expect((await call(basic(made, PASSWORD), "GET /user")).body).toMatchObject({
      login: made,
      email: "new.comer@example.com",
      active: true,
    })
    if (made === "newcomer") expect(await isSignedIn(visitor)).toBe(true)
  })

  test("no one learns whether an address has an account; its owner does", async () => {
    const { browser, mails } = world
    const answers = []
    for (const email of ["ann@example.com", "nobody@example.com"]) answers.push(await browser().post(SIGN_UP, { email }))
    const even = answers.map(({ status, text }) => [status, text.replaceAll(/(ann|nobody)@example.com/g, "ADDRESS")])
    expect(even[0]).toEqual(even[1])
    const sent = await mails()
    // Two workers send them.
    expect(sent.map(({ to, subject }) => [to, subject]).toSorted()).toEqual([
      ["ann@example.com", "You have an account at localhost"],
      ["nobody@example.com", "Your new account at localhost"],
    ])
  })

  test("a second mail to an address has to wait, and so has a network that asks for many", async () => {
    const { browser, clock, mails } = world
    clock.now += 3_600 * 24
    const ask = (email: string) => browser().post(SIGN_UP, { email })
    for (let count = 0; count < 3; count++) expect((await ask("same@example.com")).status).toBe(200)
    expect(await mails()).toHaveLength(1)
    for (let count = 0; count < 2; count++) expect((await ask(`other${count}@example.com`)).status).toBe(200)
    const refused = await ask("last@example.com")
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"])
    expect(await mails()).toHaveLength(2)
    expect((await ask("no address")).status).toBe(422)
  })

  test("a code that is old, made up, or of an earlier mail is not good", async () => {
    const { browser, clock, mails } = world
    clock.now += 3_600 * 24
    const ask = async () => {
      await browser().post(SIGN_UP, { email: "late@example.com" })
      return (await mails())[0]?.code ?? ""
    }
    const first = await ask()
    clock.now += 200
    const second = await ask()
    const status = async (code: string) => (await browser().get(`${SIGN_UP}?code=${encodeURIComponent(code)}`)).status
    expect([await status(first), await status(second)]).toEqual([404, 200])
    for (const code of ["x", "1.x", `${second}x`, second.replace(/^\d+/, "999")]) expect(await status(code)).toBe(404)
    clock.now += 86_400
    expect(await status(second)).toBe(404)
  })
})

withWorld("registration by invitation", { open: (kind: FreshKind) => openWith(kind, "invitation") }, ({ test, world }) => {
  test("only who was invited makes an account", async () => {
    const { browser, mails, services, userOf } = world
    expect((await browser().get(SIGN_UP)).text).toContain("by invitation")
    expect((await browser().post(SIGN_UP, { email: "x@example.com" })).status).toBe(403)
    const ann = await userOf("ann")
    const invitation = await services.database.write((tx) => invite(services, tx, { email: "Guest@example.com", actor: ann }))
    const [mail] = await mails()
    expect([mail?.to, mail?.subject, mail?.code]).toEqual([
      "guest@example.com",
      "ann invites you to localhost",
      invitationCode(services, invitation),
    ])
    const guest = browser()
    const made = await guest.submit(await guest.get(`${SIGN_UP}?code=${mail?.code}`), { ...account, name: "guest" })
    expect([made.status, (await guest.get(SECURITY)).status]).toEqual([303, 200])
    const again = services.database.write((tx) => invite(services, tx, { email: "guest@example.com", actor: ann }))
    await expect(again).rejects.toMatchObject({ kind: "conflict" })
  })
})

withWorld("closed registration", { open: (kind: FreshKind) => openWith(kind, "closed") }, ({ test, world }) => {
  test("no one makes an account, with no code either", async () => {
    const { browser, services } = world
    const page = await browser().get(SIGN_UP)
    expect([page.status, page.text.includes("by the administrators"), page.forms.length]).toEqual([200, true, 0])
    expect((await browser().post(SIGN_UP, { email: "x@example.com" })).status).toBe(403)
    await expect(services.database.write((tx) => invite(services, tx, { email: "x@example.com", actor: undefined }))).rejects.toMatchObject(
      {
        kind: "forbidden",
      },
    )
  })
})
