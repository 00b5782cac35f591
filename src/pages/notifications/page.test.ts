import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { type FreshKind, statementsOf } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

const HOSTILE = `<script>alert(1)</script>"'`

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const { call } = forge
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  for (const name of ["one", "two"]) {
    await call(ann, "POST /user/repos", { name })
    await call(ben, `POST /repos/ann/${name}/issues`, { title: `${HOSTILE} in ${name}` })
  }
  await call(ben, "POST /repos/ann/one/issues", { title: "To be done", body: "@ann", assignees: [] })
  await call(ann, "PATCH /repos/ann/one/issues/2", { assignees: ["ann"] })
  const as = async (name?: string) => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  return { ...forge, ann, ben, as, unread: async () => (await call(ann, "GET /notifications/new")).body.new }
}

withWorld("the pages of notifications", { open }, ({ test, world }) => {
  test("threads in groups, and titles are text", async () => {
    expect((await (await world.as()).get("/notifications")).location).toMatch(/^\/user\/login/)
    const { text } = await (await world.as("ann")).get("/notifications")
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(text).not.toContain("<script>alert")
    expect(text.match(/<section class="card"/g)).toHaveLength(2)
    expect(text).toContain('<span class="count loud">3')
  })

  test("by kind and by reason, with the count of what is shown", async () => {
    const ann = await world.as("ann")
    const assigned = (await ann.get("/notifications?reason=assigned")).text
    expect(assigned).toContain("To be done")
    expect(assigned).not.toContain("in two")
    expect((await ann.get("/notifications?reason=review")).text).toContain("Nothing matches")
    expect((await ann.get("/notifications?reason=author")).text).toContain("Nothing matches")
    expect((await ann.get("/notifications?reason=mention")).text).toContain("To be done")
    expect((await ann.get("/notifications?subject=pull")).text).toContain("Nothing matches")
    expect((await ann.get("/notifications?subject=nonsense")).text).toContain("in two")
  })

  test("opening marks as read and leads to the subject; looking at the list, or at its address, does not", async () => {
    const ann = await world.as("ann")
    const page = await ann.get("/notifications")
    const { action = "" } = page.forms.find((form) => form.action.startsWith("/notifications/threads/")) ?? {}
    expect((await ann.get(action)).location).toMatch(/^\/ann\/one\/issues\/2/)
    expect(await world.unread()).toBe(3)
    const opened = await ann.post(action, {})
    expect([opened.status, opened.location.startsWith("/ann/one/issues/2")]).toEqual([303, true])
    expect(await world.unread()).toBe(2)
    expect((await ann.get("/notifications?type=read")).text).toContain("To be done")
  })

  test("a thread is for its owner", async () => {
    const ann = await world.as("ann")
    const { action = "" } = (await ann.get("/notifications")).forms.find((form) => form.action.startsWith("/notifications/threads/")) ?? {}
    const ben = await world.as("ben")
    expect((await ben.get(action)).status).toBe(404)
    expect((await ben.post(action, {})).status).toBe(403)
    expect((await ben.post("/notifications/mark", { thread: action.split("/").at(-1) ?? "", status: "read" })).status).toBe(403)
    expect(await world.unread()).toBe(2)
  })

  test("pinned, unread again, a repository and all of them; and back to nowhere else", async () => {
    const { call, ann: caller } = world
    const ann = await world.as("ann")
    const thread = String((await call(caller, "GET /notifications")).body[0].id)
    const pinned = await ann.post("/notifications/mark", { thread, status: "pinned", back: "https://evil.example/" })
    expect([pinned.status, pinned.location]).toEqual([303, "/notifications"])
    expect((await ann.get("/notifications?type=pinned")).text).toContain("Pinned")
    await ann.post("/notifications/mark", { thread, status: "unread" })
    expect(await world.unread()).toBe(2)
    const { repository } = (await call(caller, `GET /notifications/threads/${thread}`)).body
    await ann.post("/notifications/mark", { repository: String(repository.id), status: "read" })
    expect(await world.unread()).toBe(1)
    const all = await ann.post("/notifications/mark", { status: "read", back: "/notifications?subject=issue" })
    expect(all.location).toBe("/notifications?subject=issue")
    expect(await world.unread()).toBe(0)
    expect((await ann.get("/notifications")).text).toContain("All caught up")
    expect((await ann.get("/notifications/new")).text).toBe('{"new":0}')
  })

  test("unsubscribed from a thread, one is told no more", async () => {
    const { call, ann: caller, ben } = world
    const ann = await world.as("ann")
    await call(ben, "POST /repos/ann/one/issues/1/comments", { body: "Again" })
    const actions = (await ann.get("/notifications")).forms.map(({ action }) => action)
    const address = actions.find((action) => action.endsWith("/unsubscribe")) ?? ""
    expect((await (await world.as("ben")).post(address, {})).status).toBe(403)
    const answer = await ann.post(address, { back: "https://evil.example/" })
    expect([answer.status, answer.location, await world.unread()]).toEqual([303, "/notifications", 0])
    await call(ben, "POST /repos/ann/one/issues/1/comments", { body: "And again" })
    expect(await world.unread()).toBe(0)
    expect((await call(caller, "GET /repos/ann/one/issues/1/subscriptions/check")).body.subscribed).toBe(false)
    expect((await ann.post("/notifications/threads/0/unsubscribe", {})).status).toBe(404)
    await call(caller, "PUT /repos/ann/one/issues/1/subscriptions/ann")
  })

  test("by repository and by the state of what they are about, and why they arrived", async () => {
    const { call, ben } = world
    const ann = await world.as("ann")
    for (const issue of ["one/issues/2", "two/issues/1"]) await call(ben, `POST /repos/ann/${issue}/comments`, { body: "More" })
    const { text } = await ann.get("/notifications")
    expect(text).toContain("Assigned to you")
    const [, two] = /href="\/notifications\?repository=(\d+)"><bdi>ann\/two</.exec(text) ?? []
    const only = (await ann.get(`/notifications?repository=${two}`)).text
    expect(only).toContain("in two")
    expect(only).not.toContain("To be done")
    for (const query of ["repository=999999", "repository=x", "state=merged", "state=closed"])
      expect([query, (await ann.get(`/notifications?${query}`)).text]).toEqual([query, expect.stringContaining("Nothing matches")])
    await call(ben, "PATCH /repos/ann/two/issues/1", { state: "closed" })
    expect((await ann.get("/notifications?state=open")).text).not.toContain("in two")
    expect((await ann.get("/notifications?state=closed&subject=issue")).text).toContain("in two")
    expect((await ann.get("/notifications?state=closed")).text).not.toContain("To be done")
    await ann.post("/notifications/mark", { status: "read", state: "closed" })
    expect(await world.unread()).toBe(1)
    await call(ben, "PATCH /repos/ann/two/issues/1", { state: "open" })
    expect(await world.unread()).toBe(2)
    await ann.post("/notifications/mark", { status: "read" })
  })

  test("what one follows and watches; the number of statements does not depend on how much it is", async () => {
    const { call, ben, hearth } = world
    const ann = await world.as("ann")
    expect((await ann.get("/notifications/subscriptions")).text).toContain("To be done")
    expect((await ann.get("/notifications/subscriptions?state=closed")).text).toContain("No subscriptions")
    expect((await ann.get("/notifications/watching")).text).toContain("/ann/two")
    const count = async (path: string) => (await statementsOf(hearth.services.database, () => ann.get(path))).length
    const paths = ["/notifications", "/notifications/subscriptions", "/notifications/watching", "/"]
    await call(ben, "POST /repos/ann/one/issues", { title: "first", body: "@ann" })
    const before = []
    for (const path of paths) before.push(await count(path))
    for (const title of ["second", "third"]) await call(ben, "POST /repos/ann/two/issues", { title, body: "@ann" })
    const after = []
    for (const path of paths) after.push(await count(path))
    expect(after).toEqual(before)
  })
})
