import { beforeEach, describe, expect, test } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { basic, freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { commentOn, happen, issueOf, userNamed } from "../notifications/testing.ts"
import { type Arrived, type MailServer, mailConfig, openMailServer } from "./testing.ts"

const ann = basic("ann", "pass-word-1")

async function open(kind: FreshKind): Promise<TestHearth & { readonly server: MailServer }> {
  const server = await openMailServer()
  const forge = await freshHearth(kind, { mail: mailConfig(server) })
  await forge.person("ann")
  await forge.person("ben")
  await forge.person("cal", { full_name: "Cal, of “Cork” <x@evil.example>" })
  const close = async () => {
    await forge.close()
    await server.close()
  }
  return { ...forge, server, close }
}

withWorld("mail", { open }, ({ test, world: forge }) => {
  beforeEach(async () => {
    // Sends the mails that an earlier test has queued.
    await forge.hearth.services.jobs.drain()
    forge.server.arrived.length = 0
  })

  let last = 0
  async function issue(more: { readonly title?: string; readonly private?: boolean } = {}): Promise<Issue> {
    const { body } = await forge.call(ann, "POST /user/repos", { name: `r${++last}`, private: more.private ?? false })
    return issueOf(forge.hearth, body.id, "ben", { title: more.title ?? "It leaks" })
  }
  const drain = () => forge.hearth.services.jobs.drain()
  const headersOf = (mail: Arrived | undefined, ...names: readonly string[]) => names.map((name) => mail?.headers.get(name))
  const receivers = () => forge.server.arrived.map(({ to }) => to).sort()

  test("describes the event in text and HTML, and is not sent to the actor", async () => {
    const about = await issue({ title: "It leaks  \n & drips" })
    const comment = await commentOn(forge.hearth, about, "cal", "<b>Where?</b>\n\nIn the “cellar” & below")
    await happen(forge.hearth, about, "cal", { kind: "commented", comment })
    await drain()
    expect(receivers()).toEqual(["ann@example.com", "ben@example.com"])
    const [mail] = forge.server.arrived
    const page = `${forge.hearth.url}/ann/r${last}/issues/1#issuecomment-${comment.id}`
    expect(mail?.from).toBe("forge@example.org")
    expect(mail?.headers.get("from")).toMatch(/<forge@example\.org>$/)
    expect(mail?.headers.get("from")).not.toContain("<x@evil.example>")
    expect(mail?.headers.get("subject")).toBe(`Re: [ann/r${last}] It leaks & drips (#1)`)
    expect(mail?.parts.get("text/plain")).toContain("cal wrote:")
    expect(mail?.parts.get("text/plain")).toContain("<b>Where?</b>")
    expect(mail?.parts.get("text/plain")).toContain(page)
    expect(mail?.parts.get("text/html")).toContain("&lt;b&gt;Where?&lt;/b&gt;")
    expect(mail?.parts.get("text/html")).toContain("In the “cellar” &amp; below")
    expect(mail?.parts.get("text/html")).not.toContain("<b>")
    expect(mail?.parts.get("text/html")).toContain(`href="${page}"`)
  })

  test("has a whole review: its verdict, and its comments on lines", async () => {
    const cal = basic("cal", "pass-word-1")
    const at = `/repos/ann/r${++last}`
    const must = async (caller: string, route: string, body: object) => {
      const answer = await forge.call(caller, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    await must(ann, "POST /user/repos", { name: `r${last}`, auto_init: true })
    const file = { content: Buffer.from("one\ntwo\n").toString("base64"), message: "Two lines", branch: "main", new_branch: "work" }
    await must(ann, `POST ${at}/contents/a.txt`, file)
    await must(ann, `POST ${at}/pulls`, { title: "Lines", head: "work", base: "main" })
    await drain()
    forge.server.arrived.length = 0
    const comments = [{ path: "a.txt", body: "Why two?", new_position: 2 }]
    await must(cal, `POST ${at}/pulls/1/reviews`, { event: "PENDING", body: "Almost.", comments })
    await drain()
    expect(receivers()).toEqual([])
    await must(cal, `POST ${at}/pulls/1/reviews`, { event: "REQUEST_CHANGES", body: "Not yet." })
    await drain()
    expect(receivers()).toEqual(["ann@example.com"])
    const text = forge.server.arrived[0]?.parts.get("text/plain")
    expect(text).toContain("cal requested changes:")
    expect(text?.replaceAll("\r\n", "\n")).toContain("Not yet.\n\na.txt:2\nWhy two?")
  })

  test("keeps the mails about an issue together", async () => {
    const about = await issue()
    const comment = await commentOn(forge.hearth, about, "cal")
    await happen(forge.hearth, about, "ben", { kind: "created" })
    await drain()
    await happen(forge.hearth, about, "ben", { kind: "commented", comment })
    await drain()
    await happen(forge.hearth, about, "ben", { kind: "assigned", users: ["ann"] })
    await drain()
    const mails = forge.server.arrived.filter(({ to }) => to === "ann@example.com")
    const opening = `<issue-${about.id}@localhost>`
    expect(headersOf(mails[0], "message-id", "references", "in-reply-to")).toEqual([opening, undefined, undefined])
    expect(headersOf(mails[1], "message-id", "references", "in-reply-to")).toEqual([
      `<issue-${about.id}.commented-${comment.id}@localhost>`,
      opening,
      opening,
    ])
    expect(headersOf(mails[2], "references", "in-reply-to")).toEqual([opening, opening])
    expect(new Set(mails.map(({ headers }) => headers.get("message-id"))).size).toBe(3)
    expect(headersOf(mails[0], "list-id", "auto-submitted")).toEqual([`ann/r${last} <r${last}.ann.localhost>`, "auto-generated"])
    expect(mails[0]?.headers.get("subject")).toBe(`[ann/r${last}] It leaks (#1)`)
    expect(mails[0]?.parts.get("text/plain")).toContain("What it is about")
  })

  test("is ended by its link, at a click of the mail program, and not by fetching the page", async () => {
    const about = await issue()
    await happen(forge.hearth, about, "cal", { kind: "commented" })
    await drain()
    const mail = forge.server.arrived.find(({ to }) => to === "ben@example.com")
    expect(mail?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
    const link = /^<(.+)>$/.exec(mail?.headers.get("list-unsubscribe") ?? "")?.[1] ?? ""
    expect(mail?.parts.get("text/plain")).toContain(link)
    const wishes = () =>
      forge.hearth.services.database.read
        .selectFrom("issue_watches")
        .select(["user_id", "is_watching"])
        .where("issue_id", "=", about.id)
        .execute()

    const look = await fetch(link)
    expect([look.status, await look.text()]).toEqual([200, expect.stringContaining('method="post"><button')])
    for (const forged of [
      `${link}x`,
      link.replace(/\/(\d+)\./, (_, id: string) => `/${Number(id) + 1}.`),
      `${forge.hearth.url}/user/unsubscribe/none`,
    ])
      for (const method of ["GET", "POST"]) expect((await fetch(forged, { method })).status, forged).toBe(404)
    expect(await wishes()).toEqual([])

    const headers = { "content-type": "application/x-www-form-urlencoded" }
    for (const _ of [1, 2]) expect((await fetch(link, { method: "POST", headers, body: "List-Unsubscribe=One-Click" })).status).toBe(200)
    expect(await wishes()).toEqual([{ user_id: (await userNamed(forge.hearth, "ben")).id, is_watching: 0 }])
    forge.server.arrived.length = 0
    await happen(forge.hearth, about, "cal", { kind: "closed" })
    await drain()
    expect(receivers()).toEqual(["ann@example.com"])
    await happen(forge.hearth, about, "cal", { kind: "mentioned", users: ["ben"] })
    await drain()
    expect(receivers()).toEqual(["ann@example.com", "ben@example.com"])
  })

  test("is not sent to a user who may no longer see the subject, nor about a deleted one", async () => {
    const about = await issue()
    const comment = await commentOn(forge.hearth, about, "cal")
    const { database, jobs } = forge.hearth.services
    await happen(forge.hearth, about, "cal", { kind: "commented", comment })
    await database.write((tx) => tx.updateTable("repositories").set({ is_private: 1 }).where("id", "=", about.repository_id).execute())
    await jobs.drain()
    expect(receivers()).toEqual(["ann@example.com"])

    await happen(forge.hearth, about, "cal", { kind: "commented", comment })
    await database.write((tx) => tx.deleteFrom("comments").where("id", "=", comment.id).execute())
    await jobs.drain()
    await happen(forge.hearth, about, "cal", { kind: "closed" })
    await database.write((tx) => tx.updateTable("users").set({ is_active: 0 }).where("name", "=", "ann").execute())
    await jobs.drain()
    await database.write((tx) => tx.updateTable("users").set({ is_active: 1 }).where("name", "=", "ann").execute())
    await happen(forge.hearth, about, "cal", { kind: "closed" })
    await database.write((tx) => tx.updateTable("emails").set({ is_activated: 0 }).where("email", "=", "ann@example.com").execute())
    await jobs.drain()
    await database.write((tx) => tx.updateTable("emails").set({ is_activated: 1 }).where("email", "=", "ann@example.com").execute())
    expect(receivers()).toEqual(["ann@example.com"])
  })

  test("that the server refuses is tried again by itself, and the others are not sent twice", async () => {
    const about = await issue()
    forge.server.refusals.set("ann@example.com", 1)
    await happen(forge.hearth, about, "cal", { kind: "commented" })
    await drain()
    expect(receivers()).toEqual(["ben@example.com"])
    const { database } = forge.hearth.services
    const waiting = await database.read
      .selectFrom("jobs")
      .select(["kind", "last_error"])
      .where("kind", "in", ["mail.spread", "mail.send"])
      .where("state", "=", "waiting")
      .execute()
    expect(waiting).toEqual([{ kind: "mail.send", last_error: expect.stringContaining("try again later") }])
    await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
    await drain()
    expect(receivers()).toEqual(["ann@example.com", "ben@example.com"])
  })

  test("announces a repository on offer, without a link to unsubscribe", async () => {
    await issue()
    await forge.call(ann, `POST /repos/ann/r${last}/transfer`, { new_owner: "ben" })
    await drain()
    expect(forge.server.arrived).toHaveLength(1)
    expect(headersOf(forge.server.arrived[0], "subject", "list-unsubscribe")).toEqual([
      `[ann/r${last}] ann offers you this repository`,
      undefined,
    ])
  })
})

describe("mail", () => {
  test("is not sent where no server is set up", async () => {
    const forge = await freshHearth("memory")
    try {
      for (const name of ["ann", "ben"]) await forge.person(name)
      const { body } = await forge.call(ann, "POST /user/repos", { name: "r" })
      await happen(forge.hearth, await issueOf(forge.hearth, body.id, "ann"), "ben", { kind: "commented" })
      expect(await forge.hearth.services.database.read.selectFrom("notifications").select("status").execute()).toHaveLength(1)
      expect(await forge.hearth.services.database.read.selectFrom("jobs").select("kind").where("kind", "like", "mail.%").execute()).toEqual(
        [],
      )
    } finally {
      await forge.close()
    }
  })

  test("is not sent unprotected where protection is asked for", async () => {
    const server = await openMailServer()
    const forge = await freshHearth("memory", { mail: { host: "127.0.0.1", port: server.port } })
    try {
      for (const name of ["ann", "ben"]) await forge.person(name)
      const { body } = await forge.call(ann, "POST /user/repos", { name: "r" })
      await happen(forge.hearth, await issueOf(forge.hearth, body.id, "ann"), "ben", { kind: "commented" })
      await forge.hearth.services.jobs.drain()
      expect(server.arrived).toEqual([])
      const [job] = await forge.hearth.services.database.read
        .selectFrom("jobs")
        .select(["state", "last_error"])
        .where("kind", "=", "mail.send")
        .execute()
      expect(job).toEqual({ state: "waiting", last_error: expect.stringMatching(/STARTTLS|TLS/) })
    } finally {
      await forge.close()
      await server.close()
    }
  })
})

const clock = { now: 1_800_000_000 }

withWorld(
  "mails about access tokens",
  {
    open: async (kind: FreshKind) => {
      const server = await openMailServer()
      const forge = await freshHearth(kind, { mail: mailConfig(server) }, { now: () => clock.now })
      await forge.person("ann")
      const close = async () => {
        await forge.close()
        await server.close()
      }
      return { ...forge, server, close }
    },
  },
  ({ test: given, world: forge }) => {
    given("are sent a week and a day before the end, once each, and not of what ends sooner anyway", async () => {
      const make = (name: string, days: number) =>
        forge.call(ann, "POST /users/ann/tokens", {
          name,
          scopes: ["all"],
          expires_at: new Date((clock.now + days * 86_400) * 1000).toISOString(),
        })
      await make("ci", 30)
      await make("today", 1)
      await make("deleted", 30)
      const mailed = async (days: number) => {
        clock.now += days * 86_400
        for (let times = 0; times < 2; times++) await forge.hearth.services.jobs.tasks.run("expire_tokens")
        await forge.hearth.services.jobs.drain()
        return forge.server.arrived.splice(0).map(({ headers }) => headers.get("subject"))
      }
      await forge.hearth.services.jobs.drain()
      forge.server.arrived.length = 0
      expect(await mailed(0)).toEqual([])
      expect(await mailed(22)).toEqual([])
      await forge.call(ann, "DELETE /users/ann/tokens/deleted")
      expect(await mailed(1)).toEqual(["Your access token ci at localhost expires in 7 days"])
      expect(await mailed(1)).toEqual([])
      expect(await mailed(5)).toEqual(["Your access token ci at localhost expires in 24 hours"])
      expect(await mailed(2)).toEqual([])
    })
  },
)

withWorld(
  "mails about a second factor that an organization requires",
  {
    open: async (kind: FreshKind) => {
      const server = await openMailServer()
      const forge = await freshHearth(kind, { mail: mailConfig(server) }, { now: () => clock.now })
      for (const name of ["ann", "ben", "cal", "dot"]) await forge.person(name)
      const close = async () => {
        await forge.close()
        await server.close()
      }
      return { ...forge, server, close }
    },
  },
  ({ test: given, world: forge }) => {
    given("go to members and collaborators who have none, once for each time from which on it counts", async () => {
      await forge.call(ann, "POST /orgs", { username: "acme" })
      await forge.call(ann, "POST /orgs/acme/repos", { name: "tools" })
      const team = await forge.call(ann, "POST /orgs/acme/teams", { name: "all", permission: "read", units: ["repo.code"] })
      await forge.call(ann, `PUT /teams/${team.body.id}/members/ben`)
      await forge.call(ann, "PUT /repos/acme/tools/collaborators/cal", { permission: "read" })
      const { jobs } = forge.hearth.services
      await jobs.drain()
      const mailed = async (changes: object) => {
        forge.server.arrived.length = 0
        expect((await forge.call(forge.root, "PATCH /orgs/acme", changes)).status).toBe(200)
        await jobs.drain()
        return forge.server.arrived.splice(0).sort((one, other) => one.to.localeCompare(other.to))
      }
      const first = await mailed({ two_factor_required: true, two_factor_grace_days: 7 })
      expect(first.map(({ to, headers }) => [to, headers.get("subject")])).toEqual(
        ["ann", "ben", "cal"].map((name) => [
          `${name}@example.com`,
          "The organization acme at localhost requires two-factor authentication",
        ]),
      )
      const until = new Date((clock.now + 7 * 86_400) * 1000).toISOString().slice(0, 16).replace("T", " ")
      expect(first[1]?.parts.get("text/plain")).toContain(`From ${until} UTC on you have access to the organization acme only with`)
      expect(first[1]?.parts.get("text/plain")).toContain("/user/settings/security")
      expect(await mailed({ description: "Tools", two_factor_required: true })).toEqual([])
      const [atOnce] = await mailed({ two_factor_grace_days: 0 })
      expect(atOnce?.parts.get("text/plain")).toContain("again once you have set up")
      expect(await mailed({ two_factor_required: false })).toEqual([])
    })
  },
)
