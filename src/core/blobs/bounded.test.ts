import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { writeBounded } from "./bounded.ts"
import { blobsIn } from "./folder.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hearth-bounded-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const write = (content: Readable) => writeBounded(blobsIn(root), "uploads/1/file", content, 10, () => new Error("too large"))
const files = () => readdir(join(root, "uploads", "1"))

describe("a blob from outside", () => {
  test("is written with as many bytes as it may have, and its size is told", async () => {
    expect(await write(Readable.from([Buffer.from("12345"), Buffer.from("67890")]))).toBe(10)
    const blob = await blobsIn(root).open("uploads/1/file")
    expect(blob && (await text(blob.read()))).toBe("1234567890")
    expect(await write(Readable.from([]))).toBe(0)
  })

  test("is not there with one byte more, and what follows is not waited for", async () => {
    const endless = new Readable({ read() {} })
    endless.push(Buffer.alloc(10))
    endless.push(Buffer.alloc(1))
    await expect(write(endless)).rejects.toThrow("too large")
    expect(endless.destroyed).toBe(true)
    expect(await files()).toEqual([])
  })

  test("is not there where its sender goes away", async () => {
    const content = new Readable({ read() {} })
    content.on("error", () => {})
    content.push(Buffer.from("begun"))
    setImmediate(() => content.destroy(new Error("gone")))
    await expect(write(content)).rejects.toThrow("gone")
    expect(await files()).toEqual([])
  })
})
