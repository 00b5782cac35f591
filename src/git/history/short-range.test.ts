import { afterEach, beforeEach, expect, test } from "vitest"
import { objectId, type Repository } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

/** Numbers that look random, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

/** A history with many merges, by clocks that are not always right. */
async function tangled(repository: Repository, seed: number, skew: number): Promise<readonly string[]> {
  const random = numbers(seed)
  const marks = Array.from({ length: 60 }, (_, index) => index + 1)
  const commits = marks.map((mark) => {
    const parents = [...new Set([mark - 1 - random(3), mark - 1 - random(12), mark - 1 - random(12)])]
      .filter((parent) => parent > 0)
      .slice(0, 1 + random(3))
    const [first, ...others] = parents
    const when = 1_700_000_000 + Math.floor(mark / 2) * 10 + random(skew)
    return [
      `commit refs/heads/b${mark}\nmark :${mark}\ncommitter A <a@b> ${when} +0000\ndata 0\n`,
      first === undefined ? "" : `from :${first}\n`,
      ...others.map((other) => `merge :${other}\n`),
      `M 644 inline f\ndata ${String(mark).length}\n${mark}\nget-mark :${mark}\n`,
    ].join("")
  })
  const { out } = await client(repository.directory, ["fast-import", "--quiet"], commits.join(""))
  return out.trim().split("\n")
}

test.each([1, 15, 400])("a range is what git says, in its order, without a process (clocks that are wrong by up to %i s)", async (skew) => {
  const repository = await world.git.repositories.create("one", { format: "sha1", branch: "main" })
  const ids = await tangled(repository, skew, skew)
  const random = numbers(7)
  expect(ids).toHaveLength(60)
  const before = world.git.spawned()
  for (let round = 0; round < 40; round++) {
    const [to, from] = [ids[random(60)] ?? "", ids[random(60)] ?? ""]
    const { commits, total } = await world.git.history.log(repository, { to: [objectId(to)], not: [objectId(from)], skip: 0, limit: 50 })
    const said = (await ok(repository.directory, "rev-list", to, `^${from}`)).split("\n").filter((line) => line !== "")
    expect(total).toBe(said.length)
    expect(commits.map(({ id }) => id)).toEqual(said.slice(0, 50))
  }
  expect(world.git.spawned() - before).toBe(0)
})

test("a long range is left to git", async () => {
  const repository = await world.git.repositories.create("one", { format: "sha1", branch: "main" })
  const steps = Array.from(
    { length: 150 },
    (_, index) => `commit refs/heads/main\nmark :${index + 1}\ncommitter A <a@b> ${index} +0000\ndata 0\n`,
  )
  const { out } = await client(repository.directory, ["fast-import", "--quiet"], `${steps.join("")}get-mark :1\nget-mark :150\n`)
  const [first = "", last = ""] = out.trim().split("\n")
  const range = { to: [objectId(last)], not: [objectId(first)], skip: 10, limit: 5 }
  for (const spawned of [1, 0]) {
    const before = world.git.spawned()
    const { commits, total } = await world.git.history.log(repository, range)
    expect(total).toBe(149)
    expect(commits.map(({ committer }) => committer.when)).toEqual([139, 138, 137, 136, 135])
    expect(world.git.spawned() - before).toBe(spawned)
  }
})
