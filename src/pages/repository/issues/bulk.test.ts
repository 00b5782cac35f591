import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

withHearth("forms of lists", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  const open = async (name: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const body = async (route: string, sent?: unknown) => (await call(ann, route, sent)).body

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box" })
    for (const title of ["One", "Two", "Three"]) await call(ann, "POST /repos/ann/box/issues", { title })
  })

  test("labels are made, changed and deleted, and a mistake is shown again", async () => {
    const browser = await open("ann")
    const wrong = await browser.post("/ann/box/labels/new", { name: "bug", color: "red", description: "Typed" })
    expect([wrong.status, wrong.text.includes('value="red"'), wrong.text.includes('value="Typed"')]).toEqual([422, true, true])
    expect((await browser.post("/ann/box/labels/new", { name: "kind/bug", color: "ff0000", exclusive: "true" })).location).toBe(
      "/ann/box/labels",
    )
    const [label] = await body("GET /repos/ann/box/labels")
    expect(label).toMatchObject({ name: "kind/bug", exclusive: true })
    expect((await browser.get("/ann/box/labels")).text).toContain(`href="/ann/box/labels/${label.id}/edit"`)
    await browser.post(`/ann/box/labels/${label.id}/edit`, { name: "bug", color: "00ff00" })
    expect((await body("GET /repos/ann/box/labels"))[0]).toMatchObject({ name: "bug", color: "00ff00", exclusive: false })
    const other = await open("ben")
    expect((await other.post(`/ann/box/labels/${label.id}/delete`, {})).status).toBe(403)
    expect((await other.get("/ann/box/labels")).text).not.toContain("/labels/new")
    await browser.post(`/ann/box/labels/${label.id}/delete`, {})
    expect(await body("GET /repos/ann/box/labels")).toEqual([])
  })

  test("milestones are made, changed, closed and deleted", async () => {
    const browser = await open("ann")
    const wrong = await browser.post("/ann/box/milestones/new", { title: " ", description: "Typed" })
    expect([wrong.status, wrong.text.includes("Typed</textarea>")]).toEqual([422, true])
    await browser.post("/ann/box/milestones/new", { title: "0.3", description: "Soon", due: "2031-02-03" })
    const [made] = await body("GET /repos/ann/box/milestones")
    expect([made.title, made.description, made.due_on.slice(0, 10)]).toEqual(["0.3", "Soon", "2031-02-03"])
    const at = `/ann/box/milestone/${made.id}`
    await browser.post(`${at}/edit`, { title: "0.4", description: "Later", due: "" })
    await browser.post(`${at}/state`, { state: "closed" })
    expect(await body(`GET /repos/ann/box/milestones/${made.id}`)).toMatchObject({ title: "0.4", due_on: null, state: "closed" })
    expect((await (await open("ben")).post(`${at}/edit`, { title: "Mine" })).status).toBe(403)
    await browser.post(`${at}/delete`, {})
    expect((await call(ann, `GET /repos/ann/box/milestones/${made.id}`)).status).toBe(404)
  })

  test("several issues are changed at once, with a result for each", async () => {
    const browser = await open("ann")
    const label = (await body("POST /repos/ann/box/labels", { name: "later", color: "00ff00" })).id
    const apply = (change: string, numbers: readonly number[], by = browser) =>
      by.post(`/ann/box/issues/bulk`, [["change", change], ["q", "is:open"], ...numbers.map((number) => ["numbers", String(number)])])
    const { text } = await browser.get("/ann/box/issues")
    expect(text).toContain('<input type="checkbox" name="numbers" value="2" aria-label="Select #2">')
    const done = await apply(`label ${label}`, [1, 2])
    expect([done.status, done.location]).toEqual([303, "/ann/box/issues?q=is%3Aopen"])
    await apply("assign ann", [2, 3])
    await call(ann, "POST /repos/ann/box/issues/1/dependencies", { owner: "ann", repo: "box", index: 3 })
    const partly = await apply("close", [1, 2, 99])
    expect([partly.status, partly.text.includes("1 of 3 changed"), partly.text.includes("open dependencies")]).toEqual([200, true, true])
    const issues = await body("GET /repos/ann/box/issues?state=all&sort=oldest")
    // biome-ignore lint/suspicious/noExplicitAny: records of the API
    expect(issues.map((one: any) => [one.number, one.state, one.labels.length, one.assignees?.length ?? 0]).sort()).toEqual([
      [1, "open", 1, 0],
      [2, "closed", 1, 1],
      [3, "open", 0, 1],
    ])
    expect((await apply("nonsense", [1])).status).toBe(422)
    const other = await open("ben")
    expect((await other.get("/ann/box/issues")).text).not.toContain('name="numbers"')
    expect((await apply("close", [1], other)).text).toContain("0 of 1 changed")
  })
})
