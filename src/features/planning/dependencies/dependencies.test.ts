import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

withHearth("dependencies between issues", { on: databaseKinds, people: ["ann", "ben", "cal"] }, ({ test, call, status, ann, ben, cal }) => {
  /** A repository of ann's with so many issues, to which ben may write. */
  const repository = async (name: string, issues: number, options: object = {}) => {
    await call(ann, "POST /user/repos", { name, ...options })
    if (!("private" in options)) await call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    for (let number = 1; number <= issues; number++)
      if ((await call(ann, `POST /repos/ann/${name}/issues`, { title: `${name} ${number}` })).status !== 201) throw new Error("no issue")
    return `/repos/ann/${name}/issues`
  }
  const other = (repo: string, index: number, owner = "ann") => ({ owner, repo, index })
  const titles = async (caller: Caller, route: string) => {
    const { body, headers } = await call(caller, `GET ${route}`)
    return [body.map(({ title }: { title: string }) => title), headers.get("x-total-count")]
  }

  test("are made and ended from either side, each with an entry in both timelines", async () => {
    const at = await repository("tying", 3)
    const made = await call(ben, `POST ${at}/1/dependencies`, other("tying", 2))
    expect([made.status, made.body.number]).toEqual([201, 1])
    const blocking = await call(ben, `POST ${at}/3/blocks`, other("TYING", 1, "ANN"))
    expect([blocking.status, blocking.body.number]).toEqual([201, 3])
    expect(await titles(undefined, `${at}/1/dependencies`)).toEqual([["tying 3", "tying 2"], "2"])
    expect(await titles(undefined, `${at}/3/blocks`)).toEqual([["tying 1"], "1"])
    expect(await titles(undefined, `${at}/1/blocks`)).toEqual([[], "0"])
    const removed = await call(ben, `DELETE ${at}/1/dependencies`, other("tying", 3))
    expect([removed.status, removed.body.number]).toEqual([201, 1])
    expect(await status(ben, `DELETE ${at}/2/blocks`, other("tying", 1))).toBe(201)
    expect(await titles(undefined, `${at}/1/dependencies`)).toEqual([[], "0"])
    const entries = async (number: number) =>
      (await call(ann, `GET ${at}/${number}/timeline`)).body.map(
        (entry: { type: string; dependent_issue: { number: number }; user: { login: string } }) => [
          entry.type,
          entry.dependent_issue.number,
          entry.user.login,
        ],
      )
    expect(await entries(1)).toEqual([
      ["add_dependency", 2, "ben"],
      ["add_dependency", 3, "ben"],
      ["remove_dependency", 3, "ben"],
      ["remove_dependency", 2, "ben"],
    ])
    expect(await entries(3)).toEqual([
      ["add_dependency", 1, "ben"],
      ["remove_dependency", 1, "ben"],
    ])
  })

  test("are refused on the issue itself, twice, and in cycles of any length", async () => {
    const at = await repository("circles", 4)
    const refused = async (route: string, index: number) => {
      const { status, body } = await call(ben, `${route}`, other("circles", index))
      return [status, body?.message]
    }
    const itself = [422, expect.stringContaining("itself")]
    expect(await refused(`POST ${at}/1/dependencies`, 1)).toEqual(itself)
    expect(await refused(`POST ${at}/1/blocks`, 1)).toEqual(itself)
    for (const [one, two] of [
      [1, 2],
      [2, 3],
      [3, 4],
    ])
      expect(await status(ben, `POST ${at}/${one}/dependencies`, other("circles", two ?? 0))).toBe(201)
    expect(await refused(`POST ${at}/1/dependencies`, 2)).toEqual([409, expect.stringContaining("already")])
    expect(await refused(`POST ${at}/2/blocks`, 1)).toEqual([409, expect.stringContaining("already")])
    const circle = [422, expect.stringContaining("one another")]
    expect(await refused(`POST ${at}/2/dependencies`, 1)).toEqual(circle)
    expect(await refused(`POST ${at}/4/dependencies`, 1)).toEqual(circle)
    expect(await refused(`POST ${at}/1/blocks`, 3)).toEqual(circle)
    // A second path to the same issue is no cycle.
    expect(await status(ben, `POST ${at}/1/dependencies`, other("circles", 4))).toBe(201)
    expect(await titles(ann, `${at}/4/dependencies`)).toEqual([[], "0"])
  })

  test("never form a cycle when many are added concurrently", async () => {
    const at = await repository("racing", 5)
    const tie = (from: number, to: number) => status(ben, `POST ${at}/${from}/dependencies`, other("racing", to))
    const answers = await Promise.all([tie(1, 2), tie(2, 3), tie(3, 4), tie(4, 5), tie(5, 1)])
    expect(answers.toSorted()).toEqual([201, 201, 201, 201, 422])
  })

  test("can't be ended where there are none", async () => {
    const at = await repository("ending", 2)
    await call(ben, `POST ${at}/1/dependencies`, other("ending", 2))
    expect(await status(ben, `DELETE ${at}/2/dependencies`, other("ending", 1))).toBe(404)
    expect(await status(ben, `DELETE ${at}/1/blocks`, other("ending", 2))).toBe(404)
    expect(await titles(ben, `${at}/1/dependencies`)).toEqual([["ending 2"], "1"])
  })

  test("are added only to issues that are fully named and may be read", async () => {
    const at = await repository("naming", 2)
    await repository("hidden", 1, { private: true })
    for (const body of [
      {},
      { index: 2 },
      { owner: "ann", repo: "naming" },
      other("naming", 99),
      other("naming", 0),
      other("naming", -2),
      other("none", 1),
      other("hidden", 1),
    ])
      expect([body, await status(ben, `POST ${at}/1/dependencies`, body)]).toEqual([body, 404])
    expect(await status(ben, `POST ${at}/1/dependencies`, { ...other("naming", 2), index: "2" })).toBe(422)
    expect(await status(ben, `POST ${at}/99/dependencies`, other("naming", 2))).toBe(404)
    expect(await titles(ben, `${at}/1/dependencies`)).toEqual([[], "0"])
    // Old names redirect.
    await repository("former", 1)
    await call(ann, "PATCH /repos/ann/former", { name: "latter" })
    expect(await status(ben, `POST ${at}/1/dependencies`, other("former", 1))).toBe(201)
    expect(await titles(ben, `${at}/1/dependencies`)).toEqual([["former 1"], "1"])
  })

  test("are for users who may write to the dependent issue", async () => {
    const at = await repository("writing", 2)
    await call(cal, "POST /user/repos", { name: "own" })
    await call(cal, "POST /repos/cal/own/issues", { title: "cal's" })
    for (const method of ["POST", "DELETE"]) {
      expect(await status(cal, `${method} ${at}/1/dependencies`, other("writing", 2))).toBe(404)
      expect(await status(cal, `${method} ${at}/1/blocks`, other("writing", 2))).toBe(404)
      expect(await status(undefined, `${method} ${at}/1/dependencies`, other("writing", 2))).toBe(401)
      expect(await status(undefined, `${method} ${at}/1/blocks`, other("writing", 2))).toBe(401)
    }
    // Read access to the dependency is enough.
    expect(await status(cal, `POST ${at}/1/blocks`, other("own", 1, "cal"))).toBe(201)
    expect(await status(cal, "DELETE /repos/cal/own/issues/1/dependencies", other("writing", 1))).toBe(201)
  })

  test("on hidden issues count, and are not shown", async () => {
    const at = await repository("showing", 2)
    const secret = await repository("secret", 1, { private: true })
    await call(ann, `POST ${at}/1/dependencies`, other("secret", 1))
    await call(ann, `POST ${at}/1/dependencies`, other("showing", 2))
    expect(await titles(ann, `${at}/1/dependencies`)).toEqual([["showing 2", "secret 1"], "2"])
    for (const caller of [undefined, cal, ben]) {
      const { body } = await call(caller, `GET ${at}/1/dependencies?page=2&limit=1`)
      expect(body).toMatchObject([{ id: 0, number: 0, title: "HIDDEN", repository: { id: 0, name: "" }, user: { login: "Ghost" } }])
      expect(JSON.stringify(body)).not.toContain("secret")
    }
    expect(await titles(ann, `${secret}/1/blocks`)).toEqual([["showing 1"], "1"])
    expect(await status(ben, `GET ${secret}/1/blocks`)).toBe(404)
    // The other direction: a hidden issue that depends on a public one.
    await call(ann, `POST ${secret}/1/dependencies`, other("showing", 2)).then(({ status: made }) => expect(made).toBe(201))
    expect(await titles(ann, `${at}/2/blocks`)).toEqual([["showing 1", "secret 1"], "2"])
    expect(await titles(cal, `${at}/2/blocks`)).toEqual([["showing 1"], "1"])
  })

  test("keep an issue open", async () => {
    const at = await repository("closing", 2)
    await call(ann, `POST ${at}/1/dependencies`, other("closing", 2))
    expect(await status(ann, `PATCH ${at}/1`, { state: "closed" })).toBe(412)
    expect(await status(ann, `PATCH ${at}/2`, { state: "closed" })).toBe(201)
    expect(await status(ann, `PATCH ${at}/1`, { state: "closed" })).toBe(201)
  })

  test("can be switched off, and are fixed in an archived repository", async () => {
    const at = await repository("old", 2)
    const lib = await repository("lib", 1)
    await call(ann, `POST ${at}/1/dependencies`, other("old", 2))
    const tracker = { enable_time_tracker: true, allow_only_contributors_to_track_time: true }
    const switchTo = (on: boolean) =>
      call(ann, "PATCH /repos/ann/old", { has_issues: true, internal_tracker: { ...tracker, enable_issue_dependencies: on } })
    await switchTo(false)
    expect(await status(ann, `GET ${at}/1/dependencies`)).toBe(404)
    expect(await status(ann, `POST ${at}/2/dependencies`, other("lib", 1))).toBe(404)
    expect(await status(ann, `POST ${lib}/1/blocks`, other("old", 2))).toBe(404)
    expect(await status(ann, `GET ${at}/2/blocks`)).toBe(200)
    expect(await status(ann, `PATCH ${at}/1`, { state: "closed" })).toBe(201)
    await switchTo(true)
    await call(ann, "PATCH /repos/ann/old", { archived: true })
    for (const method of ["POST", "DELETE"])
      for (const relation of ["dependencies", "blocks"]) expect(await status(ann, `${method} ${at}/1/${relation}`, "no JSON")).toBe(423)
    expect(await status(ann, `POST ${lib}/1/blocks`, other("old", 2))).toBe(404)
    // Issues of an archived repository can still be dependencies.
    expect(await status(ann, `POST ${lib}/1/dependencies`, other("old", 2))).toBe(201)
    expect(await titles(cal, `${at}/1/dependencies`)).toEqual([["old 2"], "1"])
  })
})
