/*
 * Someone follows what happens and loses the right to it: nothing more may reach them, whatever their stream was allowed to before. Others send positions that are none,
 * ask for what is hidden, and open more streams than anyone needs.
 */
import { afterAll, expect } from "vitest"
import { pruneEvents } from "../../src/core/events/log.ts"
import { createToken } from "../../src/features/people/sign-in/credentials/tokens.ts"
import { openBrowser } from "../support/browser.ts"
import { type EventReader, followEvents } from "../support/event-stream.ts"
import { withHearth } from "../support/fixture.ts"
import { type Caller, PASSWORD } from "../support/hearth.ts"

const config = { events: { streams: 30, streamsPerCaller: 12 }, http: { trustedProxies: "loopback" } }

withHearth("streams of events", { people: ["ada", "bob", "cyd", "eve"], config }, ({ test, forge, ada, bob, cyd, eve }) => {
  const open: EventReader[] = []
  afterAll(() => {
    for (const reader of open) reader.close()
  })
  const must = async (who: Caller, route: string, body?: object) => {
    const answer = await forge.call(who, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  async function follow(who: Caller, query = "", lastEventId?: string): Promise<EventReader> {
    const reader = await followEvents(forge.hearth.url, who, query, lastEventId)
    open.push(reader)
    if (reader.status === 200) expect((await reader.next())?.name).toBe("ready")
    return reader
  }
  const idOf = async (name: string): Promise<number> => (await must(forge.root, `GET /users/${name}`)).id
  async function tokenOf(name: string, chosen?: { repositoryIds: readonly number[]; ownerIds: readonly number[] }, scopes = ["all"]) {
    const { services } = forge.hearth
    const userId = await idOf(name)
    const made = await services.database.write((tx) =>
      createToken(tx, { userId, name: `${name} ${Math.random()}`, scopes, now: services.now(), ...(chosen && { chosen }) }),
    )
    return { id: made.row.id, header: `token ${made.token}` }
  }
  const say = (repository: string, title: string) => must(ada, `POST /repos/ada/${repository}/issues`, { title })

  /** Ada hears of it, and by then these have heard nothing. */
  async function hearNothing(title: string, repository: string, readers: readonly EventReader[]): Promise<void> {
    const hers = await follow(ada, "?kind=issue.")
    await say(repository, title)
    expect((await hers.next())?.data.subject.title).toBe(title)
    hers.close()
    for (const reader of readers) {
      const event = await reader.next(300)
      expect(event?.name ?? "end").toBe("end")
      reader.close()
    }
  }

  test.beforeAll(async () => {
    await must(ada, "POST /user/repos", { name: "open" })
    await must(ada, "POST /user/repos", { name: "safe", private: true })
    await must(ada, "PUT /repos/ada/safe/collaborators/bob", { permission: "write" })
  })

  test("hear nothing of a repository that has become private", async () => {
    await must(ada, "POST /user/repos", { name: "shop" })
    const readers = [await follow(cyd, "?repository=ada/shop"), await follow(undefined, "?repository=ada/shop")]
    await must(ada, "PATCH /repos/ada/shop", { private: true })
    await hearNothing("The new prices", "shop", readers)
  })

  test("hear nothing once the token is deleted, the account suspended, or the collaborator blocked", async () => {
    const token = await tokenOf("bob")
    const byToken = await follow(token.header, "?repository=ada/safe")
    await must(bob, `DELETE /users/bob/tokens/${token.id}`)
    await hearNothing("After the token", "safe", [byToken])
    const byPassword = await follow(bob, "?repository=ada/safe")
    const settings = { source_id: 0, login_name: "bob" }
    await must(forge.root, "PATCH /admin/users/bob", { ...settings, prohibit_login: true })
    await hearNothing("After the suspension", "safe", [byPassword])
    await must(forge.root, "PATCH /admin/users/bob", { ...settings, prohibit_login: false })
    const again = await follow(bob, "?kind=issue.")
    await must(ada, "PUT /user/blocks/bob")
    await hearNothing("After the block", "safe", [again])
  })

  test("tell a token that is limited no more than what it was made for", async () => {
    const safe = await must(ada, "GET /repos/ada/safe")
    const shop = await must(ada, "POST /user/repos", { name: "attic", private: true })
    const [chosen, publicOnly, forCode] = [
      await tokenOf("ada", { repositoryIds: [safe.id], ownerIds: [] }),
      await tokenOf("ada", undefined, ["all", "public-only"]),
      await tokenOf("ada", undefined, ["read:repository"]),
    ]
    expect(shop.private).toBe(true)
    const readers = [
      await follow(chosen.header, "?kind=issue."),
      await follow(publicOnly.header, "?kind=issue."),
      await follow(forCode.header, "?kind=issue."),
    ]
    await say("attic", "Hidden from all three")
    await say("safe", "For the first")
    await say("open", "For the first two")
    expect([(await readers[0]?.next())?.data.subject.title, (await readers[0]?.next())?.data.subject.title]).toEqual([
      "For the first",
      "For the first two",
    ])
    expect((await readers[1]?.next())?.data.subject.title).toBe("For the first two")
    expect(await readers[2]?.next(300)).toBeUndefined()
    for (const reader of readers) reader.close()
  })

  test("tell those of the former repository only that an issue has left, and of a deleted one only its end", async () => {
    const [hers, his] = [
      await follow(ada, "?kind=issue.&kind=comment."),
      await follow(cyd, "?kind=issue.&kind=comment.&kind=repository.deleted"),
    ]
    const { number } = await say("open", "Moves out")
    const { headers } = await forge.call(cyd, "GET /events")
    const before = headers.get("x-hearth-position") ?? ""
    await moveToSafe(number)
    await must(ada, "POST /repos/ada/safe/issues/1/comments", { body: "Home" })
    expect(await hers.until("comment.created")).toEqual(["issue.opened", "issue.leaving", "issue.transferred", "comment.created"])
    expect([(await his.next())?.data.kind, (await his.next())?.data]).toEqual([
      "issue.opened",
      expect.objectContaining({ kind: "issue.leaving", subject: { type: "issue", id: expect.any(Number), number } }),
    ])
    await must(ada, "DELETE /repos/ada/open")
    expect((await his.next())?.data).toMatchObject({ kind: "repository.deleted", repository: { full_name: null, private: false } })
    const later = await forge.call(cyd, `GET /events?after=${before}`)
    expect(String(later.body ?? "").match(/"kind":"[^"]+"/g)).toEqual(['"kind":"repository.deleted"'])
  })

  /** The API has no way to move an issue. */
  async function moveToSafe(number: number): Promise<void> {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn("ada", PASSWORD)
    await browser.post(`/ada/open/issues/${number}/transfer`, { repository: "ada/safe", confirm: "ada/safe" })
  }

  test("refuse positions that are none, of another log, of the future, and that are not kept", async () => {
    const { services } = forge.hearth
    const at = async (position: string) => {
      const [asked, resumed] = [await forge.call(ada, `GET /events?after=${encodeURIComponent(position)}`), await follow(ada, "", position)]
      expect(resumed.status).toBe(asked.status)
      return asked
    }
    const { headers } = await forge.call(ada, "GET /events")
    const here = headers.get("x-hearth-position") ?? ""
    for (const wrong of ["7", "x", `${here}0000000000000000`, "'; drop table events", "-1", "../etc"])
      expect((await at(wrong)).status, wrong).toBe(422)
    const [name = "", transaction = "", id = ""] = here.split("-")
    for (const foreign of [`${name}-${transaction}-${Number(id) + 1}`, `00000000-${transaction}-${id}`, `${name}-999999999-1`]) {
      const refused = await at(foreign)
      expect([refused.status, refused.body.position], foreign).toEqual([410, here])
      expect(refused.body.message).toContain("go on from the position")
    }
    await say("safe", "Soon forgotten")
    await services.database.write((tx) => tx.updateTable("events").set({ created_at: 1 }).execute())
    await services.jobs.tasks.run(pruneEvents.name)
    const refused = await at(here)
    expect([refused.status, refused.body.message]).toEqual([410, expect.stringContaining("not kept")])
    const goingOn = await forge.call(ada, `GET /events?after=${refused.body.position}`)
    expect([goingOn.status, goingOn.headers.get("x-hearth-position")]).toEqual([200, refused.body.position])
  })

  test("are counted by the network where nobody has signed in: whoever has an IPv6 address has a whole one", async () => {
    const stop = new AbortController()
    const statusFrom = async (address: string) => {
      const headers = { accept: "text/event-stream", "x-forwarded-for": address }
      return (await fetch(`${forge.hearth.url}/api/v1/events`, { signal: stop.signal, headers })).status
    }
    const statuses: number[] = []
    for (let count = 1; count <= 13; count++) statuses.push(await statusFrom(`2001:db8::${count}`))
    expect(statuses).toEqual([...Array.from({ length: 12 }, () => 200), 429])
    expect(await statusFrom("2001:db8:0:1::1")).toBe(200)
    stop.abort()
    await expect.poll(() => forge.call(undefined, "GET /events").then(({ status }) => status)).toBe(200)
  })

  test("are bounded for each caller and for all, and refuse what may not be asked", async () => {
    const mine: EventReader[] = []
    for (let count = 0; count < 13; count++) mine.push(await follow(eve))
    expect(mine.map(({ status }) => status)).toEqual([...Array.from({ length: 12 }, () => 200), 429])
    expect((await forge.call(eve, "GET /events?wait=1")).status).toBe(429)
    expect((await forge.call(cyd, "GET /events")).status).toBe(200)
    for (let count = 0; count < 12; count++) mine.push(await follow(undefined))
    for (let count = 0; count < 12; count++) mine.push(await follow(cyd))
    expect(mine.at(-1)?.status).toBe(503)
    for (const reader of mine) reader.close()
    await expect.poll(async () => (await forge.call(eve, "GET /events")).status).toBe(200)

    expect((await forge.call(cyd, "GET /events?repository=ada/safe")).status).toBe(404)
    expect((await forge.call(cyd, "GET /events?repository=safe")).status).toBe(422)
    expect((await forge.call(cyd, "GET /events?owner=nobody-here")).status).toBe(404)
    expect((await forge.call(cyd, "GET /events?kind=secrets")).status).toBe(422)
    expect((await forge.call(cyd, "GET /events?wait=61")).status).toBe(422)
    expect((await forge.call(undefined, "GET /events?involved=true")).status).toBe(401)
    expect((await forge.call(forge.root, "GET /events?sudo=ada")).status).toBe(403)
  })
})
