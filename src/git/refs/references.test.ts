import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isGitError, type ObjectId, openGit, type Repository, refName } from "../index.ts"
import { ok, openWorld, type World } from "../testing.ts"

let world: World
let repository: Repository
let one: ObjectId
let two: ObjectId
let blob: ObjectId
beforeAll(async () => {
  world = await openWorld({ durable: true })
  repository = await world.git.repositories.create("ab/refs", { format: "sha1", branch: "main" })
  const { objects } = world.git
  const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 0 }
  const batch = objects.batch(repository)
  blob = batch.blob("x")
  const tree = batch.tree([{ mode: "100644", name: "f", id: blob }])
  const commit = (message: string) => batch.commit({ tree, parents: [], author: person, committer: person, message })
  one = commit("one\n")
  two = commit("two\n")
  expect(await objects.info(repository, one)).toBeUndefined()
  expect(await batch.store()).toBeGreaterThan(100)
  expect(await batch.store()).toBe(0)
})
afterAll(() => world.close())

const set = (name: string, to: ObjectId, from?: ObjectId | null) =>
  world.git.references.update(repository, [{ name: refName(name), to, ...(from !== undefined && { from }) }])
const at = (name: string) => world.git.references.resolve(repository, refName(name))
const conflict = (error: unknown) => isGitError(error, "conflict")
const lockOf = (name: string) => join(repository.directory, `${name}.lock`)

describe("one reference", () => {
  test("is made, moved and made again without a process, as git would", async () => {
    const before = world.git.spawned()
    await set("refs/heads/deep/down/branch", one, null)
    await set("refs/heads/deep/down/branch", two, one)
    await set("refs/heads/deep/down/branch", two, two)
    await set("refs/heads/deep/down/other", one)
    expect(world.git.spawned()).toBe(before)
    expect(await readFile(join(repository.directory, "refs/heads/deep/down/branch"), "utf8")).toBe(`${two}\n`)
    expect(await ok(repository.directory, "rev-parse", "deep/down/branch")).toBe(two)
    expect(await ok(repository.directory, "fsck", "--strict")).toBe("")
    expect(existsSync(lockOf("refs/heads/deep/down/branch"))).toBe(false)
  })

  test("is left alone where it is not what was expected", async () => {
    await set("refs/heads/kept", one)
    await expect(set("refs/heads/kept", two, two)).rejects.toSatisfy(conflict)
    await expect(set("refs/heads/kept", two, null)).rejects.toSatisfy(conflict)
    await expect(set("refs/heads/absent", two, one)).rejects.toSatisfy(conflict)
    expect(await at("refs/heads/kept")).toBe(one)
    expect(await at("refs/heads/absent")).toBeUndefined()
    expect(existsSync(lockOf("refs/heads/kept"))).toBe(false)
  })

  test("is left alone while another changes it, whose lock stays", async () => {
    await set("refs/heads/held", one)
    await writeFile(lockOf("refs/heads/held"), "")
    await expect(set("refs/heads/held", two)).rejects.toSatisfy(conflict)
    expect(existsSync(lockOf("refs/heads/held"))).toBe(true)
    const waiting = set("refs/heads/held", two)
    // Its own lock file is ready: it waits only for the other lock to be released.
    await expect.poll(() => readdir(repository.directory), { interval: 1 }).toContainEqual(expect.stringMatching(/^hearth-.*\.lock$/))
    await rm(lockOf("refs/heads/held"))
    await waiting
    expect(await at("refs/heads/held")).toBe(two)
  })

  test("is freed of the lock that a killed process left long ago, or before this one began, and so are many", async () => {
    const left = async (name: string, secondsAgo: number) => {
      await mkdir(dirname(lockOf(name)), { recursive: true })
      await writeFile(lockOf(name), "")
      const then = Date.now() / 1000 - secondsAgo
      await utimes(lockOf(name), then, then)
    }
    await left("refs/heads/left", 3600)
    await set("refs/heads/left", one)
    await Promise.all(["refs/heads/left", "refs/heads/right", "packed-refs"].map((name) => left(name, 3600)))
    await world.git.references.update(repository, [
      { name: refName("refs/heads/left"), to: null },
      { name: refName("refs/heads/right"), to: two },
    ])
    expect([await at("refs/heads/left"), await at("refs/heads/right")]).toEqual([undefined, two])

    await left("refs/heads/right", 10)
    await expect(set("refs/heads/right", one)).rejects.toSatisfy(conflict)
    const alone = openGit({ root: join(world.folder, "repositories"), aloneSince: Date.now() - 1000 })
    const change = (to: ObjectId) => alone.references.update(repository, [{ name: refName("refs/heads/right"), to }])
    const changes = await Promise.allSettled([change(one), change(one), change(one)])
    expect(changes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"])
    await left("refs/heads/right", 0)
    await expect(change(two)).rejects.toSatisfy(conflict)
    await alone.close()
    expect(await at("refs/heads/right")).toBe(one)
    expect((await readdir(repository.directory)).filter((name) => name.endsWith(".lock"))).toEqual([])
  })

  test("that is packed has its value, and is in the way of names below and above it", async () => {
    await set("refs/heads/packed/name", one)
    await ok(repository.directory, "pack-refs", "--all")
    await expect(set("refs/heads/packed/name", two, null)).rejects.toSatisfy(conflict)
    await expect(set("refs/heads/packed", two)).rejects.toSatisfy(conflict)
    await expect(set("refs/heads/packed/name/below", two)).rejects.toSatisfy(conflict)
    await set("refs/heads/packed/name", two, one)
    expect(await ok(repository.directory, "rev-parse", "packed/name")).toBe(two)
  })

  test("is in the way of names below and above it", async () => {
    await set("refs/heads/a", one)
    await expect(set("refs/heads/a/b", one)).rejects.toSatisfy(conflict)
    await set("refs/heads/c/d", one)
    await expect(set("refs/heads/c", one)).rejects.toSatisfy(conflict)
    await mkdir(join(repository.directory, "refs/heads/empty/folder"), { recursive: true })
    await set("refs/heads/empty", one)
    expect(await at("refs/heads/empty")).toBe(one)
  })

  test("names what is there, and a branch a commit", async () => {
    const failed = (error: unknown) => isGitError(error, "failed")
    await expect(set("refs/heads/new", "3".repeat(40) as ObjectId)).rejects.toSatisfy(failed)
    await expect(set("refs/heads/new", blob)).rejects.toSatisfy(failed)
    await set("refs/notes/blob", blob)
    expect(await at("refs/heads/new")).toBeUndefined()
  })

  test("changed by many at once is changed by one at a time", async () => {
    await set("refs/heads/busy", one)
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => set("refs/heads/busy", two, one)))
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(results.every((result) => result.status === "fulfilled" || conflict(result.reason))).toBe(true)
  })

  test("is worked on in turn", async () => {
    const log: string[] = []
    const work = (name: string) => async () => {
      log.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} ends`)
      if (name === "b") throw new Error("b")
    }
    const turn = (name: string) => world.git.references.inTurn(repository, refName("refs/heads/turns"), work(name))
    const results = await Promise.allSettled([turn("a"), turn("b"), turn("c")])
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  })
})

test("two repositories are seen together, and neither is taken for the other", async () => {
  const { git } = world
  const other = await git.repositories.create("ab/other", { format: "sha1", branch: "main" })
  const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 0 }
  const tree = await git.objects.writeTree(other, [])
  const there = await git.objects.writeCommit(other, { tree, parents: [one], author: person, committer: person, message: "there\n" })
  const view = git.together(other, repository)
  const { commits, total } = await git.history.log(view, { to: [there], skip: 0, limit: 5 })
  expect([commits.map(({ id }) => id), total]).toEqual([[there, one], 2])
  expect(await git.diffs.totals(view, one, there)).toEqual({ files: 1, additions: 0, deletions: 1 })
  await expect(git.objects.readCommit(other, one)).rejects.toSatisfy((error) => isGitError(error, "missing"))
  await expect(git.objects.readCommit(repository, there)).rejects.toSatisfy((error) => isGitError(error, "missing"))
  const different = await git.repositories.create("ab/long", { format: "sha256", branch: "main" })
  expect(() => git.together(different, repository)).toThrow("formats")
})
