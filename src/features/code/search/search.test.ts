import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Actor, anonymous, signedInAs } from "../../../core/actor.ts"
import { resolveRevision } from "../commits/revision.ts"
import { type Clone, openStage, type Stage } from "../releases/testing.ts"
import type { CodeSearch } from "./candidates-store.ts"
import { indexRepository } from "./index-repository.ts"
import { type FoundCode, LIMITS, searchCode } from "./search.ts"
import { type CodeAt, searchCommit } from "./without-index.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const PAGE = { limit: 20, offset: 0 }

/** Code search as people see it. */
function searchesOf(stage: Stage) {
  const { database } = stage.hearth.services
  const actorOf = async (name: string | undefined): Promise<Actor> => {
    if (name === undefined) return anonymous
    const user = await database.read.selectFrom("users").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    return signedInAs(user)
  }
  const search = async (q: string, more: Omit<CodeSearch, "q"> = {}, name?: string): Promise<FoundCode> =>
    searchCode(database.read, await actorOf(name), { q, ...more }, PAGE)
  const found = async (...given: Parameters<typeof search>): Promise<readonly string[]> =>
    (await search(...given)).files.map(({ repository, path }) => `${repository.owner}/${repository.name}:${path}`).toSorted()
  const idOf = async (name: string): Promise<number> =>
    (await database.read.selectFrom("repositories").select("id").where("lower_name", "=", name).executeTakeFirstOrThrow()).id
  return { search, found, idOf, actorOf }
}

/** A commit of a repository of ann's, by a branch. */
async function commitOf({ hearth: { services } }: Stage, name: string, branch?: string): Promise<CodeAt> {
  const row = await services.database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
  const revision = await resolveRevision(services.git, row, branch)
  if (!revision) throw new Error(`no ${branch}`)
  const { id: commit, tree } = revision.commit
  const repository = services.git.at(row.storage, row.object_format)
  return { git: services.git, repository, commit, tree, foundIn: { id: row.id, owner: "ann", name, commitId: commit } }
}

const write = async ({ folder }: Clone, files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}
const push = async (clone: Clone, ...args: readonly string[]): Promise<void> => {
  await clone.git("add", "-A")
  await clone.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "--allow-empty", "-m", "More")
  expect(await clone.push(...(args.length > 0 ? args : ["HEAD:main"]))).toMatchObject({ code: 0 })
}

withWorld("code search", { open: openStage, on: databaseKinds }, ({ test, world: stage }) => {
  const make = async (name: string, files: Readonly<Record<string, string | Buffer>>, options: object = {}): Promise<Clone> => {
    await stage.must(stage.ann, "POST /user/repos", { name, ...options })
    const clone = await stage.clone(`ann/${name}`)
    await write(clone, files)
    await push(clone)
    await stage.settle()
    return clone
  }
  const nothingIsLeft = async (name: string): Promise<void> => {
    const { database } = stage.hearth.services
    const { idOf } = searchesOf(stage)
    const unused = await database.read
      .selectFrom("code_blobs")
      .select("id")
      .where("repository_id", "=", await idOf(name))
      .where("id", "not in", database.read.selectFrom("code_files").select("code_blob_id"))
      .execute()
    expect(unused).toEqual([])
  }

  test("finds lines with what surrounds them", async () => {
    await make("lines", { "src/one.ts": "// 1\n// 2\n// 3\nconst Tool_Set = 1; let tool_set\n// 5\n// 6\n// 7\n", "b.txt": "toolset" })
    const { search, idOf } = searchesOf(stage)
    const { files, ...rest } = await search("tool_set", { repositoryId: await idOf("lines") })
    expect(rest).toEqual({ total: 1, languages: [{ language: "TypeScript", files: 1 }], isPartial: false, indexing: 0 })
    expect(files).toMatchObject([{ path: "src/one.ts", language: "TypeScript", matches: 1, repository: { owner: "ann", name: "lines" } }])
    expect(files[0]?.fragments).toEqual([
      [
        { number: 2, text: "// 2", marks: [], isCut: false },
        { number: 3, text: "// 3", marks: [], isCut: false },
        {
          number: 4,
          text: "const Tool_Set = 1; let tool_set",
          marks: [
            [6, 14],
            [24, 32],
          ],
          isCut: false,
        },
        { number: 5, text: "// 5", marks: [], isCut: false },
        { number: 6, text: "// 6", marks: [], isCut: false },
      ],
    ])
    expect(files[0]?.repository.commitId).toMatch(/^[0-9a-f]{40}$/)
  })

  test("has three modes", async () => {
    await make("modes", {
      "a.go": "func OpenFile(name string) error {\n  return wrap(err)\n}\n",
      "b.py": "def open_file(name):\n    return name\n",
      "c.md": "Straße, ÄRGER and 日本語; İstanbul ΟΔΟΣ ✅ 🚀\n",
    })
    const { found, search, idOf } = searchesOf(stage)
    const repositoryId = await idOf("modes")
    const paths = async (q: string, more: Omit<CodeSearch, "q"> = {}) =>
      (await found(q, { repositoryId, ...more })).map((each) => each.slice(each.indexOf(":") + 1))
    const table: readonly (readonly [string, Omit<CodeSearch, "q">, readonly string[]])[] = [
      ["openfile", {}, ["a.go"]],
      ["openfile", { isCaseSensitive: true }, []],
      ["OpenFile(name", {}, ["a.go"]],
      ["return", {}, ["a.go", "b.py"]],
      ["return name", {}, ["b.py"]],
      ['"return" "string"', {}, ["a.go"]],
      ["re", {}, ["a.go", "b.py"]],
      ["ärger", {}, ["c.md"]],
      ["本語", {}, ["c.md"]],
      ["語", {}, ["c.md"]],
      ["本語", { mode: "words" }, ["c.md"]],
      ["本語|🚀", { mode: "regexp" }, ["c.md"]],
      ["🚀", {}, ["c.md"]],
      ["✅", {}, ["c.md"]],
      ["日語", {}, []],
      ["🚁", {}, []],
      ["οδος", {}, ["c.md"]],
      ["istanbul ΟΔΟΣ", {}, []],
      ["STANBUL οδοσ", {}, ["c.md"]],
      ["name return", { mode: "words" }, ["a.go", "b.py"]],
      ["name def", { mode: "words" }, ["b.py"]],
      ["file", { mode: "words" }, []],
      ["open_file", { mode: "words" }, ["b.py"]],
      ["err wrap", { mode: "words" }, ["a.go"]],
      ['"return wrap"', { mode: "words" }, ["a.go"]],
      ["open.?file\\(", { mode: "regexp" }, ["a.go", "b.py"]],
      ["Open.?file\\(", { mode: "regexp", isCaseSensitive: true }, []],
      ["^def|^func", { mode: "regexp" }, ["a.go", "b.py"]],
      ["(wrap|missing)\\(", { mode: "regexp" }, ["a.go"]],
      ["[0-9]{3}", { mode: "regexp" }, []],
      ["name\\)\\s+error", { mode: "regexp" }, []],
      ["string\\)\\s+error \\{$", { mode: "regexp" }, ["a.go"]],
      ["return lang:python", {}, ["b.py"]],
      ["return path:*.go", {}, ["a.go"]],
      ["return path:A.G", {}, ["a.go"]],
      ["return path:a.?o path:*.py", {}, ["a.go", "b.py"]],
      ["return path:%", {}, []],
      ["return repo:ann/modes", {}, ["a.go", "b.py"]],
      ["return repo:*/mod?s", {}, ["a.go", "b.py"]],
      ["return repo:other", {}, []],
      ["lang:go", {}, []],
    ]
    for (const [q, more, expected] of table) expect([q, await paths(q, more)]).toEqual([q, expected])
    // Without an index the same is found.
    const at = await commitOf(stage, "modes")
    for (const [q, more, expected] of table)
      expect([q, (await searchCommit(at, { q, ...more }, PAGE)).files.map(({ path }) => path).toSorted()]).toEqual([q, expected])
    expect((await search("return", { repositoryId, language: "Go" })).languages).toEqual([
      { language: "Go", files: 1 },
      { language: "Python", files: 1 },
    ])
    expect(await paths("return", { language: "Go" })).toEqual(["a.go"])
    for (const q of ["(", "a{2000}", "x".repeat(1001), "(a{100}){100}"])
      await expect(search(q, { repositoryId, mode: "regexp" })).rejects.toMatchObject({ kind: "invalid" })
  })

  test("looks through a commit without an index, within its limits", async () => {
    const clone = await make("branches", { "a.txt": "apple -e pear\n" })
    await write(clone, {
      "a.txt": "apple\n",
      "-O dir/ö b.txt": "apple --open-files-in-pager=sh\n",
      "vendor/c.txt": "apple\n",
      "d.min.js": "apple",
      "e.bin": Buffer.from("apple\0"),
      "long.txt": `${"a".repeat(400_000)}!\n`,
      "empty.txt": "",
    })
    await push(clone, "HEAD:side")
    const at = await commitOf(stage, "branches", "side")
    const find = async (q: string, more: Omit<CodeSearch, "q"> = {}, limits = LIMITS) => {
      const { files, total, isPartial } = await searchCommit(at, { q, ...more }, PAGE, limits)
      return [files.map(({ path }) => path), total, isPartial]
    }
    expect(await find("apple")).toEqual([["-O dir/ö b.txt", "a.txt"], 2, false])
    expect(await find("pear")).toEqual([[], 0, false])
    for (const q of ["--open-files-in-pager=sh", "-e", "-open path:ö"]) {
      const known = q === "-e" ? [[], 0, false] : [["-O dir/ö b.txt"], 1, false]
      expect([q, await find(q)]).toEqual([q, known])
    }
    // What would keep an engine busy that goes back.
    for (const q of ["(a+)+$", "(a|a)*b", "(.*)*x"]) expect((await find(q, { mode: "regexp" }))[2], q).toBe(false)
    expect(await find("apple", {}, { ...LIMITS, files: 1 })).toEqual([["-O dir/ö b.txt"], 1, true])
    expect(await find("apple", {}, { ...LIMITS, size: 1 })).toEqual([["-O dir/ö b.txt"], 1, true])
    expect((await find("apple", {}, { ...LIMITS, milliseconds: 0 }))[2]).toBe(true)
    expect((await searchCommit(at, { q: "apple" }, { limit: 1, offset: 1 })).files.map(({ path }) => path)).toEqual(["a.txt"])
  })

  test("follows pushes, and reads only what has changed", async () => {
    const clone = await make("moving", { "a.txt": "first apple\n", "dir/b.txt": "second pear\n", "dir/c.txt": "second pear\n" })
    const { found, idOf } = searchesOf(stage)
    const repositoryId = await idOf("moving")
    const paths = async (q: string) => (await found(q, { repositoryId })).map((each) => each.replace("ann/moving:", ""))
    expect([await paths("apple"), await paths("pear")]).toEqual([["a.txt"], ["dir/b.txt", "dir/c.txt"]])
    const blobs = () =>
      stage.hearth.services.database.read
        .selectFrom("code_blobs")
        .select(["id"])
        .where("repository_id", "=", repositoryId)
        .orderBy("id")
        .execute()
    const before = await blobs()
    expect(before.length).toBe(2)

    await clone.git("mv", "dir", "moved")
    await write(clone, { "new.txt": "third plum\n" })
    await push(clone)
    await stage.settle()
    expect([await paths("pear"), await paths("plum")]).toEqual([["moved/b.txt", "moved/c.txt"], ["new.txt"]])
    expect((await blobs()).slice(0, 2)).toEqual(before)

    await write(clone, { "a.txt": "changed cherry\n", "moved/b.txt": Buffer.from("pear\0") })
    await push(clone)
    await stage.settle()
    expect([await paths("apple"), await paths("cherry"), await paths("pear")]).toEqual([[], ["a.txt"], ["moved/c.txt"]])

    await clone.git("reset", "-q", "--hard", "HEAD~2")
    expect(await clone.push("--force", "HEAD:main")).toMatchObject({ code: 0 })
    await stage.settle()
    expect([await paths("apple"), await paths("plum"), await paths("pear")]).toEqual([["a.txt"], [], ["dir/b.txt", "dir/c.txt"]])

    await write(clone, { "a.txt": "on a branch banana\n" })
    await push(clone, "HEAD:side")
    await stage.settle()
    expect(await paths("banana")).toEqual([])
    await stage.must(stage.ann, "PATCH /repos/ann/moving", { default_branch: "side" })
    await stage.settle()
    expect([await paths("banana"), await paths("apple")]).toEqual([["a.txt"], []])
    await nothingIsLeft("moving")

    await rm(join(clone.folder, "dir"), { recursive: true })
    await push(clone, "HEAD:side")
    await stage.settle()
    expect(await paths("pear")).toEqual([])
    await nothingIsLeft("moving")
  })

  test("follows files through the API, forks, renames, transfers and deletion", async () => {
    await make("home", { "a.txt": "a wandering quokka\n" })
    const { found, idOf } = searchesOf(stage)
    await stage.must(stage.ann, "POST /repos/ann/home/contents/b.txt", { content: base64("another quokka\n") })
    await stage.must(stage.cal, "POST /repos/ann/home/forks", {})
    await stage.settle()
    expect(await found("quokka")).toEqual(["ann/home:a.txt", "ann/home:b.txt", "cal/home:a.txt", "cal/home:b.txt"])
    await stage.must(stage.ann, "PATCH /repos/ann/home", { name: "house" })
    expect(await found("quokka repo:house")).toEqual(["ann/house:a.txt", "ann/house:b.txt"])
    await stage.must(stage.ann, "PATCH /repos/ann/house", { archived: true })
    expect(await found("quokka repo:house")).toHaveLength(2)
    const id = await idOf("house")
    await stage.must(stage.ann, "DELETE /repos/ann/house")
    expect(await found("quokka")).toEqual(["cal/home:a.txt", "cal/home:b.txt"])
    const [kept] = await stage.must(stage.ann, "GET /user/deleted")
    await stage.must(stage.ann, `DELETE /user/deleted/${kept?.id}`)
    await stage.settle()
    const { database } = stage.hearth.services
    const left = await database.read.selectFrom("code_blobs").select("id").where("repository_id", "=", id).execute()
    const grams = await database.read.selectFrom("code_grams").select("rowid").execute()
    const blobs = await database.read.selectFrom("code_blobs").select("id").execute()
    expect([left, grams.length]).toEqual([[], blobs.length])
  })

  test("shows what the caller may read, and counts nothing else", async () => {
    await make("closed", { "a.txt": "an unspoken wombat\n" }, { private: true })
    await stage.must(stage.ann, "POST /orgs", { username: "guild" })
    await stage.must(stage.ann, "POST /orgs/guild/repos", { name: "den", private: true })
    await stage.must(stage.ann, "POST /repos/guild/den/contents/a.txt", { content: base64("a wombat too\n") })
    await stage.settle()
    const { found, search } = searchesOf(stage)
    const seen = async () => [await found("wombat"), await found("wombat", {}, "cal"), await found("wombat", {}, "ann")]
    const all = ["ann/closed:a.txt", "guild/den:a.txt"]
    expect(await seen()).toEqual([[], [], all])
    expect(await search("wombat", {}, "cal")).toMatchObject({ total: 0, languages: [], isPartial: false })

    await stage.must(stage.ann, "PUT /repos/ann/closed/collaborators/cal", { permission: "read" })
    expect(await found("wombat", {}, "cal")).toEqual(["ann/closed:a.txt"])
    await stage.must(stage.ann, "DELETE /repos/ann/closed/collaborators/cal")
    for (const [unit, files] of [
      ["repo.issues", []],
      ["repo.code", ["guild/den:a.txt"]],
    ] as const) {
      const team = await stage.must(stage.ann, "POST /orgs/guild/teams", {
        name: `of-${unit.slice(5)}`,
        includes_all_repositories: true,
        units_map: { [unit]: "read" },
      })
      await stage.must(stage.ann, `PUT /teams/${team.id}/members/cal`)
      expect(await found("wombat", {}, "cal")).toEqual(files)
      await stage.must(stage.ann, `DELETE /teams/${team.id}/members/cal`)
      expect(await found("wombat", {}, "cal")).toEqual([])
    }
    await stage.must(stage.ann, "PATCH /repos/ann/closed", { private: false })
    expect(await found("wombat")).toEqual(["ann/closed:a.txt"])
    await stage.must(stage.ann, "PATCH /repos/ann/closed", { private: true })
    expect(await found("wombat")).toEqual([])
  })

  test("says what is not indexed yet, and goes on where it was interrupted", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`d${index % 7}/${index}.c`, `int numbat_${index};\n`]))
    const clone = await make("late", many)
    const { found, search, idOf } = searchesOf(stage)
    const repositoryId = await idOf("late")
    const { services } = stage.hearth
    const { database } = services
    expect((await search("numbat", { repositoryId })).total).toBe(200)
    const state = () =>
      database.read
        .selectFrom("code_indexes")
        .select(["is_complete", "files_count"])
        .where("repository_id", "=", repositoryId)
        .executeTakeFirst()

    for (const at of [1, 2, 3]) {
      await database.write((tx) => tx.deleteFrom("code_indexes").where("repository_id", "=", repositoryId).execute())
      await database.write((tx) => tx.deleteFrom("code_files").where("repository_id", "=", repositoryId).execute())
      await database.write((tx) => tx.deleteFrom("code_blobs").where("repository_id", "=", repositoryId).execute())
      expect(await search("numbat", { repositoryId })).toMatchObject({ total: 0, indexing: 1 })
      // It ends at one of its writes, as if the process were killed.
      let writes = 0
      const dying = {
        ...services,
        database: {
          ...database,
          write: (...given: Parameters<typeof database.write>) => {
            if (writes++ > at) throw new Error("killed")
            return database.write(...given)
          },
        },
      }
      await expect(
        indexRepository(
          { ...services, database: Object.assign(Object.create(database), dying.database) },
          repositoryId,
          AbortSignal.timeout(60_000),
        ),
      ).rejects.toThrow("killed")
      expect(await state()).toMatchObject({ is_complete: 0, files_count: at * 64 })
      expect(await search("numbat", { repositoryId })).toMatchObject({ total: at < 3 ? at * 64 : 190, indexing: 1 })
      if (at === 2) {
        await write(clone, { "d1/1.c": "int changed;\n", "d0/0.c": "int replaced;\n" })
        await rm(join(clone.folder, "d0/7.c"))
        await push(clone)
        await stage.settle()
      } else await services.jobs.tasks.run("index_code")
      expect(await search("numbat", { repositoryId })).toMatchObject({ total: at === 1 ? 200 : 197, indexing: 0 })
      await nothingIsLeft("late")
    }
    expect(await found("replaced", { repositoryId })).toEqual(["ann/late:d0/0.c"])

    await database.write((tx) => tx.deleteFrom("code_files").where("path", "=", "d0/0.c").execute())
    await database.write((tx) =>
      tx
        .updateTable("code_indexes")
        .set({ tree_id: "1".repeat(40) })
        .execute(),
    )
    await services.jobs.tasks.run("rebuild_code_index")
    expect(await found("replaced", { repositoryId })).toEqual(["ann/late:d0/0.c"])
    expect(await state()).toEqual({ is_complete: 1, files_count: 199 })
  })

  test("two that index one repository at once leave it right", async () => {
    await make("twice", { "a.txt": "a bilby\n", "b.txt": "b bilby\n" })
    const { found, idOf } = searchesOf(stage)
    const repositoryId = await idOf("twice")
    const { services } = stage.hearth
    await services.database.write((tx) =>
      tx.updateTable("code_indexes").set({ is_complete: 0 }).where("repository_id", "=", repositoryId).execute(),
    )
    await services.database.write((tx) => tx.deleteFrom("code_files").where("repository_id", "=", repositoryId).execute())
    await Promise.allSettled([1, 2, 3].map(() => indexRepository(services, repositoryId, AbortSignal.timeout(60_000))))
    await indexRepository(services, repositoryId, AbortSignal.timeout(60_000))
    expect(await found("bilby", { repositoryId })).toEqual(["ann/twice:a.txt", "ann/twice:b.txt"])
  })

  test("leaves out what people don't write", async () => {
    const text = "an echidna\n"
    await make("kinds", {
      "own.txt": text,
      "node_modules/a/index.js": text,
      "deep/vendor/x.go": text,
      "app.min.js": text,
      "package-lock.json": text,
      "binary.bin": Buffer.concat([Buffer.from(text), Buffer.from([0])]),
      "large.txt": text + "x\n".repeat(300_000),
      "wide.txt": text.trim() + "x".repeat(100_000),
      "latin.txt": Buffer.from("an echidna caf\xe9\n", "latin1"),
      "windows.txt": "\uFEFFone\r\nan echidna\r\nthree\r\n",
      "long.txt": `${"short\n".repeat(200)}${" ".repeat(1500)}an echidna${"y".repeat(3000)}\n`,
      "line\nbreak.txt": text,
    })
    const { search, idOf } = searchesOf(stage)
    const { files } = await search("an echidna", { repositoryId: await idOf("kinds") })
    expect(files.map(({ path }) => path).toSorted()).toEqual(["latin.txt", "line\nbreak.txt", "long.txt", "own.txt", "windows.txt"])
    const lines = Object.fromEntries(files.map(({ path, fragments }) => [path, fragments.flat().find(({ marks }) => marks.length > 0)]))
    expect(lines["latin.txt"]?.text).toBe("an echidna caf\uFFFD")
    expect(lines["windows.txt"]).toEqual({ number: 2, text: "an echidna", marks: [[0, 10]], isCut: false })
    const long = lines["long.txt"]
    expect([long?.isCut, long?.text.length, long?.number]).toEqual([true, 300, 201])
    const [from = 0, to = 0] = long?.marks[0] ?? []
    expect(long?.text.slice(from, to)).toBe("an echidna")
  })

  test("is bounded, whatever is asked", async () => {
    const bait = `${"a".repeat(1900)}\n`.repeat(200)
    await make("bait", { "a.txt": bait, "b.txt": `${"ab".repeat(900)}\n`.repeat(200), "empty.txt": "" })
    const { search, idOf, actorOf } = searchesOf(stage)
    const repositoryId = await idOf("bait")
    for (const q of ["(a?){30}a{30}", "(a+a+)+b", "(a|aa)+$", "(.*)(.*)(.*)[^a]$", "(x+x+)+y", ".*.*.*.*=.*"]) {
      const { files } = await search(q, { repositoryId, mode: "regexp" })
      for (const { fragments } of files) for (const line of fragments.flat()) expect(line.text.length).toBeLessThanOrEqual(300)
    }
    const { read } = stage.hearth.services.database
    const few = await searchCode(read, await actorOf("ann"), { q: "a", repositoryId }, PAGE, { ...LIMITS, files: 1 })
    expect(few).toMatchObject({ isPartial: true })
    const small = await searchCode(read, await actorOf("ann"), { q: "a", repositoryId }, PAGE, { ...LIMITS, size: 10 })
    expect(small).toMatchObject({ isPartial: true, total: 1 })
    const late = await searchCode(read, await actorOf("ann"), { q: "aaa", repositoryId }, PAGE, { ...LIMITS, milliseconds: -1 })
    expect(late).toMatchObject({ isPartial: true, total: 0, files: [] })
    for (const q of ["", "   ", "'; drop table users", '" OR "', "NEAR(a b)", "g1 OR g2", "%", "_", "*", "\\", "\0\0\0", "\ud800"]) {
      await search(q)
      await search(`abc path:${q} repo:${q} lang:${q}`)
    }
    await search(`path:${"*a".repeat(400)} abc`)
  })

  test("takes as many queries for many files as for one", async () => {
    await make("counted", Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.txt`, `a dunnart ${index}\n`])))
    const { search, idOf, actorOf } = searchesOf(stage)
    const repositoryId = await idOf("counted")
    const { database } = stage.hearth.services
    const actor = await actorOf("ann")
    const count = async (q: string) =>
      (await statementsOf(database, () => searchCode(database.read, actor, { q, repositoryId }, PAGE))).length
    const spawned = stage.hearth.services.git.spawned()
    expect([await count("dunnart 7"), await count("dunnart")]).toEqual([4, 4])
    expect(stage.hearth.services.git.spawned()).toBe(spawned)
    const pages = await Promise.all(
      [0, 20].map((offset) => searchCode(database.read, actor, { q: "dunnart", repositoryId }, { limit: 20, offset })),
    )
    expect(pages.map(({ files, total }) => [files.length, total])).toEqual([
      [20, 30],
      [10, 30],
    ])
    expect(new Set(pages.flatMap(({ files }) => files.map(({ path }) => path))).size).toBe(30)
    await search("dunnart")
  })
})
