import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { projectsOf } from "./testing.ts"

withHearth("columns of projects", { on: databaseKinds, people: ["ann"] }, ({ test, forge, ann }) => {
  const projects = () => projectsOf(forge, ann, "/user")
  const order = async (id: number) => (await projects().columns(id)).map(({ title, sorting }) => `${title} ${sorting}`)

  test("are made behind the others", async () => {
    const id = await projects().create()
    const { status, body } = await projects().on(`POST /${id}/columns`, { title: "First", color: "#00ff7F" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      title: "First",
      default: false,
      sorting: 0,
      color: "#00ff7F",
      project_id: id,
      creator: expect.objectContaining({ login: "ann" }),
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
    })
    expect((await projects().on(`POST /${id}/columns`, { title: "Second" })).body).not.toHaveProperty("color")
    expect(await order(id)).toEqual(["First 0", "Second 1"])
    expect((await projects().on(`GET /${id}/columns/${body.id}`)).body).toEqual(body)
    expect(await projects().status(`GET /${id}/columns/999999`)).toBe(404)
    const template = await projects().board()
    expect((await projects().on(`POST /${template.id}/columns`, { title: "Later" })).body.sorting).toBe(1)
  })

  test("are at most twenty, and come in pages", async () => {
    const id = await projects().create()
    const made = await Promise.all(Array.from({ length: 22 }, (_, n) => projects().status(`POST /${id}/columns`, { title: `c${n}` })))
    expect(made.filter((status) => status === 201)).toHaveLength(20)
    expect(made.filter((status) => status === 422)).toHaveLength(2)
    expect(new Set((await projects().columns(id)).map(({ sorting }) => sorting)).size).toBe(20)
    const page = await projects().on(`GET /${id}/columns?limit=3&page=7`)
    expect([page.body.length, page.headers.get("x-total-count")]).toEqual([2, "20"])
  })

  test("behind the greatest sorting the newer comes last", async () => {
    const id = await projects().create()
    for (const title of ["a", "b", "c"]) {
      const { body } = await projects().on(`POST /${id}/columns`, { title })
      if (title === "a") await projects().on(`PATCH /${id}/columns/${body.id}`, { sorting: 127 })
    }
    expect(await order(id)).toEqual(["a 127", "b 127", "c 127"])
  })

  test.each([
    ["POST", {}, "title"],
    ["POST", { title: "" }, "title"],
    ["POST", { title: "x", color: "green" }, "color"],
    ["POST", { title: "x", color: "#12345" }, "color"],
    ["POST", { title: "x", color: "#1234567" }, "color"],
    ["PATCH", { title: " " }, "title"],
    ["PATCH", { color: "#12345g" }, "color"],
    ["PATCH", { sorting: 128 }, "sorting"],
    ["PATCH", { sorting: -129 }, "sorting"],
    ["PATCH", { sorting: 1.5 }, "sorting"],
  ])("%s of %j is refused", async (method, options, named) => {
    const { id, column } = await projects().board()
    const { status, body } = await projects().on(`${method} /${id}/columns${method === "PATCH" ? `/${column("Done")}` : ""}`, options)
    expect([status, body.message]).toEqual([422, expect.stringContaining(named)])
    expect(await order(id)).toEqual(["Backlog 0", "To Do 0", "In Progress 0", "Done 0"])
  })

  test("change what is given, and leave the rest and the others", async () => {
    const { id, column } = await projects().board()
    const edit = async (options: object) => (await projects().on(`PATCH /${id}/columns/${column("Done")}`, options)).body
    expect(await edit({ title: " Over ", color: "#ABCDEF", sorting: -128 })).toMatchObject({
      title: "Over",
      color: "#ABCDEF",
      sorting: -128,
    })
    expect(await order(id)).toEqual(["Over -128", "Backlog 0", "To Do 0", "In Progress 0"])
    expect(await edit({ sorting: 0 })).toMatchObject({ title: "Over", color: "#ABCDEF", sorting: 0 })
    expect(await edit({ color: "" })).not.toHaveProperty("color")
    expect(await edit({ title: null })).toMatchObject({ title: "Over" })
    expect(await order(id)).toEqual(["Backlog 0", "To Do 0", "In Progress 0", "Over 0"])
    expect(await projects().status(`PATCH /${id}/columns/999999`, { title: "x" })).toBe(404)
    const other = await projects().board()
    expect(await projects().status(`PATCH /${other.id}/columns/${column("Done")}`, { title: "x" })).toBe(404)
  })

  test("are put in another order", async () => {
    const { id, column } = await projects().board()
    const ids = ["Done", "To Do", "Backlog", "In Progress"].map(column)
    expect(await projects().status(`POST /${id}/columns/move`, { column_ids: ids })).toBe(204)
    expect(await order(id)).toEqual(["Done 0", "To Do 1", "Backlog 2", "In Progress 3"])
    const foreign = (await projects().board()).column("Done")
    for (const column_ids of [[], ids.slice(1), [...ids, ids[0]], [...ids.slice(1), ids[1]], [...ids.slice(1), foreign]]) {
      const { status, body } = await projects().on(`POST /${id}/columns/move`, { column_ids })
      expect([status, body.message]).toEqual([422, expect.stringContaining("column_ids")])
    }
    expect(await projects().status(`POST /${id}/columns/move`, {})).toBe(422)
    expect(await order(id)).toEqual(["Done 0", "To Do 1", "Backlog 2", "In Progress 3"])
  })

  test("one at a time is the default, which can't be deleted", async () => {
    const { id, column } = await projects().board()
    const defaults = async () => (await projects().columns(id)).filter((one) => one.default).map(({ title }) => title)
    expect(await defaults()).toEqual(["Backlog"])
    await Promise.all(
      ["To Do", "In Progress", "Done", "Done"].map((title) => projects().on(`POST /${id}/columns/${column(title)}/default`)),
    )
    expect(await defaults()).toHaveLength(1)
    expect(await projects().status(`POST /${id}/columns/${column("Done")}/default`)).toBe(204)
    expect(await defaults()).toEqual(["Done"])
    const { status, body } = await projects().on(`DELETE /${id}/columns/${column("Done")}`)
    expect([status, body.message]).toEqual([422, expect.stringContaining("default column")])
    expect(await projects().status(`DELETE /${id}/columns/${column("Backlog")}`)).toBe(204)
    expect(await projects().status(`DELETE /${id}/columns/${column("Backlog")}`)).toBe(404)
    expect(await projects().status(`POST /${id}/columns/${column("Backlog")}/default`)).toBe(404)
  })

  test("without a default any can be deleted", async () => {
    const id = await projects().create()
    const { body } = await projects().on(`POST /${id}/columns`, { title: "Only" })
    expect(await projects().status(`DELETE /${id}/columns/${body.id}`)).toBe(204)
    expect(await projects().columns(id)).toEqual([])
  })
})
