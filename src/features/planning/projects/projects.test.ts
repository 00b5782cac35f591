import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { projectsOf } from "./testing.ts"

withHearth("projects", { on: databaseKinds, people: ["ann", "ben"], config: { undo: { keepSeconds: 0 } } }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /user/repos", { name: "lamp" })
  })

  describe.each([
    ["/user", { type: "individual", repo_id: 0, html_url: "ann/-" }],
    ["/orgs/guild", { type: "organization", repo_id: 0, html_url: "guild/-" }],
    ["/repos/ann/lamp", { type: "repository", owner_id: 0, html_url: "ann/lamp" }],
  ])("at %s", (place, { html_url: home, ...shown }) => {
    const projects = () => projectsOf(forge, ann, place)

    test("a title is enough", async () => {
      const { status, body } = await projects().on("POST", { title: " Plan " })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: expect.any(Number),
        title: " Plan ",
        description: "",
        owner_id: expect.any(Number),
        repo_id: expect.any(Number),
        creator: expect.objectContaining({ login: "ann", email: "ann@example.com" }),
        creator_id: body.creator.id,
        state: "open",
        is_closed: false,
        template_type: "none",
        card_type: "text_only",
        type: shown.type,
        num_open_issues: 0,
        num_closed_issues: 0,
        num_issues: 0,
        html_url: `${forge.hearth.url}/${home}/projects/${body.id}`,
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.created_at,
      })
      expect(body).toMatchObject(shown)
      expect((await projects().on(`GET /${body.id}`)).body).toEqual(body)
      expect(await projects().columns(body.id)).toEqual([])
    })

    test("with all that can be given, and the columns of its template", async () => {
      const options = { title: "x".repeat(300), description: "words", card_type: "images_and_text", template_type: "bug_triage" }
      const { body } = await projects().on("POST", options)
      expect(body).toMatchObject({ ...options, title: `${"x".repeat(254)}…` })
      expect((await projects().columns(body.id)).map(({ title, default: isDefault, sorting }) => [title, isDefault, sorting])).toEqual([
        ["Backlog", true, 0],
        ["Needs Triage", false, 0],
        ["High Priority", false, 0],
        ["Low Priority", false, 0],
        ["Closed", false, 0],
      ])
      const plain = await projects().on("POST", { title: "y", card_type: "", template_type: "" })
      expect(plain.body).toMatchObject({ card_type: "text_only", template_type: "none" })
    })

    test.each([
      [{}, "title"],
      [{ title: "" }, "title"],
      [{ title: 1 }, "title"],
      [{ title: "x", template_type: "waterfall" }, "template_type"],
      [{ title: "x", card_type: "hologram" }, "card_type"],
    ])("refuses to make one of %j", async (options, named) => {
      const { status, body } = await projects().on("POST", options)
      expect([status, body.message]).toEqual([422, expect.stringContaining(named)])
    })

    test("changes what is given, and leaves the rest", async () => {
      const id = await projects().create({ description: "old", template_type: "basic_kanban" })
      const edit = async (options: object) => (await projects().on(`PATCH /${id}`, options)).body
      expect(await edit({ title: "  New  " })).toMatchObject({ title: "New", description: "old" })
      expect(await edit({ description: "", card_type: "images_and_text" })).toMatchObject({ description: "", card_type: "images_and_text" })
      expect(await edit({ card_type: "" })).toMatchObject({ card_type: "text_only" })
      expect(await edit({ title: null, template_type: "none" })).toMatchObject({ title: "New", template_type: "basic_kanban" })
      for (const [field, value] of Object.entries({ title: " ", card_type: "hologram", state: "done" })) {
        const { status, body } = await projects().on(`PATCH /${id}`, { description: "lost", [field]: value })
        expect([status, body.message]).toEqual([422, expect.stringContaining(field)])
      }
      expect(await projects().status(`PATCH /${id}`, { state: "" })).toBe(422)
      expect((await projects().on(`GET /${id}`)).body.description).toBe("")
      // Whether the project exists is checked before the values.
      expect(await projects().status("PATCH /999999", { state: "done" })).toBe(404)
      for (const title of [1, "", " \t"]) expect(await projects().status("PATCH /999999", { title })).toBe(422)
    })

    test("closes and opens again", async () => {
      const id = await projects().create({ template_type: "basic_kanban" })
      const [column] = await projects().columns(id)
      const closed = (await projects().on(`PATCH /${id}`, { state: "closed" })).body
      expect(closed).toMatchObject({ state: "closed", is_closed: true, closed_at: expect.stringMatching(/Z$/) })
      expect((await projects().on(`PATCH /${id}`, { state: "closed", title: "Closed" })).body).toMatchObject({
        title: "Closed",
        closed_at: closed.closed_at,
      })
      for (const route of [
        "POST /columns",
        "POST /columns/move",
        `PATCH /columns/${column.id}`,
        "PATCH /columns/999999",
        `DELETE /columns/${column.id}`,
        `POST /columns/${column.id}/default`,
        `POST /columns/${column.id}/issues/1`,
        `DELETE /columns/${column.id}/issues/1`,
        "POST /issues/1/move",
      ]) {
        const [method, path] = route.split(" ")
        const { status, body } = await projects().on(`${method} /${id}${path}`, { title: "x", column_ids: [], column_id: 1 })
        expect([route, status, body?.message]).toEqual([route, 403, "project is closed"])
      }
      expect(await projects().status(`PATCH /${id}/columns/${column.id}`, { title: " " })).toBe(422)
      expect(await projects().columns(id)).toHaveLength(4)
      const opened = (await projects().on(`PATCH /${id}`, { state: "open" })).body
      expect(opened).toMatchObject({ state: "open", is_closed: false })
      expect(opened).not.toHaveProperty("closed_at")
      expect(await projects().status(`POST /${id}/columns`, { title: "x" })).toBe(201)
    })

    test("are listed newest first, by state and in pages", async () => {
      const closed = await projects().create({ title: "closed" })
      await projects().on(`PATCH /${closed}`, { state: "closed" })
      const newest = await projects().create({ title: "newest" })
      const ids = async (query: string) => (await projects().on(`GET ?${query}`)).body.map(({ id }: { id: number }) => id)
      const all: number[] = await ids("state=all&limit=50")
      expect(all).toEqual([...all].sort((a, b) => b - a))
      expect(all.slice(0, 2)).toEqual([newest, closed])
      expect(await ids("state=closed")).toEqual([closed])
      const open = await projects().on("GET ?limit=1")
      expect(open.body.map(({ id }: { id: number }) => id)).toEqual([newest])
      expect(open.headers.get("x-total-count")).toBe(String(all.length - 1))
      expect(open.headers.get("link")).toContain('rel="next"')
      expect((await ids("state=whatever"))[0]).toBe(newest)
    })

    test("are deleted, open or closed", async () => {
      const id = await projects().create({ template_type: "basic_kanban" })
      await projects().on(`PATCH /${id}`, { state: "closed" })
      expect(await projects().status(`DELETE /${id}`)).toBe(204)
      expect(await projects().status(`GET /${id}`)).toBe(404)
      expect(await projects().status(`DELETE /${id}`)).toBe(404)
      const left = await forge.hearth.services.database.read
        .selectFrom("project_columns")
        .select("id")
        .where("project_id", "=", id)
        .execute()
      expect(left).toEqual([])
    })

    test("are those of one owner, and of no other", async () => {
      const id = await projects().create({ template_type: "basic_kanban" })
      const [column] = await projects().columns(id)
      await forge.call(ann, "POST /user/repos", { name: "other" })
      await forge.call(ann, "POST /orgs", { username: "others" })
      const elsewhere = ["/user", "/orgs/guild", "/orgs/others", "/repos/ann/lamp", "/repos/ann/other"].filter((other) => other !== place)
      for (const other of elsewhere)
        for (const [route, body] of [
          [`GET /${id}`],
          [`PATCH /${id}`, { title: "taken" }],
          [`DELETE /${id}`],
          [`GET /${id}/columns`],
          [`POST /${id}/columns`, { title: "x" }],
          [`POST /${id}/columns/move`, { column_ids: [] }],
          [`GET /${id}/columns/${column.id}`],
          [`PATCH /${id}/columns/${column.id}`, { title: "x" }],
          [`DELETE /${id}/columns/${column.id}`],
          [`POST /${id}/columns/${column.id}/default`],
          [`GET /${id}/columns/${column.id}/issues`],
          [`POST /${id}/columns/${column.id}/issues/1`],
          [`DELETE /${id}/columns/${column.id}/issues/1`],
          [`POST /${id}/issues/1/move`, { column_id: column.id }],
        ] as const)
          expect([other, route, await projectsOf(forge, ann, other).status(route, body)]).toEqual([other, route, 404])
      expect((await projects().on(`GET /${id}`)).body.title).toBe("Board")
    })
  })

  test("of a person are read by callers who see the person, and written only by that person", async () => {
    const zoe = await forge.person("zoe", { visibility: "private" })
    const id = await projectsOf(forge, zoe, "/user").create({ title: "Secret" })
    const list = (by: string | undefined, name: string) => forge.call(by, `GET /users/${name}/projects`)
    expect((await list(zoe, "zoe")).body).toMatchObject([{ title: "Secret" }])
    expect((await list(forge.root, "zoe")).body).toMatchObject([{ title: "Secret" }])
    expect((await list(ben, "zoe")).status).toBe(404)
    expect((await list(undefined, "zoe")).status).toBe(404)
    expect((await list(undefined, "ann")).status).toBe(200)
    expect((await list(undefined, "nobody")).status).toBe(404)
    expect(await projectsOf(forge, ben, "/user").status(`GET /${id}`)).toBe(404)
    expect(await projectsOf(forge, undefined, "/user").status("GET")).toBe(401)

    const scopes = ["public-only", "write:issue", "write:user"]
    const { sha1 } = (await forge.call(zoe, "POST /users/zoe/tokens", { name: "narrow", scopes })).body
    expect(await projectsOf(forge, `token ${sha1}`, "/user").status(`GET /${id}`)).toBe(403)
  })

  test("need a token for issues, and for what they belong to", async () => {
    const token = async (...scopes: string[]) =>
      `token ${(await forge.call(ann, "POST /users/ann/tokens", { name: scopes.join(), scopes })).body.sha1}`
    const status = async (by: string, place: string, route = "GET") =>
      projectsOf(forge, by, place).status(route, route === "POST" ? { title: "x" } : undefined)
    expect(await status(await token("read:issue"), "/repos/ann/lamp")).toBe(200)
    expect(await status(await token("write:repository"), "/repos/ann/lamp")).toBe(403)
    expect(await status(await token("read:issue", "read:organization"), "/orgs/guild")).toBe(200)
    expect(await status(await token("write:organization"), "/orgs/guild")).toBe(403)
    expect(await status(await token("read:issue", "read:user"), "/user")).toBe(200)
    expect(await status(await token("read:issue", "write:user"), "/user", "POST")).toBe(403)
  })

  test("of a repository are hidden where it uses its owner's only, and where they are switched off", async () => {
    await forge.call(ann, "POST /user/repos", { name: "mode" })
    const projects = projectsOf(forge, ann, "/repos/ann/mode")
    const id = await projects.create()
    const set = (options: object) => forge.call(ann, "PATCH /repos/ann/mode", options)
    for (const [mode, status] of [
      ["owner", 404],
      ["repo", 200],
      ["all", 200],
    ] as const) {
      await set({ has_projects: true, projects_mode: mode })
      expect([mode, await projects.status("GET"), await projects.status(`GET /${id}`)]).toEqual([mode, status, status])
    }
    await set({ has_projects: false })
    expect([await projects.status("GET"), await projects.status("GET", undefined, ben)]).toEqual([404, 403])
    await set({ has_projects: true })
    expect(await projects.status(`GET /${id}`)).toBe(200)
    await set({ archived: true })
    expect(await projects.status(`GET /${id}`)).toBe(200)
    for (const route of ["POST", `PATCH /${id}`, `DELETE /${id}`, `POST /${id}/columns`]) expect(await projects.status(route, {})).toBe(423)
  })

  test("outlive their creator, and are deleted with their owner", async () => {
    const gil = await forge.person("gil")
    await forge.call(ann, "POST /orgs", { username: "short" })
    const team = (await forge.call(ann, "POST /orgs/short/teams", { name: "t", permission: "admin" })).body.id
    await forge.call(ann, `PUT /teams/${team}/members/gil`)
    const own = await projectsOf(forge, gil, "/user").create()
    const { id, column } = await projectsOf(forge, gil, "/orgs/short").board()
    await forge.call(forge.root, "DELETE /admin/users/gil?purge=true")
    const projects = projectsOf(forge, ann, "/orgs/short")
    const { body } = await projects.on(`GET /${id}`)
    expect(body).not.toHaveProperty("creator")
    expect(body.creator_id).toBeGreaterThan(0)
    expect((await projects.on(`GET /${id}/columns/${column("Done")}`)).body).not.toHaveProperty("creator")

    await forge.call(ann, "POST /user/repos", { name: "brief" })
    const ofRepository = await projectsOf(forge, ann, "/repos/ann/brief").create()
    await forge.call(ann, "DELETE /repos/ann/brief")
    await forge.call(ann, "DELETE /orgs/short")
    const left = await forge.hearth.services.database.read
      .selectFrom("projects")
      .select("id")
      .where("id", "in", [own, id, ofRepository])
      .execute()
    expect(left).toEqual([])
  })
})
