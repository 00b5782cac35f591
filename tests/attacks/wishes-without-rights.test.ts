import { expect } from "vitest"
import { openPullWorld } from "../../src/features/review/pulls/testing.ts"
import { client, ok } from "../../src/git/testing.ts"
import { withHearth, withWorld } from "../support/fixture.ts"
import type { Caller } from "../support/hearth.ts"

/**
 * The members of a body were tried one by one by callers without the right to what they ask for. Most were refused or passed over; four
 * were not. Any owner of a repository could open a pull request from someone's fork and allow "edits by maintainers" in the fork owner's
 * name, and so push to the fork. Strangers gave labels, milestones, assignees and due dates to pull requests, which they may not give to
 * issues. By offering a repository to an organisation they learned the names of its private teams and of its private repositories. And by
 * naming a hidden person as reviewer, assignee or in a rule for branches that the person is there. Here are those, and the tried ones that
 * held.
 */
withWorld("edits by maintainers that no one allowed", { open: openPullWorld }, ({ test, world }) => {
  test("a pull request opens the head to others only if its author may write there", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("theirs", "b.txt", "b\n", true)
    const work = await repo.clone("ann", true)
    const push = async (branch: string) => {
      await ok(work, "fetch", "-q", "origin", branch)
      await ok(work, "checkout", "-q", "-B", branch, "FETCH_HEAD")
      await ok(work, "commit", "-q", "--allow-empty", "-m", "not asked for")
      return client(work, ["push", "-q", "origin", branch])
    }
    for (const by of [world.ann, world.ben]) {
      const { body } = await repo.create({ title: "let me in", head: "cyd:theirs", base: "main", allow_maintainer_edit: true }, by)
      expect(body).toMatchObject({ allow_maintainer_edit: false })
      expect((await push("theirs")).err).toContain("User permission denied for writing.")
      // Rows of earlier versions don't count either.
      const { database } = world.hearth.services
      await database.write((tx) => tx.updateTable("pulls").set({ allow_maintainer_edit: 1 }).execute())
      expect((await push("theirs")).err).toContain("User permission denied for writing.")
      expect((await repo.edit(body.number, { allow_maintainer_edit: true }, by)).status).toBe(403)
      expect((await repo.edit(body.number, { state: "closed" }, by)).status).toBe(201)
    }
    await repo.commit("offered", "c.txt", "c\n", true)
    await repo.pull("cyd:offered", { allow_maintainer_edit: true }, world.cyd)
    expect((await push("theirs")).code).not.toBe(0)
    expect((await push("offered")).code).toBe(0)
  })

  test("labels, milestone and assignees of a stranger's pull request are passed over, known or not", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("wish", "b.txt", "b\n", true)
    const label = (await world.must(world.ann, `POST ${repo.at}/labels`, { name: "urgent", color: "#ff0000" })).id
    const milestone = (await world.must(world.ann, `POST ${repo.at}/milestones`, { title: "Next" })).id
    const wishes = { labels: [label, 999_999], milestone, assignees: ["ann", "nobody"] }
    const made = await repo.create({ title: "x", head: "cyd:wish", base: "main", ...wishes }, world.cyd)
    expect(made.status).toBe(201)
    const nothing = { labels: [], milestone: null, assignees: [] }
    expect(made.body).toMatchObject(nothing)
    expect((await repo.edit(made.body.number, wishes, world.cyd)).body).toMatchObject(nothing)
  })

  test("a stranger merges nothing, and schedules no merge", async () => {
    const repo = await world.repository()
    await repo.fork()
    await repo.commit("wish", "b.txt", "b\n", true)
    const number = await repo.pull("cyd:wish", {}, world.cyd)
    for (const more of [
      { force_merge: true },
      { merge_when_checks_succeed: true },
      { Do: "manually-merged", MergeCommitID: "0".repeat(40) },
    ])
      expect((await repo.on("POST", `pulls/${number}/merge`, { Do: "merge", ...more }, world.cyd)).status).toBe(405)
    expect((await repo.on("POST", `pulls/${number}/merge`, { Do: "merge", delete_branch_after_merge: true })).status).toBe(200)
    // ann may merge, and not delete what is cyd's.
    expect((await world.call(world.cyd, `GET /repos/cyd/${repo.name}/branches/wish`)).status).toBe(200)
  })
})

withHearth("wishes of those without the right", { people: ["ann", "ben", "eve", { name: "ned", visibility: "private" }] }, (given) => {
  const { test, forge, ann, ben, eve, status } = given
  const must = async (caller: Caller, route: string, body?: unknown) => {
    const answer = await forge.call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  test.beforeAll(async () => {
    await must(ann, "POST /orgs", { username: "crew" })
    const team = { name: "readers", can_create_org_repo: false, units_map: { "repo.code": "read" } }
    const { id } = await must(ann, "POST /orgs/crew/teams", team)
    await must(ann, `PUT /teams/${id}/members/ben`)
    for (const name of ["box", "secret"])
      await must(ann, "POST /user/repos", { name, auto_init: true, private: name === "secret", template: true })
    await must(ann, "POST /orgs/crew/repos", { name: "plans", private: true })
    await must(eve, "POST /user/repos", { name: "plans", auto_init: true })
    await must(eve, "POST /user/repos", { name: "own", auto_init: true })
  })

  test("an offer of a repository tells neither private teams nor private repositories of the recipient", async () => {
    const hidden = await must(ann, "POST /orgs/crew/teams", { name: "board", visibility: "private", units_map: { "repo.code": "read" } })
    const open = await must(ann, "POST /orgs/crew/teams", { name: "all", visibility: "public", units_map: { "repo.code": "read" } })
    await must(ann, "POST /orgs", { username: "veil", visibility: "private" })
    const veiled = await must(ann, "POST /orgs/veil/teams", { name: "x", visibility: "public", units_map: { "repo.code": "read" } })
    const offer = (team_ids: readonly number[]) => forge.call(eve, "POST /repos/eve/plans/transfer", { new_owner: "crew", team_ids })
    for (const id of [hidden.id, veiled.id, 999_999])
      expect(await offer([id])).toMatchObject({ status: 422, body: { message: `[team_ids]: there is no team ${id}` } })
    const offered = await offer([open.id])
    expect(offered).toMatchObject({ status: 201, body: { repo_transfer: { teams: [{ name: "all" }] } } })
    // ann has a repository of that name, which only they learn.
    expect(await forge.call(ann, "POST /repos/eve/plans/transfer/accept")).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("crew has a repository plans already") },
    })
    await must(ann, "PATCH /repos/crew/plans", { private: false })
    await must(ann, "POST /repos/eve/plans/transfer/reject")
    expect((await offer([])).status).toBe(422)
  })

  test("nothing is made in the name of others", async () => {
    for (const [caller, route, body, refused] of [
      [eve, "POST /repos/ann/box/forks", { organization: "crew" }, 403],
      [ben, "POST /repos/ann/box/forks", { organization: "crew" }, 403],
      [ben, "POST /repos/ann/box/generate", { owner: "crew", name: "x", git_content: true }, 403],
      [eve, "POST /repos/ann/box/generate", { owner: "ann", name: "x", git_content: true }, 403],
      [eve, "POST /repos/ann/secret/generate", { owner: "eve", name: "x", git_content: true }, 404],
      [ben, "POST /orgs/crew/repos", { name: "x" }, 403],
      [ben, "POST /repos/migrate", { clone_addr: "https://127.0.0.1/x.git", repo_owner: "crew", repo_name: "x" }, 403],
      [eve, "POST /repos/migrate", { clone_addr: "https://127.0.0.1/x.git", repo_owner: "ann", repo_name: "x" }, 403],
      [eve, "PATCH /orgs/crew", { visibility: "private" }, 403],
      [eve, "PATCH /admin/users/eve", { admin: true }, 403],
      [eve, "PUT /repos/eve/own/collaborators/ben", { permission: "owner" }, 422],
    ] as const)
      expect(await status(caller, route, body), route).toBe(refused)
    const { body } = await forge.call(ann, "GET /orgs/crew/repos")
    expect(body.map(({ name }: { name: string }) => name)).toEqual(["plans"])
  })

  test("no settings of one's own reach what administrators decide", async () => {
    const before = (await forge.call(forge.root, "GET /users/eve")).body
    const wishes = { is_admin: true, admin: true, restricted: false, active: true, login_name: "x", source_id: 3, visibility: "private" }
    expect(await status(eve, "PATCH /user/settings", { ...wishes, max_repo_creation: 9999, allow_create_organization: true })).toBe(200)
    expect((await forge.call(forge.root, "GET /users/eve")).body).toEqual(before)
  })

  test("an issue of a stranger has a title, a text, a state and a due date, and nothing else that was asked for", async () => {
    const wishes = { assignees: ["ann"], milestone: 999, due_date: "2031-01-01T00:00:00Z", pin_order: 1, pinned: true, is_locked: true }
    const more = { labels: [999], number: 99, user: "ann", original_author: "ann", created_at: "2001-01-01T00:00:00Z" }
    const made = await must(eve, "POST /repos/ann/box/issues", { title: "x", ...wishes, ...more })
    const plain = {
      assignees: [],
      milestone: null,
      due_date: "2031-01-01T23:59:59Z",
      pin_order: 0,
      is_locked: false,
      labels: [],
      original_author: "",
    }
    expect(made).toMatchObject({ ...plain, user: { login: "eve" }, created_at: expect.stringMatching(/^20[2-9]/) })
    expect(await must(eve, `PATCH /repos/ann/box/issues/${made.number}`, wishes)).toMatchObject(plain)
    for (const [route, body] of [
      ["POST pin", {}],
      ["PUT lock", {}],
      ["POST deadline", { due_date: null }],
      ["POST labels", { labels: [] }],
      ["POST assignees", { assignees: ["eve"] }],
      ["POST times", { time: 5, user_name: "ann" }],
    ] as const) {
      const [method, path] = route.split(" ")
      expect(await status(eve, `${method} /repos/ann/box/issues/${made.number}/${path}`, body), route).toBe(403)
    }
  })

  test("a hidden person named in a body is as unknown as no one", async () => {
    await must(eve, "POST /repos/eve/own/contents/a", { content: "YQ==", message: "a", new_branch: "a" })
    const { number } = await must(eve, "POST /repos/eve/own/pulls", { title: "a", head: "a", base: "main" })
    const answers = async (name: string) => {
      const at = "/repos/eve/own"
      const calls = [
        ["POST", `${at}/issues`, { title: "x", assignees: [name] }],
        ["PATCH", `${at}/issues/${number}`, { assignees: [name] }],
        ["POST", `${at}/issues/${number}/assignees`, { assignees: [name] }],
        ["DELETE", `${at}/issues/${number}/assignees`, { assignees: [name] }],
        ["POST", `${at}/pulls/${number}/requested_reviewers`, { reviewers: [name] }],
        ["DELETE", `${at}/pulls/${number}/requested_reviewers`, { reviewers: [name] }],
        ["POST", `${at}/branch_protections`, { rule_name: "x", enable_push: true, push_whitelist_usernames: [name] }],
        ["POST", `${at}/tag_protections`, { name_pattern: "x", whitelist_usernames: [name] }],
        ["POST", `${at}/transfer`, { new_owner: name }],
        ["POST", `${at}/issues/${number}/times`, { time: 5, user_name: name }],
        ["GET", `${at}/times?user=${name}`, undefined],
      ] as const
      const all = []
      for (const [method, path, body] of calls) {
        const answer = await forge.call(eve, `${method} ${path}`, body)
        expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
        all.push([answer.status, answer.body?.message?.replaceAll(name, "NAME")])
      }
      return all
    }
    expect(await answers("ned")).toEqual(await answers("nix"))
  })

  test("a token makes none that may do more than itself", async () => {
    for (const scopes of [["write:user"], ["all", "public-only"]]) {
      const { sha1 } = await must(eve, "POST /users/eve/tokens", { name: scopes.join(), scopes })
      const basic = `Basic ${Buffer.from(`eve:${sha1}`).toString("base64")}`
      expect(await status(basic, "POST /users/eve/tokens", { name: "wide", scopes: ["all"] })).toBe(403)
    }
  })
})
