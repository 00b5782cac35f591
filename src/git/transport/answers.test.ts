import { randomBytes } from "node:crypto"
import { cp, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type ObjectFormat, type Repository, refName } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World, writeHistory } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

/** Cached answers to fetches: the same request for the same references needs no process. */

let world: World
let server: TestServer
let repository: Repository
let work: string
let url: string
let copies = 0
let repositories = 0

beforeAll(async () => {
  world = await openWorld()
  server = await serve(world.git)
  for (const format of ["sha1", "sha256"] as const) {
    work = prepared(format)
    await mkdir(work)
    await ok(work, "init", "-q", "-b", "main", `--object-format=${format}`)
    await writeHistory(
      work,
      ["one", "two", "three"].map((text) => ({ message: text, files: { [text]: text } })),
    )
    await ok(work, "reset", "-q", "--hard")
  }
})

beforeEach(() => open("sha1"))

afterAll(async () => {
  await server.close()
  await world.close()
})

const prepared = (format: ObjectFormat) => join(world.folder, format)

/** An empty repository, and a client's with three commits. */
async function open(format: ObjectFormat): Promise<void> {
  repository = await world.git.repositories.create(`r/${++repositories}`, { format, branch: "main" })
  url = server.url(repository)
  work = join(world.folder, `work-${repositories}`)
  await cp(prepared(format), work, { recursive: true })
}

async function commit(text: string): Promise<void> {
  await writeFile(join(work, text), text)
  await ok(work, "add", ".")
  await ok(work, "commit", "-q", "-m", text)
}

/** Clones with a real client, and returns the clone and the number of processes that the server started. */
async function clone(...options: readonly string[]): Promise<{ readonly copy: string; readonly processes: number }> {
  copies += 1
  const before = world.git.spawned()
  await ok(world.folder, "clone", "-q", ...options, url, `copy-${copies}`)
  return { copy: join(world.folder, `copy-${copies}`), processes: world.git.spawned() - before }
}

const subjects = (copy: string, ...revisions: readonly string[]) => ok(copy, "log", "--format=%s", ...revisions)

describe("kept", () => {
  test.each<ObjectFormat>(["sha1", "sha256"])("the second clone takes no process and is the same (%s)", async (format) => {
    if (format === "sha256") await open(format)
    await ok(work, "tag", "-a", "v1", "-m", "the first")
    await ok(work, "push", "-q", url, "main", "v1", "main~1:refs/heads/old")
    const first = await clone()
    expect(first.processes).toBeGreaterThan(0)
    const second = await clone()
    expect(second.processes).toBe(0)
    for (const { copy } of [first, second]) {
      await ok(copy, "fsck", "--strict")
      expect(await ok(copy, "for-each-ref", "--format=%(refname)")).toBe(
        ["refs/heads/main", "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/old", "refs/tags/v1"].join("\n"),
      )
    }
  })

  test.each([
    ["--depth=1"],
    ["--depth=2", "--no-single-branch"],
    ["--filter=blob:none", "--no-checkout"],
    ["--single-branch", "--no-tags"],
  ])("clones with %s", async (...options) => {
    await ok(work, "push", "-q", url, "main")
    const [first, second] = [await clone(...options), await clone(...options)]
    expect(second.processes).toBe(0)
    expect(await ok(second.copy, "rev-list", "--objects", "--missing=print", "HEAD")).toBe(
      await ok(first.copy, "rev-list", "--objects", "--missing=print", "HEAD"),
    )
    await ok(second.copy, "fetch", "-q", ...(options[0]?.startsWith("--depth") ? ["--unshallow"] : []))
    expect(await subjects(second.copy)).toBe("three\ntwo\none")
  })

  test("the list of references of an empty repository, until something is pushed", async () => {
    const [first, second] = [await clone(), await clone()]
    expect([first.processes, second.processes]).toEqual([0, 0])
    expect(await ok(second.copy, "symbolic-ref", "HEAD")).toBe("refs/heads/main")
    await ok(work, "push", "-q", url, "main")
    expect(await subjects((await clone()).copy)).toBe("three\ntwo\none")
  })
})

describe("asked anew", () => {
  test("after every change of the references", async () => {
    await ok(work, "push", "-q", url, "main~1:refs/heads/main")
    await clone()
    await ok(work, "push", "-q", url, "main")
    expect(await subjects((await clone()).copy)).toBe("three\ntwo\none")
    await ok(work, "push", "-q", url, "main:side")
    expect(await subjects((await clone()).copy, "origin/side")).toBe("three\ntwo\none")
    await ok(work, "push", "-q", url, ":side")
    expect(await ok((await clone()).copy, "for-each-ref", "refs/remotes/origin/side")).toBe("")
    await ok(work, "push", "-q", "--force", url, "main~1:refs/heads/main")
    expect(await subjects((await clone()).copy)).toBe("two\none")
  })

  test("after HEAD has come to name another branch, and for a tag of what is cloned", async () => {
    await ok(work, "push", "-q", url, "main", "main~1:refs/heads/other")
    await clone()
    await world.git.references.setHead(repository, refName("refs/heads/other"))
    expect(await subjects((await clone()).copy)).toBe("two\none")
    await clone("--single-branch")
    await ok(work, "tag", "-a", "v1", "-m", "the first", "main~1")
    await ok(work, "push", "-q", url, "v1")
    expect(await ok((await clone("--single-branch")).copy, "tag")).toBe("v1")
  })

  test("when references were packed, or are many", async () => {
    await ok(work, "push", "-q", url, "main")
    await clone()
    await ok(repository.directory, "pack-refs", "--all")
    expect(await subjects((await clone()).copy)).toBe("three\ntwo\none")
    expect((await clone()).processes).toBe(0)
    const many = Array.from({ length: 140 }, (_, index) => `create refs/heads/b${index} refs/heads/main\n`).join("")
    expect((await client(repository.directory, ["update-ref", "--stdin"], many)).code).toBe(0)
    await clone()
    expect((await clone()).processes).toBeGreaterThan(0)
  })

  test("of a client that has something, by protocol version 0, and of a long answer", async () => {
    await ok(work, "push", "-q", url, "main~1:refs/heads/main")
    const clones = [await clone(), await clone()]
    await ok(work, "push", "-q", url, "main")
    for (const { copy } of clones) {
      const before = world.git.spawned()
      await ok(copy, "pull", "-q")
      expect(world.git.spawned() - before).toBeGreaterThan(0)
      expect(await subjects(copy)).toBe("three\ntwo\none")
    }
    await ok(world.folder, "-c", "protocol.version=0", "clone", "-q", url, "old-1")
    const before = world.git.spawned()
    await ok(world.folder, "-c", "protocol.version=0", "clone", "-q", url, "old-2")
    expect(world.git.spawned() - before).toBeGreaterThan(0)
    await writeFile(join(work, "noise"), randomBytes(5 * 1024 * 1024))
    await commit("large")
    await ok(work, "push", "-q", url, "main")
    await clone()
    // The list of references is cached, the pack is not.
    expect((await clone()).processes).toBe(1)
  })

  test("hidden references are in none, and what is refused is not kept", async () => {
    await ok(work, "push", "-q", url, "main")
    const [head] = await world.git.references.list(repository)
    if (head === undefined) throw new Error("no branch")
    await world.git.references.update(repository, [{ name: refName("refs/hearth/kept"), from: null, to: head.id }])
    await ok(work, "ls-remote", url)
    expect(await ok(work, "ls-remote", url)).not.toContain("hearth")
    const ask = async (id: string): Promise<string> => {
      const input = new PassThrough()
      const output = new PassThrough()
      input.end(Buffer.concat([packet("command=fetch"), Buffer.from("0001"), packet(`want ${id}\n`), packet("done\n"), flushPacket]))
      const chunks: Buffer[] = []
      output.on("data", (chunk: Buffer) => chunks.push(chunk))
      await world.git.transport.upload(repository, { input, output, stateless: true, protocol: "version=2" })
      return Buffer.concat(chunks).toString("latin1")
    }
    const before = world.git.spawned()
    for (let round = 0; round < 2; round += 1) expect(await ask("1".repeat(40))).toContain("ERR upload-pack: not our ref")
    expect(world.git.spawned() - before).toBe(2)
    for (let round = 0; round < 2; round += 1) expect(await ask(head.id)).toContain("PACK")
    expect(world.git.spawned() - before).toBe(3)
  })
})

test("a request that goes on, or is no request at all, is left to git", async () => {
  await ok(work, "push", "-q", url, "main")
  const listing = Buffer.concat([packet("command=ls-refs"), flushPacket])
  const bodies = [
    Buffer.concat([listing, listing]),
    listing.subarray(0, -2),
    Buffer.from("zzzz"),
    Buffer.alloc(0),
    Buffer.alloc(40_000, "0000"),
  ]
  for (const body of bodies) {
    for (let round = 0; round < 2; round += 1) {
      const before = world.git.spawned()
      const input = new PassThrough()
      input.end(body)
      await world.git.transport.upload(repository, { input, output: new PassThrough().resume(), stateless: true, protocol: "version=2" })
      expect(world.git.spawned() - before).toBe(1)
    }
  }
})
