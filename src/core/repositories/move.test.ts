import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { type Git, type ObjectFormat, type ObjectId, type Person, type Repository, refName } from "../../git/index.ts"
import type { Blobs } from "../blobs/blobs.ts"
import { blobsIn } from "../blobs/folder.ts"
import { loadConfig } from "../config.ts"
import { bringRepository, isSame, type Place } from "./move.ts"
import { openFolderPlace, openStorePlace } from "./places.ts"

const person: Person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 60 }

let root: string
let fresh: FreshDatabase
let blobs: Blobs
let folder: ReturnType<typeof openFolderPlace>
/** Another data folder, to move back into. */
let second: ReturnType<typeof openFolderPlace>
let store: Place

const configIn = (dataDir: string) => loadConfig({ env: {}, file: false, overrides: { dataDir } }).config

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "hearth-move-"))
  fresh = await freshDatabase("sqlite")
  blobs = blobsIn(join(root, "blobs"))
  folder = openFolderPlace(configIn(join(root, "first")))
  second = openFolderPlace(configIn(join(root, "second")))
  store = openStorePlace(configIn(join(root, "first")), fresh.database, blobs)
})
afterAll(async () => {
  await folder.close()
  await second.close()
  await fresh.drop()
  await rm(root, { recursive: true, force: true })
})

let made = 0

async function commit(git: Git, repository: Repository, parents: readonly ObjectId[], content = `content ${made++}`): Promise<ObjectId> {
  const blob = await git.objects.writeBlob(repository, content)
  const tree = await git.objects.writeTree(repository, [{ mode: "100644", name: "file", id: blob }])
  return git.objects.writeCommit(repository, { tree, parents, author: person, committer: person, message: `${content}\n` })
}

const put = (git: Git, repository: Repository, references: Readonly<Record<string, ObjectId | null>>) =>
  git.references.update(
    repository,
    Object.entries(references).map(([name, to]) => ({ name: refName(`refs/${name}`), to })),
  )

/** A repository in the folder, with references of all kinds. */
async function make(format: ObjectFormat = "sha1") {
  const key = `ab/r${made++}`
  return folder.use(async (git) => {
    const repository = await git.repositories.create(key, { format, branch: "trunk" })
    const first = await commit(git, repository, [])
    const tip = await commit(git, repository, [first])
    const pulled = await commit(git, repository, [first])
    const hidden = await commit(git, repository, [pulled])
    const tag = await git.objects.writeTag(repository, { object: tip, type: "commit", name: "v1", tagger: person, message: "One\n" })
    await put(git, repository, {
      "heads/trunk": tip,
      "heads/x": first,
      "tags/v1": tag,
      "pull/7/head": pulled,
      [`hearth/kept/${hidden}`]: hidden,
    })
    return { key, format, repository, first, tip, hidden }
  })
}

const none = async () => []
const bring = (
  from: Place,
  to: Place,
  { key, format }: { key: string; format: ObjectFormat },
  keep: () => Promise<readonly string[]> = none,
) => bringRepository(from, to, { key, format, keep })

async function expectSame(a: Place, b: Place, { key, format }: { key: string; format: ObjectFormat }): Promise<void> {
  const [original, copy] = [await a.look(key, format), await b.look(key, format)]
  if (!original || !copy) throw new Error("one of them is missing")
  expect(isSame(original, copy)).toBe(true)
  expect(await b.use((git) => git.maintenance.check(git.at(key, format), { isWhole: true }))).toEqual([])
}

test.each(["sha1", "sha256"] as const)("all references of %s are there and back again, hidden ones too", async (format) => {
  const moved = await make(format)
  expect(await bring(folder, store, moved)).toBe("brought")
  expect((await store.look(moved.key, format))?.references.size).toBe(5)
  expect((await store.look(moved.key, format))?.head).toBe("refs/heads/trunk")
  await expectSame(folder, store, moved)
  expect(await bring(folder, store, moved)).toBe("same")
  expect(await bring(store, second, moved)).toBe("brought")
  await expectSame(folder, second, moved)
  expect(await bring(store, second, moved)).toBe("same")
  // Of what was at hand meanwhile nothing is left.
  expect(await readdir(join(root, "first", "cache", "visits"))).toEqual([])
})

test("one without commits is moved, and one that is not there is told", async () => {
  const key = "ab/empty"
  await folder.use((git) => git.repositories.create(key, { format: "sha1", branch: "main" }))
  expect(await bring(folder, store, { key, format: "sha1" })).toBe("brought")
  expect(await store.look(key, "sha1")).toEqual({ head: "refs/heads/main", references: new Map() })
  expect(await bring(folder, store, { key: "ab/nowhere", format: "sha1" })).toBe("gone")
  expect(await store.look("ab/nowhere", "sha1")).toBeUndefined()
})

test("a further run brings what has changed: commits, branches in the way of others, what was dropped, HEAD", async () => {
  const moved = await make()
  await bring(folder, store, moved)
  await folder.use(async (git) => {
    const { repository, first, tip } = moved
    const next = await commit(git, repository, [tip])
    const aside = await commit(git, repository, [first])
    await put(git, repository, { "heads/x": null, "pull/7/head": null })
    await put(git, repository, { "heads/trunk": aside, "heads/x/y": next, "heads/main": next })
    await git.references.setHead(repository, refName("refs/heads/main"))
  })
  expect(await bring(folder, store, moved)).toBe("brought")
  await expectSame(folder, store, moved)
  // Only what was missing: the first pack, and one of two commits, two trees and two files.
  const packs = await fresh.database.read
    .selectFrom("packs")
    .innerJoin("repository_packs", "repository_packs.pack_id", "packs.id")
    .innerJoin("stored_repositories", "stored_repositories.id", "repository_packs.stored_repository_id")
    .select("packs.size")
    .where("key", "=", moved.key)
    .orderBy("packs.id")
    .execute()
  expect(packs).toHaveLength(2)
  expect(packs[1]?.size).toBeLessThan(packs[0]?.size ?? 0)
  expect(await bring(store, second, moved)).toBe("brought")
  await folder.use((git) => put(git, moved.repository, { "heads/trunk": moved.tip }))
  await bring(folder, store, moved)
  expect(await bring(store, second, moved)).toBe("brought")
  await expectSame(folder, second, moved)
})

test("a history that was taken back in the original is no obstacle once it is dropped there", async () => {
  const moved = await make()
  const { key, format, repository, first } = moved
  await bring(folder, store, moved)
  await folder.use(async (git) => {
    await put(git, repository, { "heads/trunk": first, "tags/v1": null })
    const now = Math.floor(Date.now() / 1000)
    await git.maintenance.run(repository, { now, before: now - 1, keep: [] })
    await git.maintenance.run(repository, { now: now + 10, before: now + 5, keep: [] })
    expect(await git.objects.info(repository, moved.tip)).toBeUndefined()
    await put(git, repository, { "heads/trunk": await commit(git, repository, [first]) })
  })
  expect(await bring(folder, store, { key, format })).toBe("brought")
  await expectSame(folder, store, moved)
})

test("commits that only rows name are there afterwards, and stay", async () => {
  const moved = await make()
  const { key, format, repository, first, hidden } = moved
  const [left, reached] = await folder.use(async (git) => [await commit(git, repository, [first]), first] as const)
  expect(await bring(folder, store, moved, async () => [left, reached, "", "0".repeat(40)])).toBe("brought")
  expect([...((await store.look(key, format))?.references.keys() ?? [])].filter((name) => name.includes(left))).toHaveLength(1)
  await store.use(async (git) => {
    const copy = git.at(key, format)
    const now = Math.floor(Date.now() / 1000)
    await git.maintenance.run(copy, { now, before: now - 1, keep: [left, hidden] })
    expect(await git.objects.info(copy, left)).toBeDefined()
  })
  expect(await bring(folder, store, moved)).toBe("same")
  expect(await bring(store, second, moved)).toBe("brought")
  expect(await second.use((git) => git.objects.info(git.at(key, format), left))).toBeDefined()
})

test("what breaks off at any step is made whole by the next run", async () => {
  const moved = await make()
  const { key, format } = moved
  const steps = ["copyObjects", "update", "check", "setHead"] as const
  for (const step of steps) {
    const broken: Place = {
      ...store,
      use: (work) =>
        store.use((git) => {
          const fail = async (): Promise<never> => {
            throw new Error("killed")
          }
          return work({
            ...git,
            repositories: { ...git.repositories, ...(step === "copyObjects" && { copyObjects: fail }) },
            references: {
              ...git.references,
              ...(step === "update" && { update: fail }),
              ...(step === "setHead" && {
                setHead: (repository, name) => (name === "refs/heads/trunk" ? fail() : git.references.setHead(repository, name)),
              }),
            },
            maintenance: { ...git.maintenance, ...(step === "check" && { check: fail }) },
          })
        }),
    }
    await expect(bring(folder, broken, moved)).rejects.toThrow("killed")
    const [original, copy] = [await folder.look(key, format), await store.look(key, format)]
    expect(original && copy && isSame(original, copy)).toBe(false)
  }
  expect(await bring(folder, store, moved)).toBe("brought")
  await expectSame(folder, store, moved)
})

test("one that is damaged is not taken for moved", async () => {
  const { key, format, repository, first } = await make()
  await rm(join(repository.directory, "objects", first.slice(0, 2), first.slice(2)))
  await expect(bring(folder, store, { key, format })).rejects.toMatchObject({ name: "GitError" })
  const [original, copy] = [await folder.look(key, format), await store.look(key, format)]
  expect(original && copy && isSame(original, copy)).toBe(false)
})
