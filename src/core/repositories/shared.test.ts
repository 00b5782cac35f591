import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { type Git, openGit, type Person, type Repository, refName } from "../../git/index.ts"
import { sharedStore } from "../../git/shared.ts"
import { client, ok, type Policy, serve, type TestServer, writeHistory } from "../../git/testing.ts"
import type { Blobs } from "../blobs/blobs.ts"
import { blobsIn } from "../blobs/folder.ts"
import { commitChange } from "./commit.ts"
import { openPackFiles, openRecords } from "./records.ts"
import { findStored } from "./store.ts"
import { sweepPacks } from "./sweep.ts"

/** Two servers, each with a cache of its own, and what they share. */
interface Pair {
  readonly a: Git
  readonly b: Git
  readonly serverA: TestServer
  readonly serverB: TestServer
  readonly fresh: FreshDatabase
  readonly folder: string
  readonly blobs: Blobs
  readonly close: () => Promise<void>
}

const person: Person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 60 }
const main = refName("refs/heads/main")

async function openPair(kind: "sqlite" | "postgres", cacheBytes = 2 ** 30): Promise<Pair> {
  const fresh = await freshDatabase(kind)
  const folder = await mkdtemp(join(tmpdir(), "hearth-shared-"))
  const blobs = blobsIn(join(folder, "store"))
  const now = () => Math.floor(Date.now() / 1000)
  const open = (name: string) =>
    openGit({
      root: join(folder, name),
      durable: false,
      openStore: sharedStore({ records: openRecords(fresh.database, now), files: openPackFiles(blobs), cacheBytes }),
    })
  const [a, b] = [open("a"), open("b")]
  const [serverA, serverB] = [await serve(a), await serve(b)]
  const make: NonNullable<Policy["make"]> = async (move) => {
    const change = await move.seal()
    await move.made(await fresh.database.write((tx) => commitChange(tx, change, now())))
    return []
  }
  serverA.policy.make = make
  serverB.policy.make = make
  const close = async () => {
    await Promise.all([serverA.close(), serverB.close()])
    await Promise.all([a.close(), b.close()])
    await fresh.drop()
    await rm(folder, { recursive: true, force: true })
  }
  return { a, b, serverA, serverB, fresh, folder, blobs, close }
}

/** Commits a file on top of a branch, and gives the commit. */
async function commitFile(git: Git, repository: Repository, name: string, content: string) {
  const tip = await git.references.resolve(repository, main)
  const parent = tip && (await git.objects.readCommit(repository, tip))
  const entries = parent ? await git.objects.readTree(repository, parent.tree) : []
  const batch = git.objects.batch(repository)
  const blob = batch.blob(content)
  const tree = batch.tree([...entries.filter((entry) => entry.name !== name), { mode: "100644", name, id: blob }], entries)
  const id = batch.commit({ tree, parents: parent ? [parent.id] : [], author: person, committer: person, message: `Add ${name}\n` })
  await batch.store()
  await git.references.update(repository, [{ name: main, from: tip ?? null, to: id }])
  return id
}

describe.each(databaseKinds)("repositories that servers share, on %s", (kind) => {
  let pair: Pair
  let keys = 0
  const create = (git: Git) => git.repositories.create(`test/r${keys++}`, { format: "sha1", branch: "main" })
  const at = (git: Git, { key }: Repository) => git.at(key, "sha1")
  const clone = async (server: TestServer, repository: Repository) => {
    const folder = join(pair.folder, `clone-${keys++}`)
    await ok(pair.folder, "clone", "-q", server.url(repository), folder)
    return folder
  }

  beforeAll(async () => {
    pair = await openPair(kind)
  })
  afterAll(() => pair.close())

  test("a commit by one is what the other has at once", async () => {
    const { a, b } = pair
    const repository = await create(a)
    for (let round = 0; round < 10; round++) {
      const id = await commitFile(round % 2 ? b : a, at(round % 2 ? b : a, repository), `f${round}`, `content ${round}`)
      const other = round % 2 ? a : b
      const seen = at(other, repository)
      expect(await other.references.resolve(seen, main)).toBe(id)
      const commit = await other.objects.readCommit(seen, id)
      expect(await other.objects.readTree(seen, commit.tree)).toHaveLength(round + 1)
    }
    expect(await a.maintenance.check(at(a, repository))).toEqual([])
    expect(await b.maintenance.check(at(b, repository))).toEqual([])
  })

  test("a push to one is what the other serves at once", async () => {
    const { a, serverA, serverB } = pair
    const repository = await create(a)
    const work = await clone(serverA, repository)
    for (let round = 0; round < 8; round++) {
      const [id = ""] = await writeHistory(work, [
        { files: { [`f${round}`]: `content ${round}` }, ...(round && { from: "refs/heads/main^0" }) },
      ])
      const [to, from] = round % 2 ? [serverB, serverA] : [serverA, serverB]
      await ok(work, "push", "-q", to.url(repository), "main")
      expect(await ok(pair.folder, "ls-remote", from.url(repository), "main")).toBe(`${id}\trefs/heads/main`)
    }
    const copy = await clone(serverB, repository)
    expect(await ok(copy, "rev-list", "--count", "main")).toBe("8")
  })

  test("a large push is files of the store, a small one bytes of a row", async () => {
    const { a, b, serverA, serverB, fresh } = pair
    const repository = await create(a)
    const work = await clone(serverA, repository)
    const steps = Array.from({ length: 150 }, (_, index) => ({
      files: { [`f${index}`]: `${index}\n`.repeat(50) },
      ...(index && { from: `:${index}` }),
    }))
    await writeHistory(work, steps)
    await ok(work, "push", "-q", "origin", "main")
    await writeHistory(work, [{ files: { more: "more" }, from: "refs/heads/main^0" }])
    await ok(work, "push", "-q", "origin", "main")
    const packs = await fresh.database.read
      .selectFrom("packs")
      .innerJoin("repository_packs", "repository_packs.pack_id", "packs.id")
      .innerJoin("stored_repositories", "stored_repositories.id", "repository_packs.stored_repository_id")
      .select(["packs.files", "packs.content"])
      .where("key", "=", repository.key)
      .orderBy("packs.id")
      .execute()
    expect(packs.map(({ files, content }) => [files.includes("idx"), content !== null])).toEqual([
      [true, false],
      [false, true],
    ])
    const copy = await clone(serverB, repository)
    expect(await ok(copy, "rev-list", "--count", "main")).toBe("151")
    expect(await b.maintenance.check(at(b, repository))).toEqual([])
  })

  test("of two that move a branch from the same commit, one does", async () => {
    const { a, b } = pair
    const repository = await create(a)
    const first = await commitFile(a, at(a, repository), "a", "a")
    for (let round = 0; round < 5; round++) {
      const base = await a.references.resolve(at(a, repository), main)
      const outcomes = await Promise.allSettled([
        commitFile(a, at(a, repository), "a", `a ${round}`),
        commitFile(b, at(b, repository), "b", `b ${round}`),
      ])
      const won = outcomes.filter((outcome) => outcome.status === "fulfilled")
      const lost = outcomes.filter((outcome) => outcome.status === "rejected")
      for (const { reason } of lost) expect(reason).toMatchObject({ kind: "conflict" })
      expect(won.length).toBeGreaterThan(0)
      const tip = await b.references.resolve(at(b, repository), main)
      expect(tip).not.toBe(base)
      if (won.length === 1) expect(tip).toBe(won[0]?.value)
    }
    expect(await b.history.isAncestor(at(b, repository), first, (await b.references.resolve(at(b, repository), main)) ?? first)).toBe(true)
    expect(await a.maintenance.check(at(a, repository))).toEqual([])
  })

  test("a reference has not the name of another's folder", async () => {
    const { a, b } = pair
    const repository = await create(a)
    const id = await commitFile(a, repository, "a", "a")
    const make = (git: Git, name: string) =>
      git.references.update(at(git, repository), [{ name: refName(`refs/heads/${name}`), from: null, to: id }])
    await make(a, "x/y")
    await expect(make(b, "x")).rejects.toMatchObject({ kind: "conflict", detail: expect.stringContaining("'refs/heads/x/y' exists") })
    await expect(make(b, "x/y/z")).rejects.toMatchObject({ kind: "conflict", detail: expect.stringContaining("'refs/heads/x/y' exists") })
    await expect(
      b.references.update(
        at(b, repository),
        ["u", "u/v"].map((name) => ({ name: refName(`refs/heads/${name}`), from: null, to: id })),
      ),
    ).rejects.toMatchObject({ kind: "conflict" })
    await b.references.update(at(b, repository), [{ name: refName("refs/heads/x/y"), from: id, to: null }])
    await make(a, "x")
    expect((await b.references.list(at(b, repository))).map(({ name }) => name)).toEqual(["refs/heads/main", "refs/heads/x"])
  })

  test("what no transaction has taken is nothing to build a push on", async () => {
    const { a, serverA } = pair
    const repository = await create(a)
    const base = await commitFile(a, repository, "a", "a")
    const work = await clone(serverA, repository)
    const staged = await a.objects.writeCommit(at(a, repository), {
      tree: (await a.objects.readCommit(at(a, repository), base)).tree,
      parents: [base],
      author: person,
      committer: person,
      message: "Not taken\n",
    })
    // A client that has this commit otherwise, and believes that the server has it too.
    const made = await client(work, ["hash-object", "-w", "-t", "commit", "--stdin"], await rawCommit(a, at(a, repository), staged))
    expect(made.out.trim()).toBe(staged)
    const [next = ""] = await writeHistory(work, [{ branch: "next", from: staged, files: { b: "b" } }])
    await client(work, ["pack-objects", "--revs", "pushed"], `${next}\n^${staged}\n`)
    const [pack = ""] = (await readdir(work)).filter((name) => name.endsWith(".pack"))
    const outcome = await pushPack(serverA.url(repository), "refs/heads/next", next, await readFile(join(work, pack)))
    expect(outcome).toContain("ng refs/heads/next")
    expect(await a.references.resolve(at(a, repository), refName("refs/heads/next"))).toBeUndefined()
  })

  test("a fork has the packs of its source, and keeps them when that goes", async () => {
    const { a, b, serverA, serverB, fresh, blobs } = pair
    const repository = await create(a)
    const work = await clone(serverA, repository)
    await writeHistory(
      work,
      Array.from({ length: 120 }, (_, index) => ({ files: { [`f${index}`]: String(index) }, ...(index && { from: `:${index}` }) })),
    )
    await ok(work, "push", "-q", "origin", "main")
    const before = (await fresh.database.read.selectFrom("packs").select("id").execute()).length
    const fork = await b.repositories.fork(at(b, repository), `test/fork${keys++}`, () => true)
    expect((await fresh.database.read.selectFrom("packs").select("id").execute()).length).toBe(before)
    await a.repositories.remove(at(a, repository))
    expect(await b.repositories.exists(at(b, repository))).toBe(false)
    const services = { blobs, database: fresh.database, now: () => Math.floor(Date.now() / 1000) + 3 * 86_400 }
    await sweep(services)
    await sweep({ ...services, now: () => Math.floor(Date.now() / 1000) + 6 * 86_400 })
    const copy = await clone(serverB, fork)
    expect(await ok(copy, "rev-list", "--count", "main")).toBe("120")
    await a.repositories.remove(at(a, fork))
    await sweep(services)
    await sweep({ ...services, now: () => Math.floor(Date.now() / 1000) + 6 * 86_400 })
    const kept = await fresh.database.read.selectFrom("packs").select("file").execute()
    for await (const { key } of blobs.list("packs")) expect(kept.map(({ file }) => file)).toContain(key.split("/").at(-1)?.split(".")[0])
  })

  test("a repack by one goes on while the other takes pushes, and drops nothing that these need", async () => {
    const { a, b, serverB, fresh } = pair
    const repository = await create(a)
    const first = await commitFile(a, at(a, repository), "f", "first")
    const left = await commitFile(a, at(a, repository), "f", "left behind")
    await a.references.update(at(a, repository), [{ name: main, from: left, to: first }])
    const now = Math.floor(Date.now() / 1000)
    expect(await a.maintenance.hasLeftBehind(at(a, repository), now - 1000)).toBe(true)
    await a.maintenance.run(at(a, repository), { now, before: now - 1000, keep: [] })
    // It is put aside, and still there.
    expect(await b.objects.info(at(b, repository), left)).toBeDefined()
    // A push that is under way when it is dropped has been proved with it.
    const view = at(b, repository)
    const isByTransaction = await b.references.move(view, [{ name: refName("refs/heads/again"), from: null, to: left }], async (move) => {
      const change = await move.seal()
      await a.maintenance.run(at(a, repository), { now: now + 5_000, before: now + 4_000, keep: [] })
      await expect(fresh.database.write((tx) => commitChange(tx, change, now))).rejects.toMatchObject({ kind: "stale" })
    })
    expect(isByTransaction).toBe(true)
    expect(await b.objects.info(at(b, repository), left)).toBeUndefined()
    await expect(
      b.references.update(at(b, repository), [{ name: refName("refs/heads/again"), from: null, to: left }]),
    ).rejects.toMatchObject({ kind: "failed" })
    const copy = await clone(serverB, repository)
    expect(await ok(copy, "rev-parse", "main")).toBe(first)
    expect(await b.maintenance.check(at(b, repository))).toEqual([])
  })

  test("many small packs become one, while commits go on", async () => {
    const { a, b, fresh } = pair
    const repository = await create(a)
    for (let index = 0; index < 60; index++) await commitFile(a, at(a, repository), `f${index % 7}`, `content ${index}`)
    expect(await b.maintenance.needed(at(b, repository))).toBe(true)
    const now = Math.floor(Date.now() / 1000)
    const repacked = b.maintenance.run(at(b, repository), { now, before: now - 1000, keep: [] })
    let last = ""
    // The one that repacks takes some of them too.
    for (let index = 0; index < 20; index++) {
      const git = index % 2 ? a : b
      last = await commitFile(git, at(git, repository), `g${index}`, `content ${index}`)
    }
    await repacked
    const stored = await findStored.first(fresh.database.read, { key: repository.key })
    expect(stored?.packs_count).toBeLessThan(25)
    expect(await b.maintenance.needed(at(b, repository))).toBe(false)
    expect(await b.references.resolve(at(b, repository), main)).toBe(last)
    for (const git of [a, b]) expect(await git.maintenance.check(at(git, repository))).toEqual([])
    expect(await a.history.count(at(a, repository), last as never)).toBe(80)
  })

  async function sweep(services: { blobs: Blobs; database: FreshDatabase["database"]; now: () => number }): Promise<void> {
    await sweepPacks.run(services as never, new AbortController().signal)
  }
})

/** The bytes of a commit. */
async function rawCommit(git: Git, repository: Repository, id: Awaited<ReturnType<typeof commitFile>>): Promise<string> {
  const commit = await git.objects.readCommit(repository, id)
  const { author } = commit
  const line = `${author.name} <${author.email}> ${author.when} +0100`
  return `tree ${commit.tree}\nparent ${commit.parents[0]}\nauthor ${line}\ncommitter ${line}\n\n${commit.message}`
}

/** Pushes a pack without a client, and gives what is answered. */
async function pushPack(url: string, name: string, id: string, pack: Buffer): Promise<string> {
  const command = `${"0".repeat(40)} ${id} ${name}\0 report-status\n`
  const body = Buffer.concat([Buffer.from((command.length + 4).toString(16).padStart(4, "0") + command + "0000"), pack])
  const answer = await fetch(`${url}/git-receive-pack`, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-git-receive-pack-request" },
  })
  return answer.text()
}
