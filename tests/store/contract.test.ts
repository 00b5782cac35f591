/** What blobs promise, in a folder, in a real object store, and in both at once. */
import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Blobs } from "../../src/core/blobs/blobs.ts"
import { blobsInBoth } from "../../src/core/blobs/both.ts"
import { blobsIn } from "../../src/core/blobs/folder.ts"
import { type ObjectStore, openStore } from "../../src/core/blobs/object-store.ts"
import { PART_BYTES } from "../../src/core/blobs/objects.ts"
import { openTestStore, type TestStore } from "./support/store.ts"

let store: TestStore
let opened: ObjectStore
let folder: string

beforeAll(async () => {
  store = await openTestStore()
  opened = await openStore({ ...store.storage, place: "store", presigned: true })
  folder = await mkdtemp(join(tmpdir(), "hearth-blobs-"))
})
afterAll(async () => {
  opened.close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const places: Readonly<Record<string, () => Blobs>> = {
  "a folder": () => blobsIn(join(folder, "alone")),
  "an object store": () => opened.blobs,
  "both, written to the store": () => blobsInBoth(blobsIn(join(folder, "beside")), opened.blobs, opened.blobs),
  "both, written to the folder": () => {
    const beside = blobsIn(join(folder, "before"))
    return blobsInBoth(beside, opened.blobs, beside)
  },
}

async function bytesOf(blobs: Blobs, key: string): Promise<Buffer | undefined> {
  const blob = await blobs.open(key)
  return blob && buffer(blob.read())
}

async function keysBelow(blobs: Blobs, below: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(below)) keys.push(key)
  return keys
}

/** In chunks that no part ends with. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000_003) yield bytes.subarray(at, at + 1_000_003)
}

describe.each(Object.entries(places))("blobs in %s", (name, place) => {
  const root = `actions/${name.replaceAll(/\W/g, "-")}`

  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 2 * PART_BYTES + 1])(
    "are given back as they were written: %i bytes",
    async (size) => {
      const blobs = place()
      const key = `${root}/size-${size}`
      const bytes = randomBytes(size)
      await blobs.write(key, chunksOf(bytes))
      const blob = await blobs.open(key)
      expect(blob?.size).toBe(size)
      await blob?.close()
      const found = await bytesOf(blobs, key)
      expect(found?.equals(bytes)).toBe(true)
      await blobs.remove(key)
      expect(await blobs.open(key)).toBeUndefined()
    },
  )

  test("are read in ranges", async () => {
    const blobs = place()
    const key = `${root}/ranges`
    await blobs.write(key, [Buffer.from("0123"), Buffer.from("456789")])
    const blob = await blobs.open(key)
    if (!blob) throw new Error("it was written")
    expect(String(await buffer(blob.slice({ start: 0, end: 0 })))).toBe("0")
    expect(String(await buffer(blob.slice({ start: 3, end: 5 })))).toBe("345")
    expect(String(await buffer(blob.read({ start: 8, end: 9 })))).toBe("89")
    await blob.close()
    await blobs.remove(key)
  })

  test("may be written again", async () => {
    const blobs = place()
    const key = `${root}/again`
    for (const text of ["one", "one"]) await blobs.write(key, [Buffer.from(text)])
    expect(String(await bytesOf(blobs, key))).toBe("one")
    await blobs.remove(key)
  })

  test.each([10, PART_BYTES + 10])("are not there when their content breaks off after %i bytes", async (size) => {
    const blobs = place()
    const key = `${root}/broken`
    async function* broken() {
      yield* chunksOf(randomBytes(size))
      throw new Error("the sender has gone")
    }
    await expect(blobs.write(key, broken())).rejects.toThrow("the sender has gone")
    expect(await blobs.open(key)).toBeUndefined()
    expect(await opened.countUploads()).toBe(0)
  })

  test("are listed by folder, in order and once, with their sizes", async () => {
    const blobs = place()
    const names = ["b", "a/1", "a/2", "a-b", "c/x/y"]
    for (const each of names) await blobs.write(`${root}/listed/${each}`, [Buffer.from(each)])
    expect(await keysBelow(blobs, `${root}/listed`)).toEqual(names.map((each) => `${root}/listed/${each}`).toSorted())
    for await (const { size, modifiedAt } of blobs.list(`${root}/listed/a`)) {
      expect(size).toBe(3)
      expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(600_000)
    }
    await blobs.removeBelow(`${root}/listed/a`)
    expect(await keysBelow(blobs, `${root}/listed`)).toEqual(["a-b", "b", "c/x/y"].map((each) => `${root}/listed/${each}`))
    await blobs.removeBelow(`${root}/listed`)
    expect(await keysBelow(blobs, root)).toEqual([])
    await blobs.removeBelow(`${root}/listed`)
    await blobs.remove(`${root}/listed/b`)
  })

  test.each(["hearth.db", "lfs", "lfs/../hearth.db", "lfs//a", "/lfs/a", "other/a", "lfs/a b", "lfs/.hidden"])(
    "refuse the key %j",
    async (key) => {
      const blobs = place()
      await expect(Promise.resolve().then(() => blobs.write(key, []))).rejects.toThrow(TypeError)
      await expect(Promise.resolve().then(() => blobs.open(key))).rejects.toThrow(TypeError)
      await expect(Promise.resolve().then(() => blobs.remove(key))).rejects.toThrow(TypeError)
    },
  )
})

test("a list of more than a thousand objects is whole", async () => {
  const keys = Array.from({ length: 1_005 }, (_, index) => `lfs/many/${String(index).padStart(4, "0")}`)
  for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map((key) => opened.blobs.write(key, [])))
  expect(await keysBelow(opened.blobs, "lfs/many")).toEqual(keys)
  await opened.blobs.removeBelow("lfs/many")
})

describe("addresses", () => {
  test("give the bytes as a file to be saved, and nothing when they are changed", async () => {
    await opened.blobs.write("attachments/aa/page", [Buffer.from("<script>")])
    const blob = await opened.blobs.open("attachments/aa/page")
    const disposition = `attachment; filename="a _.html"; filename*=UTF-8''a%20%C3%A4.html`
    const address = (await blob?.address?.({ type: "application/octet-stream", disposition })) ?? ""
    const answer = await fetch(address)
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
      200,
      "application/octet-stream",
      disposition,
    ])
    expect(await answer.text()).toBe("<script>")
    expect((await fetch(address.replace("octet-stream", "html"))).status).toBe(403)
    expect((await fetch(address.replace("/page?", "/other?"))).status).toBe(403)
    expect((await fetch(address, { method: "DELETE" })).status).toBe(403)
    expect(address).not.toContain(store.storage.secretKey)
  })

  const put = async (key: string, announced: Buffer, sent: Buffer, more: Readonly<Record<string, string>> = {}) => {
    const sha256 = createHash("sha256").update(announced).digest("hex")
    const place = await opened.blobs.direct?.invite(key, { sha256, size: announced.length })
    if (!place) throw new Error("the store takes these")
    const { status } = await fetch(place.href, { method: "PUT", headers: { ...place.headers, ...more }, body: new Uint8Array(sent) })
    return { status, isThere: await opened.blobs.direct?.holds(key, { sha256, size: announced.length }) }
  }

  test("take the bytes that were announced, once", async () => {
    const bytes = randomBytes(100_000)
    expect(await put("lfs/aa/right", bytes, bytes, { "content-type": "text/plain" })).toEqual({ status: 200, isThere: true })
    expect((await put("lfs/aa/right", bytes, bytes)).status).toBe(412)
    expect((await bytesOf(opened.blobs, "lfs/aa/right"))?.equals(bytes)).toBe(true)
  })

  test("take no others", async () => {
    const bytes = randomBytes(1_000)
    const wrong = randomBytes(1_000)
    expect(await put("lfs/aa/wrong", bytes, wrong)).toEqual({ status: 400, isThere: false })
    const digest = createHash("sha256").update(wrong).digest("base64")
    expect(await put("lfs/aa/wrong", bytes, wrong, { "x-amz-checksum-sha256": digest })).toEqual({ status: 403, isThere: false })
    expect(await put("lfs/aa/wrong", bytes, bytes.subarray(1))).toEqual({ status: 403, isThere: false })
    expect(await opened.blobs.open("lfs/aa/wrong")).toBeUndefined()
  })

  test("are not given for nothing, nor for more than the store takes at once", async () => {
    const sha256 = "0".repeat(64)
    expect(await opened.blobs.direct?.invite("lfs/aa/none", { sha256, size: 0 })).toBeUndefined()
    expect(await opened.blobs.direct?.invite("lfs/aa/huge", { sha256, size: 5 * 2 ** 30 + 1 })).toBeUndefined()
  })

  test("bytes that were written by the server are compared where the store keeps no digest", async () => {
    const bytes = randomBytes(100)
    await opened.blobs.write("lfs/aa/own", [bytes])
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(await opened.blobs.direct?.holds("lfs/aa/own", { sha256, size: 100 })).toBe(true)
    expect(await opened.blobs.direct?.holds("lfs/aa/own", { sha256: "0".repeat(64), size: 100 })).toBe(false)
    expect(await opened.blobs.direct?.holds("lfs/aa/own", { sha256, size: 99 })).toBe(false)
  })
})
