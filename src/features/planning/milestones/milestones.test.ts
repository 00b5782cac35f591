import { expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { dueAt } from "./rules.ts"

withHearth("milestones", { on: databaseKinds, people: ["ann", "ben", "cal"] }, ({ test, forge, call, status, ann, ben, cal }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "box" })
    await forge.call(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
  })

  const create = async (options: object, repository = "ann/box") => {
    const { status: made, body } = await call(ann, `POST /repos/${repository}/milestones`, options)
    if (made !== 201) throw new Error(`${made} ${JSON.stringify(body)}`)
    return body
  }
  const repository = async (name: string) => {
    await call(ann, "POST /user/repos", { name })
    return `ann/${name}`
  }

  test("are made, open or closed, with a day on which they are due", async () => {
    const box = await repository("making")
    expect(await create({ title: "  v1 ", description: "first", due_on: "2031-01-31T01:02:03+09:00" }, box)).toEqual({
      id: expect.any(Number),
      title: "v1",
      description: "first",
      state: "open",
      open_issues: 0,
      closed_issues: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      closed_at: null,
      due_on: "2031-01-31T23:59:59Z",
    })
    expect(await create({ title: " shut ", state: "closed" }, box)).toMatchObject({
      title: "shut",
      state: "closed",
      closed_at: expect.any(String),
      due_on: null,
    })
    for (const refused of [{}, { title: "" }, { title: "  " }, { title: "x", due_on: "tomorrow" }])
      expect(await status(ann, `POST /repos/${box}/milestones`, refused)).toBe(422)
    // As sent by clients where the user gave neither.
    expect(await create({ title: "bare", state: "", due_on: null }, box)).toMatchObject({ state: "open", due_on: null })
    expect(await status(ann, `POST /repos/${box}/milestones`, { title: "x", state: "done" })).toBe(422)
    expect(await status(ann, `POST /repos/${box}/milestones`, { title: "x".repeat(256) })).toBe(422)
  })

  test("are listed by state and title, those without a due date first, in pages", async () => {
    const box = await repository("listing")
    for (const [title, due_on] of [
      ["Beta", "2031-02-01T00:00:00Z"],
      ["Alpha", "2031-01-01T00:00:00Z"],
      ["later Élan", undefined],
    ])
      await create({ title, due_on }, box)
    await create({ title: "over", state: "closed" }, box)
    const titles = async (query: string) => {
      const { body, headers } = await call(undefined, `GET /repos/${box}/milestones${query}`)
      return [body.map(({ title }: { title: string }) => title), headers.get("x-total-count")]
    }
    expect(await titles("")).toEqual([["later Élan", "Alpha", "Beta"], "3"])
    expect(await titles("?state=closed")).toEqual([["over"], "1"])
    expect(await titles("?state=all&limit=2&page=2")).toEqual([["Alpha", "Beta"], "4"])
    expect(await titles("?state=all&name=ÉLA")).toEqual([["later Élan"], "1"])
    expect(await titles("?name=%25")).toEqual([[], "0"])
    const { headers } = await call(undefined, `GET /repos/${box}/milestones?limit=1`)
    expect(headers.get("link")).toMatch(/rel="next".*rel="last"/)
    expect(await titles("?state=done")).toEqual(await titles(""))
  })

  test("are found by id, or else by title", async () => {
    const box = await repository("finding")
    const { id } = await create({ title: "v1 final" }, box)
    await create({ title: "2031" }, box)
    expect((await call(undefined, `GET /repos/${box}/milestones/${id}`)).body.title).toBe("v1 final")
    expect((await call(undefined, `GET /repos/${box}/milestones/v1%20final`)).body.id).toBe(id)
    expect((await call(undefined, `GET /repos/${box}/milestones/2031`)).body.title).toBe("2031")
    expect((await call(undefined, `GET /repos/${box}/milestones/V1`)).status).toBe(404)
    // Another repository's milestone is not found.
    expect((await call(undefined, `GET /repos/ann/box/milestones/${id}`)).status).toBe(404)
  })

  test("are edited partially", async () => {
    const box = await repository("editing")
    const { id } = await create({ title: "v1", description: "first", due_on: "2031-01-31T12:00:00Z" }, box)
    const edit = async (options: object) => (await call(ann, `PATCH /repos/${box}/milestones/${id}`, options)).body
    const due = "2031-01-31T23:59:59Z"
    expect(await edit({ state: "closed" })).toMatchObject({ state: "closed", closed_at: expect.any(String), due_on: due, title: "v1" })
    expect(await edit({ state: "closed", description: "" })).toMatchObject({ closed_at: expect.any(String), description: "" })
    expect(await edit({ state: "" })).toMatchObject({ state: "closed", closed_at: expect.any(String) })
    expect(await edit({ state: "open" })).toMatchObject({ state: "open", closed_at: null, due_on: due })
    expect(await edit({ title: "", due_on: "2032-02-29T00:00:00Z" })).toMatchObject({ title: "v1", due_on: "2032-02-29T23:59:59Z" })
    expect(await edit({ due_on: null, title: " v2 " })).toMatchObject({ title: "v2", due_on: null })
    expect(await status(ann, `PATCH /repos/${box}/milestones/${id}`, { state: "done" })).toBe(422)
    expect(await status(ann, `PATCH /repos/${box}/milestones/v1`, { title: "x" })).toBe(404)
    expect((await call(ann, `PATCH /repos/${box}/milestones/v2`, { title: "v3" })).body.id).toBe(id)
  })

  test("count the issues that are theirs, open and closed", async () => {
    const box = await repository("counting")
    const [one, two] = [await create({ title: "one" }, box), await create({ title: "two" }, box)]
    const counts = async ({ id }: { id: number }) => {
      const { body } = await call(ann, `GET /repos/${box}/milestones/${id}`)
      return [body.open_issues, body.closed_issues]
    }
    for (const title of ["a", "b"]) expect(await status(ann, `POST /repos/${box}/issues`, { title, milestone: one.id })).toBe(201)
    expect(await status(ann, `PATCH /repos/${box}/issues/2`, { state: "closed" })).toBe(201)
    expect([await counts(one), await counts(two)]).toEqual([
      [1, 1],
      [0, 0],
    ])
    expect(await status(ann, `PATCH /repos/${box}/issues/2`, { milestone: two.id })).toBe(201)
    expect([await counts(one), await counts(two)]).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(await status(ann, `PATCH /repos/${box}/issues/2`, { state: "open" })).toBe(201)
    expect(await counts(two)).toEqual([1, 0])
    expect(await status(ann, `PATCH /repos/${box}/issues/2`, { milestone: 0 })).toBe(201)
    expect(await counts(two)).toEqual([0, 0])
    const elsewhere = await create({ title: "elsewhere" })
    expect(await status(ann, `PATCH /repos/${box}/issues/2`, { milestone: elsewhere.id })).toBe(422)
    expect(await status(ann, `DELETE /repos/${box}/issues/1`)).toBe(204)
    expect(await counts(one)).toEqual([0, 0])
    const { body: timeline } = await call(ann, `GET /repos/${box}/issues/2/timeline`)
    const moves = timeline.filter(({ type }: { type: string }) => type === "milestone")
    expect(
      moves.map(({ old_milestone, milestone }: Record<string, { title: string } | null>) => [old_milestone?.title, milestone?.title]),
    ).toEqual([
      [undefined, "one"],
      ["one", "two"],
      ["two", undefined],
    ])
  })

  test("are deleted, and their issues have none", async () => {
    const box = await repository("deleting")
    const { id } = await create({ title: "v1" }, box)
    expect(await status(ann, `POST /repos/${box}/issues`, { title: "a", milestone: id })).toBe(201)
    expect(await status(ann, `DELETE /repos/${box}/milestones/v1`)).toBe(204)
    expect(await status(ann, `DELETE /repos/${box}/milestones/${id}`)).toBe(404)
    expect((await call(ann, `GET /repos/${box}/issues/1`)).body.milestone).toBe(null)
  })

  test("are for users who may write to issues or pull requests", async () => {
    const { id } = await create({ title: "v1" })
    for (const [method, path] of [
      ["POST", ""],
      ["PATCH", `/${id}`],
      ["DELETE", `/${id}`],
    ] as const) {
      expect(await status(cal, `${method} /repos/ann/box/milestones${path}`, {})).toBe(403)
      expect(await status(undefined, `${method} /repos/ann/box/milestones${path}`, {})).toBe(401)
    }
    expect(await status(ben, `PATCH /repos/ann/box/milestones/${id}`, { title: "v2" })).toBe(200)
    // Issues alone, or pull requests alone, are enough; without both only administrators are left.
    await call(ann, "PATCH /repos/ann/box", { has_issues: false })
    expect(await status(ben, "POST /repos/ann/box/milestones", { title: "pulls" })).toBe(201)
    await call(ann, "PATCH /repos/ann/box", { has_pull_requests: false })
    expect(await status(ben, "POST /repos/ann/box/milestones", { title: "none" })).toBe(403)
    expect(await status(ann, "POST /repos/ann/box/milestones", { title: "none" })).toBe(201)
    expect(await status(cal, "GET /repos/ann/box/milestones")).toBe(200)
  })

  test("are hidden with their repository, and read-only once it is archived", async () => {
    const box = await repository("old")
    const { id } = await create({ title: "v1" }, box)
    await call(ann, `PATCH /repos/${box}`, { private: true, archived: true })
    expect(await status(cal, `GET /repos/${box}/milestones`)).toBe(404)
    expect(await status(cal, `POST /repos/${box}/milestones`, {})).toBe(404)
    expect(await status(ann, `GET /repos/${box}/milestones/${id}`)).toBe(200)
    expect(await status(ann, `POST /repos/${box}/milestones`, "no JSON")).toBe(423)
    expect(await status(ann, `PATCH /repos/${box}/milestones/${id}`, "no JSON")).toBe(423)
    expect(await status(ann, `DELETE /repos/${box}/milestones/${id}`)).toBe(423)
  })
})

test.each([
  ["2031-01-31T00:00:00Z", "2031-01-31T23:59:59Z"],
  ["2031-01-31T23:30:00-05:00", "2031-01-31T23:59:59Z"],
  ["2032-02-29T12:00:00.5+09:00", "2032-02-29T23:59:59Z"],
])("due on %s is up to %s", (text, end) => {
  expect(dueAt(text)).toBe(Date.parse(end) / 1000)
})

test("the year 1 is no due date", () => {
  expect(dueAt("0001-01-01T00:00:00Z")).toBe(0)
})
