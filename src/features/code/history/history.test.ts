import { describe, expect, test as plain } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { locateRepository } from "../../../access/policies/repositories.ts"
import { anonymous } from "../../../core/actor.ts"
import { GitError, objectId } from "../../../git/index.ts"
import { periodActivity } from "../../review/pulls/period.ts"
import { contributionsJob, countContributions, findContributions, weekOf } from "../activity/contributions.ts"
import { languageShares } from "../languages/store.ts"
import { openStage } from "../releases/testing.ts"
import { forkNetwork } from "../repositories/network.ts"
import { readBlame } from "./blame.ts"
import { branchesPage } from "./branches.ts"
import { containing } from "./containing.ts"
import { layOut, readGraph } from "./graph.ts"
import { compareBranchesJob } from "./jobs.ts"
import { historyPage } from "./list.ts"
import { readSearchWords } from "./search-words.ts"
import { specialFiles } from "./special-files.ts"
import { treeHistory } from "./tree-history.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
/** How long readers wait here for what is computed meanwhile, in milliseconds: as long as it takes on a slow machine. */
const LONG = 60_000

withWorld("what pages show of a history", { open: openStage, on: databaseKinds }, ({ test, world: stage }) => {
  const view = async (name: string) => {
    const { services } = stage.hearth
    const { read } = services.database
    const on = await locateRepository(read, anonymous, "ann", name)
    const repository = services.git.at(on.repository.storage, on.repository.object_format)
    const head = await services.git.history.lastCommit(repository, "main")
    if (!head) throw new Error("there is no main")
    return { services, read, on, repository, head }
  }
  const make = async (name: string, options: object = {}) => {
    await stage.must(stage.ann, "POST /user/repos", { name, ...options })
    return `/repos/ann/${name}`
  }
  const commit = async (at: string, path: string, text: string, more: object = {}): Promise<string> =>
    (await stage.must(stage.ann, `POST ${at}/contents/${path}`, { content: base64(text), message: `Add ${path}`, ...more })).commit.sha

  test("the last commits of a directory are stored after a push, and read without git", async () => {
    const at = await make("last")
    const first = await commit(at, "README.md", "read me\n", { message: "Say hello\n\nbody" })
    const second = await commit(at, "src/a.ts", "a\n")
    await stage.settle()
    const { services, read, on, head } = await view("last")
    const spawned = services.git.spawned()
    const statements = await statementsOf(services.database, async () => {
      const root = await treeHistory(services, read, on, head, [], 0)
      expect(root?.isComplete).toBe(true)
      expect(root?.entries.map(({ name, last }) => [name, last?.id, last?.subject])).toEqual([
        ["README.md", first, "Say hello"],
        ["src", second, "Add src/a.ts"],
      ])
      expect(root?.entries[0]?.last?.author.email).toContain("ann@")
    })
    expect(statements.filter(({ name }) => name?.startsWith("history."))).toHaveLength(1)
    expect(services.git.spawned()).toBe(spawned)

    const src = await treeHistory(services, read, on, head, ["src"], LONG)
    expect(src?.entries.map(({ name, last }) => [name, last?.id])).toEqual([["a.ts", second]])
    expect(await treeHistory(services, read, on, head, ["src", "a.ts"], 0)).toBeUndefined()
    expect(await treeHistory(services, read, on, head, ["nowhere"], 0)).toBeUndefined()

    // A directory that was looked at follows the next push, and one that was changed back has the commit that did it.
    const third = await commit(at, "src/b.ts", "b\n")
    const file = await stage.must(undefined, `GET ${at}/contents/src/b.ts`)
    const gone = await stage.must(stage.ann, `DELETE ${at}/contents/src/b.ts`, { sha: file.sha, message: "Take it back" })
    await stage.settle()
    const now = await view("last")
    expect(now.head.id).toBe(gone.commit.sha)
    expect(third).not.toBe(now.head.id)
    const again = await treeHistory(services, read, on, now.head, [], 0)
    expect(again?.entries.map(({ name, last }) => [name, last?.id])).toEqual([
      ["README.md", first],
      ["src", now.head.id],
    ])
    const below = await treeHistory(services, read, on, now.head, ["src"], 0)
    expect(below?.entries.map(({ name, last }) => [name, last?.id])).toEqual([["a.ts", second]])
  })

  test("what is not stored is computed after the answer", async () => {
    const at = await make("later")
    await commit(at, "docs/one.md", "1\n")
    await stage.settle()
    const { services, read, on, head } = await view("later")
    await services.database.write((tx) => tx.deleteFrom("tree_histories").where("repository_id", "=", on.repository.id).execute())
    const missing = await treeHistory(services, read, on, head, ["docs"], 0)
    expect(missing?.entries.map(({ name }) => name)).toEqual(["one.md"])
    // It joins the work that the first one began.
    await treeHistory(services, read, on, head, ["docs"], LONG)
    expect((await treeHistory(services, read, on, head, ["docs"], 0))?.isComplete).toBe(true)
  })

  test("histories have stable pages, follow files and search", async () => {
    const at = await make("pages")
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.unshift(await commit(at, `f${index}`, `${index}\n`))
    const { services, read, on } = await view("pages")
    const page = (query: object, limit?: number) => historyPage(services, read, on, { revision: "", ...query }, limit)
    const idsOf = ({ commits }: Awaited<ReturnType<typeof page>>) => commits.map((each) => each.commit.id)
    const one = await page({}, 2)
    expect(idsOf(one)).toEqual(ids.slice(0, 2))
    expect(one.commits[0]).toMatchObject({ author: { name: "ann" }, verification: { verified: false }, path: undefined })
    await commit(at, "newer", "n\n")
    const two = await page({ after: one.next }, 2)
    expect(idsOf(two)).toEqual(ids.slice(2, 4))
    expect(idsOf(await page({ after: two.previous }, 2))).toEqual(idsOf(one))
    const three = await page({ after: two.next }, 2)
    expect([idsOf(three), three.next]).toEqual([ids.slice(4), undefined])
    expect(idsOf(await page({ revision: "main", search: 'add "f3" author:ann' }))).toEqual([ids[1]])
    expect(idsOf(await page({ revision: "main", search: "author:nobody" }))).toEqual([])
    expect((await page({ path: "f2", follow: true })).commits).toMatchObject([{ path: "f2", commit: { id: ids[2] } }])
    await expect(page({ revision: "nowhere" })).rejects.toMatchObject({ kind: "notFound" })
    await expect(page({ after: "x.1" })).rejects.toMatchObject({ kind: "invalid" })
    await expect(page({ after: `${"1".repeat(40)}.0` })).rejects.toMatchObject({ kind: "notFound" })

    await stage.must(stage.ann, `POST ${at}/statuses/${ids[0]}`, { state: "success", context: "a" })
    await stage.must(stage.ann, `POST ${at}/statuses/${ids[0]}`, { state: "failure", context: "b" })
    const count = async (limit: number) => {
      const statements = await statementsOf(services.database, () => page({ revision: ids[0] }, limit))
      return statements.filter(({ name }) => name !== undefined && !/^(jobs|outbox|history|schedule)\./.test(name)).length
    }
    expect((await page({ revision: ids[0] }, 1)).commits[0]?.status).toEqual({ state: "failure", contexts: 2 })
    expect(await count(5)).toBe(await count(1))
  })

  test("blame passes over what the ignore file names, unless it is bypassed", async () => {
    const at = await make("blamed")
    const first = await commit(at, "code.ts", "one\ntwo\n")
    const { sha } = await stage.must(undefined, `GET ${at}/contents/code.ts`)
    const changed = await stage.must(stage.ann, `PUT ${at}/contents/code.ts`, { content: base64("one;\ntwo;\n"), sha, message: "Format" })
    await commit(at, ".git-blame-ignore-revs", `# formatting\n${changed.commit.sha} # all\n${"9".repeat(40)}\nnonsense\n`)
    const { services, on, head } = await view("blamed")
    const blame = async (bypass: boolean) => {
      const { blocks, ignored, hasIgnoreFile } = await readBlame(services, on, head, "code.ts", { bypass })
      return [blocks.map(({ commit: id, line, lines }) => [id, line, lines]), ignored, hasIgnoreFile]
    }
    expect(await blame(false)).toEqual([[[first, 1, 2]], 1, true])
    expect(await blame(true)).toEqual([[[changed.commit.sha, 1, 2]], 0, true])
    await expect(readBlame(services, on, head, "gone.ts")).rejects.toMatchObject({ kind: "notFound" })
    await expect(readBlame(services, on, head, "")).rejects.toMatchObject({ kind: "notFound" })
  })

  test("branches come with what is ahead, behind, open, protected and checked", async () => {
    const at = await make("branchy")
    const root = await commit(at, "a", "a\n")
    await commit(at, "b", "b\n", { new_branch: "Feature/One" })
    const tip = await commit(at, "c", "c\n", { branch: "Feature/One" })
    await commit(at, "d", "d\n")
    await stage.must(stage.ann, `POST ${at}/branches`, { new_branch_name: "old", old_ref_name: root })
    await stage.must(stage.ann, `POST ${at}/branch_protections`, { rule_name: "old" })
    await stage.must(stage.ann, `POST ${at}/pulls`, { title: "Take it", head: "Feature/One", base: "main" })
    await stage.must(stage.ann, `POST ${at}/statuses/${tip}`, { state: "success", context: "ci" })
    await stage.settle()
    const { services, read, on, repository, head } = await view("branchy")
    const page = (text = "", limit = 20, offset = 0, wait = 0) =>
      branchesPage(services, read, anonymous, on, { text, page: { number: 1, limit, offset } }, wait)
    await services.database.write((tx) => services.jobs.enqueue(tx, compareBranchesJob, { repositoryId: on.repository.id }))
    await stage.settle()
    const spawned = services.git.spawned()
    const all = await page()
    expect([all.total, all.isComplete]).toEqual([3, true])
    expect(all.branches.map(({ branch }) => branch.name)).toEqual(["main", "Feature/One", "old"])
    expect(all.branches[0]).toMatchObject({ isDefault: true, comparison: undefined, pull: undefined, status: undefined })
    expect(all.branches[1]).toMatchObject({
      comparison: { ahead: 2, behind: 1 },
      pull: { owner: "ann", repository: "branchy", number: 1, title: "Take it", baseBranch: "main" },
      status: { state: "success", contexts: 1 },
      branch: { protection: undefined },
    })
    expect(all.branches[2]).toMatchObject({ comparison: { ahead: 0, behind: 1 }, branch: { protection: { rule_name: "old" } } })
    expect((await page("feature/")).branches.map(({ branch }) => branch.name)).toEqual(["Feature/One"])
    expect((await page("", 1, 2)).branches.map(({ branch }) => branch.name)).toEqual(["old"])
    expect(services.git.spawned()).toBe(spawned)
    const price = async (limit: number) => {
      const statements = await statementsOf(services.database, () => page("", limit))
      return statements.filter(({ name }) => !/^(jobs|outbox|schedule)\./.test(name ?? "")).length
    }
    expect(await price(3)).toBe(await price(2))

    // What was compared is a cache: it is made again.
    await services.database.write((tx) => tx.deleteFrom("branch_comparisons").where("repository_id", "=", on.repository.id).execute())
    expect((await page("", 20, 0, LONG)).isComplete).toBe(true)

    await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "v1", target: root })
    const first = await services.git.objects.readCommit(repository, objectId(root))
    expect(await containing(services, on, first)).toEqual({ branches: ["Feature/One", "main", "old"], tags: ["v1"], isCut: false })
    expect(await containing(services, on, head)).toEqual({ branches: ["main"], tags: [], isCut: false })

    const graph = await readGraph(services, read, on)
    expect([graph.rows.length, graph.lanes]).toEqual([4, 2])
    expect(graph.rows.find(({ id }) => id === tip)).toMatchObject({ branches: ["Feature/One"], status: { state: "success" } })
    expect(graph.rows.at(-1)).toMatchObject({ id: root, edges: [], branches: ["old"] })
    expect((await readGraph(services, read, on, ["old"])).rows.map(({ id }) => id)).toEqual([root])
  })

  test("contributions are those of the newest commits where git takes too long, and are not counted again", async () => {
    const at = await make("costly")
    await commit(at, "a", "1\n")
    const { services, read, on } = await view("costly")
    // Comparing large files in many commits takes minutes in git; here it has no more time after the first.
    async function* contributions() {
      yield { name: "Ann", email: "ann@example.com", when: 1_700_000_000, additions: 1, deletions: 0 }
      throw new GitError("timeout", "git log took longer than 60000 ms")
    }
    const git = { ...services.git, history: { ...services.git.history, contributions } }
    await countContributions({ ...services, git }, on.repository.id, new AbortController().signal)
    expect(await findContributions(services, read, on.repository.id)).toMatchObject({
      isBeingComputed: false,
      isWhole: false,
      contributors: [{ commits: 1, additions: 1 }],
    })
  })

  test("contributions are counted by a job, and added to", async () => {
    const at = await make("counted")
    await commit(at, "a", "1\n2\n3\n", { dates: { author: "2024-03-01T10:00:00Z", committer: "2024-03-01T10:00:00Z" } })
    const { services, read, on } = await view("counted")
    const before = await findContributions(services, read, on.repository.id)
    expect(before).toMatchObject({ isBeingComputed: true, contributors: [], weeks: [] })
    const count = async () => {
      await services.database.write((tx) => services.jobs.enqueue(tx, contributionsJob, { repositoryId: on.repository.id }))
      await stage.settle()
      return findContributions(services, services.database.read, on.repository.id)
    }
    const week = weekOf(Date.parse("2024-03-01T10:00:00Z") / 1000)
    expect(new Date(week * 1000).toISOString()).toBe("2024-02-25T00:00:00.000Z")
    const sums = { commits: 1, additions: 3, deletions: 0 }
    expect(await count()).toMatchObject({
      isBeingComputed: false,
      isWhole: true,
      contributors: [{ user: { name: "ann" }, ...sums, weeks: [{ week, ...sums }] }],
      weeks: [{ week, ...sums }],
    })
    const other = { author: { name: "Zoe", email: "Zoe@example.org" }, dates: { author: "2024-03-02T10:00:00Z" } }
    await commit(at, "b", "1\n", other)
    expect((await findContributions(services, read, on.repository.id)).isBeingComputed).toBe(true)
    expect(await count()).toMatchObject({
      isBeingComputed: false,
      weeks: [{ week, commits: 2, additions: 4, deletions: 0 }],
      contributors: [{ name: "ann" }, { name: "Zoe", user: undefined, commits: 1, additions: 1 }],
    })
    // A rewritten history is counted anew.
    await stage.must(stage.ann, `PUT ${at}/branches/main`, { new_commit_id: (await view("counted")).head.parents[0], force: true })
    expect((await count()).weeks).toEqual([{ week, ...sums }])
  })

  test("a period has what was opened, closed, merged and released in it", async () => {
    const at = await make("period")
    await commit(at, "a", "a\n")
    await commit(at, "b", "b\n", { new_branch: "side" })
    await stage.must(stage.ann, `POST ${at}/issues`, { title: "stays" })
    const { number } = await stage.must(stage.ann, `POST ${at}/issues`, { title: "goes" })
    await stage.must(stage.ann, `PATCH ${at}/issues/${number}`, { state: "closed" })
    await stage.must(stage.ann, `POST ${at}/pulls`, { title: "merge me", head: "side", base: "main" })
    await stage.settle()
    await stage.must(stage.ann, `POST ${at}/pulls/3/merge`, { Do: "merge" })
    await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "v1", name: "One" })
    const { services, read, on } = await view("period")
    const now = services.now()
    const told = await periodActivity(read, on, now - 86_400, now + 60)
    const titles = (list: { readonly entries: readonly { readonly title: string }[] } | undefined) =>
      list?.entries.map(({ title }) => title)
    expect(titles(told.mergedPulls)).toEqual(["merge me"])
    expect(titles(told.openedPulls)).toEqual(["merge me"])
    expect(titles(told.closedIssues)).toEqual(["goes"])
    expect([told.openedIssues?.total, titles(told.openedIssues)]).toEqual([2, ["goes", "stays"]])
    expect(titles(told.releases)).toEqual(["One"])
    expect((await periodActivity(read, on, now - 200, now - 100)).openedIssues).toEqual({ total: 0, entries: [] })
    await stage.must(stage.ann, `PATCH ${at}`, { has_issues: false })
    expect((await periodActivity(read, (await view("period")).on, 0, now + 60)).openedIssues).toBeUndefined()
  })

  test("a network has the forks that the caller may see", async () => {
    const at = await make("origin")
    await commit(at, "a", "a\n")
    await stage.must(stage.ben, `POST ${at}/forks`, {})
    await stage.must(stage.cal, "POST /repos/ben/origin/forks", {})
    const { services, read, on } = await view("origin")
    // As after an upgrade: the API keeps forks as public as their source.
    await services.database.write((tx) =>
      tx.updateTable("repositories").set({ is_private: 1 }).where("fork_of_id", "=", on.repository.id).execute(),
    )
    const names = (nodes: Awaited<ReturnType<typeof forkNetwork>>["roots"]): unknown =>
      nodes.map(({ owner, children }) => (children.length === 0 ? owner : [owner, names(children)]))
    expect(names((await forkNetwork(read, anonymous, on.repository.id)).roots)).toEqual(["ann", "cal"])
    const ben = await services.database.read.selectFrom("users").selectAll().where("lower_name", "=", "ben").executeTakeFirstOrThrow()
    const actor = { kind: "user", user: ben, credential: { kind: "password" }, basic: true } as const
    const fork = await read.selectFrom("repositories").select("id").where("owner_id", "=", ben.id).executeTakeFirstOrThrow()
    expect(names((await forkNetwork(read, actor, fork.id)).roots)).toEqual([["ann", [["ben", ["cal"]]]]])
  })

  test("special files are found at the root and beside it", async () => {
    const at = await make("special")
    await commit(at, "docs/readme.txt", "t\n")
    await commit(at, "CITATION.cff", "cff-version: 1.2.0\n")
    await commit(at, "LICENSE", "MIT\n")
    const seen = async () => {
      const { services, repository, head } = await view("special")
      const { readme, licenses, citation } = await specialFiles(services.git, repository, head.tree)
      return [readme?.path, licenses.map(({ path }) => path), citation?.path]
    }
    expect(await seen()).toEqual(["docs/readme.txt", ["LICENSE"], "CITATION.cff"])
    await commit(at, "README", "r\n")
    await commit(at, "README.md", "r\n")
    expect(await seen()).toEqual(["README.md", ["LICENSE"], "CITATION.cff"])
  })
})

withWorld("what git prints after a push", { open: openStage }, ({ test, world: stage }) => {
  test("names where a pull request can be opened, or the open one", async () => {
    const clone = await stage.clone("ann/open")
    const { rootUrl } = stage.hearth.services.site
    const push = async (ref: string) => {
      await clone.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "More")
      const { code, err } = await clone.push(ref)
      expect(code).toBe(0)
      return err
    }
    expect(await push("HEAD:main")).toBe("")
    const told = await push("HEAD:work/it#1")
    expect(told).toContain("remote: Create a pull request for 'work/it#1':")
    expect(told).toContain(`remote:   ${rootUrl}/ann/open/compare/main...work/it%231`)
    const { number } = await stage.must(stage.ann, "POST /repos/ann/open/pulls", { title: "t", head: "work/it#1", base: "main" })
    const again = await push("HEAD:work/it#1")
    expect(again).toContain(`remote:   ${rootUrl}/ann/open/pulls/${number}`)
    expect(again).not.toContain("compare")
    expect((await clone.push("--delete", "work/it#1")).err).toBe("")
    await stage.must(stage.ann, "PATCH /repos/ann/open", { has_pull_requests: false })
    expect(await push("HEAD:other")).toBe("")
  })
})

describe("lanes", () => {
  const id = (digit: number) => objectId(String(digit).repeat(40))
  const commits = (...of: readonly (readonly [number, ...number[]])[]) =>
    of.map(([first, ...parents]) => ({ id: id(first), parents: parents.map(id) }))
  plain("a merge opens a lane, and its parents close it", () => {
    const { rows, lanes } = layOut(commits([5, 4, 3], [4, 2], [3, 2], [2, 1], [1]))
    expect(lanes).toBe(2)
    expect(rows.map(({ lane, edges }) => [lane, edges.map(({ from, to }) => `${from}-${to}`)])).toEqual([
      [0, ["0-0", "0-1"]],
      [0, ["1-1", "0-0"]],
      [1, ["0-0", "1-0"]],
      [0, ["0-0"]],
      [0, []],
    ])
  })
  plain("histories without a common commit lie side by side", () => {
    const { rows, lanes } = layOut(commits([9, 8], [7, 6], [8], [6]))
    expect([lanes, rows.map(({ lane }) => lane)]).toEqual([2, [0, 1, 0, 1]])
  })
})

describe("words of a search", () => {
  const none = { words: [], authors: [], committers: [], since: undefined, until: undefined }
  plain.each([
    ["", none],
    [
      'fix "two words" author:ada AUTHOR:"B C" committer:ben',
      { ...none, words: ["fix", "two words"], authors: ["ada", "B C"], committers: ["ben"] },
    ],
    ["after:2024-01-02 before:2024-01-03", { ...none, since: 1_704_153_600, until: 1_704_239_999 }],
    ["before:soon mail:x", { ...none, words: ["before:soon", "mail:x"] }],
  ])("%s", (text, found) => expect(readSearchWords(text)).toEqual(found))
})

plain("shares of languages", () => {
  expect(languageShares({ Go: 1, TypeScript: 3 })).toEqual([
    { language: "TypeScript", bytes: 3, perMille: 750 },
    { language: "Go", bytes: 1, perMille: 250 },
  ])
  expect(languageShares({})).toEqual([])
})
