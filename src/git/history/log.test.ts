import { afterAll, beforeAll, expect, test } from "vitest"
import type { ObjectId, Repository, TreeEntry } from "../index.ts"
import { ok, openWorld, type World } from "../testing.ts"

let world: World
let repository: Repository
beforeAll(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("ab/log", { format: "sha1", branch: "main" })
})
afterAll(() => world.close())

test("pages and lengths of a history that grows, whole and of paths, are git's, and first pages with commits added one by one need no process", async () => {
  const { objects, history } = world.git
  let seed = 11
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const contents = new Map([
    ["one", "0"],
    ["two", "0"],
  ])
  const inFolder = new Map([["three", "0"]])
  const entries = (files: ReadonlyMap<string, string>): Promise<readonly TreeEntry[]> =>
    Promise.all([...files].map(async ([name, text]) => ({ mode: "100644", name, id: await objects.writeBlob(repository, text) }) as const))
  const commit = async (number: number, parents: readonly ObjectId[]) => {
    const folder = await objects.writeTree(repository, await entries(inFolder))
    const tree = await objects.writeTree(repository, [...(await entries(contents)), { mode: "40000", name: "folder", id: folder }])
    const person = { name: "Ada", email: "ada@example.com", when: 1_000 + number, offset: 0 }
    return objects.writeCommit(repository, { tree, parents: [...parents], author: person, committer: person, message: `${number}\n` })
  }
  let tip = await commit(0, [])
  let spawned = 0
  for (let number = 1; number <= 60; number++) {
    const changed = random(4)
    if (changed === 0) contents.set("one", String(number))
    if (changed === 1) inFolder.set("three", String(number))
    const isMerge = number % 20 === 10
    tip = await commit(number, isMerge ? [tip, await commit(1_000 + number, [tip])] : [tip])
    for (const path of [undefined, "one", "two", "folder", "folder/three", "one/none"]) {
      const expected = (await ok(repository.directory, "rev-list", tip, ...(path === undefined ? [] : ["--", path])))
        .split("\n")
        .filter((id) => id !== "")
      for (const [skip, limit] of [
        [0, 3],
        [2, 4],
        [0, 30],
        [7, 5],
      ] as const) {
        const before = world.git.spawned()
        const { commits, total } = await history.log(repository, { to: [tip], skip, limit, path })
        if (skip === 0) spawned += world.git.spawned() - before
        expect([commits.map(({ id }) => id), total]).toEqual([expected.slice(skip, skip + limit), expected.length])
      }
    }
  }
  expect(spawned).toBeLessThan(60)
})
