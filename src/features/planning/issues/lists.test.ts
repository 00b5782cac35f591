import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { issuesOf, numbers } from "./testing.ts"

withHearth("lists of issues", { on: databaseKinds, people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, cyd }) => {
  let box: ReturnType<typeof issuesOf>
  let milestone: number
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "box" })
    await forge.call(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
    await forge.call(ann, "POST /user/repos", { name: "hush", private: true })
    await forge.call(ann, "PUT /repos/ann/hush/collaborators/ben", { permission: "read" })
    const label = async (name: string) => (await forge.call(ann, "POST /repos/ann/box/labels", { name, color: "#00aabb" })).body.id
    const [bug, docs] = [await label("bug"), await label("docs")]
    milestone = (await forge.call(ann, "POST /repos/ann/box/milestones", { title: "Spring" })).body.id
    box = issuesOf(forge, ann, "ann/box")
    await box.create({
      title: "Broken lantern",
      body: "Glass-work, ÄRGER über 42 Kerzen",
      labels: [bug, docs],
      milestone,
      assignees: ["ben"],
    })
    await box.create({ title: "Squeaky hinge", body: "cc @ben", labels: [bug] }, cyd)
    await forge.call(ann, "POST /repos/ann/box/issues/2/labels", { labels: [bug] })
    await box.create({ title: "Old thing", closed: true })
    await box.create({ title: "Lanterns again" }, ben)
    await forge.call(ben, "POST /repos/ann/box/issues/2/comments", { body: "needs oiling" })
    await issuesOf(forge, ann, "ann/hush").create({ title: "Secret lantern" })
  })

  test.each([
    ["", [4, 2, 1]],
    ["state=closed", [3]],
    ["state=all", [4, 3, 2, 1]],
    ["state=all&limit=1&page=2", [3]],
    ["page=9", []],
    ["type=issues", [4, 2, 1]],
    ["type=pulls", []],
    ["labels=bug", [2, 1]],
    ["labels=bug,docs", [1]],
    ["labels=bug,unknown", []],
    ["labels=unknown&state=all", []],
    ["labels=,", [4, 2, 1]],
    ["milestones=Spring", [1]],
    ["milestones=unknown", []],
    ["milestones=unknown,Spring", [1]],
    ["created_by=cyd", [2]],
    ["assigned_by=ben", [1]],
    ["mentioned_by=ben", [2]],
    ["created_by=ann&labels=bug&state=all", [1]],
    ["since=2001-01-01T00:00:00%2B02:00&before=2100-01-01T00:00:00Z", [4, 2, 1]],
    ["before=2001-01-01T00:00:00Z", []],
    ["since=2100-01-01T00:00:00Z", []],
    ["q=lantern", [4, 1]],
    ["q=LANTERN%20broken", [1]],
    ["q=oiling", [2]],
    ["q=ärger", [1]],
    ["q=arger", []],
    ["q=glass", [1]],
    ["q=glass-work", [1]],
    ["q=work%20glass", [1]],
    ["q=3&state=all", [3]],
    ["q=42", [1]],
    ["q=%20", [4, 2, 1]],
    ["q=%21%22%27*()%25", []],
    ["q=chandelier", []],
    ["q=lantern%20chandelier", []],
  ])("narrowed by %j", async (query, expected) => {
    const answer = await box.list(query)
    expect([answer.status, numbers(answer)]).toEqual([200, expected])
    if (!query.includes("page=")) expect(answer.headers.get("x-total-count")).toBe(String(expected.length))
  })

  test.each(["state=odd", "type=odd"])("pass over %j, as clients expect", async (query) => {
    expect(numbers(await box.list(query))).toEqual(numbers(await box.list("")))
  })

  test("a milestone by its id, and refused filters", async () => {
    expect(numbers(await box.list(`milestones=${milestone}`))).toEqual([1])
    expect((await box.list("created_by=nobody")).status).toBe(404)
    expect((await box.list("since=yesterday")).status).toBe(422)
    expect((await box.list("", cyd)).status).toBe(200)
    expect((await issuesOf(forge, cyd, "ann/hush").list()).status).toBe(404)
  })

  test("the search index follows edits", async () => {
    await box.create({ title: "Fresh", body: "zebra" })
    const found = async (word: string) => numbers(await box.list(`state=all&q=${word}`))
    expect(await found("zebra")).toEqual([5])
    await box.edit(5, { title: "Giraffe", body: "okapi" })
    expect([await found("zebra"), await found("fresh"), await found("giraffe"), await found("okapi")]).toEqual([[], [], [5], [5]])
    const { id } = (await forge.call(ann, "POST /repos/ann/box/issues/5/comments", { body: "tapir" })).body
    expect(await found("tapir")).toEqual([5])
    await forge.call(ann, `PATCH /repos/ann/box/issues/comments/${id}`, { body: "lemur" })
    expect([await found("tapir"), await found("lemur")]).toEqual([[], [5]])
    await forge.call(ann, `DELETE /repos/ann/box/issues/comments/${id}`)
    expect(await found("lemur")).toEqual([])
    await box.on("DELETE", "5")
    expect([await found("okapi"), (await box.list("q=okapi")).headers.get("x-total-count")]).toEqual([[], "0"])
  })

  describe("across repositories", () => {
    const titles = async (caller: string | undefined, query: string) => {
      const { status, body, headers } = await forge.call(caller, `GET /repos/issues/search?${query}`)
      if (status !== 200) return status
      expect(headers.get("x-total-count")).toBe(String(body.length))
      return body.map(({ title }: { title: string }) => title)
    }

    test("each caller sees and counts what they may read", async () => {
      const open = ["Lanterns again", "Squeaky hinge", "Broken lantern"]
      expect(await titles(undefined, "owner=ann")).toEqual(open)
      expect(await titles(cyd, "owner=ann")).toEqual(open)
      expect(await titles(ben, "owner=ann")).toEqual(["Secret lantern", ...open])
      expect(await titles(forge.root, "owner=ann")).toEqual(["Secret lantern", ...open])
      expect(await titles(cyd, "q=secret")).toEqual([])
      expect(await titles(ben, "q=secret")).toEqual(["Secret lantern"])
    })

    test.each([
      ["labels=docs,unknown", ["Broken lantern"]],
      ["labels=bug", ["Squeaky hinge", "Broken lantern"]],
      ["labels=unknown", []],
      ["milestones=SPRING,other", ["Broken lantern"]],
      ["state=closed&owner=ann", ["Old thing"]],
      ["created_by=cyd", ["Squeaky hinge"]],
      ["type=pulls", []],
      ["assigned=true", ["Broken lantern"]],
      ["created=true", ["Lanterns again"]],
      ["mentioned=true", ["Squeaky hinge"]],
      ["reviewed=true", []],
      ["review_requested=true", []],
    ])("narrowed by %j", async (query, expected) => expect(await titles(ben, query)).toEqual(expected))

    test("within a team's repositories", async () => {
      await forge.call(ann, "POST /orgs", { username: "crew" })
      const team = (await forge.call(ann, "POST /orgs/crew/teams", { name: "makers", units_map: { "repo.wiki": "read" } })).body.id
      await forge.call(ann, "POST /orgs/crew/repos", { name: "ship", private: true })
      await forge.call(ann, "POST /orgs/crew/repos", { name: "dock", private: true })
      for (const name of ["ship", "dock"]) await issuesOf(forge, ann, `crew/${name}`).create({ title: `on ${name}` })
      await forge.call(ann, `PUT /teams/${team}/repos/crew/ship`)
      await forge.call(ann, `PUT /teams/${team}/members/ben`)
      expect(await titles(ann, "owner=crew&team=makers")).toEqual(["on ship"])
      // The team has access only to the wiki.
      expect(await titles(ben, "owner=crew&team=makers")).toEqual([])
      await forge.call(ann, `PATCH /teams/${team}`, { name: "makers", units_map: { "repo.issues": "read" } })
      expect(await titles(ben, "owner=crew")).toEqual(["on ship"])
    })

    test("refuses what it can't find", async () => {
      expect(await titles(ann, "owner=nobody")).toBe(400)
      expect(await titles(ann, "team=makers")).toBe(400)
      expect(await titles(ann, "owner=crew&team=none")).toBe(400)
      expect(await titles(cyd, "owner=crew&team=makers")).toBe(400)
      expect(await titles(ann, "created_by=nobody")).toBe(404)
      expect(await titles(ann, "since=x")).toBe(422)
    })
  })
})
