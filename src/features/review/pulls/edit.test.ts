import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openPullWorld } from "./testing.ts"

withWorld("editing and listing pull requests", { on: databaseKinds, open: openPullWorld }, ({ test, world }) => {
  /** A repository with one pull request from cyd's fork. */
  async function fromFork() {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("topic", "b.txt", "b\n", true)
    return { repo, number: await repo.pull("cyd:topic", {}, world.cyd) }
  }

  test("a draft is made and ended by its field, too: the title says so", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const number = await repo.pull("work", { title: "Mend it", draft: true })
    const title = async (body: object) => {
      const { title: words, draft } = (await repo.edit(number, body)).body
      return [words, draft]
    }
    expect((await repo.get(number)).body).toMatchObject({ title: "WIP: Mend it", draft: true })
    expect(await title({ draft: true })).toEqual(["WIP: Mend it", true])
    expect(await title({ draft: false })).toEqual(["Mend it", false])
    expect(await title({ draft: false, title: "[WIP] wip: Other" })).toEqual(["Other", false])
    expect(await title({ draft: true, title: "Third" })).toEqual(["WIP: Third", true])
    expect(await title({ title: "Fourth" })).toEqual(["Fourth", false])
    await repo.commit("other", "c.txt")
    expect((await repo.get(await repo.pull("other", { title: "WIP: c", draft: false }))).body).toMatchObject({ title: "c", draft: false })
    expect((await repo.edit(number, { draft: true }, world.dee)).status).toBe(403)
    expect((await repo.edit(number, { draft: "yes" })).status).toBe(422)
  })

  test("author and writers may; readers and strangers may not", async () => {
    const { repo, number } = await fromFork()
    expect((await repo.edit(number, { title: "By the author", body: "x" }, world.cyd)).status).toBe(201)
    expect((await repo.edit(number, { title: "By a writer" }, world.ben)).body).toMatchObject({ title: "By a writer", content_version: 1 })
    expect((await repo.edit(number, { title: "x" }, world.dee)).status).toBe(403)
    expect((await world.call(undefined, `PATCH ${repo.at}/pulls/${number}`, { title: "x" })).status).toBe(401)
    expect((await repo.edit(99, { title: "x" })).status).toBe(404)
    expect((await repo.edit(number, { body: "y", content_version: 0 })).status).toBe(409)
    expect((await repo.edit(number, { body: "y", content_version: 1 })).body).toMatchObject({ body: "y", content_version: 2 })
    expect((await repo.edit(number, {})).body).toMatchObject({ title: "By a writer", content_version: 2 })
    await world.must(world.ann, `PATCH ${repo.at}`, { archived: true })
    expect((await repo.edit(number, { title: "x" })).status).toBe(423)
  })

  test("labels, milestone and assignees count from writers only, the due date from the author too", async () => {
    const { repo, number } = await fromFork()
    const label = (await world.must(world.ann, `POST ${repo.at}/labels`, { name: "red", color: "#ff0000" })).id
    const milestone = (await world.must(world.ann, `POST ${repo.at}/milestones`, { title: "One" })).id
    const wishes = { labels: [label], milestone, assignees: ["ben"], due_date: "2030-05-06T07:08:09Z" }
    expect((await repo.edit(number, wishes, world.cyd)).body).toMatchObject({
      labels: [],
      milestone: null,
      assignees: [],
      due_date: "2030-05-06T23:59:59Z",
    })
    expect((await repo.edit(number, wishes, world.ben)).body).toMatchObject({
      labels: [{ name: "red" }],
      milestone: { title: "One", open_issues: 1 },
      assignees: [{ login: "ben" }],
      due_date: "2030-05-06T23:59:59Z",
    })
    expect((await repo.edit(number, { milestone: 0, unset_due_date: false }, world.ben)).body).toMatchObject({
      milestone: { title: "One" },
    })
    expect((await repo.edit(number, { labels: [], assignees: [], unset_due_date: true }, world.ben)).body).toMatchObject({
      labels: [],
      assignees: [],
      due_date: null,
    })
    expect((await repo.edit(number, { labels: [999_999] }, world.ben)).status).toBe(422)
    expect((await repo.edit(number, { milestone: 999_999, title: "half done" }, world.ben)).status).toBe(422)
    expect((await repo.edit(number, { assignees: ["nobody"] }, world.ben)).status).toBe(422)
    expect((await repo.get(number)).body.title).toBe("Bring cyd:topic")
  })

  test("who may push to the head is for those who may push there", async () => {
    const { repo, number } = await fromFork()
    expect((await repo.edit(number, { allow_maintainer_edit: false, title: "x" }, world.ben)).status).toBe(403)
    expect((await repo.get(number)).body).toMatchObject({ allow_maintainer_edit: true, title: "Bring cyd:topic" })
    expect((await repo.edit(number, { allow_maintainer_edit: false }, world.cyd)).body.allow_maintainer_edit).toBe(false)
    await world.must(world.cyd, `DELETE /repos/cyd/${repo.name}`)
    expect((await repo.edit(number, { allow_maintainer_edit: true }, world.cyd)).status).toBe(403)
  })

  test("closing and reopening", async () => {
    const { repo, number } = await fromFork()
    expect((await repo.edit(number, { state: "gone" })).status).toBe(412)
    expect((await repo.edit(number, { state: "closed" })).body).toMatchObject({ state: "closed" })
    expect((await repo.edit(number, { state: "closed" })).status).toBe(201)
    expect((await repo.edit(number, { state: "open" }, world.cyd)).body).toMatchObject({ state: "open", closed_at: null })
    expect(await repo.timeline(number)).toEqual(["pull_push", "close", "reopen"])
    const feed = (await world.call(world.ann, "GET /users/ann/activities/feeds?only-performed-by=true")).body
    expect(feed[0]).toMatchObject({ op_type: "close_pull_request", content: `${number}|` })
    const blocker = (await world.must(world.ann, `POST ${repo.at}/issues`, { title: "first this" })).number
    await world.must(world.ann, `POST ${repo.at}/issues/${number}/dependencies`, { owner: "ann", repo: repo.name, index: blocker })
    expect((await repo.edit(number, { state: "closed" })).status).toBe(412)
  })

  test("another base", async () => {
    const repo = await world.repository()
    await repo.commit("dev", "a.txt", "one\n2\nthree\n")
    await repo.commit("work", "a.txt", "one\nTWO\nthree\n")
    const number = await repo.pull("work")
    expect((await repo.edit(number, { base: "nowhere" })).status).toBe(404)
    expect((await repo.edit(number, { base: "work" })).status).toBe(422)
    expect((await repo.edit(number, { base: "main" })).status).toBe(201)
    expect((await repo.edit(number, { base: "dev" })).body).toMatchObject({ base: { ref: "dev" }, mergeable: false })
    expect((await repo.refs())[`refs/pull/${number}/merge`]).toBeUndefined()
    expect(await repo.timeline(number, ({ type, old_ref, new_ref }) => [type, old_ref, new_ref])).toEqual([
      ["pull_push", "", ""],
      ["change_target_branch", "main", "dev"],
    ])
    await repo.pull("work")
    expect((await repo.edit(number, { base: "main" })).status).toBe(409)
    await repo.edit(number, { state: "closed" })
    expect((await repo.edit(number, { base: "main" })).status).toBe(422)
    expect((await repo.edit(number, { base: "main", title: "half done" })).status).toBe(422)
    expect((await repo.get(number)).body.title).toBe("Bring work")
  })

  test("what is merged stays so", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    await repo.commit("dev", "c.txt")
    const number = await repo.pull("work", {}, world.ben)
    expect((await repo.on("POST", `pulls/${number}/merge`, { do: "merge" })).status).toBe(200)
    expect((await repo.get(number)).body).toMatchObject({ merged: true, mergeable: true, state: "closed", merged_by: { login: "ann" } })
    expect((await repo.on("GET", `pulls/${number}/merge`)).status).toBe(204)
    expect((await repo.edit(number, { state: "open" })).status).toBe(412)
    expect((await repo.on("PATCH", `issues/${number}`, { state: "open" })).status).toBe(412)
    expect((await repo.edit(number, { base: "dev" })).status).toBe(422)
    expect((await repo.edit(number, { title: "Past" })).body.title).toBe("Past")
    const threads = (await world.call(world.ben, `GET ${repo.at}/notifications?subject-type=pull`)).body
    expect(threads.map(({ subject }: { subject: object }) => subject)).toEqual([expect.objectContaining({ type: "Pull", state: "merged" })])
    const issue = (await repo.on("GET", `issues/${number}`)).body
    expect(issue.pull_request).toMatchObject({ merged: true, draft: false })
    expect(issue.pull_request.merged_at).not.toBeNull()
    expect((await repo.on("GET", "pulls/main/work")).status).toBe(404)
    await repo.commit("main", "after.txt")
    expect((await repo.on("GET", `pulls/${number}/files`)).body).toHaveLength(1)
  })

  test("lists by every filter and in every order", async () => {
    const repo = await world.repository()
    const label = (await world.must(world.ann, `POST ${repo.at}/labels`, { name: "red", color: "#ff0000" })).id
    const other = (await world.must(world.ann, `POST ${repo.at}/labels`, { name: "blue", color: "#0000ff" })).id
    const milestone = (await world.must(world.ann, `POST ${repo.at}/milestones`, { title: "One" })).id
    for (const branch of ["dev", "f1", "f2", "f3", "f4"]) await repo.commit(branch, `${branch}.txt`)
    await repo.pull("f1", { labels: [label, other] })
    await repo.pull("f2", { labels: [other], milestone }, world.ben)
    await repo.pull("f3", { base: "dev", milestone }, world.ben)
    await repo.pull("f4", { title: "[WIP] four" })
    await world.must(world.ann, `POST ${repo.at}/issues`, { title: "an issue" })
    await world.must(world.ann, `POST ${repo.at}/issues/2/comments`, { body: "one" })
    await world.must(world.ann, `POST ${repo.at}/issues/2/comments`, { body: "two" })
    await world.must(world.ann, `POST ${repo.at}/issues/1/comments`, { body: "one" })
    await repo.edit(3, { state: "closed" })
    // Times are whole seconds; here each has its own.
    await world.hearth.services.database.write(async (tx) => {
      for (const [number, at] of [
        [1, 400],
        [2, 200],
        [3, 300],
        [4, 100],
      ] as const)
        await tx
          .updateTable("issues")
          .set({ updated_at: at })
          .where("repository_id", "in", tx.selectFrom("repositories").select("id").where("name", "=", repo.name))
          .where("number", "=", number)
          .execute()
    })
    const list = async (query: string) => {
      const { status, body, headers } = await repo.on("GET", `pulls?${query}`)
      if (status !== 200) return status
      const numbers = body.map(({ number }: { number: number }) => number)
      expect(Number(headers.get("x-total-count"))).toBeGreaterThanOrEqual(numbers.length)
      return numbers
    }
    expect(await list("state=open")).toEqual([4, 2, 1])
    expect(await list("state=closed")).toEqual([3])
    for (const all of ["", "state=all"]) expect(await list(all)).toEqual([4, 3, 2, 1])
    for (const unknown of ["state=none", "sort=none", "sort=newest"]) expect(await list(unknown)).toEqual([4, 3, 2, 1])
    expect(await list("sort=oldest")).toEqual([1, 2, 3, 4])
    expect(await list("sort=recentupdate")).toEqual([1, 3, 2, 4])
    expect(await list("sort=recentupdate&state=open")).toEqual([1, 2, 4])
    expect(await list("sort=leastupdate")).toEqual([4, 2, 3, 1])
    expect(await list("sort=mostcomment")).toEqual([2, 1, 4, 3])
    expect(await list("sort=leastcomment")).toEqual([4, 3, 1, 2])
    expect(await list("sort=recentclose&limit=1")).toEqual([3])
    expect(await list("sort=priority")).toEqual([4, 3, 2, 1])
    expect(await list("base_branch=dev")).toEqual([3])
    expect(await list("base_branch=main&sort=oldest")).toEqual([1, 2, 4])
    expect(await list(`milestone=${milestone}`)).toEqual([3, 2])
    expect(await list("milestone=0")).toEqual([4, 3, 2, 1])
    expect(await list(`labels=${label}`)).toEqual([1])
    // One with both labels is listed once.
    expect(await list(`labels=${label}&labels=${other}&sort=oldest`)).toEqual([1, 2])
    expect(await list("labels=red")).toBe(422)
    expect(await list("labels=")).toEqual([4, 3, 2, 1])
    expect(await list("poster=BEN")).toEqual([3, 2])
    expect(await list("poster=dee")).toEqual([])
    expect(await list("poster=nobody")).toBe(400)
    expect(await list("limit=2&page=2")).toEqual([2, 1])
    expect(await list("page=9")).toEqual([])
    const [first] = (await repo.on("GET", "pulls?limit=1")).body
    expect(first).toMatchObject({ assignees: [], requested_reviewers: [], requested_reviewers_teams: [], mergeable: false })
    // With the sums of the difference and of reviews, as a single one has them.
    expect((await repo.get(first.number)).body).toEqual(first)
    expect(first).toMatchObject({ additions: 1, deletions: 0, changed_files: 1, review_comments: 0 })
    await world.must(world.ben, `POST ${repo.at}/pulls/1/reviews`, { event: "COMMENT", body: "well" })
    const [reviewed] = (await repo.on("GET", "pulls?state=all&sort=oldest&limit=1")).body
    expect(reviewed).toMatchObject({ number: 1, review_comments: 1 })
    const issues = (await repo.on("GET", "issues?type=pulls&state=all")).body
    expect(issues.map(({ pull_request }: { pull_request: { ref: string } }) => pull_request.ref)).toEqual(
      [4, 3, 2, 1].map((number) => `refs/pull/${number}/head`),
    )
    expect((await repo.on("GET", "issues?type=issues&state=all")).body).toHaveLength(1)
    expect((await repo.on("GET", "pulls/5")).status).toBe(404)
  })

  test("searches for what waits for a user's review, and for what a user has reviewed", async () => {
    const repo = await world.repository()
    await repo.commit("work", "b.txt")
    const number = await repo.pull("work", { title: "Look at this", reviewers: ["ben"] })
    const found = async (wish: string) =>
      (await world.call(world.ben, `GET /repos/issues/search?owner=ann&q=look&${wish}`)).body.map(
        (issue: { number: number }) => issue.number,
      )
    expect(await found("review_requested=true")).toEqual([number])
    expect(await found("reviewed=true")).toEqual([])
    await world.must(world.ben, `POST ${repo.at}/pulls/${number}/reviews`, { event: "APPROVED" })
    expect(await found("review_requested=true")).toEqual([])
    expect(await found("reviewed=true")).toEqual([number])
    expect((await repo.get(number)).body.review_comments).toBe(1)
  })

  test("one by its branches, and the pinned ones", async () => {
    const { repo, number } = await fromFork()
    await repo.commit("feature/one", "f.txt")
    const second = await repo.pull("feature/one")
    const found = async (path: string, by: string | undefined = world.ann) => {
      const { status, body } = await world.call(by, `GET ${repo.at}/pulls/${path}`)
      return status === 200 ? body.number : status
    }
    expect(await found("main/cyd:topic")).toBe(number)
    expect(await found(`main/cyd/${repo.name}:topic`)).toBe(number)
    expect(await found("main/feature/one")).toBe(second)
    expect(await found("main/feature%2Fone", undefined)).toBe(second)
    expect(await found("main/topic")).toBe(404)
    expect(await found("main/nobody:topic")).toBe(404)
    await repo.edit(number, { state: "closed" })
    expect(await found("main/cyd:topic")).toBe(number)
    expect((await repo.on("GET", "pulls/pinned")).body).toEqual([])
    await world.must(world.ann, `POST ${repo.at}/issues/${second}/pin`)
    await world.must(world.ann, `POST ${repo.at}/issues/${number}/pin`)
    expect((await repo.on("GET", "pulls/pinned")).body.map((pull: { number: number }) => pull.number)).toEqual([second, number])
  })

  test("a fork that the caller may not know of is not shown", async () => {
    const { repo, number } = await fromFork()
    await world.must(world.root, "PATCH /admin/users/cyd", { source_id: 0, login_name: "cyd", visibility: "private" })
    expect((await repo.get(number, world.cyd)).body.head.repo.name).toBe(repo.name)
    const { body } = await repo.get(number, world.dee)
    expect(body.head).toMatchObject({ repo: null, repo_id: -1, ref: `refs/pull/${number}/head` })
    expect(JSON.stringify(body)).not.toContain(`cyd/${repo.name}`)
    expect((await repo.on("GET", "pulls", undefined, world.dee)).body[0].head.repo).toBeNull()
    expect((await world.call(world.dee, `GET ${repo.at}/pulls/main/cyd:topic`)).status).toBe(404)
    expect((await repo.create({ title: "x", head: "cyd:topic", base: "main" }, world.ben)).status).toBe(400)
    await world.must(world.ann, `PATCH ${repo.at}`, { private: true })
    expect((await world.call(world.dee, `GET ${repo.at}/pulls`)).status).toBe(404)
    expect((await world.call(world.dee, `GET ${repo.at}/pulls/${number}`)).status).toBe(404)
  })
})
