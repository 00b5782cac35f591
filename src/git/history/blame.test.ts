import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { objectId, type Repository } from "../index.ts"
import { openWorld, type World } from "../testing.ts"

const someone = { name: "A", email: "a@example.com", when: 1_700_000_000, offset: 0 }

describe("the commits that last touched lines", () => {
  let world: World
  let repository: Repository
  beforeAll(async () => {
    world = await openWorld()
    repository = await world.git.repositories.create("aa/blame", { format: "sha1", branch: "main" })
  })
  afterAll(() => world.close())

  const commit = async (name: string, content: string, parents: readonly string[]) => {
    const { objects } = world.git
    const tree = await objects.writeTree(repository, [{ mode: "100644", name, id: await objects.writeBlob(repository, content) }])
    const ids = parents.map((id) => objectId(id))
    return objects.writeCommit(repository, { tree, parents: ids, author: someone, committer: someone, message: "m\n" })
  }

  it("are found for each line, through a renaming, by one process", async () => {
    const first = await commit("a", "one\ntwo\nthree\nfour\n", [])
    const second = await commit("-b [x].txt", "one\n2\nthree\nfour\n", [first])
    const before = world.git.spawned()
    const found = await world.git.history.lineCommits(repository, second, "-b [x].txt", [1, 2, 4, 2])
    expect([...found]).toEqual([
      [1, first],
      [2, second],
      [4, first],
    ])
    expect(world.git.spawned() - before).toBe(1)
    expect(await world.git.history.lineCommits(repository, second, "-b [x].txt", [])).toEqual(new Map())
  })

  it("are not found for missing files and lines", async () => {
    const only = await commit("a", "one\n", [])
    await expect(world.git.history.lineCommits(repository, only, "b", [1])).rejects.toMatchObject({ kind: "failed" })
    await expect(world.git.history.lineCommits(repository, only, "a", [7])).rejects.toMatchObject({ kind: "failed" })
  })
})
