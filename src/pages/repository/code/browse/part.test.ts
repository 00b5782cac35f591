import { expect, test } from "vitest"
import { type PartLimits, readPart } from "./part.ts"

const LIMITS: PartLimits = { lines: 3, lineBytes: 10, bytes: 25, readBytes: 1_000 }

/** The text in chunks of this many bytes. */
async function* inChunks(text: string | Buffer, size: number, read: { bytes: number } = { bytes: 0 }): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size)
    read.bytes += chunk.length
    yield chunk
  }
}
const SIZES = [1, 2, 3, 7, 1000]

test.each(SIZES)("lines are found wherever chunks of %i end", async (size) => {
  const text = "one\ntwo\r\n\nfour\nfive"
  const texts = async (from: number) => {
    const { lines, hasMore } = await readPart(inChunks(text, size), from, LIMITS)
    return [...lines.map((line) => line.text), hasMore]
  }
  expect(await texts(1)).toEqual(["one", "two", "", true])
  expect(await texts(2)).toEqual(["two", "", "four", true])
  expect(await texts(3)).toEqual(["", "four", "five", false])
  expect(await texts(5)).toEqual(["five", false])
  expect(await texts(6)).toEqual([false])
  const ended = await readPart(inChunks("a\nb\nc\n", size), 1, LIMITS)
  expect([ended.lines.length, ended.hasMore]).toEqual([3, false])
})

test.each(SIZES)("long lines are cut between characters, in chunks of %i", async (size) => {
  const { lines } = await readPart(inChunks(`${"ä".repeat(4)}€€\nnext`, size), 1, LIMITS)
  expect(lines).toEqual([
    { text: "ääää", cut: 4 },
    { text: "next", cut: 0 },
  ])
})

test("a part keeps and reads no more than its limits", async () => {
  const read = { bytes: 0 }
  const many = await readPart(inChunks("12345678\n".repeat(1_000), 9, read), 1, { ...LIMITS, lines: 100 })
  expect([many.lines.length, many.hasMore, many.isTooFar]).toEqual([4, true, false])
  expect(read.bytes).toBeLessThan(60)
  const far = { bytes: 0 }
  const behind = await readPart(inChunks("x\n".repeat(10_000), 100, far), 9_000, LIMITS)
  expect([behind.lines.length, behind.hasMore, behind.isTooFar, far.bytes]).toEqual([0, true, true, 1_100])
  const endless = await readPart(inChunks("x".repeat(10_000), 100), 1, LIMITS)
  expect(endless).toMatchObject({ isTooFar: true, lines: [{ text: "xxxxxxxxxx", cut: 1_090 }] })
})

test("what is no text is told by its beginning", async () => {
  expect((await readPart(inChunks(Buffer.from("a\n\0b"), 2), 1, LIMITS)).isBinary).toBe(true)
  expect((await readPart(inChunks(Buffer.from(`${"a".repeat(9_000)}\0b`), 100), 1, { ...LIMITS, readBytes: 1e6 })).isBinary).toBe(false)
})
