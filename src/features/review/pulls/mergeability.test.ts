import { afterEach, beforeEach, expect, test } from "vitest"
import { objectId, type Repository } from "../../../git/index.ts"
import { openWorld, type World } from "../../../git/testing.ts"
import { assess } from "./mergeability.ts"

let world: World
let repository: Repository
beforeEach(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("here", { format: "sha1", branch: "main" })
})
afterEach(() => world.close())

const person = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 0 }

/** A commit that holds these files. */
async function commit(files: Readonly<Record<string, string>>, ...parents: readonly string[]): Promise<string> {
  const { writeBlob, writeTree, writeCommit } = world.git.objects
  const entries = await Promise.all(
    Object.entries(files).map(async ([name, text]) => ({ mode: "100644", name, id: await writeBlob(repository, text) }) as const),
  )
  const tree = await writeTree(repository, entries)
  return writeCommit(repository, { tree, parents: parents.map((id) => objectId(id)), author: person, committer: person, message: "x\n" })
}
const look = (base: string, head: string, git = world.git) => assess(git, repository, objectId(base), objectId(head))

test("two that fit, and two that don't", async () => {
  const root = await commit({ a: "1\n" })
  const base = await commit({ a: "1\n", b: "b\n" }, root)
  const head = await commit({ a: "2\n3\n" }, root)
  const known = { baseId: base, headId: head, mergeBase: root, conflictedFiles: [], ahead: 1, behind: 1 }
  expect(await look(base, head)).toMatchObject({ ...known, mergeability: "mergeable", additions: 2, deletions: 1, changedFiles: 1 })
  const other = await commit({ a: "4\n" }, root)
  expect(await look(other, head)).toMatchObject({ mergeability: "conflict", conflictedFiles: ["a"], tree: undefined })
})

test("one that is contained already, and one that changes nothing", async () => {
  const root = await commit({ a: "1\n" })
  const next = await commit({ a: "2\n" }, root)
  expect(await look(next, root)).toMatchObject({ mergeability: "ancestor", ahead: 0, behind: 1, changedFiles: 0 })
  const same = await commit({ a: "2\n" }, await commit({ a: "3\n" }, root))
  expect(await look(next, same)).toMatchObject({ mergeability: "empty", ahead: 2, changedFiles: 1 })
})

test("two that have nothing in common", async () => {
  const [base, head] = [await commit({ a: "1\n" }), await commit({ b: "2\n" })]
  expect(await look(base, head)).toMatchObject({ mergeability: "error", mergeBase: undefined, changedFiles: 0 })
})

test("a change that is more than git may write down leaves the sums unknown, and fails nothing", async () => {
  const root = await commit({ a: "1\n" })
  const base = await commit({ a: "1\n", b: "b\n" }, root)
  const head = await commit(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`file${index}`, "x\n"])), root)
  const small = await openWorld({ root: world.folder, limits: { outputBytes: 500 } })
  try {
    expect(await look(base, head, small.git)).toMatchObject({ mergeability: "mergeable", changedFiles: 0, additions: 0, ahead: 1 })
  } finally {
    await small.close()
  }
})
