import { afterAll, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { visit } from "../../../../tests/support/visitor.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { mailConfig, openMailServer } from "../mail/testing.ts"
import { CAUSES } from "./causes.ts"
import { commentOn, happen, issueOf, userNamed } from "./testing.ts"

const server = await openMailServer()
afterAll(() => server.close())
const SETTINGS = "/user/settings/notifications"

withHearth(
  "what people choose to be told of",
  { people: ["ann", "ben", "cal"], config: { mail: mailConfig(server) } },
  ({ test, forge, ann, ben, cal }) => {
    let last = 0
    /** A repository of ann's, which she watches, and an issue of ben's in it on which cal has commented. */
    async function place(more: object = {}): Promise<{ readonly issue: Issue; readonly name: string }> {
      const name = `r${++last}`
      const { body } = await forge.call(ann, "POST /user/repos", { name, auto_init: true, ...more })
      const issue = await issueOf(forge.hearth, body.id, "ben")
      await commentOn(forge.hearth, issue, "cal")
      return { issue, name }
    }
    /** Who is told of what comes now: in the list, and by mail. */
    async function told(issue: Issue, actor: string, what: Parameters<typeof happen>[3]): Promise<readonly [string, string]> {
      const { database, jobs } = forge.hearth.services
      await database.write((tx) => tx.deleteFrom("notifications").where("issue_id", "=", issue.id).execute())
      await jobs.drain()
      server.arrived.length = 0
      await happen(forge.hearth, issue, actor, what)
      await jobs.drain()
      const rows = await database.read
        .selectFrom("notifications")
        .innerJoin("users", "users.id", "notifications.user_id")
        .select("users.name")
        .where("issue_id", "=", issue.id)
        .orderBy("users.name")
        .execute()
      const mailed = server.arrived.map(({ to }) => to.split("@")[0] ?? "").sort()
      return [rows.map(({ name }) => name).join(" "), mailed.join(" ")]
    }
    const choose = (who: string, body: object) => forge.call(who, "PATCH /user/settings/notifications", body)
    const usual = CAUSES.filter((cause) => cause !== "own" && cause !== "release")
    const but = (...causes: readonly string[]): readonly string[] => usual.filter((cause) => !causes.includes(cause))

    test("nothing changes for who chose nothing", async () => {
      const { body } = await forge.call(ann, "GET /user/settings/notifications")
      expect(body).toEqual({ list: usual, mail: usual })
      const { issue } = await place()
      expect(await told(issue, "ben", { kind: "commented" })).toEqual(["ann cal", "ann cal"])
    })

    test("each cause counts by itself, in the list and by mail", async () => {
      const { issue } = await place()
      await choose(cal, { list: but("participating"), mail: but("mentioned") })
      expect(await told(issue, "ben", { kind: "commented" })).toEqual(["ann", "ann cal"])
      expect(await told(issue, "ben", { kind: "commented", users: ["cal"] })).toEqual(["ann cal", "ann cal"])
      await choose(cal, { list: but("participating", "mentioned"), mail: but("participating", "mentioned") })
      expect(await told(issue, "ben", { kind: "commented", users: ["cal"] })).toEqual(["ann", "ann"])
      expect(await told(issue, "ben", { kind: "assigned", users: ["cal"] })).toEqual(["cal", "cal"])
      await choose(cal, { list: usual, mail: usual })
      const rows = await forge.hearth.services.database.read.selectFrom("notification_choices").selectAll().execute()
      expect(rows).toEqual([])
    })

    test("who is told by nothing else stays unsubscribed, and who watches chooses what of", async () => {
      const { issue } = await place()
      const { id } = await userNamed(forge.hearth, "cal")
      const row = { issue_id: issue.id, user_id: id, is_watching: 0, updated_at: 1 } as const
      await forge.hearth.services.database.write((tx) => tx.insertInto("issue_watches").values(row).execute())
      await choose(cal, { list: but("mentioned") })
      await choose(ann, { list: but("activity"), mail: but("new_issue") })
      expect(await told(issue, "ben", { kind: "commented", users: ["cal"] })).toEqual(["", "ann cal"])
      expect(await told(issue, "ben", { kind: "created" })).toEqual(["ann", ""])
      for (const who of [ann, cal]) await choose(who, { list: usual, mail: usual })
    })

    test("what they do themselves, for who wants it", async () => {
      const { issue } = await place()
      await choose(cal, { list: [...usual, "own"] })
      expect(await told(issue, "cal", { kind: "commented" })).toEqual(["ann ben cal", "ann ben"])
      await choose(cal, { list: [...but("participating"), "own"] })
      expect(await told(issue, "cal", { kind: "commented" })).toEqual(["ann ben", "ann ben"])
      await choose(cal, { list: usual })
    })

    test("by repository: all, what they take part in, releases, or nothing", async () => {
      const { issue, name } = await place()
      const setLevel = async (who: string, level: string) =>
        expect((await forge.call(who, `PUT /repos/ann/${name}/subscription/level`, { level })).status).toBe(204)
      const isWatching = async (who: string) => (await forge.call(who, `GET /repos/ann/${name}/subscription`)).status === 200
      await setLevel(ann, "participating")
      expect(await isWatching(ann)).toBe(false)
      expect(await told(issue, "cal", { kind: "commented" })).toEqual(["ben", "ben"])
      expect(await told(issue, "cal", { kind: "commented", users: ["ann"] })).toEqual(["ann ben", "ann ben"])
      await setLevel(ann, "ignored")
      await setLevel(ben, "ignored")
      expect(await told(issue, "cal", { kind: "commented", users: ["ann"] })).toEqual(["", ""])
      await setLevel(ben, "releases")
      await setLevel(cal, "all")
      expect(await isWatching(cal)).toBe(true)
      expect(await told(issue, "cal", { kind: "commented" })).toEqual(["ben", "ben"])
      server.arrived.length = 0
      expect((await forge.call(ann, `POST /repos/ann/${name}/releases`, { tag_name: "v1", name: "The first" })).status).toBe(201)
      await forge.hearth.services.jobs.drain()
      expect(server.arrived.map(({ to, headers }) => [to.split("@")[0], headers.get("subject")])).toEqual([
        ["ben", `[ann/${name}] The first`],
      ])
      const { body } = await forge.call(ben, `GET /repos/ann/${name}/notifications?subject-type=repository`)
      expect(body.map(({ subject }: { subject: { title: string; html_url: string } }) => [subject.title, subject.html_url])).toEqual([
        ["The first", expect.stringContaining(`/ann/${name}/releases/tag/v1`)],
      ])
      const reader = await visit(forge, "ben")
      expect((await reader.get("/notifications")).html).toContain("The first")
      await setLevel(ann, "all")
      expect(await isWatching(ann)).toBe(true)
      expect((await told(issue, "cal", { kind: "commented" }))[0]).toContain("ann")
    })

    test("on a page, with every repository of which they chose something", async () => {
      const { name } = await place()
      const hidden = await place({ private: true })
      const reader = await visit(forge, "ben")
      const done = await reader.send(SETTINGS, { list: ["mentioned", "own"], mail: "run" })
      expect([done.status, done.to]).toEqual([303, SETTINGS])
      expect((await forge.call(ben, "GET /user/settings/notifications")).body).toEqual({ list: ["mentioned", "own"], mail: ["run"] })
      const shown = (await reader.get(SETTINGS)).html
      expect(shown).toMatch(/name="list" value="own" checked/)
      expect(shown).not.toMatch(/name="mail" value="own" checked/)
      // Digests in the addresses of scripts may hold any letters.
      expect(shown.replace(/\/assets\/[\w.-]+/g, "")).not.toContain(name)
      expect((await reader.send(`${SETTINGS}/ann/${name}`, { level: "ignored" })).status).toBe(303)
      expect((await reader.get(SETTINGS)).html).toContain(`Notifications of ann/${name}`)
      expect((await reader.send(`${SETTINGS}/ann/${name}`, { level: "often" })).status).toBe(422)
      expect((await reader.send(`${SETTINGS}/ann/${hidden.name}`, { level: "ignored" })).status).toBe(404)
      expect((await choose(ben, { list: ["everything"] })).status).toBe(422)
      await choose(ben, { list: usual, mail: usual })
    })
  },
)
