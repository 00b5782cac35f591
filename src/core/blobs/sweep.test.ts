import { describe, expect, test } from "vitest"
import type { Blobs, StoredBlob } from "./blobs.ts"
import { sweepBlobs } from "./sweep.ts"

const NOW = 10_000_000
const OLD = (NOW - 86_400) * 1000

/** As many of a place as the sweep needs. */
function placeOf(stored: readonly StoredBlob[]) {
  const removed: string[] = []
  const asked: (readonly string[])[] = []
  const blobs: Pick<Blobs, "list" | "remove"> = {
    async *list() {
      yield* stored
    },
    async remove(key) {
      removed.push(key)
    },
  }
  const findKept = async (names: readonly string[]) => {
    asked.push(names)
    return names.filter((name) => name.startsWith("kept"))
  }
  return { blobs, removed, asked, findKept }
}
const blob = (key: string, modifiedAt = OLD): StoredBlob => ({ key, size: 1, modifiedAt })

describe("the sweep of blobs", () => {
  test("leaves what a row names and what is young, in any number", async () => {
    const old = Array.from({ length: 1_200 }, (_, index) => blob(`lfs/${index % 100}/old-${index}`))
    const stored = [...old, blob("lfs/ab/kept"), blob("lfs/ab/young.part", OLD + 1), blob("lfs/ab/half.part")]
    const { blobs, removed, asked, findKept } = placeOf(stored)
    expect(await sweepBlobs(blobs, "lfs", { now: NOW, signal: new AbortController().signal, findKept })).toBe(1_201)
    expect(removed).toEqual([...old.map(({ key }) => key), "lfs/ab/half.part"])
    expect(asked.map(({ length }) => length)).toEqual([500, 500, 202])
  })

  test("ends with the signal, and finds nothing where nothing is", async () => {
    const { blobs, removed, findKept } = placeOf([blob("lfs/a")])
    expect(await sweepBlobs(blobs, "lfs", { now: NOW, signal: AbortSignal.abort(), findKept })).toBe(0)
    expect(removed).toEqual([])
    const empty = placeOf([])
    expect(await sweepBlobs(empty.blobs, "lfs", { now: NOW, signal: new AbortController().signal, findKept: empty.findKept })).toBe(0)
    expect(empty.asked).toEqual([])
  })

  test("removes nothing whose rows can't be looked up", async () => {
    const { blobs, removed } = placeOf([blob("lfs/a")])
    const findKept = async () => Promise.reject(new Error("no database"))
    await expect(sweepBlobs(blobs, "lfs", { now: NOW, signal: new AbortController().signal, findKept })).rejects.toThrow("no database")
    expect(removed).toEqual([])
  })
})
