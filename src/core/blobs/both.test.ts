import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, expect, test } from "vitest"
import { BlobGone, type Blobs, StorageUnavailable } from "./blobs.ts"
import { blobsInBoth } from "./both.ts"
import { blobsIn } from "./folder.ts"
import { countBlobs, inWords, moveBlobs } from "./move.ts"

let root: string
let folder: Blobs
let store: Blobs

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hearth-both-"))
  folder = blobsIn(join(root, "folder"))
  store = blobsIn(join(root, "store"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const never = new AbortController().signal
const write = (blobs: Blobs, key: string, words = key) => blobs.write(key, [Buffer.from(words)])
const move = (from: Blobs, to: Blobs) => moveBlobs({ from, to, signal: never, progress() {} })

async function read(blobs: Blobs, key: string): Promise<string | undefined> {
  const blob = await blobs.open(key)
  return blob && text(blob.read())
}

async function keys(blobs: Blobs): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list("lfs")) found.push(key)
  return found
}

test("new blobs go to one place, all are found in both, and what is removed is in neither", async () => {
  const both = blobsInBoth(folder, store, store)
  await write(folder, "lfs/old")
  await write(both, "lfs/new")
  for (const place of [folder, store]) await write(place, "lfs/twice")
  expect([await keys(folder), await keys(store)]).toEqual([
    ["lfs/old", "lfs/twice"],
    ["lfs/new", "lfs/twice"],
  ])
  expect(await keys(both)).toEqual(["lfs/new", "lfs/old", "lfs/twice"])
  for (const key of await keys(both)) expect(await read(both, key)).toBe(key)
  await both.remove("lfs/twice")
  await both.removeBelow("lfs/old")
  expect(await keys(both)).toEqual(["lfs/new"])
})

test("what is in the folder is read while the store is out of reach", async () => {
  const lost = () => Promise.reject(new StorageUnavailable("the object store does not answer"))
  const both = blobsInBoth(folder, { ...store, open: lost, remove: lost, write: lost }, folder)
  await write(both, "lfs/a")
  expect(await read(both, "lfs/a")).toBe("lfs/a")
  await expect(both.open("lfs/b")).rejects.toThrow(StorageUnavailable)
  await expect(both.remove("lfs/a")).rejects.toThrow(StorageUnavailable)
})

test("a blob that is moved to the folder between two looks, or while it is read, is found there", async () => {
  await write(store, "lfs/a", "0123456789")
  const moving: Blobs = {
    ...store,
    async open(key) {
      await move(store, folder)
      return store.open(key)
    },
  }
  expect(await read(blobsInBoth(folder, moving, store), "lfs/a")).toBe("0123456789")

  await write(store, "lfs/b", "0123456789")
  async function* broken() {
    yield Buffer.from("234")
    await move(store, folder)
    throw new BlobGone()
  }
  const leaving: Blobs = {
    ...store,
    open: async () => ({ size: 10, read: () => Readable.from(broken()), slice: () => Readable.from([]), close: async () => {} }),
  }
  const blob = await blobsInBoth(folder, leaving, store).open("lfs/b")
  expect(blob && (await text(blob.read({ start: 2, end: 8 })))).toBe("2345678")
})

test("a blob that is gone while it is read fails", async () => {
  async function* broken() {
    yield Buffer.from("0")
    throw new BlobGone()
  }
  const leaving: Blobs = {
    ...store,
    open: async () => ({ size: 10, read: () => Readable.from(broken()), slice: () => Readable.from([]), close: async () => {} }),
  }
  const blob = await blobsInBoth(folder, leaving, store).open("lfs/b")
  await expect(text(blob?.read() ?? Readable.from([]))).rejects.toThrow(BlobGone)
})

test("a move takes all blobs but drafts, and can be repeated", async () => {
  for (const key of ["lfs/a", "lfs/b/c", "attachments/d", "uploads/1/e", "lfs/f.part"]) await write(folder, key)
  await write(store, "lfs/a")
  expect(await countBlobs(folder, never)).toEqual({ files: 4, bytes: 36 })
  expect(await move(folder, store)).toEqual({ files: 4, bytes: 36, damaged: [] })
  expect(await move(folder, store)).toEqual({ files: 0, bytes: 0, damaged: [] })
  expect([await keys(folder), await keys(store)]).toEqual([["lfs/f.part"], ["lfs/a", "lfs/b/c"]])
})

test("a move keeps what does not arrive as it was sent, and what can't be written", async () => {
  await write(folder, "lfs/a")
  const damaging: Blobs = { ...store, write: (key) => write(store, key, "other") }
  expect(await move(folder, damaging)).toEqual({ files: 0, bytes: 0, damaged: ["lfs/a"] })
  expect(await read(folder, "lfs/a")).toBe("lfs/a")
  const failing: Blobs = { ...store, write: () => Promise.reject(new StorageUnavailable("full")) }
  await expect(move(folder, failing)).rejects.toThrow("full")
  expect(await read(folder, "lfs/a")).toBe("lfs/a")
})

test("a move leaves out what is removed meanwhile, before it is read or after it is written", async () => {
  await write(folder, "lfs/a")
  const gone: Blobs = { ...folder, open: async () => undefined }
  expect(await move(gone, store)).toEqual({ files: 0, bytes: 0, damaged: [] })
  const removing: Blobs = {
    ...store,
    async write(key, content) {
      await store.write(key, content)
      await blobsInBoth(folder, store, store).remove(key)
    },
  }
  expect(await move(folder, removing)).toEqual({ files: 0, bytes: 0, damaged: [] })
  expect([await keys(folder), await keys(store)]).toEqual([[], []])
})

test("a move that is stopped ends after what is under way", async () => {
  for (let index = 0; index < 20; index++) await write(folder, `lfs/${index}`)
  const stopped = new AbortController()
  const { files } = await moveBlobs({ from: folder, to: store, signal: stopped.signal, progress: () => stopped.abort() })
  expect(files).toBeGreaterThan(0)
  expect(files).toBeLessThan(10)
  expect((await keys(folder)).length + (await keys(store)).length).toBe(20)
})

test.each([
  [{ files: 1, bytes: 12 }, "1 file (12 bytes)"],
  [{ files: 0, bytes: 0 }, "0 files (0 bytes)"],
  [{ files: 2, bytes: 3 * 2 ** 20 + 2 ** 19 }, "2 files (3.5 MiB)"],
])("%o in words", (amount, words) => {
  expect(inWords(amount)).toBe(words)
})
