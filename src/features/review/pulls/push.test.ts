import { rm } from "node:fs/promises"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { client, ok } from "../../../git/testing.ts"
import { commitIn, openPullWorld, push } from "./testing.ts"

withWorld("what pushes do to pull requests", { open: openPullWorld }, ({ test, world }) => {
  const settled = () => world.hearth.services.jobs.drain()

  test("a push to the head moves it: sums, references, timeline, who is told", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const number = await repo.pull("work", {}, world.ben)
    await world.call(world.ben, "PUT /notifications")
    const work = await repo.clone()
    await ok(work, "checkout", "-q", "work")
    const second = await commitIn(work, "c.txt")
    const third = await commitIn(work, "d.txt", "1\n2\n")
    expect((await push(work, "work")).code).toBe(0)
    const { body } = await repo.get(number)
    expect(body).toMatchObject({ additions: 4, changed_files: 3, mergeable: true, head: { sha: third, ref: "work" } })
    const refs = await repo.refs()
    expect(refs[`refs/pull/${number}/head`]).toBe(third)
    expect(refs[`refs/pull/${number}/merge`]).toBeDefined()
    await ok(work, "fetch", "-q", "origin", `refs/pull/${number}/merge`)
    expect(await ok(work, "log", "-1", "--format=%P", "FETCH_HEAD")).toBe(`${body.base.sha} ${third}`)
    expect(await ok(work, "show", "FETCH_HEAD:d.txt")).toBe("1\n2")
    const told = await repo.timeline(number, ({ type, body: text, user }) => [type, JSON.parse(text), user.login])
    expect(told.at(-1)).toEqual(["pull_push", { is_force_push: false, commit_ids: [second, third] }, "ann"])
    const threads = (await world.call(world.ben, "GET /notifications")).body
    expect(threads.some(({ subject }: { subject: { url: string } }) => subject.url.endsWith(`${repo.at}/issues/${number}`))).toBe(true)
  })

  test("a head that is thrown back says so", async () => {
    const repo = await world.repository()
    const old = await repo.commit("work", "b.txt")
    const number = await repo.pull("work")
    const work = await repo.clone()
    await ok(work, "checkout", "-q", "-b", "other", "origin/main")
    const fresh = await commitIn(work, "z.txt")
    expect((await push(work, "+other:work")).code).toBe(0)
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: fresh }, changed_files: 1, additions: 1 })
    const told = await repo.timeline(number, ({ body: text }) => text)
    expect(told.at(-1)).toBe(JSON.stringify({ is_force_push: true, commit_ids: [old, fresh] }))
  })

  test("a push to a fork copies the objects; refs/pull can't be pushed to", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    const number = await repo.pull("cyd:topic", {}, world.cyd)
    const next = await repo.commit("topic", "c.txt", "c\n", true)
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: next }, changed_files: 2 })
    expect((await repo.refs())[`refs/pull/${number}/head`]).toBe(next)
    const work = await repo.clone("ben")
    const refused = await push(work, `+main:refs/pull/${number}/head`)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("written only by the server")
    expect((await repo.refs())[`refs/pull/${number}/head`]).toBe(next)
    // A fork of the base has none of them.
    expect(await ok(work, "ls-remote", `${world.hearth.url}/cyd/${repo.name}.git`, "refs/pull/*")).toBe("")
  })

  test("a push to the base is seen in the next answer, and by a job", async () => {
    const repo = await world.repository()
    await repo.commit("clash", "a.txt", "one\nTWO\nthree\n")
    await repo.commit("calm", "b.txt")
    const clash = await repo.pull("clash")
    const calm = await repo.pull("calm")
    const base = await repo.commit("main", "a.txt", "one\n2\nthree\n")
    const mergeable = async () =>
      Object.fromEntries(
        (await repo.on("GET", "pulls?state=open")).body.map((pull: { number: number; mergeable: boolean }) => [
          pull.number,
          pull.mergeable,
        ]),
      )
    expect(await mergeable()).toEqual({ [clash]: false, [calm]: true })
    expect((await repo.get(clash)).body).toMatchObject({ mergeable: false, base: { sha: base } })
    expect((await repo.refs())[`refs/pull/${clash}/merge`]).toBeUndefined()
    await repo.commit("main", "a.txt", "one\ntwo\nthree\n")
    await settled()
    const rows = await world.hearth.services.database.read.selectFrom("pulls").selectAll().orderBy("id", "desc").limit(2).execute()
    expect(rows.map(({ mergeability }) => mergeability)).toEqual(["mergeable", "mergeable"])
    expect(await mergeable()).toEqual({ [clash]: true, [calm]: true })
    expect((await repo.refs())[`refs/pull/${clash}/merge`]).toBeDefined()
  })

  test("what is closed is left alone, and follows its branch when it is reopened", async () => {
    const repo = await world.repository()
    const first = await repo.commit("work", "b.txt")
    const number = await repo.pull("work")
    await repo.edit(number, { state: "closed" })
    const second = await repo.commit("work", "c.txt")
    expect((await repo.get(number)).body).toMatchObject({ state: "closed", head: { sha: first }, changed_files: 1 })
    expect((await repo.edit(number, { state: "open" })).body).toMatchObject({ state: "open", head: { sha: second }, changed_files: 2 })
    expect((await repo.refs())[`refs/pull/${number}/head`]).toBe(second)
    await repo.edit(number, { state: "closed" })
    const third = await repo.commit("work", "d.txt")
    expect((await repo.on("PATCH", `issues/${number}`, { state: "open" })).status).toBe(201)
    await settled()
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: third }, changed_files: 3, mergeable: true })
  })

  test("a deleted head closes it, and what it brought can still be had", async () => {
    const repo = await world.repository()
    const head = await repo.commit("work", "b.txt")
    const number = await repo.pull("work")
    const work = await repo.clone()
    expect((await push(work, ":work")).code).toBe(0)
    const { body } = await repo.get(number)
    expect(body).toMatchObject({
      state: "closed",
      merged: false,
      additions: 1,
      head: { label: "work", ref: `refs/pull/${number}/head`, sha: head },
    })
    expect(await repo.timeline(number, ({ type, old_ref }) => [type, old_ref])).toEqual([
      ["pull_push", ""],
      ["delete_branch", "work"],
      ["close", ""],
    ])
    expect((await repo.on("GET", `pulls/${number}/files`)).body).toHaveLength(1)
    expect((await world.call(world.ann, `GET ${repo.at}`)).body.open_pr_counter).toBe(0)
    await ok(work, "fetch", "-q", "origin", `refs/pull/${number}/head`)
    expect(await ok(work, "rev-parse", "FETCH_HEAD")).toBe(head)
  })

  test("a deleted base sends it to the default branch, or closes it where it can't go there", async () => {
    const repo = await world.repository()
    await repo.commit("dev", "d.txt")
    await repo.commit("one", "b.txt")
    await repo.commit("two", "c.txt")
    const goes = await repo.pull("one", { base: "dev" })
    const there = await repo.pull("two")
    const stays = await repo.pull("two", { base: "dev" })
    expect((await repo.on("DELETE", "branches/dev")).status).toBe(204)
    expect((await repo.get(goes)).body).toMatchObject({ state: "open", mergeable: true, base: { ref: "main" }, changed_files: 1 })
    expect(await repo.timeline(goes, ({ type, old_ref, new_ref }) => [type, old_ref, new_ref])).toEqual([
      ["pull_push", "", ""],
      ["change_target_branch", "dev", "main"],
    ])
    expect((await repo.get(stays)).body).toMatchObject({ state: "closed", base: { ref: "dev", sha: "" } })
    expect((await repo.get(there)).body.state).toBe("open")
  })

  test("branches that get another name take their pull requests along", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    await repo.commit("dev", "d.txt")
    const number = await repo.pull("work", { base: "dev" })
    expect((await repo.on("PATCH", "branches/work", { name: "better" })).status).toBe(204)
    expect((await repo.on("PATCH", "branches/dev", { name: "next" })).status).toBe(204)
    expect((await repo.get(number)).body).toMatchObject({ state: "open", base: { ref: "next" }, head: { ref: "better" } })
  })

  test("a fork that is deleted is survived", async () => {
    const repo = await world.repository()
    await repo.fork()
    const head = await repo.commit("topic", "b.txt", "b\n", true)
    const number = await repo.pull("cyd:topic", {}, world.cyd)
    await world.must(world.cyd, `DELETE /repos/cyd/${repo.name}`)
    await settled()
    const gone = { mergeable: true, head: { label: "topic", ref: `refs/pull/${number}/head`, sha: head, repo_id: -1, repo: null } }
    expect((await repo.get(number)).body).toMatchObject({ ...gone, state: "closed", closed_at: expect.any(String) })
    expect(await repo.timeline(number, ({ type, user }) => [type, user.login])).toEqual([
      ["pull_push", "cyd"],
      ["close", "cyd"],
    ])
    const feed = (await world.call(world.cyd, "GET /users/cyd/activities/feeds?only-performed-by=true")).body
    expect(feed[0]).toMatchObject({ op_type: "close_pull_request", content: `${number}|` })
    expect((await repo.edit(number, { state: "open" })).body).toMatchObject({ ...gone, state: "open" })
    expect((await repo.on("GET", "pulls")).body[0].head.repo).toBeNull()
    expect((await repo.on("GET", `pulls/${number}/commits`)).body).toHaveLength(1)
    await repo.commit("main", "z.txt")
    expect((await repo.get(number)).body.mergeable).toBe(true)
    expect((await repo.edit(number, { state: "closed" })).status).toBe(201)
    expect((await repo.edit(number, { state: "open" })).status).toBe(201)
  })

  test("with a repository its pull requests are gone, and the fork stays", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    await repo.pull("cyd:topic", {}, world.cyd)
    expect((await world.call(world.ann, `DELETE ${repo.at}`)).status).toBe(204)
    await settled()
    expect((await repo.commit("topic", "c.txt", "c\n", true)).length).toBe(40)
    expect((await world.call(world.cyd, `GET /repos/cyd/${repo.name}/pulls`)).body).toEqual([])
  })

  test("a repository whose files are lost doesn't stop pushes to its forks", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    await repo.pull("cyd:topic", {}, world.cyd)
    const { database, git } = world.hearth.services
    const row = await database.read
      .selectFrom("repositories")
      .selectAll()
      .where("name", "=", repo.name)
      .where("fork_of_id", "is", null)
      .executeTakeFirstOrThrow()
    await rm(git.at(row.storage, row.object_format).directory, { recursive: true })
    const head = await repo.commit("topic", "c.txt", "c\n", true)
    expect((await world.call(world.cyd, `GET /repos/cyd/${repo.name}/branches/topic`)).body.commit.id).toBe(head)
  })

  test("a deleted pull request takes its references along", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const number = await repo.pull("work")
    expect(Object.keys(await repo.refs())).toHaveLength(2)
    expect((await repo.on("DELETE", `issues/${number}`)).status).toBe(204)
    await settled()
    expect(await repo.refs()).toEqual({})
    expect((await repo.get(number)).status).toBe(404)
    expect((await world.call(world.ann, `GET ${repo.at}`)).body.open_pr_counter).toBe(0)
  })

  test("users who may merge may push to the head of a fork, if its owner allows it", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    await repo.commit("private", "p.txt", "p\n", true)
    const number = await repo.pull("cyd:topic", {}, world.cyd)
    const work = await repo.clone("ben", true)
    await ok(work, "checkout", "-q", "topic")
    const mended = await commitIn(work, "mended.txt")
    expect((await push(work, "topic")).err).toContain(`/pulls/${number} `)
    expect((await repo.get(number)).body).toMatchObject({ head: { sha: mended }, changed_files: 2 })
    const refused = async (...args: readonly string[]) => (await push(work, ...args)).err
    expect(await refused("+topic:private")).toContain("denied")
    expect(await refused("topic:new")).toContain("denied")
    expect(await refused(":topic")).toContain("denied")
    const write = async (by: string, where: object) => {
      const change = { content: "eA==", message: "Create page here", ...where }
      return (await world.call(by, `POST /repos/cyd/${repo.name}/contents/written.txt`, change)).status
    }
    expect(await write(world.ben, { branch: "private" })).toBe(403)
    expect(await write(world.ben, { branch: "topic", new_branch: "new" })).toBe(403)
    expect(await write(world.ben, {})).toBe(403)
    expect(await write(world.dee, { branch: "topic" })).toBe(403)
    expect(await write(world.ben, { branch: "topic" })).toBe(201)
    expect((await repo.get(number)).body.changed_files).toBe(3)
    await ok(work, "pull", "-q", "origin", "topic")
    const stranger = await repo.clone("dee", true)
    expect((await client(stranger, ["push", "-q", "origin", "HEAD:topic"])).code).toBe(1)
    await world.must(world.cyd, `PATCH ${repo.at}/pulls/${number}`, { allow_maintainer_edit: false })
    await commitIn(work, "more.txt")
    expect((await push(work, "topic")).code).toBe(1)
    expect(await write(world.ben, { branch: "topic" })).toBe(403)
  })

  test("a draft that is none any more tells its watchers, and its owners are asked", async () => {
    const repo = await world.repository()
    await repo.commit("main", "CODEOWNERS", ".* @ben\n")
    await repo.commit("work", "b.txt")
    const number = await repo.pull("work", { title: "WIP: b" })
    expect((await repo.get(number)).body).toMatchObject({ draft: true, mergeable: false, requested_reviewers: [] })
    await world.call(world.ben, "PUT /notifications")
    await repo.edit(number, { title: "b" })
    await settled()
    expect((await repo.get(number)).body).toMatchObject({ draft: false, mergeable: true, requested_reviewers: [{ login: "ben" }] })
  })

  test("files, commits, diff and patch, as git says it", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const head = await repo.commit("work", "a.txt", "one\n2\nthree\nfour\n")
    await repo.commit("main", "late.txt")
    const number = await repo.pull("work")
    const files = await repo.on("GET", `pulls/${number}/files?limit=1&page=2`)
    expect(files.body).toEqual([expect.objectContaining({ filename: "b.txt", status: "added", additions: 1, deletions: 0, changes: 1 })])
    expect(files.headers.get("x-total-count")).toBe("2")
    expect(files.headers.get("x-hasmore")).toBe("false")
    expect((await repo.on("GET", `pulls/${number}/files?skip-to=b.txt`)).body).toHaveLength(1)
    expect((await repo.on("GET", `pulls/${number}/files?whitespace=ignore-all`)).body).toHaveLength(2)
    const commits = (await repo.on("GET", `pulls/${number}/commits`)).body
    expect(commits.map(({ sha }: { sha: string }) => sha)[0]).toBe(head)
    expect(commits).toHaveLength(2)
    const work = await repo.clone()
    const text = async (form: string) => (await fetch(`${world.hearth.url}/api/v1${repo.at}/pulls/${number}.${form}`)).text()
    expect((await text("diff")).trim()).toBe(await ok(work, "diff", "origin/main...origin/work"))
    await ok(work, "checkout", "-q", "-b", "applied", "origin/main")
    expect((await client(work, ["am", "-q"], await text("patch"))).code).toBe(0)
    expect(await ok(work, "diff", "origin/main...origin/work")).toBe(await ok(work, "diff", "origin/main...applied"))
    expect((await repo.on("GET", `pulls/${number}/merge`)).status).toBe(404)
    for (const route of ["pulls/99", "pulls/99/files", "pulls/99/commits", "pulls/99.diff", "pulls/99/merge"])
      expect((await repo.on("GET", route)).status).toBe(404)
  })
})
