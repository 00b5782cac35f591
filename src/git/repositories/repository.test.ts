import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { branchRef, objectId, type Repository, refName } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 60 }

/** A repository with one commit on main. */
async function filled(key: string, text = "hello"): Promise<Repository> {
  const repository = await world.git.repositories.create(key, { format: "sha1", branch: "main" })
  const { writeBlob, writeTree, writeCommit } = world.git.objects
  const tree = await writeTree(repository, [{ mode: "100644", name: "file", id: await writeBlob(repository, text) }])
  const id = await writeCommit(repository, { tree, parents: [], author: person, committer: person, message: "first\n" })
  await world.git.references.update(repository, [{ name: branchRef("main"), to: id, from: null }])
  return repository
}

describe("creating", () => {
  test.each(["sha1", "sha256"] as const)("makes an empty %s repository that git accepts, without a process", async (format) => {
    const repository = await world.git.repositories.create("ab/cd-1", { format, branch: "trunk" })
    expect(world.git.spawned()).toBe(0)
    expect(await ok(repository.directory, "rev-parse", "--is-bare-repository", "--show-object-format")).toBe(`true\n${format}`)
    expect(await ok(repository.directory, "symbolic-ref", "HEAD")).toBe("refs/heads/trunk")
    await ok(repository.directory, "fsck", "--strict")
    expect(await world.git.open("ab/cd-1")).toEqual(repository)
    expect(await world.git.references.head(repository)).toBe("refs/heads/trunk")
    expect((await readdir(join(world.folder, "repositories"))).sort()).toEqual(["ab"])
  })

  test("makes each key once, also of many at once", async () => {
    const make = () => world.git.repositories.create("one", { format: "sha1", branch: "main" })
    const results = await Promise.allSettled(Array.from({ length: 10 }, make))
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1)
    await expect(make()).rejects.toMatchObject({ kind: "exists" })
    expect(await readdir(join(world.folder, "repositories"))).toEqual(["one.git"])
  })

  test.each(["", "..", "../x", "a/../b", "/a", "a//b", "a/", ".git", "A", "a\0b", "a/b/c/d/e", "-a"])("refuses the key %j", async (key) => {
    await expect(async () => world.git.repositories.create(key, { format: "sha1", branch: "main" })).rejects.toMatchObject({
      kind: "invalid",
    })
    await expect(world.git.open(key)).rejects.toMatchObject({ kind: "invalid" })
  })

  test("refuses a branch name that git would not accept", async () => {
    await expect(async () => world.git.repositories.create("a", { format: "sha1", branch: "a..b" })).rejects.toMatchObject({
      kind: "invalid",
    })
  })
})

describe("living with it", () => {
  test("removing leaves nothing, and removing twice is no error", async () => {
    const repository = await filled("one")
    await world.git.repositories.remove(repository)
    await world.git.repositories.remove(repository)
    expect(await world.git.repositories.exists(repository)).toBe(false)
    expect(await readdir(join(world.folder, "repositories"))).toEqual([])
    await expect(world.git.open("one")).rejects.toMatchObject({ kind: "missing" })
    await expect(world.git.repositories.size(repository)).rejects.toMatchObject({ kind: "missing" })
  })

  test("what a crash left is swept away once it is old, and nothing else", async () => {
    const repository = await filled("one")
    const root = join(world.folder, "repositories")
    const [old, young, other] = [".old-0123456789abcdef01234567", ".new-0123456789abcdef01234567", ".keep"]
    for (const name of [old, young, other]) await mkdir(join(root, name))
    const yesterday = new Date(Date.now() - 86_400_000)
    for (const name of [old, other]) await utimes(join(root, name), yesterday, yesterday)
    await world.git.repositories.sweep()
    expect((await readdir(root)).sort()).toEqual([other, young, "one.git"].sort())
    expect(await world.git.repositories.exists(repository)).toBe(true)
  })

  test("the size is that of all files", async () => {
    const repository = await filled("one")
    const before = await world.git.repositories.size(repository)
    await writeFile(join(repository.directory, "objects", "pack", "x"), Buffer.alloc(10_000))
    expect(await world.git.repositories.size(repository)).toBe(before + 10_000)
  })

  test("HEAD moves, but only to a branch", async () => {
    const repository = await filled("one")
    await world.git.references.setHead(repository, branchRef("next"))
    expect(await ok(repository.directory, "symbolic-ref", "HEAD")).toBe("refs/heads/next")
    await expect(world.git.references.setHead(repository, refName("refs/tags/v1"))).rejects.toMatchObject({ kind: "invalid" })
    await writeFile(join(repository.directory, "HEAD.lock"), "")
    await expect(world.git.references.setHead(repository, branchRef("main"))).rejects.toMatchObject({ kind: "conflict" })
    // A killed process leaves its lock behind, which must not block HEAD for ever.
    const longAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(repository.directory, "HEAD.lock"), longAgo, longAgo)
    await world.git.references.setHead(repository, branchRef("main"))
    expect(await ok(repository.directory, "symbolic-ref", "HEAD")).toBe("refs/heads/main")
  })
})

describe("forking", () => {
  test("copies chosen references and what they reach, and shares files by hard links and nothing that git knows of", async () => {
    const source = await filled("one")
    const id = await world.git.references.resolve(source, branchRef("main"))
    await ok(source.directory, "update-ref", "refs/pull/1/head", String(id))
    await ok(source.directory, "repack", "-adq")
    const fork = await world.git.repositories.fork(source, "two", (ref) => !ref.startsWith("refs/pull/"))
    expect(await world.git.references.list(fork)).toEqual([{ name: "refs/heads/main", id }])
    expect(await ok(fork.directory, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(`refs/heads/main ${id}`)
    const pack = (await readdir(join(fork.directory, "objects", "pack"))).find((name) => name.endsWith(".pack")) ?? ""
    expect((await stat(join(fork.directory, "objects", "pack", pack))).nlink).toBe(2)
    const { id: blob } = (await world.git.objects.info(source, await world.git.objects.writeBlob(source, "loose"))) ?? {}
    const other = await world.git.repositories.fork(source, "three", () => true)
    for (const { directory } of [fork, other])
      await expect(stat(join(directory, "objects", "info", "alternates"))).rejects.toMatchObject({ code: "ENOENT" })
    await world.git.repositories.remove(source)
    await ok(fork.directory, "fsck", "--strict", "--full")
    await ok(other.directory, "fsck", "--strict", "--full")
    expect(blob).toBeDefined()
    expect((await client(other.directory, ["cat-file", "-e", String(blob)])).code).toBe(1)
  })

  test("an existing key and a missing source are refused", async () => {
    const source = await filled("one")
    await expect(world.git.repositories.fork(source, "one", () => true)).rejects.toMatchObject({ kind: "exists" })
    const missing = world.git.at("none", "sha1")
    await expect(world.git.repositories.fork(missing, "two", () => true)).rejects.toMatchObject({ kind: "missing" })
  })
})

describe("copying a tree", () => {
  test("copies what objects reach, without what both have; one by one or as a pack", async () => {
    const source = await filled("source")
    const copy = await world.git.repositories.fork(source, "copy", () => true)
    const first = await ok(source.directory, "rev-parse", "main")
    const { writeBlob, writeTree, writeCommit, info } = world.git.objects
    const commit = async (count: number) => {
      const blobs = await Promise.all(Array.from({ length: count }, (_, at) => writeBlob(source, `${count} ${at}`)))
      const entries = blobs.map((id, at) => ({ mode: "100644", name: `file${at}`, id }) as const)
      const made = { tree: await writeTree(source, entries), author: person, committer: person, message: "more\n" }
      return writeCommit(source, { ...made, parents: [objectId(first)] })
    }
    const few = await commit(3)
    await world.git.repositories.copyObjects(source, [few], copy, [objectId(first)])
    expect(await info(copy, few)).toBeDefined()
    expect(await readdir(join(copy.directory, "objects/pack"))).toEqual([])
    const many = await commit(150)
    await world.git.repositories.copyObjects(source, [many], copy, [objectId(first)])
    const packs = (await readdir(join(copy.directory, "objects/pack"))).filter((name) => name.endsWith(".pack"))
    expect(packs).toHaveLength(1)
    expect(await ok(copy.directory, "rev-list", "--objects", many, `^${first}`)).toHaveLength(
      (await ok(source.directory, "rev-list", "--objects", many, `^${first}`)).length,
    )
    await expect(world.git.repositories.copyObjects(copy, [objectId("1".repeat(40))], source)).rejects.toMatchObject({ kind: "failed" })
  })

  test("brings all that the tree holds and no history", async () => {
    const source = await filled("one", "template")
    const commit = await world.git.history.lastCommit(source, "main")
    if (commit === undefined) throw new Error("no commit")
    const target = await world.git.repositories.create("two", { format: "sha1", branch: "main" })
    await world.git.repositories.copyTree(source, commit.tree, target)
    const [entry] = await world.git.objects.readTree(target, commit.tree)
    expect(entry?.name).toBe("file")
    expect((await client(target.directory, ["cat-file", "blob", String(entry?.id)])).out).toBe("template")
    expect(await world.git.objects.info(target, commit.id)).toBeUndefined()
    expect(await readFile(join(target.directory, "HEAD"), "utf8")).toBe("ref: refs/heads/main\n")
  })

  test("refuses another format and a missing tree", async () => {
    const source = await filled("one")
    const commit = await world.git.history.lastCommit(source, "main")
    if (commit === undefined) throw new Error("no commit")
    const long = await world.git.repositories.create("two", { format: "sha256", branch: "main" })
    await expect(world.git.repositories.copyTree(source, commit.tree, long)).rejects.toMatchObject({ kind: "invalid" })
    const empty = await world.git.repositories.create("three", { format: "sha1", branch: "main" })
    await expect(world.git.repositories.copyTree(empty, commit.tree, long)).rejects.toMatchObject({ kind: "invalid" })
    await expect(world.git.repositories.copyTree(empty, commit.tree, source)).rejects.toMatchObject({ kind: "failed" })
  })
})
