import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { crc32, deflateRawSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { type OpenBlob, StorageUnavailable } from "../../../core/blobs/blobs.ts"
import { type NewEntry, readZip, writeZip } from "./zip.ts"

const stored = (path: string, text: string | Buffer): NewEntry => {
  const bytes = Buffer.from(text)
  return {
    path,
    method: 0,
    crc: crc32(bytes),
    packed: bytes.length,
    size: bytes.length,
    content: async function* () {
      yield bytes
    },
  }
}
const deflated = (path: string, text: string): NewEntry => {
  const bytes = deflateRawSync(text)
  return { ...stored(path, bytes), method: 8, crc: crc32(text), size: Buffer.byteLength(text) }
}
const zipOf = (entries: readonly NewEntry[]): Promise<Buffer> => buffer(Readable.from(writeZip(entries)))

/** A blob of an object store, as far as it matters: each slice is a request. */
function blobOf(bytes: Buffer, fail = false) {
  const requests: number[] = []
  const slice: OpenBlob["slice"] = ({ start, end }) => {
    if (start > end || start < 0) throw new RangeError("no such range")
    requests.push(end - start + 1)
    if (fail)
      return new Readable({
        read() {
          this.destroy(new StorageUnavailable("no answer"))
        },
      })
    return Readable.from([bytes.subarray(start, end + 1)])
  }
  const blob: OpenBlob = { size: bytes.length, slice, read: () => Readable.from([bytes]), close: async () => {} }
  return { blob, requests }
}
const textOf = async (content: AsyncIterable<Buffer>): Promise<string> => (await buffer(Readable.from(content))).toString()

describe("a zip file", () => {
  test("is read as it was written, each file by itself or as it is stored", async () => {
    const long = "compressible ".repeat(100_000)
    const { blob } = blobOf(await zipOf([stored("a/ü.txt", "plain"), deflated("long", long), stored("empty", ""), stored("dir/", "")]))
    const found = await readZip(blob)
    expect(found?.map(({ path, method, size }) => [path, method, size])).toEqual([
      ["a/ü.txt", 0, 5],
      ["long", 8, long.length],
      ["empty", 0, 0],
    ])
    const [plain, packed, empty] = found ?? []
    if (!plain || !packed || !empty) throw new Error("missing")
    expect([await textOf(plain.content()), await textOf(empty.content())]).toEqual(["plain", ""])
    expect((await textOf(packed.content())) === long).toBe(true)
    expect((await buffer(Readable.from(packed.stored()))).equals(deflateRawSync(long))).toBe(true)
  })

  test("of as many files as it may have is read with few requests", async () => {
    const entries = Array.from({ length: 65_534 }, (_, index) => stored(`folder/file-${index}.txt`, `${index}`))
    const bytes = await zipOf(entries)
    const { blob, requests } = blobOf(bytes)
    const found = await readZip(blob)
    expect(found).toHaveLength(65_534)
    const listing = requests.length
    // The directory has 4.5 MB, in blocks of 256 KiB.
    expect(listing).toBeLessThan(25)
    for (const entry of found?.slice(0, 3_000) ?? []) expect(await textOf(entry.stored())).toBe(/\d+/.exec(entry.path)?.[0])
    // These are beside one another, and so are all files of a thousand bytes or two.
    expect(requests.length - listing).toBeLessThan(5)
    expect(Math.max(...requests)).toBeLessThanOrEqual(256 * 1024)
  })

  test("with a large file has that read in one request", async () => {
    const large = Buffer.alloc(5_000_000, "x")
    const { blob, requests } = blobOf(await zipOf([stored("large", large)]))
    const [entry] = (await readZip(blob)) ?? []
    expect(entry && (await buffer(Readable.from(entry.content()))).equals(large)).toBe(true)
    expect(requests).toContain(5_000_000)
    expect(requests.length).toBeLessThan(5)
  })

  test("is none where it is damaged, cut off, or something else", async () => {
    const whole = await zipOf([stored("a", "some text"), stored("b", "more")])
    const far = Buffer.from(whole)
    // The directory begins where no file is.
    far.writeUInt32LE(0xfffffff0, far.length - 6)
    const beyond = Buffer.from(whole)
    beyond.writeUInt32LE(beyond.length - 1, beyond.length - 6)
    for (const bytes of [Buffer.alloc(0), Buffer.from("text"), whole.subarray(0, -1), whole.subarray(10), far, beyond])
      expect(await readZip(blobOf(bytes).blob)).toBeUndefined()
  })

  test("that can't be read now fails, and is not taken for something else", async () => {
    const { blob } = blobOf(await zipOf([stored("a", "some text")]), true)
    await expect(readZip(blob)).rejects.toThrow("no answer")
  })

  test("with a file that is said to be where none is fails when that is read", async () => {
    const bytes = await zipOf([stored("a", "some text")])
    const header = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    bytes.writeUInt32LE(0x7fffffff, header + 42)
    const [entry] = (await readZip(blobOf(bytes).blob)) ?? []
    await expect((async () => entry && textOf(entry.content()))()).rejects.toThrow()
  })
})
