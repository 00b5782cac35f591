import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ObjectId, objectId, type Repository } from "../index.ts"
import { openWorld, type World } from "../testing.ts"

const person = (name: string, when: number) => ({
  name,
  email: `${name.toLowerCase()}@example.com`,
  when: 1_700_000_000 + when,
  offset: 60,
})

describe("searching a history", () => {
  let world: World
  let repository: Repository
  const ids: ObjectId[] = []
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("")

  beforeAll(async () => {
    world = await openWorld()
    repository = await world.git.repositories.create("aa/search", { format: "sha1", branch: "main" })
    await commit("Ann", "Add the Parser\n", { "a.txt": text })
    await commit("Ben", "Rename it\n\nparser.* stays", { "b\u0001 ü.txt": text })
    await commit("Ann", "Change it\n", { "b\u0001 ü.txt": `${text}more\n`, other: "x" })
    await commit("Ann", "Something else\n", { "b\u0001 ü.txt": `${text}more\n`, other: "y" })
  })
  afterAll(() => world.close())

  async function commit(author: string, message: string, files: Readonly<Record<string, string>>): Promise<ObjectId> {
    const { objects } = world.git
    const entries = await Promise.all(
      Object.entries(files).map(async ([name, content]) => ({
        mode: "100644" as const,
        name,
        id: await objects.writeBlob(repository, content),
      })),
    )
    const tree = await objects.writeTree(repository, entries)
    const who = { author: person(author, ids.length * 86_400), committer: person("Kim", ids.length * 86_400) }
    const id = await objects.writeCommit(repository, { tree, parents: ids.slice(-1), ...who, message })
    ids.push(id)
    return id
  }
  const search = async (wanted: object) => {
    const found = await world.git.history.search(repository, { to: ids[3] ?? objectId("0".repeat(40)), skip: 0, limit: 10, ...wanted })
    return found.map(({ id, path }) => (path === undefined ? ids.indexOf(id) : [ids.indexOf(id), path]))
  }

  it("finds words and people as they are written, in any case", async () => {
    expect(await search({})).toEqual([3, 2, 1, 0])
    expect(await search({ words: ["PARSER"] })).toEqual([1, 0])
    expect(await search({ words: ["parser", "the"] })).toEqual([0])
    expect(await search({ words: ["parser.*"] })).toEqual([1])
    expect(await search({ authors: ["ann"] })).toEqual([3, 2, 0])
    expect(await search({ authors: ["ann", "ben@"], words: ["it"] })).toEqual([2, 1])
    expect(await search({ committers: ["ann"] })).toEqual([])
    expect(await search({ words: ["a\nb\0c"] })).toEqual([])
  })

  it("keeps to times and pages", async () => {
    expect(await search({ since: 1_700_000_000 + 86_400, until: 1_700_000_000 + 2 * 86_400 })).toEqual([2, 1])
    expect(await search({ skip: 1, limit: 2 })).toEqual([2, 1])
  })

  it("follows a file through its renamings, and tells its name in each commit", async () => {
    const path = "b\u0001 ü.txt"
    expect(await search({ path, follow: true })).toEqual([
      [2, path],
      [1, path],
      [0, "a.txt"],
    ])
    expect(await search({ path })).toEqual([
      [2, path],
      [1, path],
    ])
  })

  it("counts what each commit added", async () => {
    const [first, , , last] = ids
    const all: unknown[] = []
    const { signal } = new AbortController()
    for await (const { name, email, when, additions, deletions } of world.git.history.contributions(repository, {
      to: last ?? objectId(""),
      from: first,
      most: 10,
      timeoutMs: 60_000,
      signal,
    }))
      all.push([name, email, when - 1_700_000_000, additions, deletions])
    expect(all).toEqual([
      ["Ann", "ann@example.com", 3 * 86_400, 1, 1],
      ["Ann", "ann@example.com", 2 * 86_400, 2, 0],
      ["Ben", "ben@example.com", 86_400, 0, 0],
    ])
  })

  it("blames lines in blocks, with the name before a renaming, past ignored commits", async () => {
    const path = "b\u0001 ü.txt"
    const blocks = async (ignore: readonly ObjectId[] = [], mostLines = 100) => {
      const found = []
      for await (const { commit: id, line, lines, path: named, author, summary, previous } of world.git.history.blame(repository, {
        commit: ids[3] ?? objectId(""),
        path,
        ignore,
        mostLines,
      }))
        found.push([
          ids.indexOf(id),
          line,
          lines,
          named,
          author.name,
          author.offset,
          summary,
          previous && [ids.indexOf(previous.commit), previous.path],
        ])
      return found.sort((a, b) => Number(a[1]) - Number(b[1]))
    }
    expect(await blocks()).toEqual([
      [0, 1, 30, "a.txt", "Ann", 60, "Add the Parser", undefined],
      [2, 31, 1, path, "Ann", 60, "Change it", [1, path]],
    ])
    const ignored = await blocks(ids.slice(2, 3))
    expect(ignored.map(([, line]) => line)).toEqual([1, 31])
    await expect(blocks([], 10)).rejects.toMatchObject({ kind: "tooLarge" })
    expect(world.git.running()).toBeLessThanOrEqual(4)
  })
})
