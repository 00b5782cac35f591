import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { branchRef, type ObjectFormat, type ObjectId, type Repository, zeroId } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

/** A complete history is pushed to a repository without references: git reports whether its pack is self-contained, and no walk is needed. */

let world: World
let server: TestServer
let repository: Repository
let work: string
let url: string

beforeEach(async () => {
  world = await openWorld()
  server = await serve(world.git)
  await open("sha1")
})

afterEach(async () => {
  await server.close()
  await world.close()
})

async function open(format: ObjectFormat): Promise<void> {
  repository = await world.git.repositories.create(`ab/${format}`, { format, branch: "main" })
  url = server.url(repository)
  work = join(world.folder, format)
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main", `--object-format=${format}`)
  const commits = Array.from({ length: 60 }, (_, index) => {
    const from = index === 0 ? "" : `from :${index}\n`
    return `commit refs/heads/main\nmark :${index + 1}\ncommitter A <a@b> ${index} +0000\ndata <<.\nnumber ${index}\n.\n${from}M 644 inline f\ndata <<.\n${index}\n.\n`
  })
  await client(work, ["fast-import", "--quiet"], commits.join(""))
}

async function references(): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await world.git.references.list(repository)).map(({ name, id }) => [name, id]))
}

/** The commit of a branch on the server. */
async function tip(branch: string): Promise<ObjectId> {
  const id = await world.git.references.resolve(repository, branchRef(branch))
  if (id === undefined) throw new Error("no such branch")
  return id
}

/** Pushes without git's own client, which would never send this, and returns the text of the answer. */
async function raw(commands: Readonly<Record<string, string>>, bytes: Buffer): Promise<string> {
  const zero = zeroId("sha1")
  const lines = Object.entries(commands).map(([name, id], index) =>
    packet(`${zero} ${id} ${name}${index === 0 ? "\0report-status" : ""}\n`),
  )
  const response = await fetch(`${url}/git-receive-pack`, { method: "POST", body: Buffer.concat([...lines, flushPacket, bytes]) })
  return response.text()
}

/** A pack that git makes from this input. */
async function packed(input: readonly string[], ...flags: readonly string[]): Promise<Buffer> {
  const name = (
    await client(work, ["pack-objects", "-q", ...flags, join(world.folder, "sent")], input.map((line) => `${line}\n`).join(""))
  ).out.trim()
  return readFile(join(world.folder, `sent-${name}.pack`))
}

/** A commit in the server's object store whose tree names a missing blob; no reference names the commit. */
async function hollow(): Promise<{ readonly commit: string; readonly tree: string }> {
  const tree = (await client(work, ["mktree", "--missing"], `100644 blob ${"4".repeat(40)}\tgone\n`)).out.trim()
  const commit = (await client(work, ["commit-tree", tree, "-m", "hollow"])).out.trim()
  await client(repository.directory, ["unpack-objects", "-q"], await packed([tree, commit]))
  return { commit, tree }
}

const objects = async (): Promise<string[]> =>
  (await ok(work, "rev-list", "--objects", "main")).split("\n").map((line) => line.slice(0, 40))

describe("taken without a walk", () => {
  test.each<ObjectFormat>(["sha1", "sha256"])("a history with tags and several branches (%s)", async (format) => {
    if (format === "sha256") await open(format)
    await ok(work, "branch", "old", "main~7")
    await ok(work, "tag", "-a", "v1", "-m", "the first", "main~3")
    const before = world.git.spawned()
    await ok(work, "push", "-q", url, "main", "old", "v1")
    // The pack is indexed, a reader checks the objects of the branches, and git updates several references.
    expect(world.git.spawned() - before).toBeLessThanOrEqual(3)
    expect(await references()).toEqual({
      "refs/heads/main": await ok(work, "rev-parse", "main"),
      "refs/heads/old": await ok(work, "rev-parse", "old"),
      "refs/tags/v1": await ok(work, "rev-parse", "v1"),
    })
    await ok(repository.directory, "fsck", "--strict", "--full", "--no-dangling")
    expect((await readdir(join(repository.directory, "objects"))).filter((name) => name.startsWith("tmp_"))).toEqual([])
  })

  test("the reader that looked at the pack goes on to read the repository", async () => {
    const before = world.git.spawned()
    await ok(work, "push", "-q", url, "main")
    expect((await world.git.history.lastCommit(repository, "main"))?.message).toBe("number 59\n")
    const { commits, total } = await world.git.history.between(repository, { to: await tip("main"), limit: 10, countAtMost: 50 })
    expect([commits.length, commits.at(-1)?.message, total]).toEqual([10, "number 50\n", 50])
    expect(world.git.spawned() - before).toBe(2)
    // It sees later objects too.
    await ok(work, "commit-tree", "-p", "main", "-m", "later", "main^{tree}").then((id) => ok(work, "update-ref", "refs/heads/main", id))
    await ok(work, "push", "-q", url, "main")
    expect((await world.git.history.lastCommit(repository, "main"))?.message).toBe("later\n")
  })

  test("many packed commits are read together", async () => {
    await ok(work, "push", "-q", url, "main~59:refs/heads/first", "main")
    const { commits, total } = await world.git.history.between(repository, { to: await tip("main"), from: await tip("first"), limit: 100 })
    expect(total).toBe(59)
    expect(commits.map(({ message }) => message)).toEqual(Array.from({ length: 59 }, (_, index) => `number ${59 - index}\n`))
  })
})

describe("looked at closely, or refused", () => {
  test("a branch that names an object with a hole, which the pack doesn't hold", async () => {
    const { commit } = await hollow()
    const main = await ok(work, "rev-parse", "main")
    const answer = await raw({ "refs/heads/main": main, "refs/heads/bad": commit }, await packed(await objects()))
    expect(answer).toContain("unpack ok")
    expect(answer).toContain("ok refs/heads/main")
    expect(answer).toContain("ng refs/heads/bad missing necessary objects")
    expect(await references()).toEqual({ "refs/heads/main": main })
  })

  test("a pack that names an object with a hole, which is here", async () => {
    const { tree } = await hollow()
    const id = (await client(work, ["commit-tree", tree, "-p", "main", "-m", "on top"])).out.trim()
    const answer = await raw({ "refs/heads/main": id }, await packed([...(await objects()), id]))
    expect(answer).toContain("unpack ok")
    expect(answer).toContain("ng refs/heads/main missing necessary objects")
    expect(await references()).toEqual({})
  })

  test("a pack that names something outside of it which is whole", async () => {
    const [first = "", ...rest] = (await objects()).reverse()
    await client(repository.directory, ["unpack-objects", "-q"], await packed([first]))
    const answer = await raw({ "refs/heads/main": await ok(work, "rev-parse", "main") }, await packed(rest))
    expect(answer).toContain("ok refs/heads/main")
    await ok(repository.directory, "fsck", "--strict", "--full", "--no-dangling")
  })

  test("a pack in which something is missing", async () => {
    const all = await objects()
    const gone = await ok(work, "rev-parse", "main~30^{tree}")
    const answer = await raw({ "refs/heads/main": await ok(work, "rev-parse", "main") }, await packed(all.filter((id) => id !== gone)))
    expect(answer).toContain("ng refs/heads/main unpacker error")
    expect(await references()).toEqual({})
  })

  test("a thin pack, though its bases are here", async () => {
    const long = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n")
    const commit = (name: string, text: string, from: string) =>
      `commit refs/heads/${name}\ncommitter A <a@b> 90 +0000\ndata 0\n${from}M 644 inline long\ndata <<.\n${text}\n.\n`
    await client(work, ["fast-import", "--quiet"], commit("base", long, ""))
    await client(repository.directory, ["unpack-objects", "-q"], await packed(["base"], "--revs"))
    await client(work, ["fast-import", "--quiet", "--force"], commit("thin", `${long}\nmore`, "from refs/heads/base^0\n"))
    // Git writes a thin pack to its output only.
    const path = join(world.folder, "thin.pack")
    const alias = `alias.send=!git pack-objects -q --revs --thin --stdout > '${path}'`
    await client(work, ["-c", alias, "send"], "thin\nmain\n^base\n")
    const answer = await raw({ "refs/heads/thin": await ok(work, "rev-parse", "thin") }, await readFile(path))
    expect(answer).toMatch(/unpack pack has \d+ unresolved delta/)
    expect(answer).toContain("ng refs/heads/thin unpacker error")
    expect(await references()).toEqual({})
    // With references on the server, thin packs are completed as usual.
    await ok(work, "push", "-q", url, "base")
    await ok(work, "push", "-q", url, "thin", "main")
    await ok(repository.directory, "fsck", "--strict", "--full", "--no-dangling")
  })
})
