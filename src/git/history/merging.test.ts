import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ObjectId, objectId, type Repository } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

/** Every merge is repeated by git's own commands in a clone with a work tree, and must have the same result. */

let world: World
let repository: Repository
let work: string
let places = 0

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** The files of one commit: null removes. */
type Files = Readonly<Record<string, string | null>>

/** A fresh clone and the repository that it pushes to. */
async function begin(files: Files): Promise<void> {
  places += 1
  repository = await world.git.repositories.create(`p/${places}`, { format: places % 2 === 0 ? "sha256" : "sha1", branch: "main" })
  work = join(world.folder, `work-${places}`)
  await ok(world.folder, "init", "-q", "-b", "main", `--object-format=${repository.format}`, work)
  await commit("first", files)
}

async function commit(message: string, files: Files, ...more: readonly string[]): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(work, name)
    await rm(path, { recursive: true, force: true })
    if (content !== null) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  }
  await ok(work, "add", "-A")
  await ok(work, "commit", "-q", "--allow-empty", "-m", message, ...more)
}

const id = async (revision: string) => objectId(await ok(work, "rev-parse", revision))

async function push(): Promise<void> {
  await ok(work, "push", "-q", "--force", repository.directory, "refs/heads/*:refs/heads/*")
}

const lines = (from: number, to: number, changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${changed[from + index] ?? `line ${from + index}`}\n`).join("")

describe("merging two commits", () => {
  /** Both branches begin at the first commit; the result must be that of git's own merge. */
  async function same(base: Files, onMain: Files, onTopic: Files): Promise<void> {
    await begin(base)
    await ok(work, "branch", "topic")
    await commit("on main", onMain)
    await ok(work, "checkout", "-q", "topic")
    await commit("on topic", onTopic)
    await ok(work, "checkout", "-q", "main")
    await push()
    const [main, topic] = [await id("main"), await id("topic")]
    const before = world.git.spawned()
    const merged = await world.git.merging.mergeTrees(repository, main, topic)
    expect(world.git.spawned() - before).toBe(1)
    const run = await client(work, ["merge", "-q", "--no-ff", "--no-edit", "topic"])
    if (run.code === 0) expect(merged).toEqual({ kind: "clean", tree: await id("HEAD^{tree}") })
    else {
      const files = (await ok(work, "diff", "--name-only", "--diff-filter=U", "-z")).split("\0").filter(Boolean)
      expect(merged).toEqual({ kind: "conflict", files })
    }
  }

  test.each<readonly [string, Files, Files, Files]>([
    ["different files", { a: "1\n" }, { b: "2\n" }, { c: "3\n" }],
    ["different lines of one file", { a: lines(1, 20) }, { a: lines(1, 20, { 2: "two" }) }, { a: lines(1, 20, { 18: "eighteen" }) }],
    ["the same change", { a: "1\n" }, { a: "2\n" }, { a: "2\n" }],
    ["a renamed file that the other changes", { a: lines(1, 20) }, { a: null, moved: lines(1, 20) }, { a: lines(1, 20, { 9: "nine" }) }],
    ["a folder that becomes a file", { "d/x": "1\n" }, { "d/x": null, d: "file\n" }, { other: "2\n" }],
    ["one line twice", { a: "1\n" }, { a: "2\n" }, { a: "3\n" }],
    ["a file that one changes and the other removes", { a: "1\n", b: "b\n" }, { a: null }, { a: "2\n" }],
    ["two new files of one name", { a: "1\n" }, { "ö/new": "2\n" }, { "ö/new": "3\n" }],
    ["binary files", { a: "\0\x01" }, { a: "\0\x02" }, { a: "\0\x03" }],
  ])("%s", async (_, base, onMain, onTopic) => {
    await same(base, onMain, onTopic)
  })

  test("that have nothing in common, or are not there", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "--orphan", "other")
    await commit("another root", { b: "2\n" })
    await push()
    expect(await world.git.merging.mergeTrees(repository, await id("main"), await id("other"))).toEqual({ kind: "unrelated" })
    const missing = objectId("1".repeat(repository.format === "sha1" ? 40 : 64))
    await expect(world.git.merging.mergeTrees(repository, await id("main"), missing)).rejects.toMatchObject({ kind: "failed" })
  })
})

describe("what is in conflict", () => {
  const options = { bytes: 10_000, files: 20, keep: false }

  async function conflict(base: Files, onMain: Files, onTopic: Files, more: Partial<typeof options> = {}) {
    await begin(base)
    await ok(work, "branch", "topic")
    await commit("on main", onMain)
    await ok(work, "checkout", "-q", "topic")
    await commit("on topic", onTopic)
    await push()
    const merged = await world.git.merging.mergeInDetail(repository, await id("topic"), await id("main"), { ...options, ...more })
    if (merged.kind !== "conflict") throw new Error(merged.kind)
    return merged
  }

  test("is told for each path with its sides, and the text as git's own merge leaves it", async () => {
    const path = "a b/<ö>\tx.md"
    const merged = await conflict(
      { [path]: lines(1, 9), gone: "1\n", bin: "\0a", large: "1\n" },
      { [path]: lines(1, 9, { 4: "four\r" }), gone: null, bin: "\0b", large: "x".repeat(20_000) },
      { [path]: lines(1, 9, { 4: "vier\r" }), gone: "2\n", bin: "\0c", large: "y".repeat(20_000), other: "o\n" },
    )
    expect(merged.isPlain).toBe(true)
    expect(merged.files.map(({ path: name }) => name)).toEqual([path, "bin", "gone", "large"])
    const [text, bin, gone, large] = merged.files
    expect(text).toMatchObject({ ours: { mode: "100644", id: await id(`topic:${path}`) }, theirs: { id: await id(`main:${path}`) } })
    await client(work, ["merge", "-q", "main"])
    const plain = (content: string) => content.replaceAll(/^(<<<<<<<|>>>>>>>) .*$/gm, "$1")
    expect(plain(text?.content?.toString() ?? "")).toBe(plain(await readFile(join(work, path), "utf8")))
    expect(bin?.content?.toString()).toBe("\0c")
    expect(gone).toMatchObject({ theirs: undefined, merged: gone?.ours })
    expect(large?.content).toBeUndefined()
    // Nothing of it is stored unless that is asked for.
    expect(await world.git.objects.info(repository, merged.tree)).toBeUndefined()
    const kept = await world.git.merging.mergeInDetail(repository, await id("topic"), await id("main"), { ...options, keep: true })
    expect(kept).toMatchObject({ kind: "conflict", tree: merged.tree })
    expect(await ok(repository.directory, "ls-tree", "--name-only", merged.tree, "other")).toBe("other")
  })

  test("is not plain where a file is in the way of a folder, or two kinds of things have one name", async () => {
    expect((await conflict({ a: "1\n" }, { d: "file\n" }, { "d/x": "1\n" })).isPlain).toBe(false)
    const renamed = await conflict({ a: lines(1, 20) }, { a: null, b: lines(1, 20) }, { a: null, c: lines(1, 20) })
    expect(renamed.isPlain).toBe(true)
    expect(renamed.files.map(({ path, base, ours, theirs }) => [path, !!base, !!ours, !!theirs])).toEqual([
      ["a", true, false, false],
      ["b", false, false, true],
      ["c", false, true, false],
    ])
  })

  test("is nothing where there is none", async () => {
    await begin({ a: "1\n" })
    await ok(work, "branch", "topic")
    await commit("on main", { b: "2\n" })
    await push()
    expect(await world.git.merging.mergeInDetail(repository, await id("topic"), await id("main"), options)).toEqual({
      kind: "clean",
      tree: await id("main^{tree}"),
    })
  })
})

describe("applying a change to another tree", () => {
  const tree = (revision: string) => id(`${revision}^{tree}`)

  test.each<readonly [string, string]>([
    ["cherry-pick", "topic"],
    ["revert", "topic~1"],
  ])("gives what git %s gives", async (command) => {
    await begin({ a: lines(1, 20) })
    await ok(work, "branch", "topic")
    await commit("on main", { a: lines(1, 20, { 2: "two" }) })
    await ok(work, "checkout", "-q", "topic")
    await commit("one", { a: lines(1, 20, { 10: "ten" }), b: "b\n" })
    await commit("two", { c: "c\n" })
    const isRevert = command === "revert"
    const onto = isRevert ? "topic" : "main"
    await push()
    const [before, after] = [await tree("topic~2"), await tree("topic~1")]
    const made = await world.git.merging.applyChange(repository, {
      from: isRevert ? after : before,
      to: isRevert ? before : after,
      onto: await tree(onto),
    })
    await ok(work, "checkout", "-q", "-B", "mine", onto)
    await ok(work, command, ...(isRevert ? ["--no-edit"] : []), "topic~1")
    expect(made).toEqual({ kind: "clean", tree: await tree("mine") })
    expect(await ok(repository.directory, "fsck", "--no-dangling", "--unreachable", "--no-reflogs")).not.toContain("commit")
  })

  test("names the files in conflict, and begins with nothing for a first commit", async () => {
    await begin({ a: "1\n" })
    await commit("two", { a: "2\n" })
    await commit("three", { a: "3\n", b: "b\n" })
    await push()
    const [one, two, three] = [await tree("main~2"), await tree("main~1"), await tree("main")]
    expect(await world.git.merging.applyChange(repository, { from: two, to: one, onto: three })).toEqual({ kind: "conflict", files: ["a"] })
    expect(await world.git.merging.applyChange(repository, { from: null, to: one, onto: one })).toEqual({ kind: "clean", tree: one })
    expect(await world.git.merging.applyChange(repository, { from: one, to: null, onto: one })).toMatchObject({ kind: "clean" })
  })
})

describe("rebasing", () => {
  const committer = { name: "Cleo", email: "cleo@example.com", when: 1_800_000_000, offset: 60 }
  /** The parts of each commit that must be equal; the committer differs. */
  const told = "--format=%T%x00%an%x00%ae%x00%ad%x00%B%x01"

  async function rebase() {
    return world.git.merging.rebase(repository, { onto: await id("main"), upstream: await id("main"), head: await id("topic"), committer })
  }

  /** Rebases `topic` on `main` here and by git's own command; gives the new head, or undefined after a conflict. */
  async function same(): Promise<ObjectId | undefined> {
    await push()
    const rebased = await rebase()
    const run = await client(work, ["rebase", "-q", "main", "topic"])
    if (run.code !== 0) {
      const files = (await ok(work, "diff", "--name-only", "--diff-filter=U", "-z")).split("\0").filter(Boolean)
      expect(rebased).toEqual({ kind: "conflict", commit: await id("REBASE_HEAD"), files })
      return undefined
    }
    if (rebased.kind !== "done") throw new Error(`a conflict that git knows nothing of: ${JSON.stringify(rebased)}`)
    const ours = await client(repository.directory, ["log", told, `${await id("main")}..${rebased.head}`])
    expect(ours.out).toBe((await client(work, ["log", told, "main..topic"])).out)
    expect(rebased.commits).toHaveLength(Number(await ok(work, "rev-list", "--count", "main..topic")))
    expect(await ok(repository.directory, "fsck", "--strict", "--no-dangling", rebased.head)).toBe("")
    return rebased.head
  }

  test("keeps authors and messages, and sets the committer", async () => {
    await begin({ a: lines(1, 20) })
    await ok(work, "branch", "topic")
    await commit("on main", { a: lines(1, 20, { 2: "two" }) })
    await ok(work, "checkout", "-q", "topic")
    await commit("One\n\nwith a body and ümlauts", { a: lines(1, 20, { 19: "nineteen" }) }, "--author=Olga <o@example.com>")
    await commit("Two", { b: "b\n" })
    const head = await same()
    if (head === undefined) throw new Error("conflict")
    expect((await world.git.objects.readCommit(repository, head)).committer).toEqual(committer)
  })

  test("drops merges and changes that are there already; keeps empty commits", async () => {
    await begin({ a: "1\n", shared: lines(1, 9) })
    await ok(work, "checkout", "-q", "-b", "topic")
    await commit("same on both", { same: "same\n" })
    await commit("empty by intent", {})
    await commit("becomes empty", { late: "late\n" })
    await ok(work, "checkout", "-q", "-b", "side", "main")
    await commit("on a side branch", { side: "side\n" })
    await ok(work, "checkout", "-q", "topic")
    await ok(work, "merge", "-q", "--no-edit", "side")
    await commit("after the merge", { b: "b\n" })
    await ok(work, "checkout", "-q", "main")
    await commit("same on both, by another", { same: "same\n" })
    await commit("brings late, and more", { late: "late\n", more: "more\n" })
    await same()
  })

  test("begins anew at a root", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "--orphan", "topic")
    await commit("another root", { a: null, b: "2\n" })
    await commit("and on", { c: "3\n" })
    await same()
  })

  test("changes nothing if all commits are in place", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "-b", "topic")
    await commit("one", { b: "2\n" })
    await commit("two", { c: "3\n" })
    await push()
    expect(await rebase()).toEqual({ kind: "done", head: await id("topic"), commits: [await id("topic^"), await id("topic")] })
    expect(await same()).toBe(await id("topic"))
  })

  test("names the commit that doesn't fit", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "-b", "topic")
    await commit("fits", { b: "2\n" })
    await commit("doesn't", { a: "3\n" })
    await ok(work, "checkout", "-q", "main")
    await commit("on main", { a: "2\n" })
    expect(await same()).toBeUndefined()
  })

  test("leaves no stand-ins behind", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "-b", "topic")
    await commit("one", { b: "2\n" })
    await ok(work, "checkout", "-q", "main")
    await commit("on main", { c: "2\n" })
    await push()
    const rebased = await rebase()
    if (rebased.kind !== "done") throw new Error("conflict")
    const dangling = await ok(repository.directory, "fsck", "--unreachable", "--no-reflogs", "main", "topic", rebased.head)
    expect(dangling).toBe("")
  })

  test("repairs authors without a name", async () => {
    await begin({ a: "1\n" })
    await ok(work, "checkout", "-q", "-b", "topic")
    await commit("one", { b: "2\n" })
    const raw = (await client(work, ["cat-file", "commit", "topic"])).out.replace(/^author .*$/m, "author  <> 0 +0000")
    const nameless = (await client(work, ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], raw)).out.trim()
    await ok(work, "update-ref", "refs/heads/topic", nameless)
    await ok(work, "checkout", "-q", "main")
    await commit("on main", { c: "2\n" })
    await push()
    const rebased = await rebase()
    if (rebased.kind !== "done") throw new Error("conflict")
    expect((await world.git.objects.readCommit(repository, rebased.head)).author).toMatchObject({ name: "unknown", email: "" })
  })
})
