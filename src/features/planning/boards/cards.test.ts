import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { issueOf } from "../../events/notifications/testing.ts"
import { issuesOf } from "../issues/testing.ts"
import { type By, projectsOf } from "../projects/testing.ts"

withHearth("issues in columns", { on: databaseKinds, people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, cyd }) => {
  let made = 0
  /** A repository with issues of these titles, oldest first, and their ids. */
  async function repository(titles: string, options: { readonly owner?: string; readonly private?: boolean } = {}) {
    const name = `box${++made}`
    const { owner = "ann", ...more } = options
    const place = owner === "ann" ? "/user/repos" : `/orgs/${owner}/repos`
    const { id } = (await forge.call(ann, `POST ${place}`, { name, ...more })).body
    const issues = issuesOf(forge, ann, `${owner}/${name}`)
    const ids = new Map<string, number>()
    for (const title of titles.split(" ")) ids.set(title, (await issues.create({ title })).body.id)
    return { id: id as number, name, at: `/repos/${owner}/${name}`, issues, issue: (title: string): number => ids.get(title) ?? 0 }
  }

  /** A repository with a board of its own. */
  async function boarded(titles: string) {
    const home = await repository(titles)
    await forge.call(ann, `PUT ${home.at}/collaborators/ben`, { permission: "write" })
    const projects = projectsOf(forge, ann, home.at)
    const board = await projects.board()
    const at = `/${board.id}`
    return {
      ...home,
      projects,
      board,
      add: (title: string, column: string, by: By = ann) =>
        projects.status(`POST ${at}/columns/${board.column(column)}/issues/${home.issue(title)}`, undefined, by),
      remove: (title: string, column: string, by: By = ann) =>
        projects.status(`DELETE ${at}/columns/${board.column(column)}/issues/${home.issue(title)}`, undefined, by),
      move: (title: string, column: string, sorting?: number, by: By = ann) =>
        projects.status(
          `POST ${at}/issues/${home.issue(title)}/move`,
          { column_id: board.column(column), ...(sorting !== undefined && { sorting }) },
          by,
        ),
      titles: (column: string, by: By = ann) => projects.titles(board.id, board.column(column), by),
      counts: async (by: By = ann) => {
        const { num_issues, num_open_issues, num_closed_issues } = (await projects.on(`GET ${at}`, undefined, by)).body
        return [num_issues, num_open_issues, num_closed_issues]
      },
    }
  }

  test("enter behind the last, and are once in a project", async () => {
    const { add, titles, counts, projects, board } = await boarded("a b c")
    for (const title of ["c", "a", "b"]) expect(await add(title, "To Do")).toBe(201)
    expect(await titles("To Do")).toBe("c a b")
    expect(await add("c", "To Do")).toBe(201)
    expect(await titles("To Do")).toBe("a b c")
    expect(await add("a", "Done", ben)).toBe(201)
    expect([await titles("To Do"), await titles("Done"), await titles("Backlog")]).toEqual(["b c", "a", ""])
    expect(await counts()).toEqual([3, 3, 0])
    const page = await projects.on(`GET /${board.id}/columns/${board.column("To Do")}/issues?limit=1&page=2`)
    expect([page.body[0].title, page.headers.get("x-total-count"), page.headers.get("link")]).toEqual([
      "c",
      "2",
      expect.stringContaining('rel="prev"'),
    ])
    const empty = await projects.on(`GET /${board.id}/columns/${board.column("Backlog")}/issues`)
    expect([empty.body, empty.headers.get("x-total-count"), empty.headers.get("link")]).toEqual([[], "0", null])
  })

  test("are put at a place without others making room", async () => {
    const { add, move, titles } = await boarded("a b c d")
    for (const title of ["a", "b", "c"]) await add(title, "To Do")
    expect(await move("c", "To Do", -1)).toBe(204)
    expect(await titles("To Do")).toBe("c a b")
    // At the place of a, which is older.
    expect(await move("b", "To Do", 0)).toBe(204)
    expect(await titles("To Do")).toBe("c b a")
    expect(await move("a", "To Do", -1)).toBe(204)
    expect(await titles("To Do")).toBe("c a b")
    expect(await move("c", "To Do")).toBe(204)
    expect(await titles("To Do")).toBe("a b c")
    expect(await move("b", "Done", 2 ** 52)).toBe(204)
    await add("d", "Done")
    expect(await move("a", "Done")).toBe(204)
    expect(await titles("Done")).toBe("b d a")
    expect(await move("a", "Done", -(2 ** 52))).toBe(204)
    expect(await titles("Done")).toBe("a b d")
  })

  test("of equal places the newer come first, in pages as in one", async () => {
    const { add, move, titles, projects, board } = await boarded("a b c d e")
    for (const title of ["c", "a", "e", "b", "d"]) {
      await add(title, "To Do")
      await move(title, "To Do", 7)
    }
    expect(await titles("To Do")).toBe("e d c b a")
    const at = `GET /${board.id}/columns/${board.column("To Do")}/issues?limit=2`
    const pages = await Promise.all([1, 2, 3].map((page) => projects.on(`${at}&page=${page}`)))
    expect(pages.flatMap(({ body }) => body.map(({ title }: { title: string }) => title)).join(" ")).toBe("e d c b a")
  })

  test("what is refused changes nothing", async () => {
    const { add, move, remove, titles, projects, board, issue } = await boarded("a b")
    const elsewhere = await boarded("x")
    await add("a", "To Do")
    const status = async (route: string, body?: object, by: By = ann) => {
      const answer = await projects.on(route, body, by)
      return [answer.status, answer.body?.message]
    }
    const [todo, foreign] = [board.column("To Do"), elsewhere.board.column("To Do")]
    const at = `/${board.id}`
    expect(await status(`POST ${at}/columns/${foreign}/issues/${issue("a")}`)).toEqual([404, undefined])
    expect(await status(`POST ${at}/columns/${todo}/issues/${elsewhere.issue("x")}`)).toEqual([404, undefined])
    expect(await status(`POST ${at}/columns/${todo}/issues/999999`)).toEqual([404, undefined])
    expect(await status(`POST ${at}/columns/${todo}/issues/x`)).toEqual([404, undefined])
    expect(await status(`DELETE ${at}/columns/999999/issues/${issue("a")}`)).toEqual([404, undefined])
    expect(await remove("a", "Done")).toBe(404)
    expect(await remove("b", "To Do")).toBe(404)
    const move_ = (id: number, body: object) => status(`POST ${at}/issues/${id}/move`, body)
    expect(await move_(issue("a"), { column_id: foreign })).toEqual([422, expect.stringContaining("target column does not belong")])
    expect(await move_(999_999, { column_id: foreign })).toEqual([422, expect.stringContaining("target column does not belong")])
    expect(await move_(issue("b"), { column_id: todo })).toEqual([422, expect.stringContaining("added to a project first")])
    expect(await move_(999_999, { column_id: todo })).toEqual([422, expect.stringContaining("added to a project first")])
    expect(await move_(issue("a"), {})).toEqual([422, expect.stringContaining("column_id")])
    expect(await move_(issue("a"), { column_id: 0 })).toEqual([422, expect.stringContaining("column_id")])
    expect(await move_(issue("a"), { column_id: todo, sorting: 2 ** 52 + 2 })).toEqual([422, expect.stringContaining("sorting")])
    expect(await move_(issue("a"), { column_id: todo, sorting: 0.5 })).toEqual([422, expect.stringContaining("sorting")])
    for (const refused of [add("a", "Done", cyd), remove("a", "To Do", cyd), move("a", "Done", 0, cyd)]) expect(await refused).toBe(403)
    for (const refused of [add("a", "Done", null), remove("a", "To Do", null)]) expect(await refused).toBe(401)
    expect([await titles("To Do"), await titles("Done")]).toEqual(["a", ""])
  })

  test("are removed, with entries in their timelines", async () => {
    const { add, move, remove, titles, board, issues, projects } = await boarded("a b")
    await add("a", "Backlog")
    await add("b", "To Do")
    await move("a", "Done")
    await move("a", "Done", 3)
    expect(await remove("a", "Done")).toBe(204)
    expect(await titles("Done")).toBe("")
    expect(await remove("a", "Done")).toBe(404)
    const told = async (index: number) =>
      (await issues.on("GET", `${index}/timeline`)).body.map(
        ({ type, project_id, old_project_id }: { type: string; project_id: number; old_project_id: number }) => [
          type,
          project_id,
          old_project_id,
        ],
      )
    expect(await told(1)).toEqual([
      ["project", board.id, 0],
      ["project_board", board.id, 0],
      ["project", 0, board.id],
    ])
    expect(await told(2)).toEqual([
      ["project", board.id, 0],
      ["project_board", board.id, 0],
    ])
    // Timeline entries stay when the project is deleted.
    await projects.on(`DELETE /${board.id}`)
    expect(await told(2)).toHaveLength(2)
    expect((await issues.get(2)).body).toMatchObject({ title: "b", projects: [] })
  })

  test("of a deleted column go behind those of the default, in their order", async () => {
    const { add, move, titles, projects, board } = await boarded("a b c d e")
    for (const title of ["a", "b", "c"]) await add(title, "Done")
    for (const title of ["d", "e"]) await add(title, "Backlog")
    await move("c", "Done", -5)
    await move("d", "Backlog", 40)
    expect(await projects.status(`DELETE /${board.id}/columns/${board.column("Done")}`)).toBe(204)
    expect(await titles("Backlog")).toBe("e d c a b")
    expect(await add("a", "Done")).toBe(404)
    expect(await move("a", "Done")).toBe(422)
  })

  test("stay where they are when they are closed, and are counted as closed; deleted ones are gone", async () => {
    const { add, titles, counts, issues } = await boarded("a b c")
    for (const title of ["a", "b", "c"]) await add(title, "To Do")
    await issues.edit(2, { state: "closed" })
    expect([await titles("To Do"), await counts()]).toEqual(["a b c", [3, 2, 1]])
    await issues.edit(3, { state: "closed" })
    await issues.edit(2, { state: "open" })
    expect([await titles("To Do"), await counts()]).toEqual(["a b c", [3, 2, 1]])
    await issues.on("DELETE", "2")
    expect([await titles("To Do"), await counts()]).toEqual(["a c", [2, 1, 1]])
  })

  test("may be pull requests, and are shown to those who may read their kind", async () => {
    const { id, add, at, titles, counts, projects, board } = await boarded("a")
    await add("a", "To Do")
    const pull = await issueOf(forge.hearth, id, "ann", { number: 2, title: "pull", isPull: true })
    const put = `POST /${board.id}/columns/${board.column("To Do")}/issues/${pull.id}`
    expect(await projects.status(put)).toBe(201)
    expect(await titles("To Do", null)).toBe("a pull")
    expect(await counts(null)).toEqual([2, 2, 0])
    await forge.call(ann, `PATCH ${at}`, { has_pull_requests: false })
    expect([await titles("To Do"), await counts()]).toEqual(["a", [1, 1, 0]])
    expect(await projects.status(put)).toBe(404)
    await forge.call(ann, `PATCH ${at}`, { has_pull_requests: true, has_issues: false })
    expect([await titles("To Do"), await counts()]).toEqual(["pull", [1, 1, 0]])
  })

  test("a project without columns takes one into a new column, one without a default into the first", async () => {
    const { at, issues, projects } = await boarded("a b")
    const empty = await projects.create({ title: "empty" })
    await issues.edit(1, { projects: [empty] })
    expect(await projects.columns(empty)).toMatchObject([{ title: "Uncategorized", default: true, sorting: 0, creator: { login: "ann" } }])

    const bare = await projects.create({ title: "bare" })
    const [first, second] = await Promise.all(["x", "y"].map((title) => forge.call(ann, `POST ${at}/projects/${bare}/columns`, { title })))
    const ids = [first?.body, second?.body].sort((a, b) => a.sorting - b.sorting).map(({ id }) => id)
    const { body } = await issues.get(2)
    expect(await projects.status(`POST /${bare}/columns/${ids[1]}/issues/${body.id}`)).toBe(201)
    expect((await projects.columns(bare)).map((column) => [column.id, column.default])).toEqual([
      [ids[0], true],
      [ids[1], false],
    ])
    expect(await projects.titles(bare, ids[1])).toBe("b")
  })

  describe("on the board of an organisation", () => {
    /** An organisation with a public and a private repository, whose board ben's team writes to. */
    async function organized() {
      const name = `guild${++made}`
      await forge.call(ann, "POST /orgs", { username: name })
      const team = async (member: string, units_map: object) => {
        const { id } = (await forge.call(ann, `POST /orgs/${name}/teams`, { name: member, includes_all_repositories: true, units_map }))
          .body
        await forge.call(ann, `PUT /teams/${id}/members/${member}`)
        return id
      }
      const teams = {
        ben: await team("ben", { "repo.issues": "read", "repo.projects": "write" }),
        cyd: await team("cyd", { "repo.code": "read", "repo.projects": "read" }),
      }
      const open = await repository("a b", { owner: name })
      const hidden = await repository("h i", { owner: name, private: true })
      const projects = projectsOf(forge, ann, `/orgs/${name}`)
      const board = await projects.board()
      const column = board.column("Backlog")
      const add = (id: number, by: By = ann) => projects.on(`POST /${board.id}/columns/${column}/issues/${id}`, undefined, by)
      const counts = async (by: By) => {
        const { num_issues, num_open_issues, num_closed_issues } = (await projects.on(`GET /${board.id}`, undefined, by)).body
        return [num_issues, num_open_issues, num_closed_issues]
      }
      return { name, teams, open, hidden, projects, board, column, add, counts, titles: (by: By) => projects.titles(board.id, column, by) }
    }

    test("every caller sees and counts what they may read", async () => {
      const { add, titles, counts, open, hidden, projects, board } = await organized()
      for (const id of [hidden.issue("h"), open.issue("a"), hidden.issue("i"), open.issue("b")]) expect((await add(id)).status).toBe(201)
      await hidden.issues.edit(1, { state: "closed" })
      await open.issues.edit(1, { state: "closed" })
      expect([await titles(ann), await counts(ann)]).toEqual(["h a i b", [4, 2, 2]])
      expect([await titles(forge.root), await counts(forge.root)]).toEqual(["h a i b", [4, 2, 2]])
      expect([await titles(ben), await counts(ben)]).toEqual(["h a i b", [4, 2, 2]])
      // cyd's team reads no issues, so what is private stays hidden.
      expect([await titles(cyd), await counts(cyd)]).toEqual(["a b", [2, 1, 1]])
      expect([await titles(null), await counts(null)]).toEqual(["a b", [2, 1, 1]])
      const scopes = ["public-only", "read:issue", "read:organization"]
      const { sha1 } = (await forge.call(ann, "POST /users/ann/tokens", { name: `narrow${made}`, scopes })).body
      expect([await titles(`token ${sha1}`), await counts(`token ${sha1}`)]).toEqual(["a b", [2, 1, 1]])
      const listed = await projects.on("GET", undefined, null)
      expect(listed.body).toMatchObject([{ id: board.id, num_issues: 2, num_open_issues: 1, num_closed_issues: 1 }])
    })

    test("only what is the organisation's enters, and only what one may read", async () => {
      const { add, titles, open, hidden, projects, board, column, teams } = await organized()
      const elsewhere = await repository("x y")
      const secret = await repository("s", { private: true })
      expect(await add(elsewhere.issue("x"))).toMatchObject({ status: 403, body: { message: expect.stringContaining("someone else") } })
      expect(await add(secret.issue("s"))).toMatchObject({ status: 403 })
      expect((await add(secret.issue("s"), ben)).status).toBe(404)
      expect((await add(999_999)).status).toBe(404)
      expect((await add(open.issue("a"), cyd)).status).toBe(403)
      expect((await add(open.issue("a"), null)).status).toBe(401)

      await add(hidden.issue("h"))
      await add(open.issue("a"))
      // A writer of the board who may not read an issue has no hand in it.
      await forge.call(ann, `PATCH /teams/${teams.ben}`, { units_map: { "repo.projects": "write" } })
      const moved = await projects.on(`POST /${board.id}/issues/${hidden.issue("h")}/move`, { column_id: column }, ben)
      expect(moved).toMatchObject({ status: 422, body: { message: expect.stringContaining("added to a project first") } })
      expect(await projects.status(`DELETE /${board.id}/columns/${column}/issues/${hidden.issue("h")}`, undefined, ben)).toBe(404)
      expect(await titles(ann)).toBe("h a")
    })

    test("what is archived neither enters, moves nor leaves", async () => {
      const { add, titles, open, projects, board, column } = await organized()
      await add(open.issue("a"))
      await forge.call(ann, `PATCH ${open.at}`, { archived: true })
      expect((await add(open.issue("b"))).status).toBe(423)
      expect(await projects.status(`POST /${board.id}/issues/${open.issue("a")}/move`, { column_id: column })).toBe(423)
      expect(await projects.status(`DELETE /${board.id}/columns/${column}/issues/${open.issue("a")}`)).toBe(423)
      expect(await titles(null)).toBe("a")
    })

    test("a repository that uses its own projects only keeps what is there, and adds nothing", async () => {
      const { add, titles, open } = await organized()
      await add(open.issue("a"))
      await forge.call(ann, `PATCH ${open.at}`, { has_projects: true, projects_mode: "repo" })
      expect((await add(open.issue("b"))).status).toBe(403)
      expect((await add(open.issue("a"))).status).toBe(201)
      expect(await titles(null)).toBe("a")
    })

    test("what goes to another owner leaves its boards, but not its own", async () => {
      const { add, titles, open, hidden } = await organized()
      const own = projectsOf(forge, ann, open.at)
      const ownBoard = await own.board()
      for (const id of [open.issue("a"), open.issue("b"), hidden.issue("h")]) await add(id)
      await own.on(`POST /${ownBoard.id}/columns/${ownBoard.column("Done")}/issues/${open.issue("a")}`)
      expect((await forge.call(ann, `POST ${open.at}/transfer`, { new_owner: "ann" })).status).toBe(202)
      expect(await titles(ann)).toBe("h")
      const { body } = await forge.call(ann, `GET /repos/ann/${open.name}/issues/1`)
      expect(body.projects.map(({ id }: { id: number }) => id)).toEqual([ownBoard.id])
      expect(await projectsOf(forge, ann, `/repos/ann/${open.name}`).titles(ownBoard.id, ownBoard.column("Done"))).toBe("a")
    })

    test("who may only read is refused, and every caller finds nothing in a hidden organisation", async () => {
      const { name, projects, board, column } = await organized()
      const dee = await forge.person(`dee${made}`)
      expect(await projects.status("POST", { title: "x" }, ben)).toBe(201)
      for (const [by, status] of [
        [cyd, 404],
        [dee, 404],
        [null, 401],
      ] as const)
        for (const route of ["POST", `PATCH /${board.id}`, `DELETE /${board.id}`])
          expect([route, await projects.status(route, { title: "x" }, by)]).toEqual([route, status])
      const columns = `/${board.id}/columns`
      for (const [by, status] of [
        [cyd, 403],
        [dee, 403],
        [null, 401],
      ] as const)
        for (const route of [
          `POST ${columns}`,
          `POST ${columns}/move`,
          `PATCH ${columns}/${column}`,
          `DELETE ${columns}/${column}`,
          `POST ${columns}/${column}/default`,
          `POST ${columns}/${column}/issues/1`,
          `DELETE ${columns}/${column}/issues/1`,
        ])
          expect([route, await projects.status(route, { title: "x" }, by)]).toEqual([route, status])
      await forge.call(ann, `PATCH /orgs/${name}`, { visibility: "limited" })
      const status = (by: By) => projects.status("GET", undefined, by)
      expect([await status(cyd), await status(dee), await status(null)]).toEqual([200, 404, 404])
      expect(await projects.status("POST", { title: "x" }, null)).toBe(404)
      for (const [by, expected] of [
        [cyd, 403],
        [dee, 404],
        [null, 404],
      ] as const)
        expect(await projects.status(`PATCH ${columns}/${column}`, { title: "x" }, by)).toBe(expected)
      const users = async (by: By) => (await forge.call(by ?? undefined, `GET /users/${name}/projects`)).status
      expect([await users(ann), await users(cyd), await users(dee), await users(null)]).toEqual([200, 200, 404, 404])
    })
  })
})
