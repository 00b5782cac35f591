import { readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { inflateSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { branchRef, isTreeEntryName, type ObjectFormat, type ObjectId, objectId, type Repository, refName } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

let world: World
beforeEach(async () => {
  world = await openWorld({ limits: { readers: 2, readersPerRepository: 1, readerIdleMs: 100 } })
})
afterEach(() => world.close())

// The people and times of the client's environment in testing.ts.
const ada = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 60 }
const ben = { name: "Ben", email: "ben@example.com", when: 1_700_000_100, offset: -210 }

const create = (key = "one", format: ObjectFormat = "sha1") => world.git.repositories.create(key, { format, branch: "main" })

const pack = (repository: Repository) => world.git.maintenance.run(repository, { now: 0, before: 0, keep: [] })

describe("writing", () => {
  test.each(["sha1", "sha256"] as const)("gives the very objects that git makes (%s)", async (format) => {
    const repository = await create("one", format)
    const { writeBlob, writeTree, writeCommit, writeTag } = world.git.objects
    const at = repository.directory
    const blob = await writeBlob(repository, "hello\n")
    expect((await client(at, ["hash-object", "--stdin"], "hello\n")).out.trim()).toBe(blob)
    const inner = await writeTree(repository, [{ mode: "100755", name: "run", id: blob }])
    // A directory sorts as if its name ended with a slash: after "a.b", before "a0".
    const tree = await writeTree(repository, [
      { mode: "100644", name: "a0", id: blob },
      { mode: "40000", name: "a", id: inner },
      { mode: "100644", name: "a.b", id: blob },
      { mode: "120000", name: "é", id: blob },
    ])
    const listing = `100644 blob ${blob}\ta0\n040000 tree ${inner}\ta\n100644 blob ${blob}\ta.b\n120000 blob ${blob}\té\n`
    expect((await client(at, ["mktree"], listing)).out.trim()).toBe(tree)
    const first = await writeCommit(repository, { tree, parents: [], author: ada, committer: ben, message: "one\n" })
    expect(await ok(at, "commit-tree", tree, "-m", "one")).toBe(first)
    const second = await writeCommit(repository, { tree, parents: [first], author: ada, committer: ben, message: "two\n\nbody\n" })
    expect(await ok(at, "commit-tree", tree, "-p", first, "-m", "two\n\nbody")).toBe(second)
    const tag = await writeTag(repository, { object: second, type: "commit", name: "v1", tagger: ben, message: "tagged\n" })
    await ok(at, "tag", "-a", "v1", second, "-m", "tagged")
    expect(await ok(at, "rev-parse", "refs/tags/v1")).toBe(tag)
    expect(await ok(at, "fsck", "--strict", "--no-dangling")).toBe("")
  })

  test("an object is a read-only file with git's header, and writing it again changes nothing", async () => {
    const repository = await create()
    const id = await world.git.objects.writeBlob(repository, "x")
    const path = join(repository.directory, "objects", id.slice(0, 2), id.slice(2))
    const before = await stat(path)
    expect(before.mode & 0o777).toBe(0o444)
    expect(inflateSync(await readFile(path)).toString()).toBe("blob 1\0x")
    expect(await world.git.objects.writeBlob(repository, "x")).toBe(id)
    expect((await stat(path)).ino).toBe(before.ino)
    expect(world.git.spawned()).toBe(0)
  })

  test.each([
    "",
    ".",
    "..",
    ".git",
    ".Git",
    ".git.",
    ".git ",
    ".git::$INDEX_ALLOCATION",
    "git~1",
    "GIT~1",
    ".g\u200dit",
    "a/b",
    "a\0",
    "x\\.git",
    "..\\x",
    "\ud800",
  ])("refuses the tree entry %j", async (name) => {
    expect(isTreeEntryName(name)).toBe(false)
    const repository = await create()
    const id = await world.git.objects.writeBlob(repository, "x")
    await expect(world.git.objects.writeTree(repository, [{ mode: "100644", name, id }])).rejects.toMatchObject({ kind: "invalid" })
  })

  test.each([".github", ".gitignore", ".gitmodules", "...", "git", "a b", "git~2", "日本", "a\\b"])("accepts the tree entry %j", (name) => {
    expect(isTreeEntryName(name)).toBe(true)
  })

  test("refuses a name twice, a .gitmodules link, an id of the other format and a person without a name", async () => {
    const repository = await create()
    const { writeBlob, writeTree, writeCommit } = world.git.objects
    const id = await writeBlob(repository, "x")
    const twice = { mode: "100644", name: "a", id } as const
    await expect(writeTree(repository, [twice, twice])).rejects.toMatchObject({ kind: "invalid" })
    await expect(writeTree(repository, [{ mode: "120000", name: ".gitmodules", id }])).rejects.toMatchObject({ kind: "unfit" })
    await expect(writeTree(repository, [{ ...twice, id: objectId("a".repeat(64)) }])).rejects.toMatchObject({ kind: "invalid" })
    const tree = await writeTree(repository, [twice])
    const commit = { tree, parents: [], author: { ...ada, name: " <\n> " }, committer: ben, message: "" }
    await expect(writeCommit(repository, commit)).rejects.toMatchObject({ kind: "invalid" })
  })
})

describe("reading", () => {
  test("gives back what was written, loose or packed", async () => {
    const repository = await create()
    const { writeBlob, writeTree, writeCommit, writeTag, readCommit, readTree, readTag, readBlob, info } = world.git.objects
    const blob = await writeBlob(repository, "hello")
    const entries = [{ mode: "100644", name: "é", id: blob }] as const
    const tree = await writeTree(repository, entries)
    const signature = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
    const plain = { tree, parents: [], author: ada, committer: ben, message: "grüße\n" }
    const commit = await writeCommit(repository, { ...plain, signature })
    const tag = await writeTag(repository, { object: commit, type: "commit", name: "v1", tagger: ben, message: `m\n${signature}` })
    await world.git.references.update(repository, [{ name: refName("refs/tags/v1"), to: tag }])
    for (const from of ["loose", "packed"]) {
      const before = world.git.spawned()
      const read = await readCommit(repository, commit)
      expect(read).toMatchObject({ id: commit, ...plain, signature: { text: signature } })
      expect(read.signature?.payload.toString()).toBe(
        `tree ${tree}\nauthor Ada <ada@example.com> 1700000000 +0100\ncommitter Ben <ben@example.com> 1700000100 -0330\n\ngrüße\n`,
      )
      const readBack = await readTag(repository, tag)
      expect(readBack).toMatchObject({
        object: commit,
        type: "commit",
        name: "v1",
        tagger: ben,
        message: "m\n",
        signature: { text: signature },
      })
      expect(readBack.signature?.payload.toString().endsWith("\n\nm\n")).toBe(true)
      expect(await readTree(repository, tree)).toEqual(entries)
      expect((await readBlob(repository, blob)).toString()).toBe("hello")
      expect(await info(repository, blob)).toEqual({ id: blob, type: "blob", size: 5 })
      expect(world.git.spawned() - before, from).toBe(0)
      await pack(repository)
    }
  })

  test("what is not there, or of another kind, is missing", async () => {
    const repository = await create()
    const blob = await world.git.objects.writeBlob(repository, "x")
    const none = objectId("5".repeat(40))
    expect(await world.git.objects.info(repository, none)).toBeUndefined()
    await expect(world.git.objects.readCommit(repository, none)).rejects.toMatchObject({ kind: "missing" })
    await expect(world.git.objects.readCommit(repository, blob)).rejects.toMatchObject({ kind: "missing" })
    await expect(world.git.objects.streamBlob(repository, none)).rejects.toMatchObject({ kind: "missing" })
  })

  test("a large blob is streamed, and read whole only up to the limit", async () => {
    const small = await openWorld({ limits: { objectBytes: 1024 * 1024 } })
    const repository = await small.git.repositories.create("one", { format: "sha1", branch: "main" })
    const content = Buffer.alloc(3 * 1024 * 1024, "hearth")
    const id = await small.git.objects.writeBlob(repository, content)
    await expect(small.git.objects.readBlob(repository, id)).rejects.toMatchObject({ kind: "tooLarge" })
    const stream = await small.git.objects.streamBlob(repository, id)
    expect(stream.size).toBe(content.length)
    expect((await buffer(stream.content)).equals(content)).toBe(true)
    // A destroyed stream must not leave its rest to the next reader.
    const given = await small.git.objects.streamBlob(repository, id)
    given.content.destroy()
    expect((await buffer((await small.git.objects.streamBlob(repository, id)).content)).equals(content)).toBe(true)
    await small.close()
  })

  test("readers are few, are shared, and end when idle", async () => {
    const repositories = await Promise.all(["a", "b", "c"].map((key) => create(key)))
    const none = objectId("6".repeat(40))
    await Promise.all(repositories.flatMap((repository) => Array.from({ length: 20 }, () => world.git.objects.info(repository, none))))
    expect(world.git.running()).toBeLessThanOrEqual(2)
    expect(world.git.spawned()).toBeLessThan(20)
    await expect.poll(() => world.git.running()).toBe(0)
  })

  test("a small file is read once, and other repositories don't have it", async () => {
    const [repository, other] = [await create(), await create("two")]
    const id = await world.git.objects.writeBlob(repository, "small")
    expect(String(await world.git.objects.readBlob(repository, id))).toBe("small")
    await rm(join(repository.directory, "objects", id.slice(0, 2)), { recursive: true })
    expect(String(await world.git.objects.readBlob(repository, id))).toBe("small")
    expect(await world.git.objects.info(repository, id)).toEqual({ id, type: "blob", size: 5 })
    await expect(world.git.objects.readBlob(other, id)).rejects.toMatchObject({ kind: "missing" })
  })

  test("many requests at once are answered each with its own object", async () => {
    const repository = await create()
    // Too large to be read without git.
    const texts = Array.from({ length: 12 }, (_, index) => `blob ${index}`.padEnd(1024 * 1024 + 1))
    const ids = await Promise.all(texts.map((text) => world.git.objects.writeBlob(repository, text)))
    await pack(repository)
    const before = world.git.spawned()
    const contents = await Promise.all(ids.map((id) => world.git.objects.readBlob(repository, id)))
    expect(contents.map(String)).toEqual(texts)
    expect(world.git.spawned() - before).toBe(1)
  })
})

describe("references and history", () => {
  test("references change together or not at all", async () => {
    const repository = await create()
    const blob = await world.git.objects.writeBlob(repository, "x")
    const tree = await world.git.objects.writeTree(repository, [{ mode: "100644", name: "a", id: blob }])
    const one = await world.git.objects.writeCommit(repository, { tree, parents: [], author: ada, committer: ben, message: "1\n" })
    const two = await world.git.objects.writeCommit(repository, { tree, parents: [one], author: ada, committer: ben, message: "2\n" })
    const { update, list, resolve } = world.git.references
    const [a, b] = [branchRef("a"), branchRef("deep/b")]
    await update(repository, [
      { name: a, from: null, to: one },
      { name: b, from: null, to: one },
    ])
    const wrong = update(repository, [
      { name: a, from: one, to: two },
      { name: b, from: two, to: one },
    ])
    await expect(wrong).rejects.toMatchObject({ kind: "conflict" })
    await expect(update(repository, [{ name: a, from: null, to: two }])).rejects.toMatchObject({ kind: "conflict" })
    await expect(update(repository, [{ name: a, to: blob }])).rejects.toMatchObject({ kind: "failed" })
    const both = [
      { name: a, id: one },
      { name: b, id: one },
    ]
    expect(await list(repository, "refs/heads/")).toEqual(both)
    await ok(repository.directory, "pack-refs", "--all", "--prune")
    expect(await list(repository)).toEqual(both)
    expect(await resolve(repository, b)).toBe(one)
    // A loose reference hides its packed value, and a deleted one is gone from both.
    await update(repository, [
      { name: a, from: one, to: two },
      { name: b, to: null },
    ])
    expect(await list(repository)).toEqual([{ name: a, id: two }])
    expect(await resolve(repository, b)).toBeUndefined()
    expect(await resolve(repository, "HEAD")).toBeUndefined()
    await world.git.references.setHead(repository, a)
    expect(await resolve(repository, "HEAD")).toBe(two)
    await expect(list(repository, "refs/../")).rejects.toMatchObject({ kind: "invalid" })
    await expect(list(world.git.at("none", "sha1"))).rejects.toMatchObject({ kind: "missing" })
  })

  test("the commits of a push are listed and counted the same with and without a process", async () => {
    const repository = await create()
    const tree = await world.git.objects.writeTree(repository, [])
    const ids: ObjectId[] = []
    for (let index = 0; index < 12; index += 1) {
      const parents = ids.slice(-1)
      const committer = { ...ben, when: ben.when + index }
      ids.push(await world.git.objects.writeCommit(repository, { tree, parents, author: ada, committer, message: `${index}\n` }))
    }
    const [oldest, newest] = [ids[0], ids[11]]
    if (oldest === undefined || newest === undefined) throw new Error("no commits")
    await world.git.references.update(repository, [{ name: branchRef("main"), to: newest }])
    const { between, isAncestor, count, lastCommit } = world.git.history
    const look = async () => ({
      update: await between(repository, { from: oldest, to: newest, limit: 5 }),
      fresh: await between(repository, { to: newest, limit: 5, countAtMost: 10 }),
      all: await between(repository, { to: newest, limit: 20 }),
      forward: await isAncestor(repository, oldest, newest),
      back: await isAncestor(repository, newest, oldest),
      count: await count(repository, newest),
      last: (await lastCommit(repository, "main"))?.id,
    })
    const loose = await look()
    await ok(repository.directory, "repack", "-adq")
    await ok(repository.directory, "prune-packed", "-q")
    expect(await look()).toEqual(loose)
    expect(loose).toMatchObject({
      forward: true,
      back: false,
      count: 12,
      last: newest,
      update: { total: 11 },
      fresh: { total: 10 },
      all: { total: 12 },
    })
    expect(loose.update.commits.map((commit) => commit.message)).toEqual(["11\n", "10\n", "9\n", "8\n", "7\n"])
    expect(await lastCommit(repository, "none")).toBeUndefined()
    await expect(between(repository, { to: objectId("7".repeat(40)), limit: 5 })).rejects.toMatchObject({ kind: "failed" })
  })
})

test("what is written in a quarantine can be read, however late git begins to read it", async () => {
  const outer = await openWorld()
  const program = join(outer.folder, "slow-git")
  await writeFile(program, `#!/bin/sh\ncase "$*" in *cat-file*) sleep 0.3;; esac\nexec git "$@"\n`, { mode: 0o755 })
  const world = await openWorld({ program })
  const repository = await world.git.repositories.create("one", { format: "sha1", branch: "main" })
  const batch = world.git.objects.batch(repository)
  const modules = batch.blob('[submodule "a"]\n\tpath = a\n\turl = https://example.com/a\n')
  const files = Array.from({ length: 150 }, (_, index) => ({ name: `f${index}`, mode: "100644" as const, id: batch.blob(`${index}`) }))
  batch.tree([{ name: ".gitmodules", mode: "100644", id: modules }, ...files])
  await batch.store()
  expect((await world.git.objects.readBlob(repository, modules)).toString()).toContain("example.com")
  await world.close()
  await outer.close()
})
