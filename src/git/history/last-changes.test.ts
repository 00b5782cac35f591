import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ObjectId, objectId, type Repository, type Waiting } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"

/** A history with branches, merges, renamed directories, and changes that were taken back, as input of git fast-import. */
function history(commits: number): string {
  const lines: string[] = []
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return (seed >> 8) % below
  }
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const paths = Array.from({ length: 24 }, (_, index) =>
    index < 6 ? `f${index}` : `d${index % 3}/${index % 2 === 0 ? "sub/" : ""}f${index}`,
  )
  const tips: number[] = []
  for (let mark = 1; mark <= commits; mark++) {
    const from = tips.length === 0 ? undefined : (tips[random(tips.length)] ?? 0)
    const merge = mark > 10 && random(4) === 0 ? tips[random(tips.length)] : undefined
    lines.push(`commit refs/heads/main\nmark :${mark}\ncommitter C <c@example.com> ${1_700_000_000 + mark * 10 - random(25)} +0000\n`)
    lines.push(data(`commit ${"0".repeat(40)} ${mark}\n\n:100644 not a change\n`))
    if (from !== undefined) lines.push(`from :${from}\n`)
    if (merge !== undefined && merge !== from) lines.push(`merge :${merge}\n`)
    // Few contents, so that changes are often taken back, and merges bring the same from both sides.
    const changed = from === undefined ? paths : Array.from({ length: random(3) }, () => paths[random(paths.length)] ?? "f0")
    for (const path of changed) lines.push(`M ${random(9) === 0 ? "100755" : "100644"} inline ${path}\n${data(`content ${random(3)}`)}`)
    if (random(40) === 0) lines.push("R d1 d1-moved\n", `M 100644 inline d1/f7\n${data("again")}`)
    tips.push(mark)
    if (tips.length > 4) tips.shift()
  }
  return lines.join("")
}

describe("the last changes of paths", () => {
  let world: World
  let repository: Repository
  let head: ObjectId
  beforeAll(async () => {
    world = await openWorld()
    repository = await world.git.repositories.create("aa/last", { format: "sha1", branch: "main" })
    expect(await client(repository.directory, ["fast-import", "--quiet", "--force"], history(300))).toMatchObject({ code: 0 })
    head = objectId(await ok(repository.directory, "rev-parse", "main"))
  })
  afterAll(() => world.close())

  const options = { mostCommits: 10_000, timeoutMs: 60_000 }
  const gitSays = async (commit: string, path: string) => ok(repository.directory, "log", "-1", "--format=%H", commit, "--", path)
  const entriesOf = async (commit: string, directory: string) =>
    (await ok(repository.directory, "ls-tree", "--name-only", commit, ...(directory === "" ? [] : [`${directory}/`]))).split("\n")
  const directories = ["", "d0", "d0/sub", "d2"]

  const at = (commit: ObjectId, paths: readonly string[]) => ({ from: new Map([[commit, new Set(paths)]]) })

  it("are those that git log finds, for several directories in one walk", async () => {
    const paths = (await Promise.all(directories.map((each) => entriesOf(head, each)))).flat()
    expect(paths.length).toBeGreaterThan(20)
    const before = world.git.spawned()
    const { found, waiting } = await world.git.history.lastChanges(repository, { ...options, ...at(head, paths) })
    expect(world.git.spawned() - before).toBe(2)
    expect(waiting.size).toBe(0)
    for (const path of paths) expect([path, found.get(path)]).toEqual([path, await gitSays(head, path)])
  })

  it("are the same when only a directory is looked at, and when an earlier commit is known", async () => {
    const parents = (await ok(repository.directory, "rev-list", "--first-parent", "--max-count=60", head)).split("\n")
    const known = new Map<ObjectId, ReadonlyMap<string, ObjectId>>()
    for (const commit of [parents[50], parents[20], parents[1], parents[0]]) {
      const id = objectId(commit ?? "")
      for (const directory of ["d0", "d2"]) {
        const paths = await entriesOf(id, directory)
        const { found } = await world.git.history.lastChanges(repository, { ...options, ...at(id, paths), below: [directory], known })
        for (const path of paths) expect([path, found.get(path)]).toEqual([path, await gitSays(id, path)])
        known.set(id, new Map([...(known.get(id) ?? []), ...found]))
      }
    }
  })

  it("go on where an earlier search has stopped", async () => {
    const paths = await entriesOf(head, "")
    const found = new Map<string, ObjectId>()
    let from: Waiting = at(head, paths).from
    let searches = 0
    while (from.size > 0) {
      const some = await world.git.history.lastChanges(repository, { ...options, from, below: [""], mostCommits: 3 })
      for (const [path, id] of some.found) found.set(path, id)
      expect(found.size + [...some.waiting.values()].reduce((sum, { size }) => sum + size, 0)).toBe(paths.length)
      from = some.waiting
      searches += 1
    }
    expect(searches).toBeGreaterThan(1)
    for (const path of paths) expect([path, found.get(path)]).toEqual([path, await gitSays(head, path)])
  })

  it("end when no one waits for them", async () => {
    const paths = await entriesOf(head, "")
    const signal = AbortSignal.abort()
    await expect(world.git.history.lastChanges(repository, { ...options, ...at(head, paths), signal })).rejects.toMatchObject({
      kind: "aborted",
    })
    expect(world.git.running()).toBeLessThanOrEqual(1)
  })

  it("a page of a history that isn't counted is the one that git lists", async () => {
    const { history } = world.git
    const gitLists = async (...args: readonly string[]) => (await ok(repository.directory, "rev-list", ...args)).split("\n")
    for (const [skip, path] of [
      [0, undefined],
      [40, undefined],
      [0, "d0"],
      [5, "d0"],
      [0, "f1"],
    ] as const) {
      const page = await history.logPage(repository, { to: [head], path, skip, limit: 20 })
      const paths = path === undefined ? [] : ["--", path]
      expect(page.map(({ id }) => id)).toEqual(await gitLists(`--skip=${skip}`, "--max-count=20", head, ...paths))
    }
    const before = world.git.spawned()
    await history.logPage(repository, { to: [head], path: "d0", skip: 5, limit: 20 })
    expect(world.git.spawned()).toBe(before)
  })

  it("how far commits are ahead and behind is what git counts", async () => {
    const all = (await ok(repository.directory, "rev-list", "--all", "--max-count=200")).split("\n")
    const heads = all.filter((_, index) => index % 17 === 3).map((id) => objectId(id))
    const base = objectId(all[30] ?? "")
    const found = await world.git.history.aheadBehind(repository, base, [...heads, base])
    for (const id of heads) {
      const [behind, ahead] = (await ok(repository.directory, "rev-list", "--left-right", "--count", `${base}...${id}`))
        .split("\t")
        .map(Number)
      expect([id, found.get(id)]).toEqual([id, { ahead, behind }])
    }
    expect(found.get(base)).toEqual({ ahead: 0, behind: 0 })
  })

  it("branches and tags that contain a commit are told up to a limit", async () => {
    const [old = ""] = (await ok(repository.directory, "rev-list", "--max-parents=0", head)).split("\n")
    for (const name of ["b1", "b2", "b3"]) await ok(repository.directory, "branch", name, head)
    await ok(repository.directory, "tag", "v1", old)
    const told = (id: string, prefix: "refs/heads/" | "refs/tags/", limit = 10) =>
      world.git.history.containing(repository, objectId(id), prefix, limit)
    expect(await told(old, "refs/heads/")).toEqual(["refs/heads/b1", "refs/heads/b2", "refs/heads/b3", "refs/heads/main"])
    expect(await told(old, "refs/heads/", 2)).toHaveLength(2)
    expect(await told(old, "refs/tags/")).toEqual(["refs/tags/v1"])
    expect(await told(head, "refs/tags/")).toEqual([])
  })
})
