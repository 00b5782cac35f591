import { expect } from "vitest"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { type Commits, openImports, type Recorded } from "./testing.ts"

/* Answers as GitHub's documents describe them, with the members that are read and some that are not. */

const AT = "/api/v3/repos/octo/rocket"
const user = (id: number, login: string) => ({ id, login, node_id: `U_${id}`, type: "User", site_admin: false })
const [octo, mona, hubot] = [user(583231, "octocat"), user(2, "mona"), user(3, "hubot")]
const at = (day: number) => `2024-01-${String(day).padStart(2, "0")}T10:00:00Z`
const dated = (day: number, changed = day) => ({ created_at: at(day), updated_at: at(changed) })
const noReactions = { total_count: 0, "+1": 0, heart: 0 }

const label = { id: 208, node_id: "L_1", name: "bug", color: "f29513", description: "Something isn't working", default: true }
const milestone = (url: string) => ({
  id: 1002604,
  number: 1,
  url: `${url}${AT}/milestones/1`,
  title: "v1.0",
  description: "Tracking v1.0",
  state: "open",
  due_on: at(28),
  closed_at: null,
  ...dated(1),
})

const issue = (number: number, members: object = {}) => ({
  id: 1000 + number,
  number,
  title: `issue ${number}`,
  body: `body of ${number}`,
  state: "open",
  state_reason: null,
  locked: false,
  user: octo,
  labels: [],
  milestone: null,
  assignees: [],
  reactions: noReactions,
  closed_at: null,
  comments: 0,
  ...dated(2),
  ...members,
})

/** A page of the cards of a board: two on the first, one on the second. */
function boardOf(after: string | null) {
  const card = (number: number, optionId: string | undefined, nameWithOwner = "octo/rocket") => ({
    content: { number, repository: { nameWithOwner } },
    fieldValueByName: optionId === undefined ? null : { optionId },
  })
  const [first, second] = [
    [card(1, "98236657"), card(3, undefined), card(2, "98236657", "octo/other"), { content: {}, fieldValueByName: null }],
    [card(2, "f75ad846")],
  ]
  const pageInfo = { hasNextPage: false, endCursor: "Mg" }
  return {
    pageInfo,
    nodes: [
      {
        id: "PVT_1",
        title: "Roadmap",
        shortDescription: "what comes",
        closed: false,
        createdAt: at(1),
        field: {
          options: [
            { id: "f75ad846", name: "Todo", color: "GREEN" },
            { id: "98236657", name: "Done", color: "PURPLE" },
          ],
        },
        items: after === null ? { nodes: first, pageInfo: { hasNextPage: true, endCursor: "MQ" } } : { nodes: second, pageInfo },
      },
    ],
  }
}

const rule = {
  id: "BPR_1",
  pattern: "main",
  allowsForcePushes: false,
  restrictsPushes: false,
  requiresApprovingReviews: true,
  requiredApprovingReviewCount: 2,
  dismissesStaleReviews: true,
  requiresStatusChecks: true,
  requiresStrictStatusChecks: true,
  requiredStatusCheckContexts: ["ci/test"],
  requiresCommitSignatures: false,
  isAdminEnforced: true,
  pushAllowances: { nodes: [] },
}

function recordsOf(url: string, commits: Commits): Readonly<Record<string, Recorded>> {
  const home = `${url}/octo/rocket`
  const repo = { id: 1296269, name: "rocket", full_name: "octo/rocket", private: false }
  const first = issue(1, {
    body: `See ${home}/issues/2#issuecomment-11 and ${home}/pull/3, [code](${home}/blob/main/src/app.txt#L5-L9).\n![shot](${home}/assets/1/1f0a)`,
    labels: [label],
    milestone: milestone(url),
    assignees: [mona],
    reactions: { ...noReactions, total_count: 2, heart: 1, "+1": 1 },
  })
  const second = issue(2, { state: "closed", state_reason: "not_planned", locked: true, closed_at: at(3), user: null, body: null })
  const third = issue(3, { title: "Another line", user: mona, ...dated(4) })
  const fourth = issue(4, { title: "A further line", state: "closed", closed_at: at(6), ...dated(5, 6) })
  const ends = { base: { ref: "main", sha: commits.main, repo }, draft: false, requested_reviewers: [hubot] }
  const pulls = [
    { ...third, ...ends, head: { ref: "feature", sha: commits.feature, repo }, merged_at: null, merge_commit_sha: "0".repeat(40) },
    { ...fourth, ...ends, head: { ref: "done", sha: commits.merged, repo: null }, merged_at: at(6), merge_commit_sha: commits.main },
  ]
  const actor = ({ login, id }: typeof octo) => ({ login, databaseId: id, name: null })
  const whole = { hasNextPage: false, endCursor: null }
  const review = (databaseId: number, state: string, body: string, author: typeof octo | undefined, day: number) => ({
    databaseId,
    author: author ? actor(author) : null,
    body,
    state,
    submittedAt: at(day),
    updatedAt: at(day),
    commit: { oid: commits.feature },
  })
  const said = (databaseId: number, body: string, author: typeof octo, day: number, of: number) => ({
    databaseId,
    author: actor(author),
    body,
    createdAt: at(day),
    updatedAt: at(day),
    diffHunk: "@@ -17,7 +17,7 @@ line 16\n line 19\n-line 20\n+another line 20",
    originalCommit: { oid: commits.feature },
    pullRequestReview: { databaseId: of },
    reactions: { totalCount: of === 81 ? 1 : 0 },
  })
  const empty = { nodes: [], pageInfo: whole }
  const nodes = [
    {
      number: 3,
      updatedAt: at(4),
      mergedBy: null,
      reviews: {
        pageInfo: whole,
        nodes: [
          review(80, "APPROVED", "well done", hubot, 5),
          review(81, "CHANGES_REQUESTED", "", octo, 5),
          review(82, "COMMENTED", "", mona, 6),
          review(83, "PENDING", "not said yet", octo, 7),
        ],
      },
      reviewThreads: {
        pageInfo: whole,
        nodes: [
          {
            isResolved: true,
            isOutdated: false,
            resolvedBy: actor(mona),
            path: "src/app.txt",
            line: 20,
            startLine: 19,
            originalLine: 20,
            originalStartLine: 19,
            diffSide: "RIGHT",
            comments: { pageInfo: whole, nodes: [said(91, "why another?", octo, 5, 81), said(92, "it is better", mona, 6, 82)] },
          },
        ],
      },
    },
    { number: 4, updatedAt: at(6), mergedBy: actor(mona), reviews: empty, reviewThreads: empty },
  ]
  const comment = (id: number, on: number, body: string, day: number) => ({
    id,
    body,
    user: hubot,
    issue_url: `${url}${AT}/issues/${on}`,
    html_url: `${home}/issues/${on}#issuecomment-${id}`,
    reactions: noReactions,
    ...dated(day),
  })
  return {
    [AT]: {
      ...repo,
      description: "goes up",
      homepage: "https://rocket.example",
      topics: ["space", "fuel"],
      stargazers_count: 80,
      archived: false,
      has_wiki: true,
      default_branch: "main",
    },
    [`${AT}/milestones`]: [milestone(url)],
    [`${AT}/labels`]: [label, { id: 209, name: "" }, { id: 210 }],
    [`${AT}/issues`]: [
      first,
      second,
      { ...third, pull_request: { url: "" } },
      { ...fourth, pull_request: { url: "" } },
      { id: 1005, number: 5 },
    ],
    [`${AT}/issues/1/reactions`]: [
      { id: 1, user: mona, content: "heart", created_at: at(3) },
      { id: 2, user: octo, content: "+1", created_at: at(3) },
    ],
    [`${AT}/pulls/comments/91/reactions`]: [{ id: 3, user: hubot, content: "rocket", created_at: at(6) }],
    [`${AT}/pulls`]: pulls,
    [`${AT}/pulls/3`]: { ...pulls[0], merged_by: null },
    [`${AT}/pulls/4`]: { ...pulls[1], merged_by: mona },
    [`${AT}/pulls/3/reviews`]: [
      { id: 80, user: hubot, body: "well done", state: "APPROVED", commit_id: commits.feature, submitted_at: at(5) },
      { id: 81, user: octo, body: "", state: "CHANGES_REQUESTED", commit_id: commits.feature, submitted_at: at(5) },
    ],
    [`${AT}/pulls/3/comments`]: [
      {
        id: 91,
        pull_request_review_id: 81,
        user: octo,
        body: "why another?",
        path: "src/app.txt",
        line: 20,
        start_line: 19,
        side: "RIGHT",
        diff_hunk: "@@ -17,7 +17,7 @@\n+another line 20",
        original_commit_id: commits.feature,
        reactions: { ...noReactions, total_count: 1 },
        ...dated(5),
      },
    ],
    [`${AT}/pulls/4/reviews`]: [],
    [`${AT}/pulls/4/comments`]: [],
    [`${AT}/issues/comments`]: [
      comment(11, 2, "closed for good", 3),
      { id: 12, body: "on nothing", issue_url: null },
      comment(13, 3, `as in ${home}/issues/1`, 4),
    ],
    [`${AT}/releases`]: [
      {
        id: 31,
        tag_name: "v1",
        target_commitish: "main",
        name: "One",
        body: "it flies",
        draft: false,
        prerelease: false,
        author: octo,
        created_at: at(6),
        published_at: at(7),
        assets: [{ id: 41, name: "rocket.zip", size: 6, url: `${url}${AT}/releases/assets/41`, created_at: at(7), updated_at: at(7) }],
      },
    ],
    [`${AT}/releases/assets/41`]: Buffer.from("engine"),
    "/octo/rocket/assets/1/1f0a": Buffer.from("\x89PNG\r\n", "latin1"),
    "/api/graphql": ({ query, variables }: { readonly query: string; readonly variables: { readonly items: string | null } }) =>
      query.includes("reviewThreads")
        ? { data: { repository: { pullRequests: { nodes, pageInfo: whole } } } }
        : query.includes("projectsV2")
          ? { data: { repository: { projectsV2: boardOf(variables.items) } } }
          : { data: { repository: { branchProtectionRules: { nodes: [rule] } } } },
  }
}

withWorld("a repository of GitHub", { open: (kind) => openImports(kind, "github", "octo/rocket", recordsOf) }, ({ test, world }) => {
  test("is brought with its numbers, times, authors, reviews, reactions, releases and links", async () => {
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
        labels: [1, 2],
        issues: [2, 1],
        pull_requests: 2,
        comments: [2, 1],
        reviews: 3,
        boards: 2,
        branch_rules: 1,
        releases: 1,
        release_files: 1,
      },
    ])
    const first = await world.get("/whole/issues/1")
    const shown = await world.get("/whole/issues/1/assets")
    const comment = (await world.get("/whole/issues/2/comments"))[0]
    const home = `${world.hearth.url}/ann/whole`
    expect(first).toMatchObject({
      title: "issue 1",
      original_author: "octocat",
      original_author_id: 583231,
      created_at: at(2),
      labels: [{ name: "bug", color: "f29513", description: "Something isn't working" }],
      milestone: { title: "v1.0", due_on: at(28), open_issues: 1 },
      body: `See ${home}/issues/2#issuecomment-${comment.id} and ${home}/pulls/3, [code](${home}/blob/main/src/app.txt#L5-L9).\n![shot](${shown[0].browser_download_url})`,
    })
    expect(shown.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual([["1f0a.png", 6]])
    expect(comment).toMatchObject({ body: "closed for good", original_author: "hubot", created_at: at(3) })
    expect(await world.get("/whole/issues/2")).toMatchObject({
      state: "closed",
      closed_at: at(3),
      is_locked: true,
      original_author: "ghost",
      body: "",
    })
    expect((await world.get("/whole/issues/3/comments"))[0].body).toBe(`as in ${home}/issues/1`)

    const open = await world.get("/whole/pulls/3")
    expect(open).toMatchObject({ state: "open", head: { ref: "feature" }, base: { ref: "main" }, changed_files: 1, mergeable: true })
    expect(await world.get("/whole/pulls/4")).toMatchObject({ merged: true, merged_at: at(6), merge_commit_sha: open.base.sha })
    const reviews = await world.get("/whole/pulls/3/reviews")
    expect(reviews.map(({ state, body, submitted_at }: Record<string, string>) => [state, body, submitted_at])).toEqual([
      ["APPROVED", "well done", at(5)],
      ["REQUEST_CHANGES", "", at(5)],
      ["COMMENT", "", at(6)],
    ])
    const lines = [
      ...(await world.get(`/whole/pulls/3/reviews/${reviews[1].id}/comments`)),
      ...(await world.get(`/whole/pulls/3/reviews/${reviews[2].id}/comments`)),
    ]
    expect(lines.map(({ body, path, position, resolver }) => [body, path, position, resolver?.login])).toEqual([
      ["why another?", "src/app.txt", 20, "ann"],
      ["it is better", "src/app.txt", 20, undefined],
    ])
    expect(lines[0].diff_hunk).toContain("+another line 20")
    const { database } = world.hearth.services
    const names = database.read
      .selectFrom("comments")
      .select(["original_author", "content"])
      .where("review_id", "is not", null)
      .orderBy("id")
    expect((await names.execute()).map(({ original_author, content }) => `${original_author}: ${content}`)).toEqual([
      "hubot: well done",
      "octocat: ",
      "octocat: why another?",
      "mona: ",
      "mona: it is better",
    ])

    // Nobody of them is known here: their reactions wait for them.
    expect(await world.waiting("/whole")).toEqual(["hubot: rocket on why another?", "mona: heart on issue 1", "octocat: +1 on issue 1"])

    expect(await world.board("/whole")).toEqual(["Roadmap", ["No status", 3], ["Todo", 2], ["Done", 1]])
    expect(await world.get("/whole/branch_protections/main")).toMatchObject({
      enable_push: false,
      required_approvals: 2,
      dismiss_stale_approvals: true,
      block_on_outdated_branch: true,
      enable_status_check: true,
      status_check_contexts: ["ci/test"],
      block_admin_merge_override: true,
    })
    const [release] = await world.get("/whole/releases")
    expect(release).toMatchObject({ tag_name: "v1", name: "One", body: "it flies", draft: false, created_at: at(7) })
    expect(await (await fetch(release.assets[0].browser_download_url)).text()).toBe("engine")
    expect((await world.get("/whole/topics")).topics).toEqual(["fuel", "space"])
    expect(await database.read.selectFrom("import_faults").select(["kind", "source_key"]).orderBy("source_key").execute()).toEqual([
      { kind: "issues", source_key: "1005" },
      { kind: "comments", source_key: "12" },
      { kind: "labels", source_key: "209" },
      { kind: "labels", source_key: "210" },
    ])
  })

  test("is brought without a token too, its reviews by lists", async () => {
    const recording = await world.record()
    await world.bring(recording.url, "listed")
    const reviews = await world.get("/listed/pulls/3/reviews")
    expect(reviews.map(({ state, comments_count }: Record<string, unknown>) => [state, comments_count])).toEqual([
      ["APPROVED", 0],
      ["REQUEST_CHANGES", 1],
    ])
    expect(recording.asked.some((request) => request.includes("graphql"))).toBe(false)
    expect(await world.waiting("/listed")).toContain("hubot: rocket on why another?")
  })

  test("asks again only for what has changed since, and changes that alone", async () => {
    const recording = await world.record()
    await world.bring(recording.url, "again", { auth_token: "secret" })
    const { answers } = recording
    const [comments, issues] = [answers[`${AT}/issues/comments`], answers[`${AT}/issues`]]
    if (!Array.isArray(comments) || !Array.isArray(issues)) throw new TypeError("both are lists")
    const edited = { ...comments[0], body: "closed, on second thought", updated_at: "2030-01-01T00:00:00Z" }
    const added = { ...issue(6, { title: "a later one" }), created_at: "2030-01-01T00:00:00Z", updated_at: "2030-01-01T00:00:00Z" }
    recording.answers = {
      ...answers,
      [`${AT}/issues/comments`]: [edited, ...comments.slice(1)],
      [`${AT}/issues`]: [...issues, added],
    }
    recording.asked.length = 0
    await world.again(Date.parse("2029-01-01T00:00:00Z") / 1000)
    expect((await world.row()).phase).toBe("done")
    expect(recording.asked.filter((request) => /\/reviews|\/reactions|pulls\/\d/.test(request))).toEqual([])
    const [comment] = await world.get("/again/issues/2/comments")
    expect(comment.body).toBe("closed, on second thought")
    expect((await world.get("/again/issues?state=all&type=issues")).map(({ title }: { title: string }) => title).toSorted()).toEqual([
      "a later one",
      "issue 1",
      "issue 2",
    ])
    expect((await world.get("/again/pulls/3/reviews")).length).toBe(3)
    expect((await world.get("/again/branch_protections")).length).toBe(1)
    expect(await world.board("/again")).toEqual(["Roadmap", ["No status", 3], ["Todo", 2], ["Done", 1]])
  })

  test("waits as long as the server says, and goes on where it was", async () => {
    const recording = await world.record()
    const { services } = world.hearth
    const inAnHour = Math.floor(Date.now() / 1000) + 3600
    const limits = [
      [{ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(inAnHour) } }, 3600],
      [{ status: 429, headers: { "retry-after": "1200" } }, 1200],
      [{ status: 403, body: '{"message":"You have exceeded a secondary rate limit. Please wait a few minutes"}' }, 60],
    ] as const
    const refused: number[] = []
    recording.instead = (path, times) => {
      const limit = path.includes("/labels") ? limits[times - 1] : undefined
      if (limit) refused.push(limit[1])
      return limit?.[0]
    }
    const asked = () => recording.asked.length
    await world.bring(recording.url, "limited")
    for (const [, seconds] of limits) {
      const { waits_until, phase } = await world.row()
      expect([phase, Math.abs(waits_until - services.now() - seconds) < 30]).toEqual(["records", true])
      // Nothing is asked for before.
      const before = asked()
      await services.jobs.drain()
      expect(asked()).toBe(before)
      await world.wait()
    }
    expect(refused).toEqual([3600, 1200, 60])
    expect((await world.row()).phase).toBe("done")
    expect((await world.get("/limited/labels")).length).toBe(1)
  })

  test("survives a server that dies, answers half and comes back, without doubles", async () => {
    const recording = await world.record()
    const troubles = [{ status: 502, body: "<html>bad gateway" }, "drop", { status: 503 }] as const
    recording.instead = (path, times) => (/issues\/comments|releases\?/.test(path) ? troubles[times - 1] : undefined)
    await world.bring(recording.url, "shaken")
    for (let tries = 0; tries < 12 && (await world.row()).phase === "records"; tries++) await world.wait()
    expect((await world.get("/shaken/import")).state).toBe("done")
    expect((await world.get("/shaken/issues?state=all&type=issues")).length).toBe(2)
    expect((await world.get("/shaken/issues/comments")).length).toBe(2)
    expect((await world.get("/shaken/releases")).length).toBe(1)
    expect((await world.get("/shaken/pulls/3/reviews")).length).toBe(2)
  })

  test("fails with words where an answer is no list", async () => {
    const recording = await world.record()
    recording.instead = (path) => (path.includes("/labels") ? { body: '[{"id": 1, "na' } : undefined)
    await world.bring(recording.url, "garbled")
    expect(await world.get("/garbled/import")).toMatchObject({ state: "failed", error: expect.stringContaining("can't be read") })
  })

  test("of 5,000 issues takes seconds, and as many statements for each page", async () => {
    const recording = await world.record()
    const many = Array.from({ length: 5_000 }, (_, index) =>
      issue(index + 1, { labels: [label], user: user(1 + (index % 50), `user-${index % 50}`) }),
    )
    recording.answers = { ...recording.answers, [`${AT}/issues`]: many, [`${AT}/issues/comments`]: [], [`${AT}/pulls`]: [] }
    let statements = 0
    const stop = world.hearth.services.database.observe(() => {
      statements++
    })
    await world.bring(recording.url, "many")
    stop()
    // For each of fifty pages some thirty and one for each of its fifty authors; and for a hundred batches of texts.
    expect(statements).toBeLessThan(4_500)
    expect((await world.get("/many")).open_issues_count).toBe(5_000)
    expect(await world.get("/many/issues/5000")).toMatchObject({ title: "issue 5000", labels: [{ name: "bug" }] })
    expect((await world.get("/many/import")).steps.find(({ name }: { name: string }) => name === "issues")).toMatchObject({ done: 5_000 })
  })
})
