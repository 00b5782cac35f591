import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { basic, freshHearth, type TestHearth } from "../../../tests/support/hearth.ts"
import { mailConfig, openMailServer } from "../../features/events/mail/testing.ts"
import { ACTIVATE, FORGOT, OLD, openWebWorld } from "./testing.ts"

const open = (kind: FreshKind) => openWebWorld(kind, { activateByMail: true })

withWorld("accounts that are activated by mail", { open }, ({ test, world: scene }) => {
  beforeEach(async () => {
    // Mail left over from an earlier test must not reach the next one.
    await scene.hearth.services.jobs.drain()
    scene.server.arrived.length = 0
  })

  const edit = (name: string, body: object) => scene.call(scene.root, `PATCH /admin/users/${name}`, { login_name: name, ...body })

  test("are inactive until the button behind the link is pressed", async () => {
    // There is one mail only, without a separate welcome.
    await scene.person("ada", { send_notify: true })
    expect((await scene.call(scene.root, "GET /users/ada")).body.active).toBe(false)
    expect(await scene.call(basic("ada", OLD), "GET /user")).toMatchObject({
      status: 403,
      body: { message: "This account is not activated." },
    })
    expect((await scene.call(scene.root, "GET /admin/emails/search?q=ada@")).body).toMatchObject([{ verified: false, primary: true }])
    const code = (await scene.mailed("ada@example.com")) ?? ""
    const page = await scene.request(`${ACTIVATE}?code=${code}`)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("<b>ada</b>")])
    expect((await scene.userOf("ada")).is_active).toBe(0)
    expect((await scene.post(ACTIVATE, { code })).text).toContain("Account activated")
    expect(await scene.signsIn("ada@example.com", OLD)).toBe(true)
    expect((await scene.post(ACTIVATE, { code })).status).toBe(404)

    await edit("ada", { active: false })
    expect((await scene.post(ACTIVATE, { code })).status).toBe(404)
    await scene.wait(181)
    await scene.post(ACTIVATE, { address: "ada@example.com" })
    expect(await scene.mailed("nobody")).toBeUndefined()
  })

  test("get the mail again on demand, and no other", async () => {
    await scene.person("ben")
    expect(await scene.mailed("ben@example.com")).toBeTruthy()
    await scene.wait(181)
    await scene.post(FORGOT, { address: "ben@example.com" })
    expect(await scene.mailed("nobody")).toBeUndefined()
    await scene.post(ACTIVATE, { address: "ben@example.com" })
    const code = (await scene.mailed("ben@example.com")) ?? ""
    await scene.change("ben", { prohibit_login: 1 })
    expect((await scene.post(ACTIVATE, { code })).status).toBe(404)
    await scene.wait(181)
    await scene.post(ACTIVATE, { address: "ben@example.com" })
    expect(await scene.mailed("nobody")).toBeUndefined()
  })

  test("whose address an administrator corrects are written to there, and the first link is void", async () => {
    await scene.person("cal")
    const first = (await scene.mailed("cal@example.com")) ?? ""
    await edit("cal", { email: "cal@example.net" })
    const second = (await scene.mailed("cal@example.net")) ?? ""
    expect((await scene.post(ACTIVATE, { code: first })).status).toBe(404)
    expect((await scene.post(ACTIVATE, { code: second })).text).toContain("Account activated")
    expect(await scene.signsIn("cal@example.net", OLD)).toBe(true)
  })

  test("keep the address that they wait with from others", async () => {
    await scene.person("eve")
    const code = (await scene.mailed("eve@example.com")) ?? ""
    await scene.person("fay")
    await edit("fay", { active: true })
    expect((await scene.call(basic("fay", OLD), "POST /user/emails", { emails: ["eve@example.com"] })).status).toBe(422)
    expect((await scene.post(ACTIVATE, { code })).text).toContain("Account activated")
    await scene.hearth.services.jobs.drain()
  })

  test("that an administrator activates need no mail, nor take one later", async () => {
    await scene.person("dan")
    const code = (await scene.mailed("dan@example.com")) ?? ""
    await edit("dan", { active: true })
    expect((await scene.call(scene.root, "GET /admin/emails/search?q=dan@")).body).toMatchObject([{ verified: true }])
    await edit("dan", { active: false })
    expect((await scene.post(ACTIVATE, { code })).status).toBe(404)
  })
})

describe("where no mail server is set up", () => {
  let forge: TestHearth
  beforeAll(async () => {
    forge = await freshHearth("memory", { users: { activateByMail: true } })
    await forge.person("ann", { send_notify: true })
  })
  afterAll(() => forge.close())

  test("accounts and addresses count at once, and no mail is kept", async () => {
    const ann = basic("ann", OLD)
    expect((await forge.call(ann, "POST /user/emails", { emails: ["more@example.com"] })).body).toMatchObject([
      { verified: true },
      { verified: true },
    ])
    const { database } = forge.hearth.services
    expect(await database.read.selectFrom("jobs").select("kind").where("kind", "=", "mail.account").execute()).toEqual([])
    expect(await database.read.selectFrom("account_mails").selectAll().execute()).toEqual([])
  })

  test.each([
    [FORGOT, "hearth user password NAME"],
    [ACTIVATE, "hearth user active NAME on"],
  ])("%s says whom to ask", async (path, command) => {
    const page = await fetch(`${forge.hearth.url}${path}`)
    const text = await page.text()
    expect([page.status, text.includes(command), text.includes(`<form class="form"`)]).toEqual([200, true, false])
  })
})

test("addresses count at once where that is set", async () => {
  const server = await openMailServer()
  const forge = await freshHearth("memory", { mail: mailConfig(server), users: { confirmEmails: false } })
  try {
    const ann = await forge.person("ann")
    expect((await forge.call(ann, "POST /user/emails", { emails: ["more@example.com"] })).body).toMatchObject([
      { verified: true },
      { verified: true },
    ])
    await forge.hearth.services.jobs.drain()
    expect(server.arrived).toEqual([])
  } finally {
    await forge.close()
    await server.close()
  }
})
