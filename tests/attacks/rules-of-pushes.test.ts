/*
 * A writer pushes thousands of branches and tags to a repository with hundreds of rules, or tens of thousands of files to a branch whose rule lists a hundred globs. The rules were read and
 * compiled again for each reference, and each file was compared with each glob: 1,000 tags with 200 rules stopped the whole service for 79 seconds, 20,000 files took two minutes. Now
 * patterns are read and compiled once for a push, and compared all at once, with turns for others; what is still too much is refused in words.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { client, ok, writeHistory } from "../../src/git/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"
import { longestTickOf } from "../support/ticks.ts"

const REFERENCES = 300
const RULES = 100
const FILES = 2000
/** How long others may wait, in milliseconds. */
const QUIET = 250

const config = { limits: { workSteps: 10_000_000, rules: 2 } }
withHearth("many references, files and rules", { people: ["ann"], config }, ({ test, forge, call, ann }) => {
  let folder: string
  let work: string
  let id: number
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-rules-"))
    work = join(folder, "work")
    const made = await call(ann, "POST /user/repos", { name: "tool", auto_init: true, default_branch: "main" })
    id = made.body.id
    await ok(folder, "clone", "-q", address(), "work")
    const tip = await ok(work, "rev-parse", "HEAD")
    const names = Array.from({ length: REFERENCES }, (_, index) => `${String(index).padStart(5, "0")}-${"ab".repeat(20)}`)
    const lines = ["heads", "tags"].flatMap((kind) => names.map((name) => `create refs/${kind}/new/${name} ${tip}\n`))
    await client(work, ["update-ref", "--stdin"], lines.join(""))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const address = () => {
    const url = new URL(`${forge.hearth.url}/ann/tool.git`)
    url.username = "ann"
    url.password = PASSWORD
    return url.href
  }
  /** Pushes while others would want to be served. */
  async function push(...refs: readonly string[]) {
    let run = { code: 1, err: "" }
    const tick = await longestTickOf(async () => {
      run = await client(work, ["push", "-q", address(), ...refs])
    })
    expect(tick).toBeLessThan(QUIET)
    return run
  }
  /** Patterns that match nothing; the longer, the more ways there are to follow at every character. */
  const patterns = (length: number) => Array.from({ length: RULES }, (_, index) => `${"*ab".repeat(length)}*${index}x`)
  const tooMuch = "it takes too much work to compare the rules of this repository with what is pushed"

  test("block no caller where rules for tags are", async () => {
    const protect = (length: number) =>
      forge.hearth.services.database.write(async (tx) => {
        await tx.deleteFrom("tag_protections").where("repository_id", "=", id).execute()
        const values = patterns(length).map((name_pattern) => ({ repository_id: id, name_pattern, created_at: 0, updated_at: 0 }))
        await tx.insertInto("tag_protections").values(values).execute()
      })
    await protect(1)
    expect(await push("refs/tags/*:refs/tags/*")).toMatchObject({ code: 0 })
    await protect(20)
    expect((await push("refs/tags/*:refs/tags/more/*")).err).toContain(tooMuch)
  })

  test("block no caller where rules for branches are", async () => {
    await call(ann, "POST /repos/ann/tool/branch_protections", { rule_name: "model*" })
    const protect = (length: number) =>
      forge.hearth.services.database.write(async (tx) => {
        const rules = tx.selectFrom("branch_protections").selectAll().where("repository_id", "=", id).orderBy("id")
        const { id: first, ...model } = await rules.executeTakeFirstOrThrow()
        await tx.deleteFrom("branch_protections").where("repository_id", "=", id).where("id", "!=", first).execute()
        for (const rule_name of patterns(length))
          await tx
            .insertInto("branch_protections")
            .values({ ...model, rule_name })
            .execute()
      })
    await protect(1)
    expect(await push("refs/heads/new/*:refs/heads/new-*")).toMatchObject({ code: 0 })
    await protect(20)
    expect((await push("refs/heads/new/*:refs/heads/more-*")).err).toContain(tooMuch)
  })

  test("block no caller where files are protected, in a push and in a merge", async () => {
    await call(ann, "POST /user/repos", { name: "files", auto_init: true, default_branch: "main" })
    const protected_file_patterns = patterns(20)
      .map((pattern) => `new/${pattern}`)
      .join(";")
    await call(ann, "POST /repos/ann/files/branch_protections", { rule_name: "main", enable_push: true, protected_file_patterns })
    const files = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`new/${index}-${"ab".repeat(30)}`, ""]))
    const url = address().replace("/tool.git", "/files.git")
    await ok(work, "fetch", "-q", url, "main")
    await writeHistory(work, [{ branch: "files", from: await ok(work, "rev-parse", "FETCH_HEAD"), files }])
    const pushing = () => client(work, ["push", "-q", url, "files:main", "files:side"])
    let pushed = { code: 0, err: "" }
    expect(
      await longestTickOf(async () => {
        pushed = await pushing()
      }),
    ).toBeLessThan(QUIET)
    expect(pushed.err).toContain(tooMuch)

    expect(await ok(work, "push", "-q", url, "files:side")).toBe("")
    await call(ann, "POST /repos/ann/files/pulls", { base: "main", head: "side", title: "Files" })
    await forge.settle()
    const merging = async () => {
      const { status, body } = await call(ann, "POST /repos/ann/files/pulls/1/merge", { Do: "merge" })
      expect([status, body.message]).toEqual([405, expect.stringContaining("it takes too much work to compare the changed files")])
    }
    expect(await longestTickOf(merging)).toBeLessThan(QUIET)
  })

  test("can't be added without end", async () => {
    const at = "/repos/ann/bounded"
    await call(ann, "POST /user/repos", { name: "bounded" })
    const statuses: number[] = []
    for (const name of ["one", "two", "three"]) {
      const branches = await call(ann, `POST ${at}/branch_protections`, { rule_name: name })
      const rules = await call(ann, `POST ${at}/tag_protections`, { name_pattern: name, whitelist_usernames: ["ann"] })
      statuses.push(branches.status, rules.status)
      if (name === "three") {
        expect(branches.body.message).toContain("a repository has at most 2 rules for branches")
        expect(rules.body.message).toContain("a repository has at most 2 rules for tags")
      }
    }
    expect(statuses).toEqual([201, 201, 201, 201, 422, 422])
  })
})
