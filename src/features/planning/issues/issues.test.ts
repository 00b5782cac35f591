import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { issuesOf, numbers } from "./testing.ts"

withHearth("issues", { on: databaseKinds, people: ["ann", "ben", "cyd"] }, ({ kind, test, forge, ann, ben, cyd }) => {
  let made = 0
  /** A new repository of ann's, which ben may write to and every user may read. */
  async function repository(options: object = {}) {
    const name = `box${++made}`
    await forge.call(ann, "POST /user/repos", { name, ...options })
    await forge.call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    return { name, at: `/repos/ann/${name}`, issues: issuesOf(forge, ann, `ann/${name}`) }
  }
  const openIssues = async (at: string) => (await forge.call(ann, `GET ${at}`)).body.open_issues_count
  const status = async (caller: Caller, route: string, body?: object) => (await forge.call(caller, route, body)).status

  describe("creating", () => {
    test("a title is enough", async () => {
      const { issues, at } = await repository()
      const { status: answered, body } = await issues.create({ title: "  Lamp  " }, cyd)
      expect(answered).toBe(201)
      expect(body).toMatchObject({
        number: 1,
        title: "Lamp",
        body: "",
        state: "open",
        labels: [],
        assets: [],
        milestone: null,
        assignee: null,
        assignees: [],
        projects: [],
        due_date: null,
        closed_at: null,
        pull_request: null,
        content_version: 0,
        user: { login: "cyd" },
      })
      expect(await openIssues(at)).toBe(1)
    })

    test("with everything that a writer may give", async () => {
      const { issues, at } = await repository()
      const label = (await forge.call(ann, `POST ${at}/labels`, { name: "bug", color: "#ee0701" })).body.id
      const milestone = (await forge.call(ann, `POST ${at}/milestones`, { title: "m" })).body.id
      const options = { title: "x", labels: [label], milestone, assignee: "ben", assignees: ["ann", "ben"], ref: "refs/heads/dev" }
      const { body } = await issues.create({ ...options, due_date: "2031-05-06T23:00:00-08:00" }, ben)
      expect(body).toMatchObject({
        labels: [{ name: "bug" }],
        milestone: { title: "m", open_issues: 1 },
        assignee: { login: "ann" },
        due_date: "2031-05-06T23:59:59Z",
        ref: "refs/heads/dev",
      })
      expect(body.assignees.map(({ login }: { login: string }) => login)).toEqual(["ann", "ben"])
      expect(await issues.timeline(1)).toEqual(["milestone", "label", "assignees", "assignees"])
      const passedOver = (await issues.create({ ...options, due_date: "2031-05-06T00:00:00Z" }, cyd)).body
      expect(passedOver).toMatchObject({
        labels: [],
        milestone: null,
        assignees: [],
        due_date: "2031-05-06T23:59:59Z",
        ref: "refs/heads/dev",
      })
    })

    test("closed at once", async () => {
      const { issues, at } = await repository()
      const { body } = await issues.create({ title: "done", closed: true })
      expect(body).toMatchObject({ state: "closed", closed_at: expect.any(String) })
      expect(await issues.timeline(1)).toEqual(["close"])
      expect(await openIssues(at)).toBe(0)
    })

    test("a long title is cut", async () => {
      const { issues } = await repository()
      expect((await issues.create({ title: "a".repeat(300) })).body.title).toBe(`${"a".repeat(254)}…`)
    })

    test("what is refused makes nothing and takes no number", async () => {
      const { issues, at } = await repository()
      await forge.call(ann, "POST /orgs", { username: `crew${made}` })
      const refused: readonly (readonly [number, object, string])[] = [
        [422, {}, "title"],
        [422, { title: "" }, "title"],
        [422, { title: 1 }, "title"],
        [422, { title: "x", labels: [999_999] }, "labels"],
        [422, { title: "x", milestone: 999_999 }, "milestone"],
        [422, { title: "x", assignees: ["nobody"] }, "assignees"],
        [422, { title: "x", assignees: [`crew${made}`] }, "assignees"],
        [422, { title: "x", due_date: "tomorrow" }, "due_date"],
        [422, { title: "x", projects: [7] }, "project 7"],
      ]
      for (const [wanted, options, named] of refused) {
        const { status: answered, body } = await issues.create(options)
        expect([answered, body.message]).toEqual([wanted, expect.stringContaining(named)])
      }
      expect(await openIssues(at)).toBe(0)
      expect((await issues.create({ title: "first" })).body.number).toBe(1)
      expect(await status(undefined, `POST ${at}/issues`, { title: "x" })).toBe(401)
    })

    test("not where no one could read it: opening and reading follow one rule", async () => {
      const { at, issues } = await repository({ auto_init: true })
      expect((await issues.create({ title: "before" })).status).toBe(201)
      await forge.call(ann, `PUT ${at}/collaborators/ben`, { permission: "admin" })
      const external = { external_tracker: { external_tracker_url: "https://issues.example" } }
      for (const [settings, back] of [
        [external, { internal_tracker: {} }],
        [{ has_issues: false }, { has_issues: true }],
      ]) {
        expect(await status(ann, `PATCH ${at}`, settings)).toBe(200)
        for (const caller of [ann, ben, cyd, forge.root]) {
          expect(await status(caller, `POST ${at}/issues`, { title: "unseen" })).toBe(404)
          expect(await status(caller, `POST ${at}/issues`, {})).toBe(404)
          for (const path of ["issues/1", "issues/2", "issues/pinned"]) expect(await status(caller, `GET ${at}/${path}`)).toBe(404)
          expect((await forge.call(caller, `GET ${at}/issues`)).body).toEqual([])
        }
        expect(await status(undefined, `POST ${at}/issues`, { title: "unseen" })).toBe(401)
        expect(await openIssues(at)).toBe(1)
        expect(await status(ann, `PATCH ${at}`, back)).toBe(200)
        for (const caller of [ann, ben, cyd, forge.root]) expect(await status(caller, `GET ${at}/issues/1`)).toBe(200)
      }
      expect((await issues.create({ title: "after" }, cyd)).body.number).toBe(2)
    })

    test("not in a hidden, a switched off or an archived repository, nor by users whom the owner has blocked", async () => {
      const hidden = await repository({ private: true })
      expect((await hidden.issues.create({ title: "x" }, cyd)).status).toBe(404)
      const off = await repository()
      await forge.call(ann, `PATCH ${off.at}`, { has_issues: false })
      expect((await off.issues.create({ title: "x" })).status).toBe(404)
      const old = await repository()
      await forge.call(ann, `PATCH ${old.at}`, { archived: true })
      expect((await old.issues.create({})).status).toBe(423)
      const dan = await forge.person(`dan${kind}`)
      await forge.call(ann, `PUT /user/blocks/dan${kind}`)
      const { issues } = await repository()
      expect((await issues.create({ title: "x" }, dan)).status).toBe(403)
    })
  })

  describe("editing", () => {
    test("texts by the author, all or nothing", async () => {
      const { issues } = await repository()
      await issues.create({ title: "one", body: "a" }, cyd)
      expect((await issues.edit(1, { title: "two", body: "b", ref: "refs/heads/dev" }, cyd)).body).toMatchObject({
        title: "two",
        body: "b",
        content_version: 1,
      })
      expect(await issues.timeline(1, ({ type, old_title, new_title, new_ref }) => [type, old_title, new_title, new_ref])).toEqual([
        ["change_title", "one", "two", ""],
        ["change_issue_ref", "", "", "dev"],
      ])
      expect((await issues.edit(1, { body: "b" }, cyd)).body.content_version).toBe(2)
      const refused = await issues.edit(1, { title: "three", state: "frozen" }, cyd)
      expect([refused.status, refused.body.message]).toEqual([412, expect.stringContaining("frozen")])
      expect((await issues.get(1)).body).toMatchObject({ title: "two", content_version: 2 })
      expect((await issues.edit(1, { title: "mine" }, await forge.person(`eve${kind}`))).status).toBe(403)
      expect((await issues.edit(9, { title: "mine" })).status).toBe(404)
    })

    test("a stale version changes nothing", async () => {
      const { issues } = await repository()
      await issues.create({ title: "one", body: "a" })
      expect((await issues.edit(1, { body: "b", content_version: 0 })).status).toBe(201)
      expect((await issues.edit(1, { title: "lost", body: "c", state: "closed", content_version: 0 })).status).toBe(409)
      expect((await issues.get(1)).body).toMatchObject({ title: "one", body: "b", state: "open", content_version: 1 })
      const both = await Promise.all([1, 1].map((content_version) => issues.edit(1, { body: "d", content_version })))
      expect(both.map((answer) => answer.status).sort()).toEqual([201, 409])
    })

    test("what only writers may change, and how it is refused", async () => {
      const { issues } = await repository()
      await issues.create({ title: "one" }, cyd)
      expect((await issues.edit(1, { assignees: ["ben"] }, cyd)).body.assignees).toEqual([])
      expect((await issues.edit(1, { assignees: ["ben"] }, ben)).body.assignee.login).toBe("ben")
      expect((await issues.edit(1, { assignees: ["nobody"] })).status).toBe(422)
      expect((await issues.edit(1, { milestone: 999_999 })).status).toBe(422)
      expect((await issues.edit(1, { projects: [5] })).status).toBe(422)
      expect((await issues.edit(1, { projects: [] })).status).toBe(201)
      expect((await issues.edit(1, { unset_due_date: false })).status).toBe(400)
      expect((await issues.get(1)).body).toMatchObject({ assignee: { login: "ben" }, due_date: null })
    })

    test("a due date by the author, and by no other reader", async () => {
      const { issues } = await repository()
      await issues.create({ title: "one" }, cyd)
      expect((await issues.edit(1, { due_date: "2031-01-01T00:00:00Z" }, cyd)).body.due_date).toBe("2031-01-01T23:59:59Z")
      expect((await issues.edit(1, { unset_due_date: true }, cyd)).body.due_date).toBeNull()
      await issues.create({ title: "two" }, ann)
      expect((await issues.edit(2, { due_date: "2031-01-01T00:00:00Z" }, cyd)).status).toBe(403)
    })

    test("due dates by the day", async () => {
      const { issues } = await repository()
      await issues.create({ title: "one" })
      const due = (due_date: string | null, by: Caller = ann) => issues.on("POST", "1/deadline", { due_date }, by)
      expect((await due("2031-07-08T09:00:00Z")).body).toEqual({ due_date: "2031-07-08T23:59:59Z" })
      expect((await due("2031-07-08T10:00:00Z")).status).toBe(201)
      expect((await issues.edit(1, { due_date: "2031-07-09T10:00:00Z" })).body.due_date).toBe("2031-07-09T23:59:59Z")
      expect(await due(null)).toMatchObject({ status: 201, body: { due_date: "1970-01-01T00:00:00Z" } })
      expect(await issues.timeline(1, ({ type, body }) => [type, body])).toEqual([
        ["added_deadline", "2031-07-08"],
        ["modified_deadline", "2031-07-09|2031-07-08"],
        ["removed_deadline", "2031-07-09"],
      ])
      expect((await due("2031-07-08T09:00:00Z", cyd)).status).toBe(403)
      expect((await due("soon")).status).toBe(422)
      expect((await issues.on("POST", "1/deadline", {})).status).toBe(422)
    })
  })

  describe("closing and reopening", () => {
    test("updates counters and the timeline", async () => {
      const { issues, at } = await repository()
      const milestone = (await forge.call(ann, `POST ${at}/milestones`, { title: "m" })).body.id
      await issues.create({ title: "one", milestone })
      expect((await issues.edit(1, { state: "closed" }, ben)).body).toMatchObject({
        state: "closed",
        milestone: { open_issues: 0, closed_issues: 1 },
      })
      expect(await openIssues(at)).toBe(0)
      await issues.edit(1, { state: "closed" })
      expect((await issues.edit(1, { state: "open" })).body).toMatchObject({ closed_at: null, milestone: { open_issues: 1 } })
      expect(await openIssues(at)).toBe(1)
      expect(await issues.timeline(1)).toEqual(["milestone", "close", "reopen"])
      const { body } = await forge.call(ann, `GET ${at}/activities/feeds`)
      expect(body.map(({ op_type, content }: Record<string, string>) => [op_type, content]).slice(0, 3)).toEqual([
        ["reopen_issue", "1|"],
        ["close_issue", "1|"],
        ["create_issue", "1|one"],
      ])
    })

    test("not while a dependency is open", async () => {
      const { issues, name } = await repository()
      await issues.create({ title: "waits" })
      await issues.create({ title: "first" })
      await issues.on("POST", "1/dependencies", { owner: "ann", repo: name, index: 2 })
      expect((await issues.edit(1, { title: "changed", state: "closed" })).status).toBe(412)
      expect((await issues.get(1)).body).toMatchObject({ title: "waits", state: "open" })
      await issues.edit(2, { state: "closed" })
      expect((await issues.edit(1, { state: "closed" })).body.state).toBe("closed")
    })
  })

  test("deleting is for administrators, and its number is gone", async () => {
    const { issues, at } = await repository()
    const milestone = (await forge.call(ann, `POST ${at}/milestones`, { title: "m" })).body.id
    await issues.create({ title: "gone soon", milestone })
    expect((await issues.on("DELETE", "1", undefined, ben)).status).toBe(403)
    expect((await issues.on("DELETE", "1")).status).toBe(204)
    expect((await issues.on("DELETE", "1")).status).toBe(404)
    expect((await issues.get(1)).status).toBe(404)
    expect(await openIssues(at)).toBe(0)
    expect((await forge.call(ann, `GET ${at}/milestones/${milestone}`)).body.open_issues).toBe(0)
    expect((await issues.list("q=gone&state=all")).body).toEqual([])
    const { body } = await forge.call(ann, `GET ${at}/activities/feeds`)
    expect(body.map(({ op_type }: Record<string, string>) => op_type)).not.toContain("create_issue")
    expect((await issues.create({ title: "next" })).body.number).toBe(2)
  })

  test("at most three are pinned, in an order that can be changed", async () => {
    const { issues, at } = await repository()
    for (const title of ["a", "b", "c", "d"]) await issues.create({ title })
    for (const index of [1, 2, 3]) expect((await issues.on("POST", `${index}/pin`)).status).toBe(204)
    expect((await issues.on("POST", "4/pin")).status).toBe(400)
    expect((await issues.on("POST", "1/pin")).status).toBe(400)
    expect((await issues.on("PATCH", "4/pin/1")).status).toBe(404)
    expect((await issues.on("PATCH", "1/pin/0")).status).toBe(400)
    expect((await issues.on("PATCH", "1/pin/2", undefined, ben)).status).toBe(403)
    expect((await issues.on("PATCH", "1/pin/99")).status).toBe(204)
    expect(numbers(await issues.on("GET", "pinned"))).toEqual([2, 3, 1])
    expect((await forge.call(undefined, `GET ${at}/new_pin_allowed`)).body).toEqual({ issues: false, pull_requests: true })
    expect((await issues.on("DELETE", "3/pin")).status).toBe(204)
    expect((await issues.on("DELETE", "3/pin")).status).toBe(204)
    expect(numbers(await issues.on("GET", "pinned"))).toEqual([2, 1])
    expect(await issues.timeline(3)).toEqual(["pin", "unpin"])
  })

  test("32 writers at once get gapless numbers", async () => {
    const { issues, at } = await repository()
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) => issues.create({ title: `at once ${i}`, body: "see #1" }, i % 2 ? ben : cyd)),
    )
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201))
    expect(answers.map(({ body }) => body.number).sort((a, b) => a - b)).toEqual(answers.map((_, i) => i + 1))
    expect(await openIssues(at)).toBe(32)
  })
})
