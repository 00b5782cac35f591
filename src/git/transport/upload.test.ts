import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, type Readable } from "node:stream"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Git, type Repository, refName } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World, writeHistory } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

let world: World
let server: TestServer
let repository: Repository
let work: string
let url: string

beforeAll(async () => {
  world = await openWorld()
  server = await serve(world.git)
  repository = await world.git.repositories.create("one", { format: "sha1", branch: "main" })
  url = server.url(repository)
  work = join(world.folder, "work")
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main")
  const noise = () => randomBytes(100_000).toString("hex")
  await writeHistory(
    work,
    ["one", "two", "three"].map((text) => ({ message: text, files: { file: text, [`${text}.bin`]: noise() } })),
  )
  await ok(work, "push", "-q", url, "main")
})

afterAll(async () => {
  await server.close()
  await world.close()
})

test.each(["0", "1", "2"])("a clone by protocol version %s is whole", async (version) => {
  await ok(world.folder, "-c", `protocol.version=${version}`, "clone", "-q", url, `version-${version}`)
  const copy = join(world.folder, `version-${version}`)
  expect(await ok(copy, "log", "--format=%s")).toBe("three\ntwo\none")
  await ok(copy, "fsck", "--strict")
  expect(await ok(copy, "fetch", "-q")).toBe("")
})

test("shallow, partial and single-commit fetches", async () => {
  await ok(world.folder, "clone", "-q", "--depth=1", url, "shallow")
  const shallow = join(world.folder, "shallow")
  expect(await ok(shallow, "rev-list", "--count", "HEAD")).toBe("1")
  await ok(shallow, "fetch", "-q", "--unshallow")
  expect(await ok(shallow, "rev-list", "--count", "HEAD")).toBe("3")
  await ok(world.folder, "clone", "-q", "--filter=blob:none", "--no-checkout", url, "partial")
  const partial = join(world.folder, "partial")
  expect(await ok(partial, "rev-list", "--objects", "--missing=print", "HEAD")).toContain("?")
  expect(await ok(partial, "show", "HEAD:file")).toBe("three")
  const middle = await ok(shallow, "rev-parse", "HEAD~1")
  await ok(partial, "-c", "protocol.version=0", "fetch", "-q", url, middle)
})

/*
 * A client asked for what a sparse filter leaves, with a file of its own patterns: git compared every path of the whole history with them, a minute of work for a line of a request.
 */
test("filters by patterns are refused by their name, others are served", async () => {
  const at = await ok(work, "rev-parse", "main:file")
  const clone = (filter: string, name: string) => client(world.folder, ["clone", "-q", `--filter=${filter}`, "--no-checkout", url, name])
  expect((await clone(`sparse:oid=${at}`, "sparse")).err).toContain("filter 'sparse:oid' not supported")
  expect((await clone(`combine:tree:1+sparse:oid=${at}`, "both")).err).toContain("filter 'sparse:oid' not supported")
  for (const filter of ["blob:limit=1k", "tree:0", "object:type=commit", "combine:blob:none+tree:3"])
    expect(await clone(filter, `with-${filter.replaceAll(/\W/g, "-")}`)).toMatchObject({ code: 0 })
})

test("the version 2 advertisement is asked of git once", async () => {
  const before = world.git.spawned()
  const first = await world.git.transport.advertiseUpload(repository, { protocol: "version=2" })
  const second = await world.git.transport.advertiseUpload(repository, { protocol: "version=2" })
  expect(second.equals(first)).toBe(true)
  expect(first.toString()).toContain("agent=hearth/test")
  expect(world.git.spawned() - before).toBeLessThanOrEqual(1)
})

test("an ill-formed Git-Protocol is ignored", async () => {
  const plain = await world.git.transport.advertiseUpload(repository)
  expect((await world.git.transport.advertiseUpload(repository, { protocol: "version=2; rm -rf" })).equals(plain)).toBe(true)
})

test("a conversation, as over SSH, serves the same", async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const serving = world.git.transport.upload(repository, { input, output, stateless: false })
  const chunks: Buffer[] = []
  output.on("data", (chunk: Buffer) => chunks.push(chunk))
  await expect.poll(() => Buffer.concat(chunks).toString().endsWith("0000")).toBe(true)
  const head = Buffer.concat(chunks).toString("latin1").slice(4, 44)
  input.write(Buffer.concat([packet(`want ${head} ofs-delta\n`), flushPacket, packet("done\n")]))
  expect((await serving).code).toBe(0)
  const all = Buffer.concat(chunks)
  const pack = all.subarray(all.indexOf("PACK"))
  const sum = createHash("sha1").update(pack.subarray(0, -20)).digest()
  expect(pack.subarray(-20).equals(sum)).toBe(true)
})

test("a client that leaves takes git with it", async () => {
  const abort = new AbortController()
  const serving = world.git.transport.upload(repository, {
    input: new PassThrough(),
    output: new PassThrough(),
    stateless: false,
    signal: abort.signal,
  })
  await expect.poll(() => world.git.running()).toBeGreaterThan(0)
  abort.abort()
  await expect(serving).rejects.toMatchObject({ kind: "aborted" })
  expect(world.git.running()).toBe(0)
})

test("fetches beyond the limit wait their turn, lists of references do not, and waiting too long is refused as busy", async () => {
  const tight = await openWorld({ limits: { packs: 1, packsPerRepository: 1, waitMs: 100, queue: 1 } })
  const target = await tight.git.repositories.create("one", { format: "sha1", branch: "main" })
  const fetching = () =>
    tight.git.transport.upload(target, { input: new PassThrough().end(flushPacket), output: new PassThrough(), stateless: true })
  const unread = await archiveOf(tight.git, target, randomBytes(3_000_000))
  const second = expect(fetching()).rejects.toMatchObject({ kind: "busy" })
  await expect(fetching()).rejects.toMatchObject({ kind: "busy" })
  const list = new PassThrough()
  list.end(Buffer.concat([packet("command=ls-refs\n"), Buffer.from("0001"), packet("peel\n"), flushPacket]))
  const listed = await tight.git.transport.upload(target, {
    input: list,
    output: new PassThrough().resume(),
    stateless: true,
    protocol: "version=2",
  })
  expect(listed.code).toBe(0)
  await second
  unread.destroy()
  await expect.poll(() => tight.git.running()).toBe(0)
  expect((await fetching()).code).toBe(0)
  await tight.close()
})

test("requests that are still coming hold no permit, in memory or in a file", async () => {
  const tight = await openWorld({ limits: { packs: 1, packsPerRepository: 1, waitMs: 100, queue: 1 } })
  const target = await tight.git.repositories.create("one", { format: "sha1", branch: "main" })
  const fetch = (input: PassThrough) => tight.git.transport.upload(target, { input, output: new PassThrough().resume(), stateless: true })
  const slow = [0, 1, 2].map(() => new PassThrough())
  const waiting = slow.map((input) => fetch(input))
  for (const input of slow) input.write(packet(`want ${"1".repeat(40)}\n`))
  const long = new PassThrough()
  const longer = fetch(long)
  for (let line = 0; line < 8_000; line++) long.write(packet(`have ${"1".repeat(40)}\n`))
  expect((await fetch(new PassThrough().end(flushPacket))).code).toBe(0)
  for (const input of [...slow, long]) input.destroy()
  for (const each of [...waiting, longer]) await expect(each).rejects.toMatchObject({ kind: "aborted" })
  expect((await readdir(join(tight.folder, "repositories"))).filter((name) => name.startsWith(".spool"))).toEqual([])
  await tight.close()
})

/** An archive of one file, begun and not read. */
async function archiveOf(git: Git, target: Repository, content: Buffer): Promise<Readable> {
  const id = await git.objects.writeBlob(target, content)
  const tree = await git.objects.writeTree(target, [{ mode: "100644", name: "file", id }])
  const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 0 }
  const commit = await git.objects.writeCommit(target, { tree, parents: [], author: person, committer: person, message: "one" })
  const archive = await git.archives.archive(target, { format: "tar.gz", commit, prefix: "one", paths: [] })
  await once(archive, "readable")
  return archive
}

test("in a session, only a client that requests a pack blocks others", async () => {
  const tight = await openWorld({ limits: { packs: 1, packsPerRepository: 1, waitMs: 100, queue: 1 } })
  const target = await tight.git.repositories.create("one", { format: "sha1", branch: "main" })
  const tree = await tight.git.objects.writeTree(target, [])
  const person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 0 }
  const head = await tight.git.objects.writeCommit(target, { tree, parents: [], author: person, committer: person, message: "one\n" })
  await tight.git.references.update(target, [{ name: refName("refs/heads/main"), from: null, to: head }])
  const talking = () => {
    const input = new PassThrough()
    const output = new PassThrough().resume()
    return { input, done: tight.git.transport.upload(target, { input, output, stateless: false, protocol: "version=2" }) }
  }
  const ask = (command: string, ...args: readonly string[]) =>
    Buffer.concat([packet(`command=${command}\n`), Buffer.from("0001"), ...args.map((arg) => packet(`${arg}\n`)), flushPacket])
  const fetchAll = ask("fetch", `want ${head}`, "done")

  const silent = [talking(), talking()]
  for (const { input } of silent) input.write(ask("ls-refs", "peel"))
  const quick = talking()
  quick.input.end(Buffer.concat([ask("ls-refs"), ask("ls-refs"), fetchAll]))
  expect((await quick.done).code).toBe(0)

  // Half a request for a pack takes the only permit.
  const slow = talking()
  slow.input.write(fetchAll.subarray(0, -4))
  await expect.poll(() => tight.git.limits().find(({ name }) => name === "fetches")?.active).toBe(1)
  const late = talking()
  late.input.end(fetchAll)
  await expect(late.done).rejects.toMatchObject({ kind: "busy" })
  slow.input.end(flushPacket)
  expect((await slow.done).code).toBe(0)
  for (const { input } of silent) input.end(flushPacket)
  expect((await Promise.all(silent.map(({ done }) => done))).map(({ code }) => code)).toEqual([0, 0])
  await tight.close()
})

test("20 clones at once", async () => {
  // No answer to an earlier clone is the answer to these.
  await writeHistory(work, [{ from: "refs/heads/main^0", message: "four" }])
  await ok(work, "push", "-q", url, "main")
  const runs = await Promise.all(Array.from({ length: 20 }, (_, index) => client(world.folder, ["clone", "-q", url, `copy-${index}`])))
  expect(runs.map((run) => run.code)).toEqual(runs.map(() => 0))
  expect(await readFile(join(world.folder, "copy-19", "file"), "utf8")).toBe("three")
  await expect.poll(() => world.git.running()).toBe(0)
})
