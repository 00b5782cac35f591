/** A real object store whose requests and answers are late, lost, repeated, cut or refused: a blob is whole or not there, and what fails says so. */
import { randomBytes } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { type Blobs, StorageUnavailable } from "../../src/core/blobs/blobs.ts"
import { blobsOf, listUploads, PART_BYTES } from "../../src/core/blobs/objects.ts"
import { openS3, type S3 } from "../../src/core/blobs/s3.ts"
import { readStoragePlace } from "../../src/core/blobs/s3-place.ts"
import type { ListedUpload } from "../../src/core/blobs/s3-xml.ts"
import type { Disturbance, Harm } from "./support/proxy.ts"
import { openTestStore, type TestStore } from "./support/store.ts"

let store: TestStore
let s3: S3
let blobs: Blobs

beforeAll(async () => {
  store = await openTestStore()
  const place = readStoragePlace(store.storage.url)
  if (typeof place === "string") throw new Error(place)
  s3 = await openS3(place, store.storage, { limits: { answerMs: 3_000, totalMs: 4_000 } })
  blobs = blobsOf(s3)
})
afterEach(() => store.disturb(undefined))
afterAll(async () => {
  s3.close()
  await store.close()
})

/** Harms the first requests that fit, and no others. */
function first(count: number, harm: Harm, fits: (method: string, path: string) => boolean = () => true): Disturbance {
  let left = count
  return (method, path) => {
    if (left === 0 || !fits(method, path)) return "none"
    left -= 1
    return harm
  }
}

/** Harms the first request of each kind: by its method, its object and the part. */
function firstOfEach(harm: Harm): Disturbance {
  const seen = new Set<string>()
  return (method, path) => {
    const kind = `${method} ${path}`
    if (seen.has(kind)) return "none"
    seen.add(kind)
    return harm
  }
}

async function read(key: string): Promise<Buffer | undefined> {
  const blob = await blobs.open(key)
  return blob && buffer(blob.read())
}

async function uploads() {
  const all: ListedUpload[] = []
  for await (const upload of listUploads(s3)) all.push(upload)
  return all
}
const small = randomBytes(1_000)
const large = randomBytes(2 * PART_BYTES + 17)

describe.each<Harm>(["late", "cut", "lost", "twice", "failing"])("each first request %s", (harm) => {
  test.each([
    ["small", small],
    ["large", large],
  ])("a %s blob is written, read and removed", async (name, bytes) => {
    const key = `lfs/${harm}/${name}`
    store.disturb(firstOfEach(harm))
    await blobs.write(key, [bytes])
    store.disturb(firstOfEach(harm))
    expect((await read(key))?.equals(bytes)).toBe(true)
    store.disturb(firstOfEach(harm))
    await blobs.remove(key)
    expect(await blobs.open(key)).toBeUndefined()
    store.disturb(undefined)
    // One whose beginning was heard of twice or not at all is taken back by the clock.
    for (const { key: left, uploadId } of await uploads()) {
      expect(["lost", "twice"]).toContain(harm)
      await s3.askText({ method: "DELETE", key: left, query: { uploadId }, accept: [204] })
    }
  })
})

describe.each<Harm>(["cut", "lost", "failing", "silent"])("while every request is %s", (harm) => {
  test("calls are refused in time, and nothing is half written", async () => {
    await blobs.write(`lfs/always-${harm}/there`, [small])
    store.disturb(() => harm)
    const began = performance.now()
    const refused = [
      blobs.write(`lfs/always-${harm}/small`, [small]),
      blobs.write(`lfs/always-${harm}/large`, [large]),
      blobs.open(`lfs/always-${harm}/there`),
      blobs.removeBelow(`lfs/always-${harm}`),
    ]
    for (const outcome of await Promise.allSettled(refused))
      expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(StorageUnavailable)
    // Twice the limits, for the beginning of an upload and for taking it back.
    expect(performance.now() - began).toBeLessThan(20_000)
    store.disturb(undefined)
    expect(await blobs.open(`lfs/always-${harm}/large`)).toBeUndefined()
    const found = await read(`lfs/always-${harm}/small`)
    expect(found === undefined || found.equals(small)).toBe(true)
    expect((await read(`lfs/always-${harm}/there`))?.equals(small)).toBe(true)
    for (const { key, uploadId } of await uploads()) await s3.askText({ method: "DELETE", key, query: { uploadId }, accept: [204] })
  })
})

describe("a blob that is read", () => {
  beforeAll(() => blobs.write("lfs/read/large", [large]))

  test("goes on where the connection breaks off", async () => {
    store.disturb(first(3, "half", (method) => method === "GET"))
    expect((await read("lfs/read/large"))?.equals(large)).toBe(true)
    store.disturb(first(1, "half", (method) => method === "GET"))
    const blob = await blobs.open("lfs/read/large")
    expect(blob && (await buffer(blob.read({ start: 5, end: PART_BYTES + 5 }))).equals(large.subarray(5, PART_BYTES + 6))).toBe(true)
  })

  test("fails where it breaks off for good, and does not end as if it were whole", async () => {
    store.disturb((method) => (method === "GET" ? "failing" : "none"))
    await expect(read("lfs/read/large")).rejects.toBeInstanceOf(StorageUnavailable)
  })

  test("fails where it is written anew meanwhile with other bytes, and does not mix them", async () => {
    await blobs.write("lfs/read/changed", [large])
    const blob = await blobs.open("lfs/read/changed")
    await blobs.write("lfs/read/changed", [randomBytes(large.length)])
    if (!blob) throw new Error("it was written")
    await expect(buffer(blob.read())).rejects.toThrow("a blob has gone while it was read")
  })
})

test("an upload whose end was not heard of is complete, and counts", async () => {
  store.disturb(first(1, "lost", (method, path) => method === "POST" && path.includes("uploadId")))
  await blobs.write("lfs/end/lost", [large])
  expect((await read("lfs/end/lost"))?.equals(large)).toBe(true)
})

test("parts that never arrive leave no blob, and what was sent of it is taken back", async () => {
  store.disturb((method, path) => (method === "PUT" && path.includes("partNumber=2") ? "failing" : "none"))
  await expect(blobs.write("lfs/parts/missing", [large])).rejects.toBeInstanceOf(StorageUnavailable)
  expect(await blobs.open("lfs/parts/missing")).toBeUndefined()
  expect(await uploads()).toEqual([])
})
