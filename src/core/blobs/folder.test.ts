import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { setPause } from "../../seams/pause.ts"
import type { Blobs, StoredBlob } from "./blobs.ts"
import { blobsIn } from "./folder.ts"
import { sweepBlobs } from "./sweep.ts"

const KEY = "lfs/ab/file"

let root: string
let blobs: Blobs
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hearth-blobs-"))
  blobs = blobsIn(root)
})
afterEach(async () => {
  setPause(undefined)
  await rm(root, { recursive: true, force: true })
})

const files = async () =>
  (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)
async function listed(folder: string): Promise<readonly StoredBlob[]> {
  const found: StoredBlob[] = []
  for await (const blob of blobs.list(folder)) found.push(blob)
  return found
}
const keys = async (folder: string) => (await listed(folder)).map(({ key }) => key)
const read = async (key = KEY) => {
  const blob = await blobs.open(key)
  return blob && text(blob.read())
}

describe("a blob in a folder", () => {
  test("is written, read as often as it is opened, written anew and removed", async () => {
    expect(await read()).toBeUndefined()
    await blobs.write(KEY, [Buffer.from("one"), Buffer.from(" two")])
    expect([await read(), await read()]).toEqual(["one two", "one two"])
    await blobs.write(KEY, [])
    expect(await read()).toBe("")
    await blobs.remove(KEY)
    await blobs.remove(KEY)
    expect([await read(), await files()]).toEqual([undefined, []])
  })

  test("can be read to its end by who has opened it before it is removed or replaced", async () => {
    await blobs.write(KEY, [Buffer.from("before")])
    const [one, other] = [await blobs.open(KEY), await blobs.open(KEY)]
    await blobs.write(KEY, [Buffer.from("after")])
    expect(one && (await text(one.read()))).toBe("before")
    await blobs.remove(KEY)
    expect(other && (await text(other.read()))).toBe("before")
  })

  test("is given in ranges, which may go beyond its end, and in as many slices as are wanted", async () => {
    const all = Array.from({ length: 40_000 }, (_, index) => `${index}\n`).join("")
    await blobs.write(KEY, [Buffer.from(all)])
    const ranges = [
      [0, 0],
      [5, 70_000],
      [65_535, 65_536],
      [all.length - 1, all.length + 100],
      [all.length, all.length + 1],
    ] as const
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on("warning", warned)
    const sliced = await blobs.open(KEY)
    expect(sliced?.size).toBe(all.length)
    for (let round = 0; round < 10; round++)
      for (const [start, end] of ranges) {
        const wanted = all.slice(start, end + 1)
        const ranged = await blobs.open(KEY)
        expect(ranged && (await text(ranged.read({ start, end }, 1000))) === wanted, `${start}-${end}`).toBe(true)
        expect(sliced && (await text(sliced.slice({ start, end }))) === wanted, `slice ${start}-${end}`).toBe(true)
      }
    await sliced?.close()
    await new Promise(setImmediate)
    process.off("warning", warned)
    expect(warnings).toEqual([])
  })

  test.each([
    "",
    "lfs",
    "lfs/",
    "/lfs/a",
    "lfs//a",
    "lfs/../secret.key",
    "lfs/a..b",
    "lfs/.a",
    "lfs/.",
    "../lfs/a",
    "lfs/a b",
    "lfs/ä",
    "lfs/a\nb",
    "lfs/a\0",
    "lfs\\a",
    "Lfs/a",
    "lfs/a/",
  ])("is refused the key %j", async (key) => {
    await expect((async () => blobs.write(key, [Buffer.from("x")]))()).rejects.toThrow("not the key of a blob")
    await expect((async () => blobs.open(key))()).rejects.toThrow("not the key of a blob")
    expect(() => blobs.remove(key)).toThrow("not the key of a blob")
    expect(() => blobs.removeBelow(key)).toThrow("not the key of a blob")
    expect(await readdir(root)).toEqual([])
  })

  test("is not there where its content breaks off, or the disk is full", async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(1_000_000)
      throw new Error("broken off")
    }
    await expect(blobs.write(KEY, broken())).rejects.toThrow("broken off")
    for (const step of ["folder", "open", "write", "flush", "rename"]) {
      setPause(async (point) => {
        if (point === `file.${step}`) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
      })
      await expect(blobs.write(KEY, [Buffer.from("x")]), step).rejects.toMatchObject({ code: "ENOSPC" })
    }
    setPause(undefined)
    expect([await read(), await files()]).toEqual([undefined, []])
  })

  test.each(["folder", "open", "write", "flush", "rename"])(
    "is there whole or as a draft where its process is killed at the step %s, and the sweep removes the draft",
    async (step) => {
      const child = fork(join(import.meta.dirname, "folder.fixture.ts"), [root, KEY, step])
      await once(child, "message")
      child.kill("SIGKILL")
      await once(child, "exit")
      const left = await files()
      expect(left).toEqual(step === "folder" || step === "open" ? [] : [expect.stringMatching(/^file\..+\.part$/)])
      expect(await read()).toBeUndefined()
      const now = Math.floor(Date.now() / 1000)
      const sweep = (at: number) =>
        sweepBlobs(blobs, "lfs", { now: at, signal: new AbortController().signal, findKept: async () => ["file"] })
      expect(await sweep(now)).toBe(0)
      expect(await files()).toEqual(left)
      expect(await sweep(now + 2 * 86_400)).toBe(left.length)
      expect(await files()).toEqual([])
    },
  )
})

describe("the blobs of a folder", () => {
  test("are listed in the order of their keys, with their sizes and times, until they are not wanted", async () => {
    for (const key of ["lfs/b/2", "lfs/a/z", "lfs/a/b/c", "lfs/c", "packages/a/x"]) await blobs.write(key, [Buffer.from(key)])
    await writeFile(join(root, "lfs", "a", "z.1.part"), "half")
    const found = await listed("lfs")
    expect(found.map(({ key, size }) => [key, size])).toEqual([
      ["lfs/a/b/c", 9],
      ["lfs/a/z", 7],
      ["lfs/a/z.1.part", 4],
      ["lfs/b/2", 7],
      ["lfs/c", 5],
    ])
    for (const { modifiedAt } of found) expect(Math.abs(Date.now() - modifiedAt)).toBeLessThan(60_000)
    expect(await keys("lfs/a")).toEqual(["lfs/a/b/c", "lfs/a/z", "lfs/a/z.1.part"])
    expect(await keys("nothing")).toEqual([])
    const signal = new AbortController()
    const some: string[] = []
    for await (const { key } of blobs.list("lfs", signal.signal)) {
      some.push(key)
      signal.abort()
    }
    expect(some).toEqual(["lfs/a/b/c"])
  })

  test("are files, and not what links lead to", async () => {
    await writeFile(join(root, "secret.key"), "secret")
    await mkdir(join(root, "lfs"))
    await symlink(join(root, "secret.key"), join(root, "lfs", "link"))
    await symlink(root, join(root, "lfs", "folder"))
    expect(await keys("lfs")).toEqual([])
  })

  test("are removed together", async () => {
    for (const key of ["actions/one/a", "actions/one/b", "actions/other/a"]) await blobs.write(key, [Buffer.from(key)])
    await blobs.removeBelow("actions/one")
    await blobs.removeBelow("actions/one")
    expect(await keys("actions")).toEqual(["actions/other/a"])
  })
})
