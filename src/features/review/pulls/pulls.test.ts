import { describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openPullWorld } from "./testing.ts"

withWorld("creating pull requests", { on: databaseKinds, open: openPullWorld }, ({ test, world }) => {
  test("title, head and base are all it takes", async () => {
    const repo = await world.repository()
    const head = await repo.commit("work", "b.txt")
    const base = await repo.commit("main", "c.txt")
    const { status, body } = await repo.create({ title: "  Bring b ", head: "work", base: "main" }, world.ben)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      number: 1,
      title: "Bring b",
      body: "",
      state: "open",
      draft: false,
      user: { login: "ben" },
      labels: [],
      milestone: null,
      assignee: null,
      assignees: [],
      requested_reviewers: [],
      requested_reviewers_teams: [],
      comments: 0,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      review_comments: 0,
      mergeable: true,
      merged: false,
      merged_at: null,
      merge_commit_sha: null,
      merged_by: null,
      allow_maintainer_edit: true,
      base: { label: "main", ref: "main", sha: base, repo: { name: repo.name } },
      head: { label: "work", ref: "work", sha: head, repo: { name: repo.name } },
      due_date: null,
      closed_at: null,
      pin_order: 0,
      content_version: 0,
    })
    expect(body.url).toBe(body.html_url)
    expect(body.diff_url).toBe(`${body.html_url}.diff`)
    expect((await repo.get(1, undefined)).body).toMatchObject({ number: 1, merge_base: body.merge_base })
    expect(await repo.timeline(1, ({ type, body: text }) => [type, text])).toEqual([
      ["pull_push", JSON.stringify({ is_force_push: false, commit_ids: [head] })],
    ])
    expect((await world.call(world.ann, `GET ${repo.at}`)).body).toMatchObject({ open_pr_counter: 1, open_issues_count: 0 })
  })

  test("with everything that can be given at once; from a user who may write only to the fork only what is theirs to say", async () => {
    const repo = await world.repository()
    await repo.fork()
    const head = await repo.commit("topic", "b.txt", "b\n", true)
    await repo.commit("other", "b.txt", "b\n", true)
    const label = (await world.must(world.ann, `POST ${repo.at}/labels`, { name: "kind", color: "#00aabb" })).id
    const milestone = (await world.must(world.ann, `POST ${repo.at}/milestones`, { title: "First" })).id
    const wishes = {
      title: "Bring b",
      body: "It was missing.",
      base: "main",
      labels: [label],
      milestone,
      assignee: "ann",
      assignees: ["ben"],
      reviewers: ["ben"],
      due_date: "2031-05-06T07:08:09Z",
      allow_maintainer_edit: false,
    }
    const { status, body } = await repo.create({ ...wishes, head: "cyd:topic" })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      labels: [{ name: "kind" }],
      milestone: { title: "First", open_issues: 1 },
      assignees: [{ login: "ann" }, { login: "ben" }],
      requested_reviewers: [{ login: "ben" }],
      due_date: "2031-05-06T07:08:09Z",
      allow_maintainer_edit: false,
      mergeable: true,
      head: { label: "topic", ref: "topic", sha: head, repo: { full_name: `cyd/${repo.name}` } },
    })
    expect(await repo.refs()).toMatchObject({ "refs/pull/1/head": head })

    const theirs = await repo.create({ ...wishes, head: "cyd:other", labels: [label, 999_999], milestone: 999_999 }, world.cyd)
    expect(theirs).toMatchObject({
      status: 201,
      body: {
        labels: [],
        milestone: null,
        assignees: [],
        requested_reviewers: [{ login: "ben" }],
        due_date: "2031-05-06T07:08:09Z",
        allow_maintainer_edit: false,
      },
    })
  })

  test("a fork is named by its owner, or with its name; the base may be offered to a fork as well", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    await repo.commit("other", "c.txt")
    expect((await repo.create({ title: "x", head: `cyd/${repo.name}:topic`, base: "main" }, world.cyd)).status).toBe(201)
    expect((await repo.create({ title: "x", head: "ANN:other", base: "main" })).status).toBe(201)
    const back = await world.call(world.cyd, `POST /repos/cyd/${repo.name}/pulls`, { title: "Sync", head: "ann:other", base: "main" })
    expect(back).toMatchObject({ status: 201, body: { number: 1, head: { repo: { full_name: `ann/${repo.name}` } } } })
  })

  test("numbers are those of the issues and have no gaps: what is refused leaves nothing behind", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    await world.must(world.ann, `POST ${repo.at}/issues`, { title: "first" })
    const refused = async (wish: object) => (await repo.create({ title: "x", head: "work", base: "main", ...wish })).status
    expect(await refused({ milestone: 999_999 })).toBe(404)
    expect(await refused({ labels: [999_999] })).toBe(422)
    expect(await refused({ assignees: ["nobody"] })).toBe(422)
    expect(await refused({ reviewers: ["nobody"] })).toBe(404)
    // Authors can't review their own pull requests.
    expect(await refused({ reviewers: ["ann"] })).toBe(422)
    expect((await world.call(world.ann, `GET ${repo.at}`)).body.open_pr_counter).toBe(0)
    expect(await repo.refs()).toEqual({})
    expect(await repo.pull("work")).toBe(2)
    expect((await repo.on("GET", "issues/1/timeline")).body ?? []).toEqual([])
  })

  test("what can't be an end, and who may not offer it", async () => {
    const repo = await world.repository()
    await repo.fork()
    const head = await repo.commit("work", "b.txt")
    await repo.commit("topic", "b.txt", "b\n", true)
    await world.must(world.ann, `POST ${repo.at}/tags`, { tag_name: "mark" })
    const status = async (body: object, by: string | undefined = world.ann) => (await repo.create(body, by)).status
    expect(await status({ head: "work", base: "main" })).toBe(422)
    expect(await status({ title: "x", base: "main" })).toBe(422)
    expect(await status({ title: "x", head: "main", base: "main" })).toBe(422)
    expect(await status({ title: "x", head: "nowhere", base: "main" })).toBe(404)
    expect(await status({ title: "x", head: "work", base: "nowhere" })).toBe(404)
    expect(await status({ title: "x", head: "mark", base: "main" })).toBe(422)
    expect(await status({ title: "x", head, base: "main" })).toBe(422)
    expect(await status({ title: "x", head: "no one:work", base: "main" })).toBe(404)
    expect(await status({ title: "x", head: "dee:work", base: "main" })).toBe(400)
    expect(await status({ title: "x", head: "cyd/elsewhere:work", base: "main" })).toBe(404)
    const other = await world.repository()
    expect(await status({ title: "x", head: `ann/${other.name}:main`, base: "main" })).toBe(400)
    expect(await status({ title: "x", head: "work", base: "main" }, world.dee)).toBe(403)
    expect(await status({ title: "x", head: "cyd:topic", base: "main" }, world.dee)).toBe(403)
    expect((await world.call(undefined, `POST ${repo.at}/pulls`, { title: "x", head: "work", base: "main" })).status).toBe(401)
  })

  test("one open pull request for the same branches; another base is another matter", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    await repo.commit("dev", "c.txt")
    const number = await repo.pull("work")
    const { status, body } = await repo.create({ title: "Again", head: "work", base: "main" })
    expect(status).toBe(409)
    expect(body.message).toContain(`#${number}`)
    expect((await repo.create({ title: "To dev", head: "work", base: "dev" })).status).toBe(201)
    await repo.edit(number, { state: "closed" })
    expect((await repo.create({ title: "Again", head: "work", base: "main" })).status).toBe(201)
    // The first one can't be reopened beside it.
    expect((await repo.edit(number, { state: "open" })).status).toBe(409)
    expect((await repo.on("PATCH", `issues/${number}`, { state: "open" })).status).toBe(409)
  })

  test("archived, switched off, empty, hidden, blocked", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const status = async (by: string = world.ann) => (await repo.create({ title: "x", head: "work", base: "main" }, by)).status
    await world.must(world.ann, `PATCH ${repo.at}`, { archived: true })
    expect(await status()).toBe(423)
    await world.must(world.ann, `PATCH ${repo.at}`, { archived: false, has_pull_requests: false })
    expect(await status()).toBe(404)
    await world.must(world.ann, `PATCH ${repo.at}`, { has_pull_requests: true, private: true })
    expect(await status(world.dee)).toBe(404)
    await world.must(world.ann, `PUT /user/blocks/ben`)
    await world.must(world.ann, `PATCH ${repo.at}`, { private: false })
    await world.must(world.root, `PUT ${repo.at}/collaborators/ben`, { permission: "write" }).catch(() => undefined)
    expect(await status(world.ben)).toBe(403)
    await world.must(world.ann, `DELETE /user/blocks/ben`)
    await world.must(world.ann, "POST /user/repos", { name: "bare" }).catch(() => undefined)
    expect(await world.call(world.ann, "GET /repos/ann/bare/pulls")).toMatchObject({ status: 200, body: [] })
    const early = await world.call(world.ann, "POST /repos/ann/bare/pulls", { title: "x", head: "work", base: "main" })
    expect(early.status).toBe(404)
  })

  test("texts: mentions, references, closing words; drafts; long titles", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    await world.must(world.ann, `POST ${repo.at}/issues`, { title: "Broken" })
    const body = { head: "work", base: "main", title: "[wip] Mend it", body: "@dee fixes #1" }
    const made = await repo.create(body, world.ben)
    expect(made.body).toMatchObject({ number: 2, draft: true, mergeable: false })
    expect(await repo.timeline(1, ({ type, ref_action, ref_issue }) => [type, ref_action, ref_issue.number])).toEqual([
      ["pull_ref", "closes", 2],
    ])
    const mentioned = (await world.call(world.dee, "GET /notifications")).body
    expect(mentioned.map(({ subject }: { subject: object }) => subject)).toEqual([
      expect.objectContaining({ type: "Pull", title: "[wip] Mend it" }),
    ])
    const long = await repo.create({ title: "ü".repeat(300), head: "work", base: "work2" })
    expect(long.status).toBe(404)
    expect((await repo.edit(2, { title: "ü".repeat(300) })).body.title).toBe(`${"ü".repeat(254)}…`)
    const feed = (await world.call(world.ben, "GET /users/ben/activities/feeds?only-performed-by=true")).body
    expect(feed[0]).toMatchObject({ op_type: "create_pull_request", content: "2|[wip] Mend it", ref_name: "" })
  })

  test("what merging would give is known at once: conflicts, nothing new, nothing at all", async () => {
    const states = async (count: number) => {
      const rows = await world.hearth.services.database.read.selectFrom("pulls").selectAll().orderBy("id", "desc").limit(count).execute()
      return rows.map(({ mergeability, conflicted_files }) => [mergeability, conflicted_files])
    }
    const repo = await world.repository()
    await repo.commit("clash", "a.txt", "one\nTWO\nthree\n")
    await repo.commit("same", "a.txt", "one\n2\nthree\n")
    await repo.commit("main", "a.txt", "1\n2\nthree\n")
    await repo.commit("main", "a.txt", "one\n2\nthree\n")
    const clash = await repo.create({ title: "x", head: "clash", base: "main" })
    expect(clash.body).toMatchObject({ mergeable: false, additions: 1, deletions: 1, changed_files: 1 })
    const same = await repo.create({ title: "x", head: "same", base: "main" })
    expect(same.body.mergeable).toBe(true)
    expect(await states(2)).toEqual([
      ["empty", "[]"],
      ["conflict", '["a.txt"]'],
    ])
    await repo.commit("past", "p.txt")
    await world.must(world.ann, `POST ${repo.at}/branches`, { new_branch_name: "future", old_ref_name: "past" })
    await world.must(world.ann, `POST ${repo.at}/contents/f.txt`, { content: "", branch: "future" })
    expect((await repo.create({ title: "x", head: "past", base: "future" })).body).toMatchObject({ mergeable: true, changed_files: 0 })
    expect(await states(1)).toEqual([["ancestor", "[]"]])
  })
})

describe("many at once", () => {
  test("two concurrent requests for the same: one succeeds", async () => {
    const world = await openPullWorld("sqlite")
    try {
      const repo = await world.repository()
      await repo.commit("work", "b.txt")
      const answers = await Promise.all(Array.from({ length: 6 }, () => repo.create({ title: "x", head: "work", base: "main" })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
      expect((await world.call(world.ann, `GET ${repo.at}`)).body.open_pr_counter).toBe(1)
    } finally {
      await world.close()
    }
  })
})
