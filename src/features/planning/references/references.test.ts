import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { ok } from "../../../git/testing.ts"
import { issuesOf, numbers, type TimelineEntryFields } from "../issues/testing.ts"

withHearth("what texts refer to", { on: databaseKinds, people: ["ann", "ben", "cyd"] }, ({ kind, test, forge, ann, ben, cyd }) => {
  let folder: string
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-references-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  let made = 0
  async function repository(options: object = {}) {
    const name = `box${++made}`
    await forge.call(ann, "POST /user/repos", { name, default_branch: "main", ...options })
    await forge.call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    return { name, at: `/repos/ann/${name}`, issues: issuesOf(forge, ann, `ann/${name}`) }
  }

  describe("references", () => {
    const told = ({ type, user, ref_issue, ref_action }: TimelineEntryFields) => [type, user.login, ref_issue?.number, ref_action]

    test("are recorded once on their targets, and not on the issue itself", async () => {
      const { issues } = await repository()
      await issues.create({ title: "target" })
      await issues.create({ title: "see #1", body: "#1 and closes #1, #2 and #9, `#1`" }, ben)
      expect(await issues.timeline(1, told)).toEqual([["issue_ref", "ben", 2, "none"]])
      expect(await issues.timeline(2)).toEqual([])
    })

    test("follow an edited text", async () => {
      const { issues } = await repository()
      for (const title of ["a", "b"]) await issues.create({ title })
      await issues.create({ title: "c", body: "#1" })
      await issues.edit(3, { body: "#1 still" })
      expect(await issues.timeline(1, told)).toEqual([["issue_ref", "ann", 3, "none"]])
      await issues.edit(3, { body: "#2 instead" })
      expect(await issues.timeline(1, told)).toEqual([["issue_ref", "ann", 3, "neutered"]])
      expect(await issues.timeline(2, told)).toEqual([["issue_ref", "ann", 3, "none"]])
      await issues.edit(3, { title: "#1 again" })
      expect(await issues.timeline(1, told)).toEqual([
        ["issue_ref", "ann", 3, "neutered"],
        ["issue_ref", "ann", 3, "none"],
      ])
    })

    test("cross repositories where the writer may read, by name and by address", async () => {
      const target = await repository()
      const hidden = await repository({ private: true })
      const { issues } = await repository()
      for (const each of [target, hidden]) await each.issues.create({ title: "target" })
      const at = ({ name }: { name: string }) => `ann/${name}#1`
      await issues.create({ title: "x", body: `${at(target)} ${at(hidden)} ${forge.hearth.url}/ann/${target.name}/issues/1` }, cyd)
      expect(await target.issues.timeline(1, told)).toEqual([["issue_ref", "cyd", 1, "none"]])
      expect(await hidden.issues.timeline(1)).toEqual([])
      await issues.create({ title: "y", body: at(hidden).toUpperCase() }, ben)
      expect(await hidden.issues.timeline(1, told)).toEqual([["issue_ref", "ben", 2, "none"]])
    })

    test("by a user whom the author there has blocked are skipped", async () => {
      const { issues } = await repository()
      await issues.create({ title: "target" }, cyd)
      const dan = await forge.person(`dan${kind}`)
      await forge.call(cyd, `PUT /user/blocks/dan${kind}`)
      await issues.create({ title: "x", body: "#1 @cyd" }, dan)
      expect(await issues.timeline(1)).toEqual([])
      expect(numbers(await issues.list("mentioned_by=cyd"))).toEqual([])
    })
  })

  test("mentions resolve to users and teams who may read", async () => {
    const { issues } = await repository({ private: true })
    await issues.create({ title: "x", body: "@ben @cyd @ann @nobody" })
    expect(numbers(await issues.list("mentioned_by=ben"))).toEqual([1])
    for (const name of ["cyd", "ann"]) expect(numbers(await issues.list(`mentioned_by=${name}`))).toEqual([])
    const crew = `crew${kind}`
    await forge.call(ann, "POST /orgs", { username: crew })
    await forge.call(ann, `POST /orgs/${crew}/repos`, { name: "ship" })
    for (const [team, reaches] of [
      ["makers", true],
      ["others", false],
    ] as const) {
      const { id } = (await forge.call(ann, `POST /orgs/${crew}/teams`, { name: team, units_map: { "repo.issues": "read" } })).body
      await forge.call(ann, `PUT /teams/${id}/members/${team === "makers" ? "ben" : "cyd"}`)
      if (reaches) await forge.call(ann, `PUT /teams/${id}/repos/${crew}/ship`)
    }
    const ship = issuesOf(forge, ann, `${crew}/ship`)
    await ship.create({ title: "x", body: `@${crew}/makers @${crew}/others @nowhere/makers` })
    expect(numbers(await ship.list("mentioned_by=ben"))).toEqual([1])
    expect(numbers(await ship.list("mentioned_by=cyd"))).toEqual([])
  })

  describe("pushed commits", () => {
    let clones = 0
    async function clone(name: string, by: string) {
      const work = join(folder, `${kind}${++clones}`)
      const url = new URL(`${forge.hearth.url}/ann/${name}.git`)
      url.username = by
      url.password = "pass-word-1"
      await ok(folder, "clone", "-q", url.href, work)
      await ok(work, "checkout", "-q", "-B", "main")
      return {
        commit: async (message: string, branch = "main") => {
          await ok(work, "checkout", "-q", "-B", branch)
          await writeFile(join(work, "file"), message + Math.random())
          await ok(work, "add", ".")
          await ok(work, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", message)
          return (await ok(work, "rev-parse", "HEAD")).trim()
        },
        push: (branch = "main") => ok(work, "push", "-q", "origin", branch),
      }
    }
    const state = async (issues: ReturnType<typeof issuesOf>, index: number) => (await issues.get(index)).body.state
    const told = ({ type, body, ref_commit_sha }: TimelineEntryFields) => [type, body, ref_commit_sha]

    test("add entries to what they refer to, and close it on the default branch", async () => {
      const { name, issues } = await repository()
      for (const title of ["a", "b", "c"]) await issues.create({ title })
      await issues.edit(3, { ref: "refs/heads/dev" })
      const work = await clone(name, "ann")
      const first = await work.commit("Mend <it>, closes #1, closes #1\n\nsee #2, fixes #3")
      await work.push()
      const link = `<a href="${forge.hearth.url}/ann/${name}/commit/${first}">Mend &lt;it&gt;, closes #1, closes #1</a>`
      expect(await issues.timeline(1, told)).toEqual([
        ["commit_ref", link, first],
        ["close", "", ""],
      ])
      expect(await issues.timeline(2, told)).toEqual([["commit_ref", link, first]])
      expect([await state(issues, 1), await state(issues, 2), await state(issues, 3)]).toEqual(["closed", "open", "open"])
      await work.commit("reopens #1, closes #2, closes #3 @1h30m", "dev")
      await work.push("dev")
      expect([await state(issues, 1), await state(issues, 2), await state(issues, 3)]).toEqual(["closed", "open", "closed"])
      expect((await issues.on("GET", "3/times")).body).toMatchObject([{ time: 5400, user_name: "ann" }])
      // A commit that reaches the default branch later acts then, and gets no second entry.
      await work.commit("Merge", "main")
      await work.push("main")
      expect([await state(issues, 1), await state(issues, 2)]).toEqual(["open", "closed"])
      expect((await issues.timeline(2)).filter((type) => type === "commit_ref")).toHaveLength(2)
    })

    test("act only for users who may, and not on blocked or archived issues", async () => {
      const { name, issues } = await repository()
      const other = await repository()
      const old = await repository()
      for (const each of [other, old]) await each.issues.create({ title: "x" })
      await forge.call(ann, `PATCH ${old.at}`, { archived: true })
      await forge.call(ann, `DELETE ${other.at}/collaborators/ben`)
      await other.issues.create({ title: "mine" }, ben)
      for (const title of ["waits", "first"]) await issues.create({ title })
      await issues.on("POST", "1/dependencies", { owner: "ann", repo: name, index: 2 })
      const work = await clone(name, "ben")
      await work.commit(`closes #1, closes ann/${other.name}#1, closes ann/${other.name}#2, closes ann/${old.name}#1`)
      await work.push()
      expect([await state(issues, 1), await state(other.issues, 1), await state(other.issues, 2), await state(old.issues, 1)]).toEqual([
        "open",
        "open",
        "closed",
        "open",
      ])
      expect(await other.issues.timeline(1)).toEqual(["commit_ref"])
      expect(await old.issues.timeline(1)).toEqual([])
    })
  })
})
