import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { client, ok } from "../../src/git/testing.ts"
import { address, noise, PASSWORD, type Person, person, repository, workFolder } from "../../src/servers/git-http/testing.ts"
import { type KeyedPerson, keyed, openWorld, sshAddress, type World, withKey } from "../../src/servers/ssh/testing.ts"

/** The real `git-lfs` against a whole forge, over HTTP and SSH. It must be installed; run with HEARTH_TEST_PROGRAMS=1. */

let world: World
let ann: KeyedPerson
let ben: Person
let work: string
const film = noise(3 * 1024 * 1024)

beforeAll(async () => {
  world = await openWorld("sqlite")
  ann = await keyed(world, "ann")
  ben = await person(world, "ben")
  const row = await repository(world, ann.user, "films", { isPrivate: true })
  await world.services.database.write((tx) =>
    tx.insertInto("collaborations").values({ repository_id: row.id, user_id: ben.user.id, mode: 2, created_at: 1 }).execute(),
  )
  work = await workFolder(world, "work")
  await prepare(work)
  await ok(work, "lfs", "track", "*.bin")
})
afterAll(() => world.close())

/** What `git lfs install` does for a person it does here for one folder: filters and hooks. */
async function prepare(folder: string): Promise<void> {
  await ok(folder, "lfs", "install", "--local")
}

const http = (who: Person) => address(world, "ann/films.git", who.user.name, who.token)

async function add(name: string, content: Uint8Array): Promise<void> {
  await writeFile(join(work, name), content)
  await ok(work, "add", ".")
  await ok(work, "commit", "-q", "-m", name)
}

async function cloneAndPull(name: string, url: string, ...options: readonly string[]): Promise<string> {
  const copy = join(world.folder, name)
  await ok(world.folder, ...options, "clone", "-q", url, copy)
  expect(await readFile(join(copy, "film.bin"), "latin1")).toMatch(/^version https:\/\/git-lfs/)
  await prepare(copy)
  await ok(copy, ...options, "lfs", "pull")
  return copy
}

test("pushes and pulls over HTTP", async () => {
  await add("film.bin", film)
  await ok(work, "push", "-q", http(ann), "main")
  const copy = await cloneAndPull("by-http", http(ann))
  expect((await readFile(join(copy, "film.bin"))).equals(film)).toBe(true)
  await ok(copy, "lfs", "fsck")
})

test("signs in with a password as well", async () => {
  const copy = await cloneAndPull("by-password", address(world, "ann/films.git", "ben", PASSWORD))
  expect((await readFile(join(copy, "film.bin"))).equals(film)).toBe(true)
})

test("pushes and pulls over SSH", async () => {
  const key = withKey(ann.key)
  const url = sshAddress(world, "ann/films.git")
  const more = noise(1024 * 1024 + 7)
  await add("more.bin", more)
  await ok(work, ...key, "push", "-q", url, "main")
  const copy = await cloneAndPull("by-ssh", url, ...key)
  expect((await readFile(join(copy, "more.bin"))).equals(more)).toBe(true)
})

test("goes on with a download that was broken off", async () => {
  const copy = await cloneAndPull("broken-off", http(ann))
  const { out } = await client(copy, ["lfs", "ls-files", "--long"])
  const oid = /([0-9a-f]{64}) . film\.bin/.exec(out)?.[1] ?? ""
  await rm(join(copy, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid))
  await writeFile(join(copy, ".git/lfs/incomplete", `${oid}.part`), film.subarray(0, 1_000_000))
  await ok(copy, "lfs", "fetch")
  await ok(copy, "lfs", "fsck")
})

test("locks a file against another's push", async () => {
  await ok(work, "remote", "add", "origin", http(ann))
  const copy = await cloneAndPull("bens", http(ben))
  await ok(copy, "lfs", "lock", "film.bin")
  expect((await client(work, ["lfs", "locks"])).out).toMatch(/film\.bin\s+ben/)
  expect((await client(work, ["lfs", "lock", "film.bin"])).err).toContain("already created lock")
  await add("film.bin", noise(2000))
  const refused = await client(work, ["-c", "lfs.locksverify=true", "push", "origin", "main"])
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain("Cannot update locked files")
  expect((await client(work, ["lfs", "unlock", "film.bin"])).err).toMatch(/ben|force/)
  await ok(work, "lfs", "unlock", "--force", "film.bin")
  await ok(work, "-c", "lfs.locksverify=true", "push", "-q", "origin", "main")
})

test("a stranger gets nothing, even with the pointers in his hands", async () => {
  const eve = await person(world, "eve")
  const copy = join(world.folder, "eves")
  await ok(world.folder, "clone", "-q", http(ann), copy)
  await prepare(copy)
  await ok(copy, "remote", "set-url", "origin", http(eve))
  const run = await client(copy, ["lfs", "fetch"])
  expect(run.code).not.toBe(0)
  expect(run.err + run.out).toMatch(/not found/i)
})
