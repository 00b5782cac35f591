import { renameSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Repository } from "../index.ts"
import { objectId, type RefName, refName } from "../model/names.ts"
import { ok, openWorld, type World } from "../testing.ts"
import { hasPackedBelow, packedBelow, packedId, packedTextWith, readPackedFile } from "./packed-file.ts"

let world: World
let repository: Repository
beforeAll(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("ab/packed", { format: "sha1", branch: "main" })
})
afterAll(() => world.close())

const idOf = (number: number) => objectId((number + 1).toString(16).padStart(40, "0"))
const HEADER = "# pack-refs with: peeled fully-peeled sorted \n"

/** Puts a file in the place of the last, as git does. */
function write(text: string, isOld = true): void {
  const path = join(repository.directory, "packed-refs")
  writeFileSync(`${path}.other`, text)
  if (isOld) utimesSync(`${path}.other`, 1, 1)
  renameSync(`${path}.other`, path)
}

const listed = (prefix: string) => [...packedBelow(readPackedFile(repository), prefix)].map(([name]) => name)

test("names are found in sorted files and others, with what tags lead to, and none that is not there", () => {
  const names = [
    "refs/heads/a",
    "refs/heads/a-b",
    "refs/heads/a/b",
    "refs/heads/ä",
    "refs/heads/b",
    "refs/tags/v1",
    "refs/tags/v1.0",
    "refs/tags/v10",
  ]
  const lines = names.map((name, index) => `${idOf(index)} ${name}\n${name.startsWith("refs/tags/") ? `^${idOf(99)}\n` : ""}`)
  const inBytes = names.map((name) => Buffer.from(name)).sort(Buffer.compare)
  const sorted = inBytes.map((name) => lines[names.indexOf(name.toString())] ?? "")
  for (const text of [HEADER + sorted.join(""), `# pack-refs with: peeled \n${lines.toReversed().join("")}`, lines.toReversed().join("")]) {
    write(text)
    const packed = readPackedFile(repository)
    for (const [index, name] of names.entries()) expect(packedId(packed, name)).toBe(idOf(index))
    for (const name of ["refs/heads", "refs/heads/", "refs/heads/a/", "refs/heads/aa", "refs/tags/v1.", "refs/tags/v100", "a", "z", ""])
      expect(packedId(packed, name)).toBeUndefined()
    expect(listed("refs/")).toEqual(inBytes.map(String))
    expect(listed("refs/tags/v1")).toEqual(["refs/tags/v1", "refs/tags/v1.0", "refs/tags/v10"])
    expect(listed("refs/tags/v1.0")).toEqual(["refs/tags/v1.0"])
    expect(listed("refs/x")).toEqual([])
    expect([hasPackedBelow(packed, "refs/heads/a/"), hasPackedBelow(packed, "refs/heads/b/"), hasPackedBelow(packed, "z")]).toEqual([
      true,
      false,
      false,
    ])
  }
})

test("a damaged file has what can be read of it", () => {
  write(`${HEADER}${idOf(1)} refs/heads/a\n\n^\n${idOf(2)} refs/heads/b`)
  expect(packedId(readPackedFile(repository), "refs/heads/c")).toBeUndefined()
  for (const text of ["", "\n", "^", "#", HEADER, "x", `${HEADER}^${idOf(1)}\n`, `${HEADER}${idOf(1)} `]) {
    write(text)
    expect(packedId(readPackedFile(repository), "refs/heads/a")).toBeUndefined()
    expect(listed("refs/")).toEqual([])
  }
})

describe("a file that takes the place of another", () => {
  test("of the same size and the same time is read", () => {
    for (let round = 0; round < 2_000; round++) {
      write(`${HEADER}${idOf(round)} refs/heads/a\n`, false)
      expect(packedId(readPackedFile(repository), "refs/heads/a")).toBe(idOf(round))
    }
  })

  test("is seen once the other was remembered", async () => {
    write(`${HEADER}${idOf(1)} refs/heads/a\n`)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const first = readPackedFile(repository)
    expect(readPackedFile(repository)).toBe(first)
    write(`${HEADER}${idOf(2)} refs/heads/a\n`)
    expect(packedId(readPackedFile(repository), "refs/heads/a")).toBe(idOf(2))
  })
})

test("a text with changes is what git reads", async () => {
  const person = { name: "Ada", email: "ada@example.com", when: 1, offset: 0 }
  const tree = await world.git.objects.writeTree(repository, [])
  const commit = (message: string) =>
    world.git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message })
  const [one, two] = [await commit("one"), await commit("two")]
  const expected = new Map<RefName, string>()
  write("")
  let seed = 7
  for (let round = 0; round < 300; round++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    const name = refName(`refs/${seed % 3 === 0 ? "tags" : "heads"}/${["a", "b/", "ä"][seed % 5] ?? "c"}${seed % 17}`)
    const to = seed % 4 === 0 ? null : seed % 2 === 0 ? one : two
    write(packedTextWith(readPackedFile(repository), new Map([[name, to]])).toString())
    if (to === null) expected.delete(name)
    else expected.set(name, to)
  }
  const seen = (await ok(repository.directory, "for-each-ref", "--format=%(objectname) %(refname)")).split("\n")
  expect(seen.toSorted()).toEqual([...expected].map(([name, id]) => `${id} ${name}`).toSorted())
  for (const [name, id] of expected) expect(packedId(readPackedFile(repository), name)).toBe(id)
})
