import { randomBytes } from "node:crypto"
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { objectId, type PushOutcome, type RefCommand, type RefName, type Repository, refName, zeroId } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World, writeHistory } from "../testing.ts"
import { flushPacket, packet } from "./pktline.ts"

let world: World
let server: TestServer
let repository: Repository
let work: string
let url: string

beforeEach(async () => {
  // Odd characters in the path, because git takes lists of paths from its environment.
  world = await openWorld({}, 'a:b "c" é')
  server = await serve(world.git)
  repository = await world.git.repositories.create("ab/one", { format: "sha1", branch: "main" })
  work = join(world.folder, "work")
  url = server.url(repository)
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main")
})

afterEach(async () => {
  await server.close()
  await world.close()
})

async function commit(text: string, folder = work): Promise<string> {
  await writeFile(join(folder, "file"), text)
  await ok(folder, "add", ".")
  await ok(folder, "commit", "-q", "-m", text)
  return ok(folder, "rev-parse", "HEAD")
}

const push = (...args: readonly string[]) => client(work, ["push", url, ...args])

/** Every reference of the server with its value. */
async function references(): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await world.git.references.list(repository)).map(({ name, id }) => [name, id]))
}

/** What should not be in the object store: quarantines and partial files. */
async function leftovers(): Promise<readonly string[]> {
  const names = await readdir(join(repository.directory, "objects"), { recursive: true })
  return names.filter((name) => /tmp_|\.lock$/.test(name))
}

function lastOutcome(): PushOutcome {
  const outcome = server.outcomes.at(-1)
  if (outcome === undefined) throw new Error("there was no push")
  return outcome
}

async function fsck(): Promise<string> {
  return ok(repository.directory, "fsck", "--strict", "--full", "--no-dangling")
}

describe("what is accepted", () => {
  test("a branch is created, moved forward and deleted", async () => {
    const first = await commit("one")
    expect((await push("main", "main:refs/heads/other")).code).toBe(0)
    expect(await references()).toEqual({ "refs/heads/main": first, "refs/heads/other": first })
    expect(lastOutcome().results.map(({ kind, forced, refused }) => ({ kind, forced, refused }))).toEqual([
      { kind: "create", forced: false, refused: null },
      { kind: "create", forced: false, refused: null },
    ])
    const second = await commit("two")
    expect((await push("main", ":other")).code).toBe(0)
    expect(await references()).toEqual({ "refs/heads/main": second })
    expect(lastOutcome().results.map(({ kind, oldId, newId }) => [kind, oldId, newId])).toEqual([
      ["update", first, second],
      ["delete", first, null],
    ])
    expect(await leftovers()).toEqual([])
    await fsck()
  })

  test("a push of one small commit starts one process, and another one to see that all is there only where a file has moved", async () => {
    await commit("one")
    await push("main")
    const startedBy = async () => {
      const before = world.git.spawned()
      expect((await push("main")).code).toBe(0)
      return world.git.spawned() - before
    }
    await commit("two")
    expect(await startedBy()).toBe(1)
    await writeHistory(work, [{ from: "refs/heads/main^0", files: { "folder/file": "new" } }])
    await writeHistory(work, [{ from: "refs/heads/main^0", files: { "folder/file": "newer", "folder/other": "three" } }])
    expect(await startedBy()).toBe(1)
    await writeHistory(work, [{ from: "refs/heads/main^0", files: { "elsewhere/file": "newer" } }])
    expect(await startedBy()).toBe(2)
    await fsck()
  })

  test("what a new commit names, and no reference reaches, is looked for with all that it needs", async () => {
    await commit("one")
    await push("main")
    const [apart = ""] = await writeHistory(work, [{ branch: "apart", files: { "folder/file": "left behind" } }])
    const [file = "", tree = ""] = [await ok(work, "rev-parse", `${apart}:folder/file`), await ok(work, "rev-parse", `${apart}:folder`)]
    // The directory alone is there, as something that was left behind in part.
    await world.git.objects.writeTree(repository, [{ mode: "100644", name: "file", id: objectId(file) }])
    const root = await ok(work, "rev-parse", `${apart}^{tree}`)
    const id = await ok(work, "commit-tree", root, "-p", "main", "-m", "names it")
    const old = await ok(work, "rev-parse", "main")
    const command = [{ name: "refs/heads/main", oldId: old, newId: id }]
    expect(await raw(command, await packOf([id, root]))).toContain("ng refs/heads/main missing necessary objects")
    expect(await raw(command, await packOf([id, root, tree, file]))).toContain("ok refs/heads/main")
    await fsck()
  })

  test("only a rewritten history is reported as forced", async () => {
    await commit("one")
    await commit("two")
    await push("main")
    await commit("three")
    await push("main")
    expect(lastOutcome().results[0]?.forced).toBe(false)
    await ok(work, "commit", "-q", "--amend", "-m", "four")
    expect((await push("main")).code).toBe(1)
    expect((await push("--force", "main")).code).toBe(0)
    expect(lastOutcome().results[0]).toMatchObject({ kind: "update", forced: true, refused: null })
  })

  test("forced is found out as well where packs and merges are in the way", async () => {
    await writeHistory(
      work,
      Array.from({ length: 120 }, (_, index) => ({ message: `number ${index}` })),
    )
    await push("HEAD~110:refs/heads/main")
    await ok(work, "checkout", "-q", "-b", "side", "HEAD~2")
    await commit("side")
    await ok(work, "checkout", "-q", "main")
    await ok(work, "merge", "-q", "--no-edit", "side")
    expect((await push("main")).code).toBe(0)
    expect(lastOutcome().results[0]).toMatchObject({ kind: "update", forced: false })
    expect((await readdir(join(repository.directory, "objects", "pack"))).map((name) => name.split(".")[1]).sort()).toEqual([
      "idx",
      "pack",
      "rev",
    ])
    expect((await push("--force", "HEAD~1^1:main")).code).toBe(0)
    expect(lastOutcome().results[0]).toMatchObject({ kind: "update", forced: true })
    await fsck()
  })

  test("tags, notes and push options arrive", async () => {
    await commit("one")
    await ok(work, "tag", "-a", "v1", "-m", "the first")
    await ok(work, "notes", "add", "-m", "a note")
    expect((await push("-o", "one=1", "-o", "zwei", "v1", "refs/notes/commits")).code).toBe(0)
    expect(lastOutcome().options).toEqual(["one=1", "zwei"])
    expect(Object.keys(await references())).toEqual(["refs/notes/commits", "refs/tags/v1"])
  })

  test("a SHA-256 repository takes a SHA-256 push", async () => {
    const other = await world.git.repositories.create("ab/two", { format: "sha256", branch: "main" })
    const folder = join(world.folder, "long")
    await mkdir(folder)
    await ok(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    const id = await commit("one", folder)
    const run = await client(folder, ["push", server.url(other), "main"])
    expect(run).toMatchObject({ code: 0 })
    expect(await world.git.references.resolve(other, refName("refs/heads/main"))).toBe(id)
    expect(id).toHaveLength(64)
  })

  test("a push from a shallow clone whose history is known here", async () => {
    await commit("one")
    await commit("two")
    await push("main")
    await ok(world.folder, "clone", "-q", "--depth=1", url, "shallow")
    const id = await commit("three", join(world.folder, "shallow"))
    const run = await client(join(world.folder, "shallow"), ["push", url, "main"])
    expect(run.code).toBe(0)
    expect(await references()).toEqual({ "refs/heads/main": id })
    await fsck()
  })

  test("a history with the cosmetic faults of old tools", async () => {
    const tree = await ok(work, "write-tree")
    const text = `tree ${tree}\nauthor Ada<ada@example.com> 1700000000 +051800\ncommitter <ben> 0001700000000 +0000\n\nold\n`
    const run = await client(work, ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], text)
    const id = run.out.trim()
    expect((await push(`${id}:refs/heads/main`)).err).toContain("new branch")
    expect(await references()).toEqual({ "refs/heads/main": id })
    expect((await world.git.history.lastCommit(repository, "main"))?.author).toMatchObject({
      name: "Ada",
      email: "ada@example.com",
      offset: 0,
    })
  })

  test("20 pushes to branches of their own, all at once", async () => {
    await commit("one")
    await push("main")
    const folders = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const folder = join(world.folder, `clone-${index}`)
        await ok(world.folder, "clone", "-q", url, folder)
        return folder
      }),
    )
    const runs = await Promise.all(
      folders.map(async (folder, index) => {
        await commit(`from ${index}`, folder)
        return client(folder, ["push", url, `HEAD:refs/heads/b${index}`])
      }),
    )
    expect(runs.map((run) => run.code)).toEqual(folders.map(() => 0))
    expect(Object.keys(await references())).toHaveLength(21)
    expect(await leftovers()).toEqual([])
    await fsck()
  })
})

describe("what is refused", () => {
  test("names outside of what clients may write", async () => {
    await commit("one")
    for (const name of ["refs/pull/1/head", "refs/hearth/secret", "refs/heads/main.lock"]) {
      const id = await ok(work, "rev-parse", "HEAD")
      const answer = await raw([{ name, newId: id }], await pack(id))
      expect(answer).toMatch(new RegExp(`ng ${name} (this reference is written only by the server|not a valid reference name)`))
    }
    for (const name of ["HEAD", "refs/single", "config", "refs/heads/../../config", "objects/ab/cd"]) {
      const id = await ok(work, "rev-parse", "HEAD")
      expect(await raw([{ name, newId: id }], await pack(id))).toContain(`ng ${name} not a valid reference name`)
    }
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
  })

  test("hidden references are not shown to clients", async () => {
    const id = await commit("one")
    await push("main")
    await ok(repository.directory, "update-ref", "refs/hearth/secret", id)
    for (const version of ["0", "2"]) expect(await ok(work, "-c", `protocol.version=${version}`, "ls-remote", url)).not.toContain("hearth")
    expect((await world.git.transport.advertiseReceive(repository)).toString()).not.toContain("refs/hearth")
  })

  test("a stale old value", async () => {
    const first = await commit("one")
    await push("main")
    const second = await commit("two")
    await push("main")
    const answer = await raw([{ name: "refs/heads/main", oldId: first, newId: second }], await pack(second))
    expect(answer).toContain("ng refs/heads/main the reference has changed meanwhile, fetch first")
    expect(await raw([{ name: "refs/heads/main", newId: second }], await pack(second))).toContain(
      "ng refs/heads/main the reference exists already",
    )
    expect(await raw([{ name: "refs/heads/none", oldId: first, newId: null }])).toContain("ng refs/heads/none no such reference")
    expect(await references()).toEqual({ "refs/heads/main": second })
  })

  test("objects that are missing", async () => {
    await commit("one")
    const second = await commit("two")
    // The parent is missing, which the unpacker detects; then an object is missing in the store, which only a full walk detects.
    expect(await raw([{ name: "refs/heads/main", newId: second }], await packOf([second]))).toContain("ng refs/heads/main unpacker error")
    const tree = (await client(work, ["mktree", "--missing"], `100644 blob ${"4".repeat(40)}\tgone\n`)).out.trim()
    await client(repository.directory, ["unpack-objects", "-q"], await packOf([tree]))
    const hollow = (await client(work, ["commit-tree", tree, "-m", "hollow"])).out.trim()
    const answer = await raw([{ name: "refs/heads/main", newId: hollow }], await packOf([hollow]))
    expect(answer).toContain("unpack ok")
    expect(answer).toContain("ng refs/heads/main missing necessary objects")
    expect(await raw([{ name: "refs/heads/main", newId: "1".repeat(40) }], await packOf([]))).toContain("ng refs/heads/main missing")
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
  })

  test("objects that are missing below what a reference named before it was moved", async () => {
    const first = await commit("one")
    const good = await commit("two")
    const tree = (await client(work, ["mktree", "--missing"], `100644 blob ${"4".repeat(40)}\tgone\n`)).out.trim()
    const hollow = (await client(work, ["commit-tree", tree, "-m", "hollow"])).out.trim()
    const above = (await client(work, ["commit-tree", tree, "-p", hollow, "-m", "above"])).out.trim()
    await client(repository.directory, ["unpack-objects", "-q"], await packOf([tree, hollow]))
    // The packed value is outdated: what it leads to may have been dropped since.
    await writeFile(join(repository.directory, "packed-refs"), `# pack-refs with: sorted \n${hollow} refs/heads/main\n`)
    expect(await raw([{ name: "refs/heads/main", oldId: hollow, newId: good }], await pack(good))).toContain("ok refs/heads/main")
    expect(await raw([{ name: "refs/heads/other", newId: above }], await packOf([above]))).toContain("missing necessary objects")
    expect(await raw([{ name: "refs/heads/other", newId: first }], await packOf([]))).toContain("ok refs/heads/other")
    const next = (await client(work, ["commit-tree", `${good}^{tree}`, "-p", good, "-p", first, "-m", "next"])).out.trim()
    expect(await raw([{ name: "refs/heads/third", newId: next }], await packOf([next]))).toContain("ok refs/heads/third")
    expect(await references()).toEqual({ "refs/heads/main": good, "refs/heads/other": first, "refs/heads/third": next })
  })

  test("a missing object holds back only the branch that needs it, unless the push is atomic", async () => {
    const first = await commit("one")
    const second = await commit("two")
    const commands = [
      { name: "refs/heads/good", newId: first },
      { name: "refs/heads/bad", newId: "2".repeat(40) },
    ]
    const atomic = await raw(commands, await pack(second), "report-status side-band-64k atomic")
    expect(atomic).toContain("ng refs/heads/good atomic push failed")
    expect(await references()).toEqual({})
    const each = await raw(commands, await pack(second))
    expect(each).toContain("ok refs/heads/good")
    expect(each).toContain("ng refs/heads/bad missing necessary objects")
    expect(await references()).toEqual({ "refs/heads/good": first })
  })

  test("a pack that is damaged, cut off, absent or too large", async () => {
    const id = await commit("one")
    const whole = await pack(id)
    const damaged = Buffer.from(whole)
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
    const command = [{ name: "refs/heads/main", newId: id }]
    for (const bytes of [damaged, whole.subarray(0, whole.length - 25), Buffer.alloc(0), Buffer.from("not a pack at all")]) {
      const answer = await raw(command, bytes)
      expect(answer).toMatch(/unpack (?!ok)/)
      expect(answer).toContain("ng refs/heads/main unpacker error")
      expect(answer).not.toContain(world.folder)
    }
    server.policy.maxBytes = 50
    const run = await push("main")
    expect(run.code).toBe(1)
    expect(run.err).toContain("exceeds maximum allowed size")
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
  })

  test.each([".git", ".GIT", "..", ".", "git~1", ".g\u200cit", ".git "])("a tree with the entry %j, sent loose or packed", async (name) => {
    const blob = (await client(work, ["hash-object", "-w", "--stdin"], "x")).out.trim()
    const tree = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")])
    const treeId = (await client(work, ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], tree)).out.trim()
    const id = (await client(work, ["commit-tree", treeId, "-m", "evil"])).out.trim()
    expect(await raw([{ name: "refs/heads/main", newId: id }], await pack(id))).toMatch(/unpack (?!ok).*has(Dot|Dotdot|Dotgit)\b/)
    // So many that they stay in their pack.
    const filling = Array.from({ length: 101 }, (_, index) => String(index))
    await writeHistory(work, [{ branch: "filling", files: Object.fromEntries(filling.map((text) => [text, text])) }])
    const files = (await ok(work, "ls-tree", "--object-only", "filling")).split("\n")
    expect(await raw([{ name: "refs/heads/main", newId: id }], await packOf([id, treeId, blob, ...files]))).toMatch(/unpack (?!ok)/)
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
  })

  test("a branch that would name something else than a commit", async () => {
    await commit("one")
    const tree = await ok(work, "rev-parse", "HEAD^{tree}")
    const answer = await raw([{ name: "refs/heads/main", newId: tree }], await pack(tree))
    expect(answer).toContain("ng refs/heads/main a branch can name only a commit")
  })

  test("a branch in the way of another", async () => {
    await commit("one")
    await push("main:refs/heads/a")
    const run = await push("main:refs/heads/a/b", "main:refs/heads/c")
    expect(run.err).toContain("refs/heads/a exists")
    expect(Object.keys(await references())).toEqual(["refs/heads/a", "refs/heads/c"])
  })

  test("a push that does not keep to the protocol", async () => {
    const receive = (bytes: Buffer) =>
      world.git.transport.receive(repository, {
        input: Readable.from([bytes]),
        output: new PassThrough(),
        stateless: true,
        check: async () => ({ refused: new Map() }),
      })
    const id = "3".repeat(40)
    await expect(receive(Buffer.from("zzzz"))).rejects.toMatchObject({ kind: "protocol" })
    await expect(receive(packet(`${zeroId("sha1")} ${id} refs/heads/main\0`))).rejects.toMatchObject({ kind: "protocol" })
    await expect(receive(Buffer.concat([packet("x y z\0"), flushPacket]))).rejects.toMatchObject({ kind: "protocol" })
    const wrong = packet(`${zeroId("sha1")} ${id} refs/heads/main\0object-format=sha256`)
    await expect(receive(Buffer.concat([wrong, flushPacket]))).rejects.toMatchObject({ kind: "protocol" })
    const broken = Buffer.concat([packet(Buffer.from([...Buffer.from(`${zeroId("sha1")} ${id} refs/heads/`), 0xff])), flushPacket])
    await expect(receive(broken)).rejects.toMatchObject({ kind: "protocol" })
  })
})

describe("checking", () => {
  test("a refusal affects one reference, and is reported in the words of the check", async () => {
    await commit("one")
    const asked: RefCommand[] = []
    server.policy.check = async (pushed) => {
      asked.push(...pushed.commands)
      const [command] = pushed.commands
      // The new commit can be read before it is visible to others.
      if (command?.newId) expect((await world.git.objects.readCommit(pushed.repository, command.newId)).message).toBe("one\n")
      return { refused: new Map([[refName("refs/heads/closed"), "this branch is protected"]]), lines: ["ask a maintainer"] }
    }
    const run = await push("main:closed", "main:open")
    expect(run.code).toBe(1)
    expect(run.err).toContain("remote: ask a maintainer")
    expect(run.err).toMatch(/\[remote rejected\] main -> closed \(this branch is protected\)/)
    expect(asked.map(({ ref }) => ref)).toEqual(["refs/heads/closed", "refs/heads/open"])
    expect(Object.keys(await references())).toEqual(["refs/heads/open"])
  })

  test("with --atomic, a refusal holds back all", async () => {
    await commit("one")
    server.policy.check = async () => ({ refused: new Map([[refName("refs/heads/closed"), "no"]]) })
    const run = await push("--atomic", "main:closed", "main:open")
    expect(run.err).toContain("atomic push failed")
    expect(await references()).toEqual({})
    expect(lastOutcome().results.map(({ refused }) => refused)).toEqual(["no", "atomic push failed"])
    const objects = await readdir(join(repository.directory, "objects"))
    expect(objects.filter((name) => name.length === 2)).toEqual([])
  })

  test("a check that breaks lets nothing through", async () => {
    await commit("one")
    server.policy.check = async () => {
      throw new Error("the database is gone")
    }
    const run = await push("main")
    expect(run.err).toContain("internal error")
    expect(run.err).not.toContain("database")
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
  })

  test("before and after stand around the change, and the pusher waits for what follows", async () => {
    const id = await commit("one")
    const story: string[] = []
    server.policy.before = async (commands) => {
      story.push(`before ${commands.map(({ ref }) => ref)} ${JSON.stringify(await references())}`)
    }
    server.policy.after = async (outcome) => {
      // Another client is answered meanwhile; this one is not.
      await ok(work, "ls-remote", url)
      story.push(`after ${outcome.results.map(({ refused }) => refused)} ${(await references())["refs/heads/main"] === id}`)
      expect(outcome.addedBytes).toBeGreaterThan(100)
      return ["Create a new pull request:", "  http://example.com/"]
    }
    const run = await push("main")
    story.push("answered")
    expect(story).toEqual(["before refs/heads/main {}", "after  true", "answered"])
    expect(run.err).toMatch(/remote: Create a new pull request:\s*\nremote: {3}http:\/\/example\.com\//)
  })

  test("`after` may fail: the change is kept and reported to the client", async () => {
    const id = await commit("one")
    server.policy.after = async () => {
      throw new Error("broken")
    }
    expect((await push("main")).code).toBe(0)
    expect(await references()).toEqual({ "refs/heads/main": id })
  })
})

describe("races", () => {
  test("of two pushes to one branch one wins, and the other is told to fetch", async () => {
    const base = await commit("base")
    await push("main")
    const [left, right] = [join(world.folder, "left"), join(world.folder, "right")]
    for (const folder of [left, right]) {
      await ok(world.folder, "clone", "-q", url, folder)
      await commit(folder, folder)
    }
    // Both are checked before either changes anything.
    let arrived = 0
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    server.policy.check = async () => {
      arrived += 1
      if (arrived === 2) open()
      await gate
      return { refused: new Map<RefName, string>() }
    }
    const runs = await Promise.all([left, right].map((folder) => client(folder, ["push", url, "main"])))
    expect(runs.map((run) => run.code).sort()).toEqual([0, 1])
    expect(runs.find((run) => run.code === 1)?.err).toContain("the reference has changed meanwhile, fetch first")
    const winner = runs[0]?.code === 0 ? left : right
    expect(await references()).toEqual({ "refs/heads/main": await ok(winner, "rev-parse", "HEAD") })
    expect((await references())["refs/heads/main"]).not.toBe(base)
    expect(await leftovers()).toEqual([])
  })

  test("a client that leaves in the middle of its pack changes nothing", async () => {
    const id = await commit("one")
    const bytes = await pack(id)
    const input = new PassThrough()
    const receiving = world.git.transport.receive(repository, {
      input,
      output: new PassThrough(),
      stateless: true,
      check: async () => ({ refused: new Map() }),
    })
    input.write(Buffer.concat([packet(`${zeroId("sha1")} ${id} refs/heads/main\0report-status`), flushPacket, bytes.subarray(0, 40)]))
    const outcome = expect(receiving).rejects.toMatchObject({ kind: "aborted" })
    // All that came is read, and more is waited for.
    await expect.poll(() => input.readableLength).toBe(0)
    input.destroy()
    await outcome
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
    expect(world.git.running()).toBe(0)
  })

  test("a pack is read while it comes, without a turn of its own; its end waits for that, and may be refused as busy", async () => {
    const tight = await openWorld({ limits: { pushes: 1, pushesPerRepository: 1, waitMs: 300 } })
    const target = await tight.git.repositories.create("x", { format: "sha1", branch: "main" })
    const active = (limit: string) => tight.git.limits().find(({ name }) => name === limit)?.active
    const check = async () => ({ refused: new Map<RefName, string>() })
    const noise = Array.from({ length: 120 }, () => randomBytes(4_000).toString("base64"))
    const [id = ""] = await writeHistory(work, [
      { branch: "noise", files: Object.fromEntries(noise.map((text, index) => [`f${index}`, text])) },
    ])
    const bytes = await pack(id)
    const commands = Buffer.concat([packet(`${zeroId("sha1")} ${id} refs/heads/main\0report-status`), flushPacket])
    const begin = () => {
      const [input, output] = [new PassThrough(), new PassThrough()]
      input.write(Buffer.concat([commands, bytes.subarray(0, 400_000)]))
      return { input, output, receiving: tight.git.transport.receive(target, { input, output, check, stateless: true }) }
    }
    const first = begin()
    await expect.poll(() => [active("arrivals"), active("pushes"), tight.git.running()]).toEqual([1, 0, 1])
    // A pack for which there is no permit is taken in without git.
    const second = begin()
    await expect.poll(() => second.input.readableLength).toBe(0)
    expect(tight.git.running()).toBe(1)
    const session = new PassThrough()
    const holder = tight.git.transport.receive(target, { input: session, output: new PassThrough(), check, stateless: false })
    session.write(Buffer.concat([commands, Buffer.from("PACK")]))
    await expect.poll(() => active("pushes")).toBe(1)
    first.input.end(bytes.subarray(400_000))
    await expect(first.receiving).rejects.toMatchObject({ kind: "busy" })
    expect(first.output.readableLength).toBe(0)
    session.destroy()
    await expect(holder).rejects.toMatchObject({ kind: "aborted" })
    second.input.end(bytes.subarray(400_000))
    expect((await second.receiving).results).toMatchObject([{ refused: null }])
    const third = begin()
    third.input.end(Buffer.concat([bytes.subarray(400_000), randomBytes(100)]))
    expect((await third.receiving).results[0]?.refused).not.toBeNull()
    expect([active("arrivals"), active("pushes")]).toEqual([0, 0])
    expect((await readdir(join(target.directory, "objects"))).filter((name) => name.startsWith("tmp_"))).toEqual([])
    await tight.close()
  })

  test("a pack that is cut off, or grows too large, while it is read changes nothing", async () => {
    const noise = Array.from({ length: 120 }, () => randomBytes(4_000).toString("base64"))
    const [id = ""] = await writeHistory(work, [
      { branch: "noise", files: Object.fromEntries(noise.map((text, index) => [`f${index}`, text])) },
    ])
    const bytes = await pack(id)
    const input = new PassThrough()
    const check = async () => ({ refused: new Map<RefName, string>() })
    const receiving = world.git.transport.receive(repository, { input, output: new PassThrough(), check, stateless: true })
    const commands = Buffer.concat([packet(`${zeroId("sha1")} ${id} refs/heads/main\0report-status`), flushPacket])
    input.write(Buffer.concat([commands, bytes.subarray(0, 400_000)]))
    await expect.poll(() => world.git.running()).toBe(1)
    const cut = expect(receiving).rejects.toMatchObject({ kind: "aborted" })
    input.destroy()
    await cut
    server.policy.maxBytes = 400_000
    const run = await push("noise:main")
    expect(run.err).toContain("exceeds maximum allowed size (400000 bytes)")
    expect(await references()).toEqual({})
    expect(await leftovers()).toEqual([])
    expect(world.git.running()).toBe(0)
  })

  test("pushes beyond the limit wait, and are refused as busy when that takes too long", async () => {
    const tight = await openWorld({ limits: { pushes: 1, pushesPerRepository: 1, waitMs: 50 } })
    const target = await tight.git.repositories.create("x", { format: "sha1", branch: "main" })
    const check = async () => ({ refused: new Map<RefName, string>() })
    const slow = new PassThrough()
    const first = tight.git.transport.receive(target, { input: slow, output: new PassThrough(), check, stateless: false })
    const commands = Buffer.concat([packet(`${zeroId("sha1")} ${"1".repeat(40)} refs/heads/main\0report-status`), flushPacket])
    slow.write(Buffer.concat([commands, Buffer.from("PACK")]))
    await expect.poll(() => tight.git.limits().find(({ name }) => name === "pushes")?.active).toBe(1)
    const output = new PassThrough()
    const input = Readable.from([commands, Buffer.from("PACK")])
    const second = tight.git.transport.receive(target, { input, output, check, stateless: true })
    await expect(second).rejects.toMatchObject({ kind: "busy" })
    expect(output.readableLength).toBe(0)
    slow.destroy()
    await expect(first).rejects.toMatchObject({ kind: "aborted" })
    await tight.close()
  })
})

test("hooks and configuration of the machine do nothing", async () => {
  const trap = join(world.folder, "sprung")
  for (const hook of [
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "post-index-change",
    "proc-receive",
  ]) {
    const path = join(repository.directory, "hooks", hook)
    await mkdir(join(repository.directory, "hooks"), { recursive: true })
    await writeFile(path, `#!/bin/sh\ntouch ${trap}\nexit 1\n`)
    await chmod(path, 0o755)
  }
  const home = join(world.folder, "home")
  await mkdir(home)
  await writeFile(
    join(home, ".gitconfig"),
    `[uploadpack]\n\tpackObjectsHook = touch ${trap}; exit 1;\n[core]\n\thooksPath = ${repository.directory}/hooks\n`,
  )
  const kept = { HOME: process.env.HOME, XDG: process.env.XDG_CONFIG_HOME, COUNT: process.env.GIT_CONFIG_GLOBAL }
  process.env.HOME = home
  process.env.GIT_CONFIG_GLOBAL = join(home, ".gitconfig")
  try {
    const id = await commit("one")
    expect((await push("main")).code).toBe(0)
    await ok(world.folder, "clone", "-q", url, "copy")
    expect(await ok(join(world.folder, "copy"), "rev-parse", "HEAD")).toBe(id)
  } finally {
    if (kept.HOME !== undefined) process.env.HOME = kept.HOME
    delete process.env.GIT_CONFIG_GLOBAL
    if (kept.COUNT !== undefined) process.env.GIT_CONFIG_GLOBAL = kept.COUNT
  }
  await expect(readFile(trap)).rejects.toMatchObject({ code: "ENOENT" })
})

/** A command of a push made by hand. */
interface Command {
  readonly name: string
  readonly oldId?: string
  readonly newId: string | null
}

/** Pushes without git's own client, which would never send this, and returns the text of the answer. */
async function raw(commands: readonly Command[], bytes?: Buffer, capabilities = "report-status side-band-64k"): Promise<string> {
  const zero = zeroId("sha1")
  const lines = commands.map(({ name, oldId, newId }, index) =>
    packet(`${oldId ?? zero} ${newId ?? zero} ${name}${index === 0 ? `\0${capabilities}` : ""}\n`),
  )
  const response = await fetch(`${url}/git-receive-pack`, {
    method: "POST",
    body: Buffer.concat([...lines, flushPacket, bytes ?? Buffer.alloc(0)]),
  })
  return response.text()
}

/** A pack with all that an object reaches. */
async function pack(id: string): Promise<Buffer> {
  return packOf((await ok(work, "rev-list", "--objects", id)).split("\n").map((line) => line.slice(0, 40)))
}

/** A pack of exactly these objects. */
async function packOf(ids: readonly string[]): Promise<Buffer> {
  const list = ids.map((id) => `${id}\n`).join("")
  const name = (await client(work, ["pack-objects", "-q", join(world.folder, "sent")], list)).out.trim()
  return readFile(join(world.folder, `sent-${name}.pack`))
}
