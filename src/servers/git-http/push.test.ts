import { join } from "node:path"
import { describe, expect } from "vitest"
import { statementsOf } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import type { Repository } from "../../access/permission.ts"
import { client, ok } from "../../git/testing.ts"
import { address, branchRows, change, commit, feed, openWorld, type Person, person, reload, repository, workFolder } from "./testing.ts"

/** The state after `git push` has ended. */
withWorld("after a push", { open: (kind) => openWorld(kind, { users: { autoWatchOnPush: true } }) }, ({ test, world }) => {
  let ada: Person
  let ben: Person
  let count = 0

  test.beforeAll(async () => {
    ada = await person(world, "Ada")
    ben = await person(world, "ben")
  })

  interface Stage {
    readonly row: Repository
    readonly work: string
    readonly url: string
    readonly push: (...args: readonly string[]) => ReturnType<typeof client>
    readonly must: (...args: readonly string[]) => Promise<void>
  }

  /** An empty repository of Ada's, and a folder with one commit. */
  async function stage(values: Parameters<typeof repository>[3] = {}): Promise<Stage> {
    const name = `repo${++count}`
    const row = await repository(world, ada.user, name, values)
    const work = await workFolder(world, name, `--object-format=${values.object_format ?? "sha1"}`)
    const url = address(world, `ada/${name}.git`, "ada", ada.token)
    const push = (...args: readonly string[]) => client(work, ["push", "-q", url, ...args])
    const must = async (...args: readonly string[]) => {
      expect(await push(...args)).toMatchObject({ code: 0 })
    }
    return { row, work, url, push, must }
  }

  const told = async (row: Repository) => (await feed(world, row)).map(({ op_type, ref_name }) => `${op_type} ${ref_name}`)

  test("the first branch: row, default branch, empty flag, size, time and feed", async () => {
    const { row, work, must } = await stage()
    const head = await ok(work, "rev-parse", "HEAD")
    await must("main")
    const after = await reload(world, row)
    expect(after).toMatchObject({ is_empty: 0, default_branch: "main", branches_count: 1, watchers_count: 1 })
    expect(after.updated_at).toBeGreaterThan(row.updated_at)
    expect(after.git_size).toBeGreaterThan(100)
    const [branch] = await world.services.database.read.selectFrom("branches").selectAll().where("repository_id", "=", row.id).execute()
    expect(branch).toMatchObject({
      name: "main",
      commit_id: head,
      commit_message: "one\n",
      committed_at: 1_700_000_100,
      pusher_id: ada.user.id,
    })
    const rows = await feed(world, row)
    expect(rows).toEqual([
      { op_type: "commit_repo", ref_name: "refs/heads/main", content: "", receiver_id: ada.user.id, actor_id: ada.user.id, is_private: 0 },
      {
        op_type: "commit_repo",
        ref_name: "refs/heads/main",
        content: rows[1]?.content,
        receiver_id: ada.user.id,
        actor_id: ada.user.id,
        is_private: 0,
      },
    ])
    const pushed = {
      Sha1: head,
      Message: "one\n",
      AuthorEmail: "ada@example.com",
      AuthorName: "Ada",
      CommitterEmail: "ben@example.com",
      CommitterName: "Ben",
      Timestamp: "2023-11-14T23:13:20+01:00",
    }
    expect(JSON.parse(rows[1]?.content ?? "")).toEqual({ Commits: [pushed], HeadCommit: pushed, CompareURL: "", Len: 1 })
    expect(
      await world.services.database.read.selectFrom("watches").selectAll().where("repository_id", "=", row.id).execute(),
    ).toMatchObject([{ user_id: ada.user.id, mode: "automatic" }])
  })

  test("nothing is left in the journal", async () => {
    const { must } = await stage()
    await must("main")
    await must("main:other")
    expect(await world.services.database.read.selectFrom("jobs").selectAll().where("kind", "=", "push.settle").execute()).toEqual([])
  })

  test("the price of one commit: one git process, and as many statements on every push", async () => {
    const { work, must } = await stage()
    await must("main")
    const { git, database } = world.services
    const prices: number[][] = []
    for (let index = 2; index <= 3; index++) {
      await commit(work, `number ${index}`)
      const before = git.spawned()
      const statements = await statementsOf(database, () => must("main"))
      prices.push([git.spawned() - before, statements.length])
    }
    expect(prices).toEqual([
      [1, 40],
      [1, 40],
    ])
  })

  test("further commits: five are told of seven, newest first, with the place to compare", async () => {
    const { row, work, must } = await stage()
    const base = await ok(work, "rev-parse", "HEAD")
    await must("main")
    for (let index = 2; index <= 8; index++) await commit(work, `number ${index}`)
    const head = await ok(work, "rev-parse", "HEAD")
    await must("main")
    expect(await branchRows(world, row)).toEqual({ main: head })
    const rows = await feed(world, row)
    expect(rows).toHaveLength(3)
    const content = JSON.parse(rows[2]?.content ?? "")
    expect(content).toMatchObject({ Len: 7, CompareURL: `Ada/${row.name}/compare/${base}...${head}`, HeadCommit: { Sha1: head } })
    expect(content.Commits.map(({ Message }: { readonly Message: string }) => Message)).toEqual([8, 7, 6, 5, 4].map((n) => `number ${n}\n`))
  })

  test("a new branch compares with the default branch, or with where its commits begin", async () => {
    const { row, work, must } = await stage()
    await must("main")
    const base = await ok(work, "rev-parse", "HEAD")
    await must("main:same")
    for (let index = 2; index <= 14; index++) await commit(work, `number ${index}`)
    const head = await ok(work, "rev-parse", "HEAD")
    await must("main:topic")
    const contents = (await feed(world, row)).filter(({ content }) => content !== "").map(({ content }) => JSON.parse(content))
    expect(contents[1]).toMatchObject({ Len: 1, CompareURL: `Ada/${row.name}/compare/main...${base}` })
    const oldest = await ok(work, "rev-parse", "HEAD~10")
    expect(contents[2]).toMatchObject({ Len: 10, CompareURL: `Ada/${row.name}/compare/${oldest}...${head}` })
    expect(contents[2].Commits).toHaveLength(5)
    expect((await reload(world, row)).branches_count).toBe(3)
  })

  test("a rewritten branch, and one that is taken back", async () => {
    const { row, work, push, must } = await stage()
    const first = await ok(work, "rev-parse", "HEAD")
    await commit(work, "two")
    await must("main")
    await ok(work, "commit", "-q", "--amend", "-m", "another two")
    const head = await ok(work, "rev-parse", "HEAD")
    expect((await push("main")).err).toContain("rejected")
    await must("--force", "main")
    expect(await branchRows(world, row)).toEqual({ main: head })
    expect(JSON.parse((await feed(world, row)).at(-1)?.content ?? "")).toMatchObject({ Len: 1, HeadCommit: { Sha1: head } })
    await must("--force", `${first}:main`)
    expect(await branchRows(world, row)).toEqual({ main: first })
    expect(JSON.parse((await feed(world, row)).at(-1)?.content ?? "")).toMatchObject({ Len: 0, Commits: [], HeadCommit: { Sha1: first } })
  })

  test("a deleted branch; but not the default one", async () => {
    const { row, push, must } = await stage()
    await must("main", "main:gone")
    await must(":gone")
    expect(Object.keys(await branchRows(world, row))).toEqual(["main"])
    expect((await feed(world, row)).at(-1)).toMatchObject({ op_type: "delete_branch", ref_name: "refs/heads/gone", content: "" })
    expect(await reload(world, row)).toMatchObject({ branches_count: 1, is_empty: 0 })
    const refused = await push(":main")
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.err).toContain("branch main is the default branch and cannot be deleted")
    expect(Object.keys(await branchRows(world, row))).toEqual(["main"])
  })

  test("tags: light and annotated, moved and deleted", async () => {
    const { row, work, must } = await stage()
    await must("main")
    const head = await ok(work, "rev-parse", "HEAD")
    await ok(work, "tag", "light")
    await ok(work, "tag", "-a", "heavy", "-m", "a tag")
    await must("light", "heavy")
    await must(":light")
    const rows = (await feed(world, row)).slice(2)
    expect(rows.map(({ op_type, ref_name }) => [op_type, ref_name])).toEqual([
      ["push_tag", "refs/tags/light"],
      ["push_tag", "refs/tags/heavy"],
      ["delete_tag", "refs/tags/light"],
    ])
    expect(JSON.parse(rows[0]?.content ?? "")).toMatchObject({ Commits: null, HeadCommit: { Sha1: head }, Len: 0 })
    expect(JSON.parse(rows[1]?.content ?? "")).toMatchObject({ Commits: null, HeadCommit: { Sha1: head }, Len: 0 })
    expect(JSON.parse(rows[2]?.content ?? "")).toEqual({ Commits: null, HeadCommit: null, CompareURL: "", Len: 0 })
    expect(await reload(world, row)).toMatchObject({ branches_count: 1 })
  })

  test("a tag alone leaves the repository without a branch, and so empty", async () => {
    const { row, work, must } = await stage()
    await ok(work, "tag", "v1")
    await must("v1")
    expect(await reload(world, row)).toMatchObject({ is_empty: 1, branches_count: 0, default_branch: "main" })
    expect(await told(row)).toEqual(["push_tag refs/tags/v1"])
  })

  test("notes are stored, and nothing is told of them", async () => {
    const { row, work, must } = await stage()
    await must("main")
    await ok(work, "notes", "add", "-m", "a note")
    await must("refs/notes/commits")
    expect(await told(row)).toHaveLength(2)
  })

  test("content that is too long is told without its words", async () => {
    const { row, work, must } = await stage()
    await must("main")
    await commit(work, "x".repeat(70_000))
    await must("main")
    expect((await feed(world, row)).at(-1)?.content).toBe("{}")
    expect((await branchRows(world, row))["main"]).toBe(await ok(work, "rev-parse", "HEAD"))
  })

  describe("the default branch of an empty repository", () => {
    test("is the first that arrives, whatever its name, and HEAD follows", async () => {
      const { row, work, url, must } = await stage()
      await must("main:trunk")
      expect(await reload(world, row)).toMatchObject({ default_branch: "trunk", is_empty: 0 })
      const heads = await ok(work, "ls-remote", "--symref", url, "HEAD")
      expect(heads).toContain("ref: refs/heads/trunk\tHEAD")
      await ok(world.folder, "clone", "-q", url, join(world.folder, `clone-${row.name}`))
      expect(await ok(join(world.folder, `clone-${row.name}`), "branch", "--show-current")).toBe("trunk")
    })

    test("is the one that was set, when it is among several", async () => {
      const { row, must } = await stage({ default_branch: "develop" })
      await must("main", "main:a", "main:develop")
      expect(await reload(world, row)).toMatchObject({ default_branch: "develop", branches_count: 3 })
    })

    test("is main or master before another", async () => {
      const { row, must } = await stage({ default_branch: "develop" })
      await must("main:a", "main:master")
      expect(await reload(world, row)).toMatchObject({ default_branch: "master" })
    })
  })

  test("main is adopted when the stored default branch doesn't exist", async () => {
    const { row, work, url, must } = await stage()
    await must("main:trunk")
    await change(world, row, { default_branch: "lost" })
    await must("main:topic")
    expect(await reload(world, row)).toMatchObject({ default_branch: "lost" })
    await must("main")
    expect(await reload(world, row)).toMatchObject({ default_branch: "main" })
    expect(await ok(work, "ls-remote", "--symref", url, "HEAD")).toContain("ref: refs/heads/main\tHEAD")
  })

  test("a SHA-256 repository", async () => {
    const { row, work, url, must } = await stage({ object_format: "sha256" })
    await must("main")
    const head = await ok(work, "rev-parse", "HEAD")
    expect(head).toHaveLength(64)
    expect(await branchRows(world, row)).toEqual({ main: head })
    await ok(world.folder, "clone", "-q", url, join(world.folder, "clone-sha256"))
    expect(await ok(join(world.folder, "clone-sha256"), "rev-parse", "HEAD")).toBe(head)
  })

  test("--atomic: one refusal holds back all, and nothing is told", async () => {
    const { row, push, must } = await stage()
    await must("main", "main:other")
    const before = await feed(world, row)
    const refused = await push("--atomic", "main:new", ":other", ":main")
    expect(refused.code).toBe(1)
    expect(Object.keys(await branchRows(world, row))).toEqual(["main", "other"])
    expect(await feed(world, row)).toEqual(before)
    await must("--atomic", "main:new", ":other")
    expect(Object.keys(await branchRows(world, row))).toEqual(["main", "new"])
  })

  test("without --atomic the allowed references move and only they are told", async () => {
    const { row, push, must } = await stage()
    await must("main")
    expect((await push("main:new", ":main")).code).toBe(1)
    expect(Object.keys(await branchRows(world, row))).toEqual(["main", "new"])
    expect(await told(row)).toHaveLength(4)
  })

  test("many branches and tags in one push", async () => {
    const { row, work, must } = await stage()
    const head = await ok(work, "rev-parse", "HEAD")
    const names = [
      ...Array.from({ length: 150 }, (_, index) => `heads/b${String(index).padStart(3, "0")}`),
      ...Array.from({ length: 30 }, (_, index) => `tags/t${index}`),
    ]
    const created = names.map((name) => `create refs/${name} ${head}\n`).join("")
    expect(await client(work, ["update-ref", "--stdin"], created)).toMatchObject({ code: 0 })
    await must("--all")
    await must("--tags")
    expect(await reload(world, row)).toMatchObject({ branches_count: 151, default_branch: "main" })
    expect(Object.keys(await branchRows(world, row))).toHaveLength(151)
  })

  describe("push options", () => {
    test("make an empty repository private and a template; the feed rows of the same push are private", async () => {
      const { row, must } = await stage()
      await must("-o", "repo.private", "-o", "repo.template=true", "main")
      expect(await reload(world, row)).toMatchObject({ is_private: 1, is_template: 1 })
      expect((await feed(world, row)).map(({ is_private }) => is_private)).toEqual([1, 1])
    })

    test("count for nothing afterwards, and say so", async () => {
      const { row, must, push } = await stage({ isPrivate: true })
      await must("main")
      const run = await push("-o", "repo.private=false", "main:other")
      expect(run).toMatchObject({ code: 0 })
      expect(run.err).toContain("only while a repository is empty")
      expect(await reload(world, row)).toMatchObject({ is_private: 1 })
    })

    test("are refused to pushers who don't administer the repository", async () => {
      const { row, work } = await stage()
      await world.services.database.write((tx) =>
        tx.insertInto("collaborations").values({ repository_id: row.id, user_id: ben.user.id, mode: 2, created_at: 0 }).execute(),
      )
      const url = address(world, `ada/${row.name}`, "ben", ben.token)
      const refused = await client(work, ["push", "-o", "repo.private=true", url, "main"])
      expect(refused.code).toBe(1)
      expect(refused.err).toContain("repo.private and repo.template are for administrators")
      expect(await reload(world, row)).toMatchObject({ is_private: 0, is_empty: 1 })
      expect(await client(work, ["push", url, "main"])).toMatchObject({ code: 0 })
      // Both are notified: the pusher and the watcher.
      const receivers = (await feed(world, row)).map(({ receiver_id, actor_id }) => [receiver_id, actor_id])
      expect(receivers).toEqual([
        [ben.user.id, ben.user.id],
        [ben.user.id, ben.user.id],
      ])
    })
  })
})
