import { expect } from "vitest"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { must } from "../../../code/mirrors/testing.ts"
import { type Commits, openImports, type Recorded } from "./testing.ts"

/* Answers as GitLab's documents describe them, with the members that are read and some that are not. */

const AT = "/api/v4/projects/space%2Frocket"
const user = (id: number, username: string) => ({ id, username, name: username.toUpperCase(), state: "active", web_url: "" })
const [jane, sam, kim] = [user(1, "jane"), user(2, "sam"), user(3, "kim")]
const at = (day: number) => `2024-02-${String(day).padStart(2, "0")}T10:00:00.000Z`
const second = (day: number) => at(day).replace(".000", "")
const dated = (day: number, changed = day) => ({ created_at: at(day), updated_at: at(changed) })
const milestone = { id: 12, iid: 3, title: "10.0", description: "Version", state: "closed", due_date: "2024-03-01", ...dated(1, 5) }

const issue = (iid: number, members: object = {}) => ({
  id: 500 + iid,
  iid,
  project_id: 4,
  title: `issue ${iid}`,
  description: `description of ${iid}`,
  state: "opened",
  author: jane,
  assignees: [],
  labels: [],
  milestone: null,
  due_date: null,
  discussion_locked: null,
  upvotes: 0,
  downvotes: 0,
  user_notes_count: 0,
  closed_at: null,
  ...dated(2),
  ...members,
})

const note = (id: number, body: string, author: ReturnType<typeof user>, day: number, members: object = {}) => ({
  id,
  type: null,
  body,
  author,
  system: false,
  resolvable: false,
  ...dated(day),
  ...members,
})

function recordsOf(url: string, commits: Commits): Readonly<Record<string, Recorded>> {
  const home = `${url}/space/rocket`
  const merge = (iid: number, members: object) =>
    issue(iid, {
      id: 900 + iid,
      title: `merge ${iid}`,
      source_project_id: 4,
      target_project_id: 4,
      target_branch: "main",
      draft: false,
      merge_commit_sha: null,
      squash_commit_sha: null,
      merged_at: null,
      merge_user: null,
      reviewers: [kim],
      ...members,
    })
  const position = {
    base_sha: commits.main,
    start_sha: commits.main,
    head_sha: commits.feature,
    old_path: "src/app.txt",
    new_path: "src/app.txt",
    position_type: "text",
    old_line: null,
    new_line: 20,
  }
  const resolved = { type: "DiffNote", position, resolvable: true, resolved: true, resolved_by: kim }
  return {
    [AT]: {
      id: 4,
      name: "Rocket",
      path: "rocket",
      description: "goes up",
      topics: ["space"],
      visibility: "private",
      archived: false,
      star_count: 7,
      wiki_enabled: false,
      lfs_enabled: false,
    },
    [`${AT}/milestones`]: [milestone],
    [`${AT}/labels`]: [
      { id: 1, name: "bug", color: "#d9534f", description: "Bug reported by user", archived: false },
      { id: 2, name: "prio::high", color: "#fff", description: null },
      { id: 3, name: null },
    ],
    [`${AT}/issues`]: [
      issue(1, {
        description: `See #2, !1 and ${home}/-/issues/2#note_71, [code](${home}/-/blob/main/src/app.txt#L5-9).\n![shot](/uploads/0123456789abcdef0123456789abcdef/shot.png)`,
        labels: ["bug", "prio::high"],
        milestone,
        assignees: [sam],
        due_date: "2024-04-01",
        upvotes: 1,
        user_notes_count: 1,
      }),
      issue(2, { state: "closed", closed_at: at(3), user_notes_count: 1, discussion_locked: true }),
    ],
    [`${AT}/issues/1/award_emoji`]: [
      { id: 1, name: "thumbsup", user: sam },
      { id: 2, name: "musical_keyboard", user: sam },
    ],
    [`${AT}/issues/1/notes`]: [note(70, "added ~1 label", jane, 2, { system: true }), note(72, "me too", sam, 3)],
    [`${AT}/issues/2/notes`]: [note(71, "closed for good", kim, 3)],
    [`${AT}/merge_requests`]: [
      merge(1, { author: sam, source_branch: "feature", sha: commits.feature, user_notes_count: 3, ...dated(4) }),
      merge(2, {
        state: "merged",
        source_branch: "done",
        sha: commits.merged,
        merge_commit_sha: commits.main,
        merged_at: at(6),
        merge_user: kim,
        closed_at: null,
        ...dated(5, 6),
      }),
    ],
    [`${AT}/merge_requests/1/notes`]: [note(81, "this line?", jane, 5, resolved), note(83, "in general: good", kim, 6)],
    [`${AT}/merge_requests/1/discussions`]: [
      { id: "6a9c", individual_note: false, notes: [note(81, "this line?", jane, 5, resolved), note(82, "yes", sam, 6, resolved)] },
      { id: "87ab", individual_note: true, notes: [note(83, "in general: good", kim, 6)] },
    ],
    [`${AT}/merge_requests/1/approvals`]: { id: 901, iid: 1, approved_by: [{ user: kim, approved_at: at(6) }] },
    [`${AT}/merge_requests/2/approvals`]: { id: 902, iid: 2, approved_by: [] },
    [`${AT}/boards`]: [
      {
        id: 1,
        name: "Development",
        lists: [
          { id: 1, position: 0, label: { id: 1, name: "bug", color: "#d9534f" } },
          { id: 2, position: 1, label: { id: 2, name: "prio::high", color: "#fff" } },
        ],
      },
    ],
    [`${AT}/protected_branches`]: [
      {
        id: 1,
        name: "main",
        push_access_levels: [{ id: 1, access_level: 40, access_level_description: "Maintainers" }],
        merge_access_levels: [{ id: 1, access_level: 30, access_level_description: "Developers + Maintainers" }],
        allow_force_push: false,
      },
      { id: 2, name: "release-*", push_access_levels: [{ id: 2, access_level: 0 }], merge_access_levels: [{ id: 2, access_level: 40 }] },
    ],
    [`${AT}/releases`]: [
      {
        tag_name: "v1",
        name: "One",
        description: "it flies, see !2",
        created_at: at(6),
        released_at: at(7),
        author: jane,
        commit: { id: commits.main },
        assets: { count: 1, sources: [], links: [{ id: 3, name: "rocket.zip", url: `${home}/files/rocket.zip`, link_type: "other" }] },
      },
    ],
    "/space/rocket/files/rocket.zip": Buffer.from("engine"),
    "/space/rocket/uploads/0123456789abcdef0123456789abcdef/shot.png": Buffer.from("picture"),
  }
}

withWorld("a project of GitLab", { open: (kind) => openImports(kind, "gitlab", "space/rocket", recordsOf) }, ({ test, world }) => {
  test("is brought with numbers that are counted together here, threads, approvals and links", async () => {
    const recording = await world.record()
    await world.bring(recording.url, "whole", { auth_token: "secret" })
    const { state, error, steps } = await world.get("/whole/import")
    expect([state, error, world.left(steps)]).toEqual([
      "done",
      "",
      {
        git: 1,
        topics: 1,
        milestones: 1,
        labels: [2, 1],
        issues: 2,
        pull_requests: 2,
        comments: 3,
        reviews: 2,
        boards: 1,
        branch_rules: 2,
        releases: 1,
        release_files: 1,
      },
    ])
    const home = `${world.hearth.url}/ann/whole`
    const [comment] = await world.get("/whole/issues/2/comments")
    const [shot] = await world.get("/whole/issues/1/assets")
    expect(await world.waiting("/whole")).toEqual(["sam: +1 on issue 1"])
    expect(await world.get("/whole/issues/1")).toMatchObject({
      title: "issue 1",
      original_author: "jane",
      original_author_id: 1,
      created_at: second(2),
      due_date: "2024-04-01T23:59:59Z",
      milestone: { title: "10.0", state: "closed", due_on: "2024-03-01T23:59:59Z" },
      labels: [
        { name: "bug", color: "d9534f" },
        { name: "prio::high", exclusive: true },
      ],
      body: `See #2, #3 and ${home}/issues/2#issuecomment-${comment.id}, [code](${home}/blob/main/src/app.txt#L5-9).\n![shot](${shot.browser_download_url})`,
    })
    expect(await world.get("/whole/issues/2")).toMatchObject({ state: "closed", closed_at: second(3), is_locked: true, comments: 1 })
    expect(comment).toMatchObject({ body: "closed for good", original_author: "kim", created_at: second(3) })

    const open = await world.get("/whole/pulls/3")
    expect(open).toMatchObject({ title: "merge 1", state: "open", head: { ref: "feature" }, changed_files: 1, mergeable: true })
    expect(await world.get("/whole/pulls/4")).toMatchObject({ title: "merge 2", merged: true, merged_at: second(6) })
    const reviews = await world.get("/whole/pulls/3/reviews")
    expect(reviews.map(({ state, submitted_at }: Record<string, string>) => [state, submitted_at])).toEqual([
      ["COMMENT", second(5)],
      ["APPROVED", second(6)],
    ])
    const lines = await world.get(`/whole/pulls/3/reviews/${reviews[0].id}/comments`)
    expect(lines.map(({ body, path, position, resolver }: Record<string, unknown>) => [body, path, position, resolver !== null])).toEqual([
      ["this line?", "src/app.txt", 20, true],
      ["yes", "src/app.txt", 20, true],
    ])
    expect(lines[0].diff_hunk).toBe("@@ -18,3 +18,3 @@\n line 18\n line 19\n-line 20\n+another line 20")
    expect(await world.board("/whole")).toEqual(["Development", ["bug", 1], ["prio::high"]])
    expect(await world.get("/whole/branch_protections")).toMatchObject([
      {
        rule_name: "main",
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ["ann"],
        enable_merge_whitelist: false,
      },
      { rule_name: "release-*", enable_push: false, enable_merge_whitelist: true, merge_whitelist_usernames: ["ann"] },
    ])
    const [release] = await world.get("/whole/releases")
    expect(release).toMatchObject({ tag_name: "v1", body: "it flies, see #4", created_at: second(7) })
    expect(await (await fetch(release.assets[0].browser_download_url)).text()).toBe("engine")
  })

  test("is found under its old addresses, by those alone who may see it", async () => {
    const recording = await world.record()
    await world.bring(recording.url, "found", { auth_token: "secret" })
    const ask = async (path: string, headers = {}) => {
      const answer = await fetch(`${world.hearth.url}/ann/found/${path}`, { redirect: "manual", headers })
      return [answer.status, answer.headers.get("location")]
    }
    const home = "/ann/found"
    for (const [old, here] of [
      ["-/merge_requests/1", "pulls/3"],
      ["-/merge_requests/2/diffs", "pulls/4/files"],
      ["merge_requests/1", "pulls/3"],
      ["-/issues/2", "issues/2"],
      ["-/work_items/1", "issues/1"],
      ["-/issues", "issues"],
      ["-/blob/main/src/app.txt", "blob/main/src/app.txt"],
      ["blob/main/src/app.txt", "src/branch/main/src/app.txt"],
      ["-/tree/v1/src", "tree/v1/src"],
      ["-/wikis/home", "wiki/home"],
      ["pull/3", "pulls/3"],
    ] as const)
      expect([old, await ask(old)]).toEqual([old, [303, `${home}/${here}`]])
    expect((await ask("-/pipelines"))[0]).toBe(404)
    // Hidden: the same answers as of what was never there.
    await must(world.ann, "PATCH", "/repos/ann/found", { private: true })
    expect(await ask("-/merge_requests/1")).toEqual(await ask("-/nothing"))
  })

  test("waits as long as the server says", async () => {
    const recording = await world.record()
    const reset = Math.floor(Date.now() / 1000) + 900
    recording.instead = (path, times) =>
      path.includes("/labels") && times === 1
        ? { status: 429, headers: { "ratelimit-remaining": "0", "ratelimit-reset": String(reset), "ratelimit-limit": "60" } }
        : undefined
    await world.bring(recording.url, "limited")
    expect((await world.row()).waits_until).toBe(reset)
    await world.wait()
    expect((await world.row()).phase).toBe("done")
  })

  test("goes on after the server died between two pages, without doubles", async () => {
    const recording = await world.record()
    recording.answers = { ...recording.answers, [`${AT}/issues`]: Array.from({ length: 150 }, (_, index) => issue(index + 1)) }
    recording.instead = (path, times) => (/issues\?.*&page=2/.test(path) && times <= 2 ? "drop" : undefined)
    await world.bring(recording.url, "shaken")
    expect((await world.get("/shaken")).open_issues_count).toBe(100)
    for (let tries = 0; tries < 4 && (await world.row()).phase === "records"; tries++) await world.wait()
    expect((await world.row()).phase).toBe("done")
    expect(await world.get("/shaken")).toMatchObject({ open_issues_count: 150, open_pr_counter: 1 })
    expect((await world.get("/shaken/issues/150")).title).toBe("issue 150")
    expect((await world.get("/shaken/pulls/151")).title).toBe("merge 1")
  })
})
