import { expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { openSignInWorld } from "../../../pages/user/testing.ts"
import { mailConfig, openMailServer } from "../../events/mail/testing.ts"

async function open(kind: FreshKind) {
  const server = await openMailServer()
  const world = await openSignInWorld(kind, { mail: mailConfig(server), users: { registration: "invitation" } })
  for (const name of ["ann", "ben"]) await world.person(name)
  const ann = basic("ann", PASSWORD)
  const ben = basic("ben", PASSWORD)
  await world.call(ann, "POST /orgs", { username: "acme" })
  let last = 0
  /** A new team of acme. */
  const team = async () => {
    const name = `team${++last}`
    const { body } = await world.call(ann, "POST /orgs/acme/teams", { name, permission: "read", units: ["repo.code"] })
    return { name, id: Number(body.id), at: `/teams/${body.id}/invitations` }
  }
  /** The path that the mail to an address leads to. */
  const link = async (address: string): Promise<string> => {
    await world.services.jobs.drain()
    const mail = server.arrived.filter(({ to }) => to === address).at(-1)
    return /https?:\/\/[^/]+(\/org\/invitation\?code=\S+)/.exec(mail?.parts.get("text/plain") ?? "")?.[1] ?? ""
  }
  const codeOf = (path: string): string => new URLSearchParams(path.split("?")[1]).get("code") ?? ""
  const isMember = async (id: number, name: string) => (await world.call(ann, `GET /teams/${id}/members/${name}`)).status === 200
  // A mail server waits for its connections, half a minute: the forge ends them first.
  const close = async () => {
    await world.close()
    await server.close()
  }
  return { ...world, close, annCall: ann, benCall: ben, team, link, codeOf, isMember }
}

const INVITATION = "/org/invitation"

withWorld("invitations to teams", { open }, ({ test, world }) => {
  test("lead by a mail to a page on which a person joins, once", async () => {
    const { annCall, benCall, team, link, codeOf, isMember, browser, call } = world
    const { name, id, at } = await team()
    const answers = []
    // Whether an address has an account is not told.
    for (const email of ["ben@example.com", "nobody@example.com"]) answers.push(await call(annCall, `POST ${at}`, { email }))
    expect(answers.map(({ status, body }) => [status, Object.keys(body).join()])).toEqual(
      Array(2).fill([201, "id,email,inviter,created_at,sent_at,expires_at"]),
    )
    expect((await call(benCall, `POST ${at}`, { email: "x@example.com" })).status).toBe(403)
    expect((await call(annCall, `POST ${at}`, { email: "no address" })).status).toBe(422)
    expect((await call(annCall, `POST ${at}`, { email: "BEN@example.com" })).status).toBe(429)
    const path = await link("ben@example.com")
    const rows = await world.services.database.read.selectFrom("team_invitations").selectAll().execute()
    const jobs = await world.services.database.read.selectFrom("jobs").select("payload").execute()
    expect(JSON.stringify([rows, jobs])).not.toContain(codeOf(path).split(".")[1])

    const nobody = browser()
    expect((await nobody.get(path)).text).toMatch(/ann<\/bdi> invites you[\s\S]*Sign in/)
    const ben = browser()
    await ben.signIn("ben", PASSWORD)
    expect((await ben.get(path)).text).toContain("You join as")
    expect((await ben.get(`${path}x`)).status).toBe(404)
    expect(await isMember(id, "ben")).toBe(false)
    const joined = await ben.post(`${INVITATION}/accept`, { invitation: codeOf(path) })
    expect([joined.status, joined.location]).toEqual([303, `/org/acme/teams/${name}`])
    expect(await isMember(id, "ben")).toBe(true)
    expect((await ben.get(path)).status).toBe(404)
    expect((await ben.post(`${INVITATION}/accept`, { invitation: codeOf(path) })).status).toBe(404)
  })

  test("are declined, withdrawn, sent again, and void when who invited may not any more", async () => {
    const { annCall, team, link, codeOf, isMember, browser, call, services } = world
    const { id, name, at } = await team()
    const ben = browser()
    await ben.signIn("ben", PASSWORD)
    const ann = browser()
    await ann.signIn("ann", PASSWORD)
    const page = `/org/acme/teams/${name}`
    const invite = async (email: string) => {
      await services.database.write((tx) => tx.deleteFrom("account_mails").execute())
      expect((await ann.post(`${page}/invitations`, { email })).status).toBe(303)
      return link(email)
    }
    const first = await invite("one@example.com")
    expect((await ann.get(page)).text).toContain("one@example.com")
    expect((await ben.get(page)).text).not.toContain("one@example.com")
    expect((await ben.post(`${INVITATION}/decline`, { invitation: codeOf(first) })).status).toBe(303)
    expect((await ben.get(first)).status).toBe(404)

    const second = await invite("two@example.com")
    const soon = await ann.post(`${page}/invitations/again`, { email: "two@example.com" })
    expect([soon.status, soon.text.includes("just now")]).toEqual([429, true])
    // The times of two mails differ.
    await services.database.write((tx) => tx.updateTable("team_invitations").set({ sent_at: 1 }).execute())
    expect((await ben.get(second)).status).toBe(404)
    const third = await invite("two@example.com")
    expect((await ben.get(third)).status).toBe(200)
    const [open] = (await call(annCall, `GET ${at}`)).body
    expect((await ben.post(`${page}/invitations/${open.id}/withdraw`, {})).status).toBe(403)
    expect((await ann.post(`${page}/invitations/${open.id}/withdraw`, {})).status).toBe(303)
    expect((await ben.get(third)).status).toBe(404)

    // Someone else owns acme too, invites, and then owns it no more.
    await world.person("eve")
    const owners = (await call(annCall, "GET /orgs/acme/teams")).body.find((each: { name: string }) => each.name === "Owners")
    await call(annCall, `PUT /teams/${owners.id}/members/eve`)
    expect((await call(basic("eve", PASSWORD), `POST ${at}`, { email: "three@example.com" })).status).toBe(201)
    const fourth = await link("three@example.com")
    expect((await ben.get(fourth)).status).toBe(200)
    await call(annCall, `DELETE /teams/${owners.id}/members/eve`)
    expect((await ben.get(fourth)).status).toBe(404)
    expect((await ben.post(`${INVITATION}/accept`, { invitation: codeOf(fourth) })).status).toBe(404)
    const fifth = await invite("five@example.com")
    await call(annCall, `DELETE /teams/${id}`)
    expect((await ben.get(fifth)).status).toBe(404)
    expect(await isMember(id, "ben")).toBe(false)
  })

  test("are bounded", async () => {
    const { annCall, team, call, services } = world
    const { id, at } = await team()
    const { id: inviter } = await services.database.read
      .selectFrom("users")
      .select("id")
      .where("name", "=", "ann")
      .executeTakeFirstOrThrow()
    const now = services.now()
    await services.database.write((tx) =>
      tx
        .insertInto("team_invitations")
        .values(
          Array.from({ length: 50 }, (_, index) => ({
            team_id: id,
            lower_email: `g${index}@example.com`,
            invited_by: inviter,
            created_at: now,
            sent_at: now,
            expires_at: now + 3600,
          })),
        )
        .execute(),
    )
    expect((await call(annCall, `POST ${at}`, { email: "more@example.com" })).status).toBe(422)
    expect((await call(annCall, `POST ${at}`, { email: "g1@example.com" })).status).toBe(201)
  })

  test("lead through the making of an account, and back, where there is none", async () => {
    const { annCall, team, link, codeOf, isMember, browser, call } = world
    const { id, at } = await team()
    await call(annCall, `POST ${at}`, { email: "newcomer@example.com" })
    const path = await link("newcomer@example.com")
    const newcomer = browser()
    const begun = await newcomer.post(`${INVITATION}/register`, { invitation: codeOf(path) })
    expect([begun.status, begun.location]).toEqual([303, expect.stringMatching(/^\/user\/sign_up\?code=.*redirect_to=/)])
    const form = await newcomer.get(begun.location ?? "")
    expect(form.text).toContain("newcomer@example.com")
    const query = new URLSearchParams((begun.location ?? "").split("?")[1])
    const fields = {
      code: query.get("code") ?? "",
      redirect_to: query.get("redirect_to") ?? "",
      password: PASSWORD,
      password_again: PASSWORD,
    }
    const made = await newcomer.post("/user/sign_up", { ...fields, name: "newcomer" })
    expect([made.status, made.location]).toEqual([303, path])
    expect((await newcomer.post(`${INVITATION}/accept`, { invitation: codeOf(path) })).status).toBe(303)
    expect(await isMember(id, "newcomer")).toBe(true)
    // Who has an account is led to sign in.
    const again = await team()
    await call(annCall, `POST ${again.at}`, { email: "ben@example.com" })
    const other = browser()
    expect((await other.post(`${INVITATION}/register`, { invitation: codeOf(await link("ben@example.com")) })).location).toMatch(
      /^\/user\/login\?redirect_to=/,
    )
  })
})

/** A site that sends no mail: its links are passed on by who invites. */
async function openSilent(kind: FreshKind) {
  const world = await openSignInWorld(kind, { users: { registration: "invitation" } })
  for (const name of ["ann", "ben"]) await world.person(name)
  const call = basic("ann", PASSWORD)
  await world.call(call, "POST /orgs", { username: "acme" })
  const { body } = await world.call(call, "POST /orgs/acme/teams", { name: "crew", permission: "read", units: ["repo.code"] })
  return { ...world, at: `/teams/${body.id}/invitations`, asAnn: call }
}

withWorld("invitations to teams without mail", { open: openSilent }, ({ test, world }) => {
  test("show their link once, to be copied, and lead to the team and to an account", async () => {
    const { asAnn, at, browser, call, services } = world
    const ann = browser()
    await ann.signIn("ann", PASSWORD)
    const invite = async (to: string, email: string): Promise<string> => {
      const { status, text } = await ann.post(`/org/acme/teams/crew/invitations${to}`, { email })
      expect([status, text.includes("can join the team")]).toEqual([200, true])
      const [, shown = ""] = /data-copy="https?:\/\/[^/"]+([^"]*)"/.exec(text) ?? []
      expect(shown).toMatch(/^\/org\/invitation\?code=\S+$/)
      return shown
    }
    const earlier = await invite("", "newcomer@example.com")
    // The times of two links differ.
    await services.database.write((tx) => tx.updateTable("team_invitations").set({ sent_at: 1 }).execute())
    const newcomer = browser()
    expect((await newcomer.get(earlier)).status).toBe(404)
    const link = await invite("/again", "newcomer@example.com")
    const code = new URLSearchParams(link.split("?")[1]).get("code") ?? ""
    const stored = await Promise.all(
      (["team_invitations", "jobs", "deeds", "events"] as const).map((table) =>
        services.database.read.selectFrom(table).selectAll().execute(),
      ),
    )
    const page = await ann.get("/org/acme/teams/crew")
    expect(page.text).toContain("newcomer@example.com")
    expect(JSON.stringify([stored, page.text])).not.toContain(code.split(".")[1])
    expect((await call(asAnn, `GET ${at}`)).body).toEqual([expect.not.objectContaining({ link: expect.anything() })])

    const { location = "" } = await newcomer.post(`${INVITATION}/register`, { invitation: code })
    const query = Object.fromEntries(new URLSearchParams(location.split("?")[1]))
    const made = await newcomer.post("/user/sign_up", { ...query, name: "newcomer", password: PASSWORD, password_again: PASSWORD })
    expect([made.status, made.location]).toEqual([303, link])
    expect((await newcomer.post(`${INVITATION}/accept`, { invitation: code })).location).toBe("/org/acme/teams/crew")

    const { body } = await call(asAnn, `POST ${at}`, { email: "ben@example.com" })
    const ben = browser()
    await ben.signIn("ben", PASSWORD)
    const path = String(body.link).replace(/^https?:\/\/[^/]+/, "")
    expect((await ben.get(path)).text).toContain("You join as")
  })
})
