import { spawnSync } from "node:child_process"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Repository, refName } from "../index.ts"
import { ok, openWorld, type World, writeHistory } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

/** The list of references that is answered without a process is git's, byte for byte. */

let world: World
let repository: Repository
let work: string

beforeAll(async () => {
  world = await openWorld()
  work = join(world.folder, "work")
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main")
})

afterAll(() => world.close())

const requests = [
  ["peel", "symrefs", "unborn", "ref-prefix refs/heads/", "ref-prefix refs/tags/", "ref-prefix HEAD"],
  ["peel", "symrefs"],
  ["symrefs"],
  ["unborn"],
  ["ref-prefix refs/heads/m", "ref-prefix refs/heads/main"],
  ["ref-prefix refs/nothing"],
  [],
]

/** What is answered here and by git, and how many processes the first took. */
async function both(args: readonly string[], more: readonly string[] = []) {
  const lines = ["command=ls-refs", "agent=git/2", "object-format=sha1", ...more].map((line) => packet(`${line}\n`))
  const request = Buffer.concat([...lines, Buffer.from("0001"), ...args.map((line) => packet(`${line}\n`)), flushPacket])
  const before = world.git.spawned()
  const [input, output] = [new PassThrough(), new PassThrough()]
  input.end(request)
  const answer = buffer(output)
  await world.git.transport.upload(repository, { input, output, protocol: "version=2", stateless: true })
  const env = { PATH: process.env["PATH"], GIT_PROTOCOL: "version=2", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
  const hiding = ["-c", "transfer.hideRefs=refs/hearth/", "upload-pack", "--stateless-rpc", repository.directory]
  const git = spawnSync("git", hiding, { input: request, env }).stdout.toString()
  return { ours: (await answer).toString(), git, processes: world.git.spawned() - before }
}

test("of an empty repository, of branches, tags and hidden references, and of packed ones", async () => {
  repository = await world.git.repositories.create("r/one", { format: "sha1", branch: "main" })
  const same = async (processes: number) => {
    for (const args of requests) {
      const { ours, git, processes: started } = await both(args)
      expect(ours).toBe(git)
      expect(started).toBeLessThanOrEqual(processes)
    }
  }
  await same(0)
  const [, second = ""] = await writeHistory(work, [{ files: { a: "a" } }, { files: { b: "b" } }])
  await ok(work, "tag", "light", second)
  await ok(work, "tag", "-a", "v1", "-m", "one", second)
  await ok(work, "tag", "-a", "v1-again", "-m", "a tag of a tag", "v1")
  const all = ["main", "main~1:refs/heads/another", "light", "v1", "v1-again", "main:refs/pull/1/head", "main:refs/hearth/kept/x"]
  await ok(work, "push", "-q", repository.directory, ...all)
  await same(0)
  await world.git.references.setHead(repository, refName("refs/heads/unborn"))
  await same(0)
  // Tags that are in a pack are left to git; branches are not.
  await ok(repository.directory, "repack", "-adq")
  await ok(repository.directory, "pack-refs", "--all")
  await same(1)
  expect((await both(["ref-prefix refs/heads/a", "peel"])).processes).toBe(0)
})

test("what is unknown, and a HEAD that names no branch, are left to git", async () => {
  repository = await world.git.repositories.create("r/two", { format: "sha1", branch: "main" })
  await writeHistory(work, [{ branch: "other", files: { b: "b" } }])
  await ok(work, "push", "-q", repository.directory, "other")
  for (const more of [["server-option=x"], ["something"]]) expect((await both([], more)).processes).toBe(1)
  // Git lists a reference whose object is not there.
  const id = await ok(work, "rev-parse", "other")
  await rm(join(repository.directory, "objects", id.slice(0, 2), id.slice(2)))
  const { ours, git } = await both(["symrefs", "peel"])
  expect(ours).toBe(git)
  await writeFile(join(repository.directory, "HEAD"), `${id}\n`)
  expect((await both([])).processes).toBe(1)
})
