import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { setPause } from "../../seams/pause.ts"
import { type ObjectId, objectId, type Repository, refName } from "../index.ts"
import { client, ok, openWorld, serve, type World, writeHistory } from "../testing.ts"

/** Many new references at once, which are packed: what git would say of them, and what is left where it ends half-way. */

let world: World
let work: string
let main: ObjectId
let annotated: ObjectId
let blob: ObjectId
let made = 0
beforeAll(async () => {
  world = await openWorld({ durable: true })
  work = join(world.folder, "work")
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main")
  const [first = ""] = await writeHistory(work, [{ files: { file: "x" } }])
  main = objectId(first)
  await ok(work, "tag", "-a", "-m", "one", "one")
  await ok(work, "tag", "-a", "-m", "of a tag", "two", "one")
  annotated = objectId(await ok(work, "rev-parse", "two"))
  blob = objectId(await ok(work, "rev-parse", "main:file"))
})
afterAll(() => world.close())
afterEach(() => {
  setPause(undefined)
})

/** A repository with the objects. */
async function fresh(): Promise<Repository> {
  const repository = await world.git.repositories.create(`packed-${made++}`, { format: "sha1", branch: "main" })
  const server = await serve(world.git)
  await ok(work, "push", "-q", server.url(repository), "main", "one", "two")
  await server.close()
  return repository
}
const update = (repository: Repository, names: readonly string[], to = main) =>
  world.git.references.update(
    repository,
    names.map((name) => ({ name: refName(name), to, from: null })),
  )
const many = (at: string, count = 60) => Array.from({ length: count }, (_, index) => `${at}/${index}`)
const isPacked = (repository: Repository, name: string) => !existsSync(join(repository.directory, name))
const listed = async (repository: Repository) =>
  (await ok(repository.directory, "for-each-ref", "--format=%(refname) %(objectname)")).split("\n")
const leftOf = async ({ directory }: Repository) =>
  (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".lock") || name.endsWith(".new"))

test("are there at once, read by git as its own: sorted among others, tags with what they lead to", async () => {
  const repository = await fresh()
  const [a, b, c] = [many("refs/tags/v"), many("refs/heads/topic/ä"), many("refs/tags/annotated/in-a-folder")]
  await update(repository, b)
  await update(repository, a)
  await update(repository, c, annotated)
  await ok(repository.directory, "pack-refs", "--all")
  await update(repository, many("refs/tags/a"))
  expect([...a, ...b, ...c].every((name) => isPacked(repository, name))).toBe(true)
  const all = await listed(repository)
  expect(all).toHaveLength(3 + 4 * 60)
  expect(all).toContain(`refs/tags/annotated/in-a-folder/59 ${annotated}`)
  expect(all).toContain(`refs/heads/topic/ä/0 ${main}`)
  const packed = await readFile(join(repository.directory, "packed-refs"), "utf8")
  expect(packed.split(`^${main}\n`)).toHaveLength(60 + 2 + 1)
  // Git writes the same bytes.
  await ok(repository.directory, "pack-refs", "--all")
  expect(await readFile(join(repository.directory, "packed-refs"), "utf8")).toBe(packed)
  expect(await ok(repository.directory, "fsck", "--strict")).toBe("")
  expect((await client(work, ["ls-remote", repository.directory])).out).toContain(`${main}\trefs/tags/annotated/in-a-folder/59^{}`)
  expect(existsSync(join(repository.directory, "refs/tags/annotated"))).toBe(false)
})

test("ten thousand take one process", async () => {
  const repository = await fresh()
  const before = world.git.spawned()
  await update(repository, many("refs/tags/v", 10_000))
  expect(world.git.spawned() - before).toBe(1)
  expect(await listed(repository)).toHaveLength(10_003)
})

const taken: readonly (readonly [string, (repository: Repository) => Promise<unknown>, readonly string[]])[] = [
  ["one of them is there, loose", (r) => update(r, ["refs/tags/v/7"]), many("refs/tags/v")],
  ["one of them is there, packed", (r) => update(r, many("refs/tags/v")), many("refs/tags/v", 70).slice(59)],
  ["a loose one has the name of a folder", (r) => update(r, ["refs/tags/v"]), many("refs/tags/v")],
  ["a packed one has the name of a folder", (r) => update(r, many("refs/tags/v")), many("refs/tags/v/30")],
  ["a loose one is below a name", (r) => update(r, ["refs/tags/v/7/x"]), many("refs/tags/v")],
  ["packed ones are below a name", (r) => update(r, many("refs/tags/v/7")), many("refs/tags/v")],
  ["one is below another", async () => {}, [...many("refs/tags/v"), "refs/tags/v/7/x"]],
  ["another process holds a lock", (r) => lock(r, "refs/tags/v/9"), many("refs/tags/v")],
]
const lock = async ({ directory }: Repository, name: string) => {
  await mkdir(join(directory, "refs/tags/v"), { recursive: true })
  await writeFile(join(directory, `${name}.lock`), "")
}

test.each(taken)("nothing changes where %s", async (_, before, names) => {
  const repository = await fresh()
  await before(repository)
  const was = await listed(repository)
  await expect(update(repository, names)).rejects.toMatchObject({ kind: "conflict" })
  expect(await listed(repository)).toEqual(was)
})

test("a branch names a commit, and every name an object that is there", async () => {
  const repository = await fresh()
  await expect(update(repository, many("refs/heads/b"), blob)).rejects.toMatchObject({ kind: "failed" })
  await expect(update(repository, many("refs/tags/b"), objectId("1".repeat(40)))).rejects.toMatchObject({ kind: "failed" })
  await update(repository, many("refs/tags/b"), blob)
  expect(await listed(repository)).toHaveLength(63)
})

test.each(["lock.held", "file.rename", "file.open", "file.flush"])("a failure at %s leaves nothing", async (at) => {
  const repository = await fresh()
  const was = await listed(repository)
  setPause(async (point) => {
    if (point === at) throw new Error("no space left on the device")
  })
  await expect(update(repository, many("refs/tags/v"))).rejects.toThrow("no space")
  setPause(undefined)
  expect(await listed(repository)).toEqual(was)
  expect(await leftOf(repository)).toEqual([])
  await update(repository, many("refs/tags/v"))
})

test("two at once, of the same and of other names: one of the same wins, the others are all there", async () => {
  const repository = await fresh()
  const outcomes = await Promise.allSettled([
    update(repository, many("refs/tags/v")),
    update(repository, many("refs/tags/v"), blob),
    update(repository, many("refs/tags/w")),
    update(repository, ["refs/tags/x"]),
  ])
  const won = outcomes.slice(0, 2).filter(({ status }) => status === "fulfilled")
  expect(won.length).toBeLessThanOrEqual(1)
  expect(outcomes.slice(2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"])
  expect(await listed(repository)).toHaveLength(3 + 60 * won.length + 60 + 1)
  expect(await leftOf(repository)).toEqual([])
})
