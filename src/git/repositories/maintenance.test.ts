import { existsSync } from "node:fs"
import { readdir, rm, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { branchRef, type ObjectId, type Repository, refName } from "../index.ts"
import { ok, openWorld, type World } from "../testing.ts"

const person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 0 }

/** Eleven commits on main, each in its own pack, as after eleven pushes, and an unreachable commit. */
async function cameApart({ git }: World): Promise<{ readonly repository: Repository; readonly tip: ObjectId; readonly lost: ObjectId }> {
  const repository = await git.repositories.create("ab/abcdef", { format: "sha1", branch: "main" })
  let tip: ObjectId | undefined
  const commit = async (message: string) => {
    const blob = await git.objects.writeBlob(repository, `${message}\n`)
    const tree = await git.objects.writeTree(repository, [{ mode: "100644", name: "file", id: blob }])
    return git.objects.writeCommit(repository, { tree, parents: tip ? [tip] : [], author: person, committer: person, message })
  }
  for (let number = 1; number <= 11; number++) {
    const next = await commit(`Number ${number}`)
    await git.references.update(repository, [{ name: branchRef("main"), from: tip ?? null, to: next }])
    tip = next
    await ok(repository.directory, "repack", "-d", "-q")
  }
  if (tip === undefined) throw new Error("eleven commits have a last one")
  return { repository, tip, lost: await commit("Lost") }
}

test("a repository that came apart is packed into one, with bitmap and graph, and loses nothing", async () => {
  const world = await openWorld()
  const { git } = world
  const { repository, tip, lost } = await cameApart(world)
  const packs = async () => (await readdir(join(repository.directory, "objects", "pack"))).filter((name) => /\.(pack|bitmap)$/.test(name))
  expect(await packs()).toHaveLength(11)
  expect(await git.maintenance.needed(repository)).toBe(true)

  const locks = ["objects/info/commit-graph.lock", "hearth-0123456789abcdef.lock"].map((name) => join(repository.directory, name))
  for (const lock of locks) {
    await writeFile(lock, "")
    await utimes(lock, 0, 0)
  }
  const now = Math.floor(Date.now() / 1000)
  await git.maintenance.run(repository, { now, before: now - 3_600, keep: [] })

  expect(locks.filter(existsSync)).toEqual([])
  expect((await packs()).filter((name) => name.endsWith(".bitmap"))).toHaveLength(1)
  expect(await readdir(join(repository.directory, "objects", "info"))).toContain("commit-graph")
  expect(await git.maintenance.needed(repository)).toBe(false)
  expect(await git.history.count(repository, tip)).toBe(11)
  expect((await git.objects.readCommit(repository, lost)).message).toBe("Lost")
  expect(await git.maintenance.check(repository)).toEqual([])
  await world.close()
})

test("references with files of their own are packed when they are many, also over what a killed git left, and can be changed and deleted then", async () => {
  const world = await openWorld({ durable: true })
  const { git } = world
  const { repository, tip, lost } = await cameApart(world)
  await git.maintenance.run(repository, { now: 1, before: 0, keep: [] })
  const names = Array.from({ length: 70 }, (_, index) => refName(`refs/heads/deep/${index}`))
  for (const name of names) await git.references.update(repository, [{ name, from: null, to: tip }])
  expect(await git.maintenance.needed(repository)).toBe(true)
  const all = () => ok(repository.directory, "for-each-ref")
  const before = await all()
  // One that is being changed keeps its file.
  const held = join(repository.directory, "refs/heads/deep/7.lock")
  await writeFile(held, "")
  for (const name of ["packed-refs.lock", "packed-refs.new"]) {
    await writeFile(join(repository.directory, name), "")
    await expect(git.maintenance.packReferences(repository, AbortSignal.timeout(60_000))).rejects.toMatchObject({ kind: "failed" })
    await utimes(join(repository.directory, name), 0, 0)
  }
  await git.maintenance.packReferences(repository, AbortSignal.timeout(60_000))
  expect(await readdir(join(repository.directory, "refs/heads"), { recursive: true })).toEqual(["deep", "deep/7", "deep/7.lock"])
  expect(await all()).toBe(before)
  expect(await git.maintenance.needed(repository)).toBe(false)
  expect(await git.references.list(repository)).toHaveLength(71)
  await rm(held)

  const [first = refName("refs/heads/deep/0"), second = first] = names
  await git.references.update(repository, [{ name: first, from: tip, to: lost }])
  await writeFile(join(repository.directory, "packed-refs.new"), "")
  await utimes(join(repository.directory, "packed-refs.new"), 0, 0)
  await git.references.update(repository, [{ name: second, from: tip, to: null }])
  expect([await git.references.resolve(repository, first), await git.references.resolve(repository, second)]).toEqual([lost, undefined])
  expect(await git.references.list(repository)).toHaveLength(70)
  await world.close()
})

test("references that are packed while they change and are read lose no change, and none is missing for a moment", async () => {
  const world = await openWorld()
  const { git } = world
  const { repository, tip, lost } = await cameApart(world)
  const names = Array.from({ length: 200 }, (_, index) => refName(`refs/heads/busy/${index}`))
  for (const name of names) await git.references.update(repository, [{ name, from: null, to: tip }])
  let isOver = false
  const read = async () => {
    while (!isOver) {
      await setImmediate()
      for (const name of names.slice(0, 20)) expect(await git.references.resolve(repository, name)).toBeDefined()
      expect(await git.references.list(repository, "refs/heads/busy/")).toHaveLength(200)
    }
  }
  const change = async (name: (typeof names)[number]) => {
    for (const [from, to] of [
      [tip, lost],
      [lost, tip],
      [tip, lost],
    ] as const)
      await git.references.update(repository, [{ name, from, to }])
  }
  const reading = read()
  const packing = git.maintenance.packReferences(repository, AbortSignal.timeout(60_000))
  for (const name of names) await change(name)
  await packing
  isOver = true
  await reading
  expect(new Set((await git.references.list(repository, "refs/heads/busy/")).map(({ id }) => id))).toEqual(new Set([lost]))
  expect(new Set((await ok(repository.directory, "for-each-ref", "--format=%(objectname)", "refs/heads/busy")).split("\n"))).toEqual(
    new Set([lost]),
  )
  await world.close()
})

test("a repository in which nothing was left behind is counted again once something has changed", async () => {
  const world = await openWorld()
  const { git } = world
  const repository = await git.repositories.create("ef/abcdef", { format: "sha1", branch: "main" })
  const tree = await git.objects.writeTree(repository, [])
  const commit = (message: string) => git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message })
  const tip = await commit("one")
  await git.references.update(repository, [{ name: branchRef("main"), from: null, to: tip }])
  const look = async (shift: number) => {
    await utimes(join(repository.directory, "hearth-exact"), 0, Date.now() / 1000 + shift)
    const before = git.spawned()
    return [await git.maintenance.hasLeftBehind(repository, 0), git.spawned() - before]
  }
  expect(await git.maintenance.hasLeftBehind(repository, 0)).toBe(false)
  expect(await look(10)).toEqual([false, 0])
  expect(await look(1)).toEqual([false, 1])
  expect(await look(10)).toEqual([false, 0])
  await git.references.update(repository, [{ name: branchRef("main"), from: tip, to: await commit("two") }])
  expect(await look(0)).toEqual([true, 1])
  expect((await readdir(repository.directory)).filter((name) => name.startsWith("hearth-"))).toEqual(["hearth-exact"])
  await world.close()
})

test("an object that is missing is found", async () => {
  const world = await openWorld()
  const { git } = world
  const { repository } = await cameApart(world)
  for (const name of (await readdir(join(repository.directory, "objects", "pack"))).filter((file) => file.endsWith(".pack")).slice(0, 1))
    await rm(join(repository.directory, "objects", "pack", name))
  expect((await git.maintenance.check(repository)).length).toBeGreaterThan(0)
  await world.close()
})

test("what is small or gone needs nothing", async () => {
  const world = await openWorld()
  const { git } = world
  const repository = await git.repositories.create("cd/abcdef", { format: "sha1", branch: "main" })
  expect(await git.maintenance.needed(repository)).toBe(false)
  await git.repositories.remove(repository)
  expect(await git.maintenance.needed(repository)).toBe(false)
  await world.close()
})
