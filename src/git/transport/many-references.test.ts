/*
 * Someone pushes 40,000 tags at once. Git writes and flushes a file for each: after a minute it was killed and left 20,969 lock files, which later attempts removed one a second, for hours
 * after the client had left, and the service took 104 seconds to stop. Now a push of so many is refused as a whole, git gets time for as many as are allowed, and leaves no lock when it is
 * stopped; those that a killed service left are removed all at once.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ObjectId, objectId, openGit, type PushOutcome, type Repository, refName, zeroId } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World, writeHistory } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

let world: World
let server: TestServer
let repository: Repository
let url: string
let id: ObjectId
beforeAll(async () => {
  world = await openWorld()
  server = await serve(world.git)
  repository = await world.git.repositories.create("many", { format: "sha1", branch: "main" })
  url = server.url(repository)
  const work = join(world.folder, "work")
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main")
  const [made = ""] = await writeHistory(work, [{ files: { file: "" } }])
  id = objectId(made)
  await ok(work, "push", "-q", url, "main")
})
afterAll(async () => {
  await server.close()
  await world.close()
})

const tags = (kind: string, count: number) => Array.from({ length: count }, (_, index) => refName(`refs/tags/${kind}/${index}`))
const create = (names: ReturnType<typeof tags>) => names.map((name) => ({ name, from: null, to: id }))
const there = async (kind: string) => (await world.git.references.list(repository, `refs/tags/${kind}/`)).length
const lockOf = (name: string) => join(repository.directory, `${name}.lock`)
const locks = async () => (await readdir(join(repository.directory, "refs"), { recursive: true })).filter((name) => name.endsWith(".lock"))
/** A push of these tags by a client, and what it is answered. */
async function push(names: ReturnType<typeof tags>, before?: (output: PassThrough) => void) {
  const commands = names.map((name, index) => packet(`${zeroId("sha1")} ${id} ${name}${index === 0 ? "\0report-status" : ""}`))
  // An empty pack: the objects are there.
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")
  const pack = Buffer.concat([head, createHash("sha1").update(head).digest()])
  const output = new PassThrough()
  let answer = ""
  output.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1")
  })
  const outcome: PushOutcome = await world.git.transport.receive(repository, {
    input: Readable.from([Buffer.concat([...commands, flushPacket, pack])]),
    output,
    stateless: true,
    maxReferences: 1500,
    check: async () => ({ refused: new Map() }),
    before: async () => before?.(output),
  })
  return { outcome, answer }
}

test("more than are allowed are refused as a whole and in words", async () => {
  server.policy.maxReferences = 3
  const words = "more than 3 references in one push; push them in parts"
  const work = join(world.folder, "work")
  const run = await client(work, ["push", url, ...tags("few", 4).map((name) => `main:${name}`)])
  expect(run.code).toBe(1)
  expect(run.err).toContain(`remote unpack failed: ${words}`)
  expect(run.err).toContain(`[remote rejected] main -> few/0 (${words})`)
  expect(await there("few")).toBe(0)
  expect((await client(work, ["push", url, ...tags("few", 3).map((name) => `main:${name}`)])).code).toBe(0)
  expect(await there("few")).toBe(3)
})

test("as many as are allowed are changed by one process", async () => {
  const before = world.git.spawned()
  const { outcome, answer } = await push(tags("allowed", 1500))
  expect(outcome.results.every(({ refused }) => refused === null)).toBe(true)
  expect(answer).toContain("ok refs/tags/allowed/1499")
  expect(await there("allowed")).toBe(1500)
  // One takes the pack, one changes them.
  expect(world.git.spawned() - before).toBeLessThanOrEqual(4)
})

test("are given up when the client is gone, not tried again in halves", async () => {
  const before = world.git.spawned()
  const { outcome } = await push(tags("gone", 1000), (output) => output.destroy())
  expect(new Set(outcome.results.map(({ refused }) => refused))).toEqual(new Set(["the push was given up"]))
  expect(await there("gone")).toBe(0)
  expect(world.git.spawned() - before).toBeLessThanOrEqual(4)
})

test("that are all in the way of another are not tried one by one", async () => {
  await world.git.references.update(repository, create(tags("way", 1)))
  const before = world.git.spawned()
  const below = Array.from({ length: 1000 }, (_, index) => refName(`refs/tags/way/0/${index}`))
  const { outcome } = await push(below)
  expect(new Set(outcome.results.map(({ refused }) => refused))).toEqual(new Set(["refs/tags/way/0 exists"]))
  expect(world.git.spawned() - before).toBeLessThan(250)
})

test("leave no lock when git is stopped in the middle: it has the time to remove as many as it took", async () => {
  // This git locks what it is to change, writes one reference, and takes three seconds to put away the locks.
  const program = join(world.folder, "slow-git")
  const folder = join(repository.directory, "refs/tags/stuck")
  const script = `#!/bin/sh
case "$*" in *update-ref*)
  trap 'sleep 3; rm ${folder}/*.lock; exit 143' TERM
  mkdir -p '${folder}'
  for index in 0 1 2; do echo ${id} > '${folder}/'$index.lock; done
  mv '${folder}/0.lock' '${folder}/0'
  while :; do sleep 1; done
esac
exec git "$@"
`
  await writeFile(program, script)
  await chmod(program, 0o755)
  const slow = openGit({ root: join(world.folder, "repositories"), program })
  const gone = new AbortController()
  // Whatever they have now: that is git's work.
  const updates = tags("stuck", 3000).map((name) => ({ name, to: id }))
  const changing = slow.references.update(repository, updates, { signal: gone.signal })
  const given = expect(changing).rejects.toMatchObject({ kind: "aborted" })
  await expect.poll(() => existsSync(join(folder, "0"))).toBe(true)
  gone.abort()
  await given
  await slow.close()
  expect((await locks()).filter((name) => name.includes("stuck"))).toEqual([])
})

test("are freed at once of the locks that a killed service left", async () => {
  const names = tags("left", 300)
  await mkdir(join(repository.directory, "refs/tags/left"), { recursive: true })
  const then = Date.now() / 1000 - 3600
  for (const name of names) {
    await writeFile(lockOf(name), "")
    await utimes(lockOf(name), then, then)
  }
  const before = world.git.spawned()
  await world.git.references.update(repository, create(names))
  expect(world.git.spawned() - before).toBe(1)
  expect(await there("left")).toBe(300)
  expect(existsSync(lockOf("refs/tags/left/7"))).toBe(false)
})
