import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { setPause } from "../../seams/pause.ts"
import { type ObjectId, openGit, type RefUpdate, type Repository, refName } from "../index.ts"
import { ok, openWorld, type World } from "../testing.ts"

/** Locks of processes that are stopped, or have died, between two steps: who takes them away, and that no one is told of a change that is not there. */

let world: World
let repository: Repository
let one: ObjectId
let two: ObjectId
let three: ObjectId
beforeAll(async () => {
  world = await openWorld({ durable: true })
  repository = await world.git.repositories.create("ab/locks", { format: "sha1", branch: "main" })
  const batch = world.git.objects.batch(repository)
  const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 0 }
  const tree = batch.tree([])
  const commit = (message: string) => batch.commit({ tree, parents: [], author: person, committer: person, message })
  one = commit("one\n")
  two = commit("two\n")
  three = commit("three\n")
  await batch.store()
})
afterAll(() => world.close())
/** Ends the changes that were abandoned. */
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  setPause(undefined)
  for (const end of ends.splice(0)) await end()
  vi.restoreAllMocks()
})

const change = (name: string, to: ObjectId, from?: ObjectId | null): RefUpdate => ({
  name: refName(name),
  to,
  ...(from !== undefined && { from }),
})
const at = (name: string) => world.git.references.resolve(repository, refName(name))
const leftOf = async () => (await readdir(repository.directory, { recursive: true })).filter((name) => name.endsWith(".lock"))
/** Another process, for which all locks of this moment are stale. */
const later = () => openGit({ root: join(world.folder, "repositories"), aloneSince: Date.now() + 1 })

/** A process that changes references, and stops at a point. */
async function stopped(point: string, updates: readonly RefUpdate[], since = 0) {
  const fixture = join(import.meta.dirname, "stopped.fixture.ts")
  const flags = ["--disable-warning=ExperimentalWarning", fixture, join(world.folder, "repositories"), repository.key, point, String(since)]
  const child = spawn(process.execPath, [...flags, JSON.stringify(updates)], { stdio: ["ignore", "pipe", "inherit"] })
  const stateOf = async () => /\) (.)/.exec(await readFile(`/proc/${child.pid}/stat`, "latin1"))?.[1]
  await expect.poll(stateOf).toBe("T")
  return {
    goOn: async (): Promise<string> => {
      child.kill("SIGCONT")
      return text(child.stdout)
    },
  }
}

test("a process that is stopped before it changes a reference, and loses its lock, says so, and changes nothing", async () => {
  await world.git.references.update(repository, [change("refs/heads/stopped", one)])
  const slow = await stopped("file.rename", [change("refs/heads/stopped", three, one)])
  await expect(world.git.references.update(repository, [change("refs/heads/stopped", two)])).rejects.toMatchObject({ kind: "conflict" })
  const other = later()
  await other.references.update(repository, [change("refs/heads/stopped", two, one)])
  expect(await slow.goOn()).toBe("conflict")
  expect(await at("refs/heads/stopped")).toBe(two)
  await other.close()
  expect(await leftOf()).toEqual([])
})

test("a process that is stopped before it removes a lock that was stale does not remove the lock that another has taken meanwhile", async () => {
  await world.git.references.update(repository, [change("refs/heads/swept", one)])
  const lock = join(repository.directory, "refs/heads/swept.lock")
  await mkdir(lock)
  await writeFile(join(lock, "someone.0123.lock"), `${three}\n`)
  const slow = await stopped("lock.takeAway", [change("refs/heads/swept", three, one)], Date.now() + 1)
  const other = later()
  await other.references.update(repository, [change("refs/heads/swept", one)])
  const isHeld = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  setPause(async (point) => {
    if (point !== "file.rename") return
    isHeld.resolve()
    await mayGoOn.promise
  })
  const changing = world.git.references.update(repository, [change("refs/heads/swept", two, one)])
  await isHeld.promise
  expect(await slow.goOn()).toBe("conflict")
  mayGoOn.resolve()
  await changing
  expect(await at("refs/heads/swept")).toBe(two)
  await other.close()
  expect(await leftOf()).toEqual([])
})

const many = (to: ObjectId) => Array.from({ length: 60 }, (_, index) => change(`refs/tags/many/${index}`, to, null))

test("a process that is stopped while it creates many references, and loses one of its locks, creates none over those of another", async () => {
  for (const point of ["lock.held", "file.rename"]) {
    const slow = await stopped(point, many(three))
    const other = later()
    await other.references.update(repository, [change("refs/tags/many/7", two, null)])
    // What it leaves to git then is refused there.
    expect(await slow.goOn()).toBe("conflict")
    expect(await at("refs/tags/many/7")).toBe(two)
    expect(await at("refs/tags/many/8")).toBeUndefined()
    await other.references.update(repository, [{ name: refName("refs/tags/many/7"), to: null }])
    await other.close()
    expect(await leftOf()).toEqual([])
  }
  await world.git.references.update(repository, many(one))
  expect(await ok(repository.directory, "rev-parse", "refs/tags/many/59")).toBe(one)
})

/** The locks of a process that was killed while it held them. */
async function killed(worker: string, point: "file.rename", updates: readonly RefUpdate[]): Promise<void> {
  const git = openGit({ root: join(world.folder, "repositories"), worker })
  const isThere = Promise.withResolvers<void>()
  const never = Promise.withResolvers<void>()
  setPause(async (reached) => {
    if (reached !== point) return
    isThere.resolve()
    await never.promise
  })
  const changing = git.references.update(repository, updates).catch(() => undefined)
  await isThere.promise
  setPause(undefined)
  ends.push(async () => {
    never.reject(new Error("killed"))
    await changing
    await git.close()
  })
}

test("the locks of a process that is known to be dead are free at once, others after a while", async () => {
  const branch = "refs/heads/left"
  await killed("dead-one", "file.rename", [change(branch, three)])
  await killed(
    "dead-one",
    "file.rename",
    many(three).map((each) => ({ ...each, name: refName(each.name.replace("many", "left")) })),
  )
  expect((await leftOf()).length).toBeGreaterThan(60)
  const set = (git = world.git) => git.references.update(repository, [change(branch, two)])
  await expect(set()).rejects.toMatchObject({ kind: "conflict" })
  world.git.noteDeath("another")
  await expect(set()).rejects.toMatchObject({ kind: "conflict" })
  world.git.noteDeath("dead-one")
  await set()
  expect(await at(branch)).toBe(two)
  await world.git.references.update(repository, [change("refs/tags/left/3", one, null), change("refs/tags/left/4", one, null)])
  expect(await at("refs/tags/left/3")).toBe(one)
  await world.git.maintenance.run(repository, { now: Date.now() / 1000, before: 0, keep: [] })
  expect(await leftOf()).toEqual([])

  await killed("unknown", "file.rename", [change(branch, three)])
  await expect(set()).rejects.toMatchObject({ kind: "conflict" })
  const now = Date.now()
  vi.spyOn(Date, "now").mockReturnValue(now + 6_000)
  await set()
  expect(await leftOf()).toEqual([])
})

test("git is locked out, and sees no lock as a reference", async () => {
  await killed("git", "file.rename", [change("refs/heads/kept/name", three)])
  const lock = join(repository.directory, "refs/heads/kept/name.lock")
  expect(existsSync(lock)).toBe(true)
  await expect(ok(repository.directory, "update-ref", "refs/heads/kept/name", one)).rejects.toThrow("File exists")
  expect(await ok(repository.directory, "for-each-ref", "refs/heads/kept")).toBe("")
  expect(await ok(repository.directory, "fsck", "--strict", "--no-dangling")).toBe("")
  expect(await ok(repository.directory, "pack-refs", "--all")).toBe("")
  expect((await world.git.references.list(repository)).filter(({ name }) => name.includes("kept"))).toEqual([])
  const other = later()
  await other.references.update(repository, [change("refs/heads/kept/name", one, null), { name: refName("refs/heads/stopped"), to: null }])
  await other.close()
  expect(await at("refs/heads/kept/name")).toBe(one)
})
