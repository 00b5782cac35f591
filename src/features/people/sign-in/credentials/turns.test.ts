import { expect, test } from "vitest"
import type { Share } from "../../../../core/cluster/share.ts"
import { openTurns } from "./turns.ts"

/** Work that ends when it is told to, by name; `begun` has the names in the order in which they got a slot. */
function openWork(slots: number, queue: number, share?: Share) {
  const turns = openTurns(slots, queue, share)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (caller: string, name: string): Promise<string> =>
    turns(caller, async () => {
      begun.push(name)
      await new Promise<void>((end) => ends.set(name, end))
      return name
    })
  const end = async (work: Promise<string>, name: string) => {
    ends.get(name)?.()
    await work
  }
  return { begun, add, end }
}

test("callers take turns, however many tries one of them has in the queue", async () => {
  const { begun, add, end } = openWork(1, 8)
  const works = new Map(["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => [name, add(name.charAt(0), name)]))
  for (const name of ["a1", "a2", "b1", "c1", "a3", "b2"]) await end(works.get(name) ?? add("?", name), name)
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"])
})

test("a caller holds half of the queue at most, and loses tries to callers with fewer when it is full", async () => {
  const { begun, add, end } = openWork(1, 4)
  const first = add("a", "a1")
  const a2 = add("a", "a2")
  const a3 = add("a", "a3")
  await expect(add("a", "a4")).rejects.toMatchObject({ kind: "busy" })
  const b1 = add("b", "b1")
  const b2 = add("b", "b2")
  const c1 = add("c", "c1")
  await expect(a3).rejects.toMatchObject({ kind: "busy" })
  await expect(add("b", "b3")).rejects.toMatchObject({ kind: "busy" })
  const [rest, names] = [
    [first, a2, b1, c1, b2],
    ["a1", "a2", "b1", "c1", "b2"],
  ]
  for (const [index, name] of names.entries()) await end(rest[index] ?? first, name)
  expect(begun).toEqual(names)
})

test("a slot is free again after work that fails", async () => {
  const turns = openTurns(1, 2)
  const failing = () => Promise.reject(new Error("no"))
  await expect(turns("a", failing)).rejects.toThrow("no")
  expect(await turns("a", async () => 1)).toBe(1)
})

test("a process has its part of the slots and of the queue, and gives back slots that have become another's", async () => {
  let processes = 1
  const { begun, add, end } = openWork(2, 8, (total) => Math.ceil(total / processes))
  const [a, b] = [add("a", "a"), add("b", "b")]
  expect(begun).toEqual(["a", "b"])
  processes = 2
  // Half of four places for one caller.
  const [c, d] = [add("c", "c"), add("c", "d")]
  await expect(add("c", "e")).rejects.toMatchObject({ kind: "busy" })
  await end(a, "a")
  expect(begun).toEqual(["a", "b"])
  await end(b, "b")
  expect(begun).toEqual(["a", "b", "c"])
  await end(c, "c")
  await end(d, "d")
})
