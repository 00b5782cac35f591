import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Answer, Caller } from "../../../../tests/support/hearth.ts"
import { projectsOf } from "../projects/testing.ts"
import { issuesOf } from "./testing.ts"

withHearth("projects of issues", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, ben, cyd }) => {
  let made = 0
  /** A repository of ann's with a board of its own and one of hers; ben may write to it. */
  async function planned() {
    const name = `box${++made}`
    await forge.call(ann, "POST /user/repos", { name })
    await forge.call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    const at = `/repos/ann/${name}`
    const own = projectsOf(forge, ann, at)
    const mine = projectsOf(forge, ann, "/user")
    return { at, own, mine, ownBoard: await own.board(), myBoard: await mine.board(), issues: issuesOf(forge, ann, `ann/${name}`) }
  }
  const projectIds = ({ body }: Answer): number[] | null => body.projects?.map(({ id }: { id: number }) => id) ?? null

  test("a new issue enters the default columns, behind the last", async () => {
    const { own, mine, ownBoard, myBoard, issues } = await planned()
    const first = await issues.create({ title: "first", projects: [ownBoard.id] })
    expect(first.status).toBe(201)
    expect(first.body.projects).toMatchObject([{ id: ownBoard.id, title: "Board", type: "repository", num_issues: 1, num_open_issues: 1 }])
    const both = await issues.create({ title: "both", projects: [myBoard.id, ownBoard.id, ownBoard.id] })
    expect(projectIds(both)).toEqual([ownBoard.id, myBoard.id])
    expect(await own.titles(ownBoard.id, ownBoard.column("Backlog"))).toBe("first both")
    expect(await mine.titles(myBoard.id, myBoard.column("Backlog"))).toBe("both")
    expect(await issues.timeline(2)).toEqual(["project", "project"])
    expect(projectIds(await issues.create({ title: "none", projects: [] }))).toEqual([])
    const listed = await issues.list("state=all")
    expect(listed.body.map((issue: { projects: { id: number }[] | null }) => issue.projects?.map(({ id }) => id) ?? null)).toEqual([
      [],
      [ownBoard.id, myBoard.id],
      [ownBoard.id],
    ])
  })

  test("an edit replaces those that the caller may write to, and without projects none", async () => {
    const { own, ownBoard, myBoard, issues } = await planned()
    expect(projectIds(await issues.create({ title: "one", projects: [ownBoard.id, myBoard.id] }, cyd))).toEqual([])
    await issues.edit(1, { projects: [ownBoard.id] })
    expect(projectIds(await issues.edit(1, { title: "two" }))).toEqual([ownBoard.id])
    expect(projectIds(await issues.edit(1, { projects: [myBoard.id] }, cyd))).toEqual([ownBoard.id])
    // ben may write to the repository, and not to what is ann's own.
    expect(projectIds(await issues.edit(1, { projects: [ownBoard.id, myBoard.id] }, ben))).toEqual([ownBoard.id])
    expect(projectIds(await issues.edit(1, { projects: [ownBoard.id, myBoard.id] }))).toEqual([ownBoard.id, myBoard.id])
    expect(projectIds(await issues.edit(1, { projects: [] }, ben))).toEqual([myBoard.id])
    expect(await own.titles(ownBoard.id, ownBoard.column("Backlog"))).toBe("")
    expect(projectIds(await issues.edit(1, { projects: [] }))).toEqual([])
    const { body } = await issues.on("GET", "1/timeline")
    const moved = body.filter(({ type }: { type: string }) => type === "project")
    expect(
      moved.map(({ project_id, old_project_id }: { project_id: number; old_project_id: number }) => [project_id, old_project_id]),
    ).toEqual([
      [ownBoard.id, 0],
      [myBoard.id, 0],
      [0, ownBoard.id],
      [0, myBoard.id],
    ])
  })

  test("stays in its column where it is in a project already, and enters closed ones too", async () => {
    const { own, ownBoard, myBoard, mine, issues } = await planned()
    const { body } = await issues.create({ title: "one", projects: [ownBoard.id] })
    await own.on(`POST /${ownBoard.id}/issues/${body.id}/move`, { column_id: ownBoard.column("Done") })
    await mine.on(`PATCH /${myBoard.id}`, { state: "closed" })
    expect((await issues.edit(1, { projects: [ownBoard.id, myBoard.id] })).body.projects).toMatchObject([
      { state: "open" },
      { state: "closed" },
    ])
    expect(await own.titles(ownBoard.id, ownBoard.column("Done"))).toBe("one")
    expect(await mine.titles(myBoard.id, myBoard.column("Backlog"))).toBe("one")
  })

  const refusal = (id: number) => `[projects]: there is no project ${id} that the issue can be added to`

  test("refuses what is foreign, missing, hidden, or not used by the repository, and then changes nothing", async () => {
    const { at, ownBoard, myBoard, issues } = await planned()
    const foreign = [await projectsOf(forge, ben, "/user").create(), (await planned()).ownBoard.id, 999_999, 0, -1]
    await issues.create({ title: "one", projects: [ownBoard.id] })
    for (const id of foreign) {
      const answers = [
        await issues.create({ title: "lost", projects: [ownBoard.id, id] }),
        await issues.edit(1, { title: "lost", projects: [myBoard.id, id] }),
      ]
      for (const { status, body } of answers) expect([status, body.message]).toEqual([422, refusal(id)])
    }
    const mode = (projects_mode: string) => forge.call(ann, `PATCH ${at}`, { has_projects: true, projects_mode })
    const status = async (...projects: number[]) => (await issues.edit(1, { projects })).status
    await mode("repo")
    expect([await status(ownBoard.id, myBoard.id), await status(ownBoard.id)]).toEqual([422, 201])
    await mode("owner")
    expect((await issues.create({ title: "lost", projects: [ownBoard.id] })).status).toBe(422)
    expect(projectIds(await issues.get(1))).toEqual([])
    await mode("all")
    expect((await issues.list("state=all")).body).toMatchObject([{ title: "one", projects: [{ id: ownBoard.id }] }])
  })

  test("shows, takes and leaves alone what the caller may not see", async () => {
    await forge.call(ann, "POST /orgs", { username: "veil", visibility: "private" })
    await forge.call(ann, "POST /orgs/veil/repos", { name: "box", private: true })
    await forge.call(ann, "PUT /repos/veil/box/collaborators/ben", { permission: "write" })
    const issues = issuesOf(forge, ann, "veil/box")
    const shared = await projectsOf(forge, ann, "/repos/veil/box").create()
    const [secret, other] = [await projectsOf(forge, ann, "/orgs/veil").create(), await projectsOf(forge, ann, "/orgs/veil").create()]
    await issues.create({ title: "one", projects: [shared, secret] })
    const seen = async (by: Caller) => projectIds(await issues.get(1, by))
    expect([await seen(ann), await seen(ben), await seen(forge.root)]).toEqual([[shared, secret], [shared], [shared, secret]])
    // ben can't see the project, so they can't remove the issue from it either.
    expect((await issues.edit(1, { projects: [shared, other] }, ben)).body.message).toBe(refusal(other))
    expect((await issues.edit(1, { projects: [shared, secret] }, ben)).status).toBe(422)
    expect(projectIds(await issues.edit(1, { projects: [] }, ben))).toEqual([])
    expect(await seen(ann)).toEqual([secret])
  })

  test("concurrent assignments to projects create no duplicates", async () => {
    const { own, ownBoard, myBoard, issues } = await planned()
    const empty = await own.create()
    await Promise.all(["a", "b"].map((title) => issues.create({ title })))
    const orders = [
      [ownBoard.id, myBoard.id, empty],
      [empty, myBoard.id, ownBoard.id],
    ]
    const answers = await Promise.all(
      [1, 2].flatMap((index) => orders.flatMap((projects) => [ann, ben].map((by) => issues.edit(index, { projects }, by)))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await own.columns(empty)).toHaveLength(1)
    for (const index of [1, 2]) {
      expect(projectIds(await issues.get(index))).toEqual([ownBoard.id, myBoard.id, empty].sort((a, b) => a - b))
      expect(await issues.timeline(index)).toEqual(["project", "project", "project"])
    }
  })
})
