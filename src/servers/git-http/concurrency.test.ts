import { join } from "node:path"
import { expect } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { client, ok, writeHistory } from "../../git/testing.ts"
import { address, branchRows, commit, feed, openWorld, type Person, person, reload, repository, workFolder } from "./testing.ts"

/** Many requests at once. */
withWorld("at once", { on: databaseKinds, open: openWorld }, ({ test, world }) => {
  let ada: Person
  let work: string

  test.beforeAll(async () => {
    ada = await person(world, "ada")
    work = await workFolder(world, "work")
  })

  const url = (name: string) => address(world, `ada/${name}`, "ada", ada.token)
  const many = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)))
  /** Branches of the client's repository with a commit on main each, whose ids it gives. */
  const branches = (stem: string, count: number) =>
    writeHistory(
      work,
      Array.from({ length: count }, (_, index) => ({ branch: `${stem}${index}`, from: "refs/heads/main", message: `${stem} ${index}` })),
    )
  const settleJobs = () => world.services.database.read.selectFrom("jobs").selectAll().where("kind", "=", "push.settle").execute()

  test("20 pushes to branches of their own and 20 clones", async () => {
    const row = await repository(world, ada.user, "busy")
    await ok(work, "push", "-q", url("busy"), "main")
    const heads = await branches("b", 20)
    const [pushes, clones] = await Promise.all([
      many(20, (index) => client(work, ["push", url("busy"), `b${index}`])),
      many(20, (index) => client(world.folder, ["clone", "-q", url("busy"), `clone${index}`])),
    ])
    expect([...pushes, ...clones].filter(({ code }) => code !== 0)).toEqual([])
    const expected = Object.fromEntries(heads.map((head, index) => [`b${index}`, head]))
    expect(await branchRows(world, row)).toEqual({ ...expected, main: await ok(work, "rev-parse", "main") })
    expect(await reload(world, row)).toMatchObject({ branches_count: 21, default_branch: "main", is_empty: 0 })
    expect(await feed(world, row)).toHaveLength(42)
    expect(await settleJobs()).toEqual([])
    await many(20, (index) => ok(join(world.folder, `clone${index}`), "fsck", "--strict"))
  })

  test("of pushes to one branch one wins, and its row is the one that stays", async () => {
    const row = await repository(world, ada.user, "race")
    await ok(work, "push", "-q", url("race"), "main")
    const heads = await branches("racer", 6)
    const runs = await many(6, (index) => client(work, ["push", url("race"), `racer${index}:main`]))
    const winners = runs.flatMap(({ code }, index) => (code === 0 ? [index] : []))
    expect(winners).toHaveLength(1)
    for (const { code, err } of runs) if (code !== 0) expect(err).toMatch(/rejected|fetch first/)
    expect(await branchRows(world, row)).toEqual({ main: heads[winners[0] ?? -1] })
    expect(await feed(world, row)).toHaveLength(3)
    expect(await settleJobs()).toEqual([])
  })

  test("first pushes to an empty repository agree on one default branch", async () => {
    const row = await repository(world, ada.user, "first")
    const runs = await many(6, (index) => client(work, ["push", url("first"), `main:first${index}`]))
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0))
    const after = await reload(world, row)
    expect(after).toMatchObject({ branches_count: 6, is_empty: 0 })
    expect(after.default_branch).toMatch(/^first\d$/)
    expect(await ok(work, "ls-remote", "--symref", url("first"), "HEAD")).toContain(`ref: refs/heads/${after.default_branch}\tHEAD`)
  })

  test("a branch that is moved to and fro ends as its row says", async () => {
    const row = await repository(world, ada.user, "fro")
    const folder = await workFolder(world, "fro")
    await commit(folder, "two")
    await ok(folder, "push", "-q", url("fro"), "main", "main~1:refs/heads/branch")
    const runs = await many(8, (index) => client(folder, ["push", "--force", url("fro"), `main~${index % 2}:refs/heads/branch`]))
    expect(runs.some(({ code }) => code === 0)).toBe(true)
    const [listed = ""] = (await ok(folder, "ls-remote", url("fro"), "refs/heads/branch")).split("\t")
    expect((await branchRows(world, row))["branch"]).toBe(listed)
    expect(await settleJobs()).toEqual([])
  })
})
