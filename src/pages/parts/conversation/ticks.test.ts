import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

/** Boxes of task lists on the page of a conversation, as a browser without scripts sends them. */
withHearth("task boxes", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, call }) => {
  const here = "/ann/list/issues/1"
  let comment = 0
  const open = async (name?: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  const boxes = (text: string) =>
    [
      ...text.matchAll(
        /<button class="task" name="task" value="([^"]+)" form="([^"]+)" role="checkbox" aria-checked="(\w+)" aria-label="([^"]+)">/g,
      ),
    ].map(([, value = "", form = "", checked = "", label = ""]) => ({ value, form, isDone: checked === "true", label }))
  const bodyOf = async (path: string): Promise<string> => (await call(ann, `GET /repos/ann/list/issues/${path}`)).body.body

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "list" })
    await call(ann, "POST /repos/ann/list/issues", { title: "To do", body: "- [x] one\n- [ ] two\n  - [ ] **three** & more" })
    comment = (await call(ben, "POST /repos/ann/list/issues/1/comments", { body: "> - [ ] quoted\n\n- [ ] own" })).body.id
  })

  test("are buttons for who may edit the text, and only shown to others", async () => {
    const shown = async (name?: string) => (await (await open(name)).get(here)).text
    const all = boxes(await shown("ann"))
    expect(all.map(({ form, isDone, label }) => [form, isDone, label])).toEqual([
      ["tasks-0", true, "one"],
      ["tasks-0", false, "two"],
      ["tasks-0", false, "**three** &amp; more"],
      [`tasks-${comment}`, false, "quoted"],
      [`tasks-${comment}`, false, "own"],
    ])
    expect(boxes(await shown("ben")).map(({ label }) => label)).toEqual(["quoted", "own"])
    for (const name of ["cyd", undefined]) {
      const text = await shown(name)
      expect(boxes(text)).toEqual([])
      expect(text.match(/<input type="checkbox" disabled(?: checked)? aria-label="(?:Done|To do)">/g)).toHaveLength(5)
      expect(text).not.toContain("data-task")
    }
  })

  test("are ticked, and the progress follows", async () => {
    const browser = await open("ann")
    const { text } = await browser.get(here)
    expect(text).toContain("1 of 3 tasks")
    const [, two, , , own] = boxes(text)
    const { id } = (await call(ann, "GET /repos/ann/list/issues/1")).body
    expect((await browser.post(`${here}/tasks`, { task: two?.value ?? "" })).location).toBe(`${here}#issue-${id}`)
    const answer = await browser.post(`${here}/comments/${comment}/tasks`, { task: own?.value ?? "" })
    expect(answer.location).toBe(`${here}#issuecomment-${comment}`)
    expect([await bodyOf("1"), await bodyOf(`comments/${comment}`)]).toEqual([
      "- [x] one\n- [x] two\n  - [ ] **three** & more",
      "> - [ ] quoted\n\n- [x] own",
    ])
    for (const path of [here, "/ann/list/issues"]) expect((await browser.get(path)).text).toContain("2 of 3 tasks")
  })

  test("of a text that was changed meanwhile are refused where it isn't clear which, and the new text is shown", async () => {
    const browser = await open("ann")
    const [one] = boxes((await browser.get(here)).text)
    await call(ann, "PATCH /repos/ann/list/issues/1", { body: "- [ ] another\n- [x] two" })
    const refused = await browser.post(`${here}/tasks`, { task: one?.value ?? "" })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain("The text has changed, and it is not clear any more which box is meant")
    expect(boxes(refused.text).map(({ label }) => label)).toContain("another")
    expect(await bodyOf("1")).toBe("- [ ] another\n- [x] two")
  })

  test("are refused to others", async () => {
    const reader = await open("cyd")
    expect((await reader.post(`${here}/tasks`, { task: "1.1" })).status).toBe(403)
    expect((await reader.post(`${here}/comments/${comment}/tasks`, { task: "1.1" })).status).toBe(403)
    expect((await (await open()).post(`${here}/tasks`, { task: "1.1" })).status).toBe(401)
  })
})
