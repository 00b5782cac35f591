import { chmod, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type ObjectFormat, type ObjectId, objectId, type Repository } from "../index.ts"
import { ok, openWorld, type World, writeHistory } from "../testing.ts"
import { applyDelta, resultSize } from "./delta.ts"
import { hashObject } from "./loose.ts"
import { openPacks, type Packs } from "./packs.ts"

let world: World
let packs: Packs

beforeEach(async () => {
  world = await openWorld()
  packs = openPacks(60_000)
})

afterEach(async () => {
  packs.close()
  await world.close()
})

/** A repository with two files that change a little from commit to commit, packed as git does by these options. */
async function packed(key: string, format: ObjectFormat, ...options: readonly string[]): Promise<Repository> {
  const repository = await world.git.repositories.create(key, { format, branch: "main" })
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of a text that deltas are worth it for`)
  const steps = Array.from({ length: 30 }, (_, index) => {
    const text = lines.with(index, `changed ${index}`).join("\n")
    return { files: { a: text, "deep/b": `${text}${index}` } }
  })
  await writeHistory(repository.directory, steps)
  await ok(repository.directory, "repack", "-adfq", ...options)
  return repository
}

async function objectsOf({ directory, format }: Repository) {
  const lines = await ok(directory, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
  return lines.split("\n").map((line) => {
    const [id = "", type, size] = line.split(" ")
    return { id: objectId(id, format), type, size: Number(size) }
  })
}

const fileOf = async ({ directory }: Repository, ending: string): Promise<string> => {
  const folder = join(directory, "objects", "pack")
  return join(folder, (await readdir(folder)).find((name) => name.endsWith(ending)) ?? "none")
}

describe("every object of a pack is read as git reads it", () => {
  test.each<[ObjectFormat, ...string[]]>([
    ["sha1"],
    ["sha256"],
    // Deltas that name what they are on by its id, long chains of them, and places that need eight bytes.
    ["sha1", "-c", "repack.usedeltabaseoffset=false"],
    ["sha1", "--depth=4095", "--window=50"],
  ])("%s %s %s", async (format, ...options) => {
    const repository = await packed("one", format, ...options.filter((option) => option.startsWith("--")))
    if (options[0] === "-c") await ok(repository.directory, "-c", options[1] ?? "", "repack", "-adfq")
    const all = await objectsOf(repository)
    expect(all.length).toBeGreaterThan(100)
    for (const { id, type, size } of all) {
      expect(packs.info(repository, id)).toEqual({ id, type, size })
      const read = packs.read(repository, id)
      if (!read) throw new Error(`${id} is not read`)
      expect(hashObject(format, read.type, read.content)).toBe(id)
      const none = objectId(`${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, format)
      expect(packs.read(repository, none)).toBeUndefined()
    }
  })

  test("whose places in it take eight bytes", async () => {
    const repository = await packed("one", "sha1")
    const path = await fileOf(repository, ".pack")
    await rm(await fileOf(repository, ".idx"))
    await ok(repository.directory, "index-pack", "--index-version=2,0x40", path)
    for (const { id, type, size } of await objectsOf(repository)) expect(packs.info(repository, id)).toEqual({ id, type, size })
  })
})

test("what comes by a repack, and what goes, is known once it is looked for", async () => {
  const repository = await packed("one", "sha1")
  const [first] = await objectsOf(repository)
  if (!first) throw new Error("no object")
  expect(packs.read(repository, first.id)).toBeDefined()
  const added = await world.git.objects.writeBlob(repository, "added")
  const tree = await world.git.objects.writeTree(repository, [{ mode: "100644", name: "a", id: added }])
  const person = { name: "A", email: "a@b", when: 0, offset: 0 }
  const commit = await world.git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message: "" })
  await ok(repository.directory, "update-ref", "refs/heads/other", commit)
  await ok(repository.directory, "repack", "-adq")
  expect(packs.read(repository, added)).toBeUndefined()
  expect(packs.renew(repository)).toBe(true)
  expect(packs.read(repository, added)?.content.toString()).toBe("added")
  expect(packs.renew(repository)).toBe(false)
  // Through the interface nothing of this is seen.
  const before = world.git.spawned()
  await ok(repository.directory, "prune-packed", "-q")
  expect((await world.git.objects.readCommit(repository, commit)).tree).toBe(tree)
  expect(world.git.spawned() - before).toBe(0)
  packs.closeRepository(repository)
  await rm(join(repository.directory, "objects", "pack"), { recursive: true })
  expect(packs.read(repository, added)).toBeUndefined()
})

test("files are closed when nothing was read for a while, and opened again", async () => {
  const repository = await packed("one", "sha1")
  const [first] = await objectsOf(repository)
  if (!first) throw new Error("no object")
  const short = openPacks(20)
  const path = await fileOf(repository, ".pack")
  const openFiles = async () => {
    const { ino } = await stat(path)
    const found = await Promise.all(
      (await readdir("/proc/self/fd")).map(async (fd) => (await stat(`/proc/self/fd/${fd}`).catch(() => undefined))?.ino),
    )
    return found.filter((each) => each === ino).length
  }
  for (const _ of ["first", "again"]) {
    expect(short.read(repository, first.id)).toBeDefined()
    expect(await openFiles()).toBe(1)
    await expect.poll(openFiles).toBe(0)
  }
})

describe("git is asked for", () => {
  const everyByte = async (path: string, to: (bytes: Buffer) => void) => {
    const file = await open(path, "r+")
    const bytes = Buffer.alloc((await file.stat()).size)
    await file.read(bytes, 0, bytes.length, 0)
    to(bytes)
    await file.write(bytes, 0, bytes.length, 0)
    await file.close()
  }

  test("objects of more than a megabyte", async () => {
    const repository = await world.git.repositories.create("large", { format: "sha1", branch: "main" })
    const id = await world.git.objects.writeBlob(repository, Buffer.alloc(1024 * 1024 + 1, "x"))
    await ok(repository.directory, "update-ref", "refs/tags/large", id)
    await ok(repository.directory, "repack", "-adq")
    expect(packs.read(repository, id)).toBeUndefined()
    expect(packs.info(repository, id)).toEqual({ id, type: "blob", size: 1024 * 1024 + 1 })
  })

  test.each<readonly [string, string, (bytes: Buffer) => void]>([
    ["what is no pack", ".pack", (bytes) => bytes.fill(0xff)],
    ["objects that are cut off", ".pack", (bytes) => bytes.fill(0, 20)],
    ["what no index tells of", ".idx", (bytes) => bytes.fill(0)],
    ["places beyond the end of the pack", ".idx", (bytes) => bytes.fill(0x7f, bytes.length - 400, bytes.length - 40)],
    ["places in a table that isn't there", ".idx", (bytes) => bytes.fill(0xff, bytes.length - 400, bytes.length - 40)],
  ])("%s", async (_, ending, damage) => {
    const repository = await packed("one", "sha1")
    const ids: readonly ObjectId[] = (await objectsOf(repository)).map(({ id }) => id)
    const path = await fileOf(repository, ending)
    await chmod(path, 0o644)
    await everyByte(path, damage)
    const read = ids.map((id) => packs.read(repository, id))
    expect(read).toContain(undefined)
    for (const [index, id] of ids.entries()) {
      const object = read[index]
      if (object) expect(hashObject("sha1", object.type, object.content)).toBe(id)
    }
  })
})

test("a delta is applied to what it was made of, and never beyond its end", async () => {
  const base = Buffer.from("abcdefgh")
  // Eight bytes to six: four from the third on, then two new ones.
  const delta = Buffer.from([8, 6, 0x91, 2, 4, 2, 0x78, 0x79])
  expect(resultSize(delta)).toBe(6)
  expect(applyDelta(base, delta).toString()).toBe("cdefxy")
  for (const wrong of [
    [9, 6, 0x91, 2, 4, 2, 0x78, 0x79],
    [8, 6, 0x91, 7, 4, 2, 0x78, 0x79],
    [8, 5, 0x91, 2, 4, 2, 0x78, 0x79],
    [8, 7, 0x91, 2, 4, 2, 0x78, 0x79],
    [8, 6, 0x91, 2, 4, 3, 0x78, 0x79],
    [8, 6, 0],
    [8, 6, 0x91],
    [0x80],
    [],
  ])
    expect(() => applyDelta(base, Buffer.from(wrong)), String(wrong)).toThrow(RangeError)
})
