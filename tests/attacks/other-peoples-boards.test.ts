import { expect } from "vitest"
import { projectsOf } from "../../src/features/planning/projects/testing.ts"
import { withHearth } from "../support/fixture.ts"
import type { Answer, Caller } from "../support/hearth.ts"

/**
 * A stranger opened an issue in a public repository and named boards in the call: the repository's, its owner's personal one, an
 * organisation's. The card stood on all of them, whether or not the stranger could write there; a collaborator could take others' cards off
 * the owner's personal board in the same way. Now only boards that the caller may write to are changed: others are passed over, as labels
 * are, and boards that the caller does not know of are refused like missing ones.
 */
withHearth("boards of others", { people: ["ann", "ben", "cyd", "eve"] }, ({ test, forge, ann, ben, cyd, eve }) => {
  const must = async (caller: Caller, route: string, body?: unknown): Promise<Answer["body"]> => {
    const answer = await forge.call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const ids = (body: { readonly projects: readonly { readonly id: number }[] | null }): readonly number[] =>
    (body.projects ?? []).map(({ id }) => id).sort((a, b) => a - b)

  /** ann's repository and the crew's, each with a board of its own and of its owner. ben collaborates on ann's; cyd writes to the crew's boards alone. */
  const boards = { box: 0, ann: 0, ship: 0, crew: 0, secret: 0 }
  test.beforeAll(async () => {
    await must(ann, "POST /user/repos", { name: "box" })
    await must(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
    await must(ann, "POST /orgs", { username: "crew" })
    await must(ann, "POST /orgs/crew/repos", { name: "ship" })
    const planners = await must(ann, "POST /orgs/crew/teams", { name: "planners", units_map: { "repo.projects": "write" } })
    await must(ann, `PUT /teams/${planners.id}/members/cyd`)
    const hidden = { name: "hidden", visibility: "private" }
    await must(ann, "POST /orgs", { username: hidden.name, visibility: hidden.visibility })
    boards.box = await projectsOf(forge, ann, "/repos/ann/box").create()
    boards.ann = await projectsOf(forge, ann, "/user").create()
    boards.ship = await projectsOf(forge, ann, "/repos/crew/ship").create()
    boards.crew = await projectsOf(forge, ann, "/orgs/crew").create()
    boards.secret = await projectsOf(forge, ann, "/orgs/hidden").create()
  })

  const inBox = () => [boards.box, boards.ann]
  const inShip = () => [boards.ship, boards.crew]

  test("are not written by a stranger who opens an issue, nor by its author later", async () => {
    for (const [at, wanted] of [
      ["/repos/ann/box", inBox()],
      ["/repos/crew/ship", inShip()],
    ] as const) {
      const made = await must(eve, `POST ${at}/issues`, { title: "look at me", labels: [999_999], projects: wanted })
      expect(ids(made)).toEqual([])
      expect(ids(await must(eve, `PATCH ${at}/issues/${made.number}`, { projects: wanted }))).toEqual([])
      await must(ann, `PATCH ${at}/issues/${made.number}`, { projects: wanted })
      for (const projects of [[], [wanted[0]]]) {
        expect(ids(await must(eve, `PATCH ${at}/issues/${made.number}`, { projects }))).toEqual(wanted)
      }
      const { body } = await forge.call(eve, `GET ${at}/issues/${made.number}/timeline`)
      expect(body.map(({ user }: { user: { login: string } }) => user.login)).toEqual(["ann", "ann"])
    }
  })

  test("are written by those who may, each their own", async () => {
    const open = async (by: Caller, at: string, projects: readonly number[]) =>
      ids(await must(by, `POST ${at}/issues`, { title: "x", projects }))
    expect(await open(ann, "/repos/ann/box", inBox())).toEqual(inBox())
    expect(await open(ben, "/repos/ann/box", inBox())).toEqual([boards.box])
    expect(await open(cyd, "/repos/crew/ship", inShip())).toEqual([boards.crew])
    expect(await open(forge.root, "/repos/ann/box", inBox())).toEqual(inBox())

    const { number } = await must(ann, "POST /repos/ann/box/issues", { title: "x", projects: inBox() })
    expect(ids(await must(ben, `PATCH /repos/ann/box/issues/${number}`, { projects: [] }))).toEqual([boards.ann])
  })

  test("and of pull requests: editing them as issues follows the same rule", async () => {
    await must(eve, "POST /user/repos", { name: "own", auto_init: true })
    await must(ann, "POST /user/repos", { name: "code", auto_init: true })
    await must(eve, "POST /repos/ann/code/forks", { name: "code" })
    await must(eve, "POST /repos/eve/code/contents/a", { content: "YQ==", message: "a", new_branch: "a" })
    const pull = await must(eve, "POST /repos/ann/code/pulls", { title: "a", head: "eve:a", base: "main", projects: [boards.ann] })
    for (const path of ["pulls", "issues"])
      await forge.call(eve, `PATCH /repos/ann/code/${path}/${pull.number}`, { projects: [boards.ann] })
    expect(ids(await must(ann, `GET /repos/ann/code/issues/${pull.number}`))).toEqual([])
    await must(ann, `PATCH /repos/ann/code/issues/${pull.number}`, { projects: [boards.ann] })
    expect(ids(await must(ann, `GET /repos/ann/code/issues/${pull.number}`))).toEqual([boards.ann])
  })

  test("that the caller does not know of, and of another owner, are refused like missing ones, and nothing is made", async () => {
    const before = (await forge.call(ann, "GET /repos/ann/box/issues?state=all")).body.length
    for (const id of [999_999, boards.secret, boards.crew, boards.ship])
      for (const caller of [eve, ben, ann]) {
        const answer = await forge.call(caller, "POST /repos/ann/box/issues", { title: "lost", projects: [id] })
        expect([answer.status, answer.body.message]).toEqual([422, `[projects]: there is no project ${id} that the issue can be added to`])
      }
    expect((await forge.call(ann, "GET /repos/ann/box/issues?state=all")).body).toHaveLength(before)
  })

  test("take no card by their own operations from those who may not write to them", async () => {
    const { id } = await must(eve, "POST /repos/ann/box/issues", { title: "mine" })
    const { id: theirs } = await must(eve, "POST /repos/crew/ship/issues", { title: "mine" })
    for (const [place, board, issue] of [
      ["/repos/ann/box", boards.box, id],
      ["/orgs/crew", boards.crew, theirs],
      ["/repos/crew/ship", boards.ship, theirs],
    ] as const) {
      const [column] = await must(ann, `GET ${place}/projects/${board}/columns`)
      const card = `${place}/projects/${board}/columns/${column.id}/issues/${issue}`
      const status = async (route: string, body?: unknown) => (await forge.call(eve, route, body)).status
      expect([403, 404]).toContain(await status(`POST ${card}`))
      await must(ann, `POST ${card}`)
      expect([403, 404]).toContain(await status(`DELETE ${card}`))
      expect([403, 404]).toContain(await status(`POST ${place}/projects/${board}/issues/${issue}/move`, { column_id: column.id }))
    }
    const [column] = await must(ann, `GET /user/projects/${boards.ann}/columns`)
    expect((await forge.call(eve, `POST /user/projects/${boards.ann}/columns/${column.id}/issues/${id}`)).status).toBe(404)
    // A board of one's own takes no issues of others' repositories.
    const own = await projectsOf(forge, eve, "/user").board()
    expect((await forge.call(eve, `POST /user/projects/${own.id}/columns/${own.column("Backlog")}/issues/${id}`)).status).toBe(403)
  })
})
