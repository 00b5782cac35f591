import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isGitError, type ObjectId, type Repository, refName, type TreeEntry } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

let world: World
let repository: Repository
beforeAll(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("ab/diff", { format: "sha1", branch: "main" })
})
afterAll(() => world.close())

const person = { name: "Ada", email: "ada@example.com", offset: 0 }

/** A commit of files with these contents, a second after the one before. */
let clock = 1_700_000_000
async function commit(
  files: Readonly<Record<string, string | Buffer>>,
  parents: readonly ObjectId[] = [],
  modes: Record<string, TreeEntry["mode"]> = {},
) {
  const { objects } = world.git
  const entries = await Promise.all(
    Object.entries(files).map(async ([name, content]) => ({
      name,
      mode: modes[name] ?? ("100644" as const),
      id: await objects.writeBlob(repository, content),
    })),
  )
  clock += 1
  const who = { ...person, when: clock }
  const tree = await objects.writeTree(repository, entries)
  return objects.writeCommit(repository, { tree, parents, author: who, committer: who, message: `Commit ${clock}\n` })
}

const lines = (count: number, changed = "") => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("") + changed

describe("files", () => {
  test("tell what was added, deleted, modified, renamed and turned into something else", async () => {
    const a = await commit({ gone: "x\n", kept: "1\n2\n", moved: lines(20), turned: "target" })
    const b = await commit({ ködert: lines(20, "more\n"), kept: "1\n3\n4\n", new: "\0bin", turned: "target" }, [a], { turned: "120000" })
    const files = await world.git.diffs.files(repository, a, b)
    expect(
      files.map(({ path, previousPath, status, additions, deletions, binary }) => [
        path,
        previousPath,
        status,
        additions,
        deletions,
        binary,
      ]),
    ).toEqual([
      ["gone", undefined, "deleted", 0, 1, false],
      ["kept", undefined, "modified", 2, 1, false],
      ["ködert", "moved", "renamed", 1, 0, false],
      ["new", undefined, "added", 0, 0, true],
      ["turned", undefined, "typechanged", 0, 0, false],
    ])
    expect(files[0]).toMatchObject({ newId: null, oldMode: "100644", newMode: "000000" })
    expect(await world.git.diffs.totals(repository, a, b)).toEqual({ files: 5, additions: 3, deletions: 2 })
    expect(await world.git.diffs.files(repository, a, b, { limit: 2 })).toHaveLength(2)
  })

  test("of nothing at all are all that is there", async () => {
    const a = await commit({ one: "1\n", two: "1\n2\n" })
    expect(await world.git.diffs.totals(repository, null, a)).toEqual({ files: 2, additions: 3, deletions: 0 })
    expect(await world.git.diffs.files(repository, a, a)).toEqual([])
  })

  test("leave out what differs only in space that is not looked at", async () => {
    const a = await commit({ f: "a b\n", g: "x\n" })
    const b = await commit({ f: "a  b \n", g: "y\n" }, [a])
    const paths = async (whitespace?: "all" | "change" | "eol") =>
      (await world.git.diffs.files(repository, a, b, whitespace && { whitespace })).map(({ path }) => path)
    expect(await paths()).toEqual(["f", "g"])
    expect(await paths("all")).toEqual(["g"])
    expect(await paths("change")).toEqual(["g"])
    expect(await paths("eol")).toEqual(["f", "g"])
  })

  test("of many commits are read in one process, and then remembered", async () => {
    const a = await commit({ f: "1\n" })
    const b = await commit({ f: "1\n2\n" }, [a])
    const side = await commit({ f: "1\n", g: "s\n" }, [a])
    const merge = await commit({ f: "1\n2\n", g: "s\n" }, [b, side])
    const same = await commit({ f: "1\n2\n", g: "s\n" }, [merge])
    const before = world.git.spawned()
    const all = [same, merge, side, b, a]
    const changes = await world.git.diffs.ofCommits(repository, all)
    expect(all.map((id) => changes.get(id)?.map(({ path, additions }) => [path, additions]))).toEqual([
      [],
      [["g", 1]],
      [["g", 1]],
      [["f", 1]],
      [["f", 1]],
    ])
    await world.git.diffs.ofCommits(repository, all)
    expect(world.git.spawned() - before).toBe(1)
  })

  test("of a commit that is missing are a failure", async () => {
    const missing = "1".repeat(40) as ObjectId
    const a = await commit({ f: "1\n" })
    const failure = (error: unknown) => isGitError(error, "failed")
    await expect(world.git.diffs.files(repository, missing, a)).rejects.toSatisfy(failure)
    await expect(text(world.git.diffs.patch(repository, missing, a))).rejects.toSatisfy(failure)
  })
})

describe("patches", () => {
  test("are what git writes, of one path where only that is wanted", async () => {
    const a = await commit({ "*": "1\n", b: "\0one" })
    const b = await commit({ "*": "2\n", b: "\0two" }, [a])
    const work = repository.directory
    const patch = await text(world.git.diffs.patch(repository, a, b))
    expect(patch.trim()).toBe(await ok(work, "diff", a, b))
    expect(patch).toContain("Binary files")
    expect(await text(world.git.diffs.patch(repository, a, b, { binary: true }))).toContain("GIT binary patch")
    const one = await text(world.git.diffs.patch(repository, a, b, { path: "*", context: 0 }))
    expect(one).toContain("+2")
    expect(one).not.toContain("Binary")
  })

  test("as mails can be applied", async () => {
    const a = await commit({ f: "1\n" })
    const b = await commit({ f: "2\n" }, [a])
    const c = await commit({ f: "3\n" }, [b])
    const mails = await text(world.git.diffs.formatPatch(repository, a, c))
    expect(mails.match(/^From [0-9a-f]{40} /gm)).toHaveLength(2)
    expect((await text(world.git.diffs.formatPatch(repository, null, c))).match(/^From [0-9a-f]{40} /gm)).toHaveLength(3)
  })

  test("are made once where they are small, and are the same then", async () => {
    const a = await commit({ f: lines(50), same: "1\n" })
    const b = await commit({ f: lines(50, "more\n"), same: "1\n" }, [a])
    const { patch } = world.git.diffs
    const first = await text(patch(repository, a, b))
    const before = world.git.spawned()
    expect([await text(patch(repository, a, b)), await text(patch(repository, a, b))]).toEqual([first, first])
    expect(world.git.spawned()).toBe(before)
    // Other options, other commits: other differences.
    expect(await text(patch(repository, a, b, { context: 0 }))).not.toBe(first)
    expect(await text(patch(repository, b, a))).not.toBe(first)
    expect(await text(patch(repository, a, b, { path: "same" }))).toBe("")
    expect(await text(patch(repository, a, b, { path: "same" }))).toBe("")
  })

  test("that are long are made anew", async () => {
    const a = await commit({ f: lines(50_000) })
    const first = await text(world.git.diffs.patch(repository, null, a))
    const before = world.git.spawned()
    expect(await text(world.git.diffs.patch(repository, null, a))).toBe(first)
    expect(world.git.spawned()).toBe(before + 1)
  })

  test("that are not read leave no process behind", async () => {
    const a = await commit({ f: lines(200_000) })
    const unread = world.git.diffs.patch(repository, null, a)
    unread.destroy()
    const begun = world.git.diffs.patch(repository, null, a)
    for await (const _ of begun) break
    await expect.poll(() => world.git.running()).toBe(0)
  })
})

describe("merge bases", () => {
  test("are the best common commit, or none", async () => {
    const root = await commit({ f: "1\n" })
    const left = await commit({ f: "2\n" }, [root])
    const right = await commit({ f: "3\n" }, [root])
    const alone = await commit({ f: "4\n" })
    const { history } = world.git
    expect(await history.mergeBase(repository, left, right)).toBe(root)
    expect(await history.mergeBase(repository, root, right)).toBe(root)
    expect(await history.mergeBase(repository, right, root)).toBe(root)
    expect(await history.mergeBase(repository, left, left)).toBe(left)
    expect(await history.mergeBase(repository, left, alone)).toBeUndefined()
  })
})

describe("the log", () => {
  test("has git's order, whichever way it is read", async () => {
    const at = async (when: number, parents: readonly ObjectId[], name: string) => {
      clock = when - 1
      return commit({ [name]: `${when}\n` }, parents)
    }
    const root = await at(1_000, [], "r")
    const left = await at(2_000, [root], "l")
    const right = await at(2_000, [root], "a")
    const later = await at(1_500, [right], "b")
    const merge = await at(3_000, [left, later], "m")
    const top = await at(2_900, [merge], "t")
    await world.git.references.update(repository, [{ name: refName("refs/heads/log"), to: top }])
    const expected = (await ok(repository.directory, "rev-list", "log")).split("\n")
    const page = async (skip: number, limit: number) => {
      const { commits, total } = await world.git.history.log(repository, { to: [top], skip, limit })
      return { ids: commits.map(({ id }) => id), total }
    }
    expect(await page(0, 30)).toEqual({ ids: expected, total: 6 })
    const before = world.git.spawned()
    expect(await page(0, 30)).toEqual({ ids: expected, total: 6 })
    expect(await page(2, 3)).toEqual({ ids: expected.slice(2, 5), total: 6 })
    expect(await page(6, 3)).toEqual({ ids: [], total: 6 })
    const more = await at(4_000, [top], "u")
    expect(await world.git.history.log(repository, { to: [more], skip: 0, limit: 1 })).toMatchObject({ commits: [{ id: more }], total: 7 })
    expect(world.git.spawned()).toBe(before)

    const log = async (options: object) => {
      const { commits, total } = await world.git.history.log(repository, { to: [more], skip: 0, limit: 30, ...options })
      return [commits.map(({ id }) => id), total]
    }
    expect(await log({ path: "t" })).toEqual([(await ok(repository.directory, "rev-list", more, "--", "t")).split("\n"), 2])
    expect(await log({ path: "t" })).toEqual([[more, top], 2])
    expect(await log({ not: [merge] })).toEqual([[more, top], 2])
    expect(await log({ since: 2_900, until: 3_000 })).toEqual([[top, merge], 2])
    expect(await log({ path: "*" })).toEqual([[], 0])
    expect(await log({ since: 2_900, skip: 1, limit: 1 })).toEqual([[top], 3])
    expect(await log({ since: 2_900, skip: 1, limit: 1 })).toEqual([[top], 3])
  })

  test("of a missing commit is a failure", async () => {
    await expect(world.git.history.log(repository, { to: ["2".repeat(40) as ObjectId], skip: 0, limit: 1 })).rejects.toSatisfy((error) =>
      isGitError(error),
    )
  })
})

test("a client of the same version agrees", async () => {
  const { code } = await client(repository.directory, ["fsck"])
  expect(code).toBe(0)
})
