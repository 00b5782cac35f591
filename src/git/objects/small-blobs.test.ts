import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { branchRef, objectId, type Repository } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

let world: World
let repository: Repository
let source: string
beforeAll(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("a/b", { format: "sha1", branch: "main" })
  source = join(world.folder, "source")
  await ok(world.folder, "init", "-q", "-b", "main", source)
  const file = (name: string, content: string) => `M 644 inline ${name}\ndata ${content.length}\n${content}\n`
  const commit = (files: string) => `commit refs/heads/main\ncommitter Ada <ada@example.com> 1600000000 +0000\ndata 1\nx\n${files}\n`
  const history =
    commit(file("old", "old")) + commit(file("a", "small") + file("deep/b", "x".repeat(1024)) + file("large", "y".repeat(1025)))
  expect(await client(source, ["fast-import", "--quiet"], history)).toMatchObject({ code: 0 })
  await ok(source, "push", "-q", join(world.folder, "repositories/a/b.git"), "main")
})
afterAll(() => world.close())

const idOf = async (name: string) => objectId(await ok(source, "rev-parse", name))

test("finds what is small and new, and only blobs", async () => {
  const [tip, before] = [await idOf("main"), await idOf("main~")]
  expect(await world.git.references.resolve(repository, branchRef("main"))).toBe(tip)
  const found = await world.git.objects.smallBlobs(repository, { to: [tip], not: [before], below: 1025 })
  expect([...found].sort()).toEqual([await idOf("main:a"), await idOf("main:deep/b")].sort())
  expect(await world.git.objects.smallBlobs(repository, { to: [tip], not: [], below: 1025 })).toContain(await idOf("main:old"))
  expect(await world.git.objects.smallBlobs(repository, { to: [tip], not: [tip], below: 1025 })).toEqual([])
  expect(await world.git.objects.smallBlobs(repository, { to: [before, before], not: [], below: 1025 })).toEqual([await idOf("main:old")])
  expect(await world.git.objects.smallBlobs(repository, { to: [], not: [], below: 1025 })).toEqual([])
})

test("a commit that is not there", async () => {
  const missing = objectId("1".repeat(40))
  await expect(world.git.objects.smallBlobs(repository, { to: [missing], not: [], below: 10 })).rejects.toMatchObject({ kind: "failed" })
})
