import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

withWorld("forms of boards", { open: freshHearth }, ({ test, world }) => {
  test("a board is made, filled, ordered and deleted by forms", async () => {
    const [ann] = [await world.person("ann"), await world.person("bob")]
    const must = async (route: string, body?: object) => {
      const answer = await world.call(ann, route, body)
      expect(answer.status).toBeLessThan(300)
      return answer.body
    }
    await must("POST /user/repos", { name: "box", auto_init: true })
    const issues = [
      await must("POST /repos/ann/box/issues", { title: "First" }),
      await must("POST /repos/ann/box/issues", { title: "Second" }),
    ]
    const as = async (name: string) => {
      const browser = openBrowser(world.hearth.url)
      await browser.signIn(name, PASSWORD)
      return browser
    }
    const [owner, other] = [await as("ann"), await as("bob")]
    for (const [list, api, reference] of [
      ["/ann/box/projects", "/repos/ann/box/projects", "#"],
      ["/ann/-/projects", "/user/projects", "box#"],
    ] as const) {
      const shown = await owner.get(list)
      expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
      const create = shown.forms.find(({ action }) => action.endsWith("projects"))?.action ?? ""
      expect((await owner.post(create, { title: " ", description: "Typed" })).text).toContain("Typed")
      const made = await owner.post(create, { title: "Plan", description: "", template_type: "basic_kanban" })
      expect([made.status, made.location.startsWith(list)]).toEqual([303, true])
      const board = made.location
      const id = /\d+$/.exec(board)?.[0]
      expect((await owner.post(`${board}/cards`, { reference: "nothing" })).text).toContain('value="nothing"')
      const columns = async () => must(`GET ${api}/${id}/columns`)
      const [todo, doing] = await columns()
      for (const { number } of issues)
        expect((await owner.post(`${board}/cards`, { reference: `${reference}${number}`, column: String(todo.id) })).status).toBe(303)
      const page = await owner.get(board)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      const inColumn = async (column: number): Promise<readonly string[]> =>
        ((await must(`GET ${api}/${id}/columns/${column}/issues`)) ?? []).map(({ title }: { readonly title: string }) => title)
      expect(await inColumn(todo.id)).toEqual(["First", "Second"])
      const moves = page.forms.filter(({ action }) => action.includes(`/cards/${issues[1].id}/move`))
      const [toColumn, toTop] = moves
      expect((await owner.post(toTop?.action ?? "", toTop?.fields ?? {})).status).toBe(303)
      expect(await inColumn(todo.id)).toEqual(["Second", "First"])
      expect((await other.post(toColumn?.action ?? "", { column_id: String(doing.id) })).status).toBeGreaterThanOrEqual(400)
      expect((await owner.post(toColumn?.action ?? "", { column_id: String(doing.id) })).status).toBe(303)
      expect([await inColumn(todo.id), await inColumn(doing.id)]).toEqual([["First"], ["Second"]])
      const remove = page.forms.find(({ action }) => action.includes(`/cards/${issues[0].id}/remove`))
      expect((await owner.post(remove?.action ?? "", {})).status).toBe(303)
      expect(await inColumn(todo.id)).toEqual([])

      const column = page.forms.find(({ action }) => action.endsWith(`/columns/${doing.id}`))
      expect(
        (await owner.post(column?.action ?? "", { column: String(doing.id), title: "Now", colored: "true", color: "#112233" })).status,
      ).toBe(303)
      expect((await owner.post(`${/(.*)\/\d+$/.exec(column?.action ?? "")?.[1]}`, { title: "Later", color: "" })).status).toBe(303)
      expect((await columns()).map(({ title, color }: { title: string; color?: string }) => `${title}${color ?? ""}`)).toEqual(
        expect.arrayContaining(["Now#112233", "Later"]),
      )
      expect((await owner.post(`${column?.action}/delete`, {})).status).toBe(303)
      expect((await columns()).some(({ title }: { title: string }) => title === "Now")).toBe(false)
      const base = /(.*)\/columns/.exec(column?.action ?? "")?.[1] ?? ""
      expect((await owner.post(`${base}/state`, { state: "closed" })).status).toBe(303)
      const closed = await owner.get(board)
      expect(closed.forms.some(({ action }) => action.includes("/cards/"))).toBe(false)
      expect((await owner.post(`${base}/delete`, { confirm: "" })).status).toBe(422)
      expect((await owner.post(`${base}/delete`, { confirm: "delete" })).location).toBe(list)
      expect((await owner.get(board)).status).toBe(404)
    }
    expect((await other.get("/ann/box/projects")).text).not.toContain("New project")
  })
})
