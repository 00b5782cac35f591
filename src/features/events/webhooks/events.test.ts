import { afterAll, beforeEach, expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { SWITCHES } from "../../actions/external/names.ts"
import { type Caller, openWorld } from "../../code/repositories/testing.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { openReceiver, type Receiver } from "./testing.ts"

const open = (kind: FreshKind) => openWorld(kind, { outgoing: { allowedHosts: "loopback" } })

withWorld("events of webhooks", { open }, ({ test: it, world }) => {
  let ada: Caller
  let ben: Caller
  let receiver: Receiver
  it.beforeAll(async () => {
    receiver = await openReceiver()
    ada = await world.person("ada")
    ben = await world.person("ben")
    const config = { url: receiver.url, content_type: "json" }
    await ada.call("POST", "/user/hooks", { type: "gitea", active: true, config, events: SWITCHES })
  })
  afterAll(() => receiver.close())

  let repo = ""
  let names = 0
  beforeEach(async () => {
    const name = `box${++names}`
    repo = `/repos/ada/${name}`
    await must(ada, "POST", "/user/repos", { name, auto_init: true })
    await must(ada, "PUT", `${repo}/collaborators/ben`, { permission: "write" })
    await news()
  })

  async function must(who: Caller, method: string, path: string, body?: unknown) {
    const answer = await who.call(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }
  const write = (who: Caller, path: string, more: object = {}) =>
    must(who, "POST", `${repo}/contents/${path}`, { content: "eA==", message: `Write ${path}`, ...more })

  const restoreLast = async () => must(ada, "POST", `${repo}/deleted/${(await must(ada, "GET", `${repo}/deleted`))[0].id}/restore`)

  /** The received events, by their raw names; workers don't keep an order. */
  async function news() {
    await world.hearth.services.jobs.drain()
    const came = receiver.take().map(({ headers, body }) => ({
      event: String(headers["x-gitea-event-type"]),
      name: headers["x-gitea-event"],
      body,
    }))
    return {
      events: came.map(({ event, body }) => (body.action ? `${event} ${body.action}` : event)).sort(),
      of: (event: string, action?: string) => came.find((each) => each.event === event && (!action || each.body.action === action)),
    }
  }

  it("of packages, also of those without a repository", async () => {
    const { database, now } = world.hearth.services
    const { token } = await database.write((tx) => createToken(tx, { userId: ada.id, name: "packages", scopes: ["all"], now: now() }))
    const upload = (path: string) =>
      fetch(`${world.hearth.url}/api/packages/ada/generic/${path}`, {
        method: "PUT",
        headers: { authorization: `token ${token}` },
        body: path,
      })
    await upload("tool/1/a")
    await upload("tool/1/b")
    const first = await news()
    expect(first.events).toEqual(["package created"])
    expect(first.of("package")?.body).toMatchObject({
      repository: null,
      organization: null,
      sender: { login: "ada" },
      package: { type: "generic", name: "tool", version: "1", repository: null, owner: { login: "ada" } },
    })
    await must(ada, "POST", `/packages/ada/generic/tool/-/link/${repo.split("/").at(-1)}`)
    await upload("tool/2/a")
    const linked = await news()
    expect(linked.events).toEqual(["package created"])
    expect(linked.of("package")?.body).toMatchObject({
      repository: { full_name: repo.slice(7) },
      package: { repository: { full_name: repo.slice(7) } },
    })
    await must(ada, "DELETE", "/packages/ada/generic/tool")
    expect((await news()).events).toEqual(["package deleted", "package deleted"])
  })

  it("of issues", async () => {
    const label = await must(ada, "POST", `${repo}/labels`, { name: "bug", color: "ff0000" })
    const milestone = await must(ada, "POST", `${repo}/milestones`, { title: "One" })
    const { number } = await must(ada, "POST", `${repo}/issues`, {
      title: "It flickers",
      labels: [label.id],
      milestone: milestone.id,
      assignees: ["ben"],
    })
    const opened = await news()
    expect(opened.events).toEqual(["issue_assign assigned", "issue_label label_updated", "issue_milestone milestoned", "issues opened"])
    expect(opened.of("issues")?.body).toMatchObject({
      action: "opened",
      number,
      issue: { title: "It flickers", labels: [{ name: "bug" }], milestone: { title: "One" }, assignees: [{ login: "ben" }] },
      repository: { full_name: `ada/box${names}`, permissions: { admin: true } },
      sender: { login: "ada" },
      commit_id: "",
    })
    expect(opened.of("issue_label")?.name).toBe("issues")
    expect(opened.of("issue_label")?.body.changes).toMatchObject({ added_labels: [{ name: "bug" }], removed_labels: [] })

    const issue = `${repo}/issues/${number}`
    await must(ben, "PATCH", issue, { title: "It glows", body: "Always." })
    const edited = await news()
    expect(edited.events).toEqual(["issues edited"])
    expect(edited.of("issues")?.body).toMatchObject({
      changes: { title: { from: "It flickers" }, body: { from: "" } },
      issue: { title: "It glows", body: "Always." },
      sender: { login: "ben" },
    })

    await must(ada, "PATCH", issue, { milestone: 0, assignees: [], state: "closed" })
    expect((await news()).events).toEqual(["issue_assign unassigned", "issue_milestone demilestoned", "issues closed"])
    await must(ada, "PATCH", issue, { state: "open" })
    await must(ada, "PUT", `${issue}/labels`, { labels: [] })
    const relabelled = await news()
    expect(relabelled.events).toEqual(["issue_label label_updated", "issues reopened"])
    expect(relabelled.of("issue_label")?.body.changes).toMatchObject({ added_labels: [], removed_labels: [{ name: "bug" }] })
    await must(ada, "POST", `${issue}/labels`, { labels: ["bug"] })
    await must(ada, "DELETE", `${issue}/labels`)
    await must(ada, "DELETE", `${issue}/labels`)
    expect((await news()).events).toEqual(["issue_label label_cleared", "issue_label label_updated"])

    const comment = await must(ben, "POST", `${issue}/comments`, { body: "Still." })
    await must(ben, "PATCH", `${repo}/issues/comments/${comment.id}`, { body: "No more." })
    await must(ben, "DELETE", `${repo}/issues/comments/${comment.id}`)
    const said = await news()
    expect(said.events).toEqual(["issue_comment created", "issue_comment deleted", "issue_comment edited"])
    expect(said.of("issue_comment", "edited")?.body).toMatchObject({
      is_pull: false,
      comment: { id: comment.id, body: "No more." },
      changes: { body: { from: "Still." } },
      issue: { number },
    })
    await restoreLast()
    const again = await news()
    expect(again.events).toEqual(["issue_comment created"])
    expect(again.of("issue_comment")?.body).toMatchObject({
      comment: { id: comment.id, body: "No more.", user: { login: "ben" } },
      issue: { number },
      sender: { login: "ada" },
      restored: true,
    })
    await must(ada, "DELETE", issue)
    expect((await news()).of("issues", "deleted")?.body).toMatchObject({ number, issue: { title: "It glows" } })
    await restoreLast()
    const back = await news()
    expect(back.events).toEqual(["issues opened"])
    expect(back.of("issues")?.body).toMatchObject({ number, issue: { title: "It glows", user: { login: "ada" } }, restored: true })
    // An issue's attachment is part of its text.
    const { number: filed } = await must(ada, "POST", `${repo}/issues`, { title: "With a picture" })
    await news()
    const form = new FormData()
    form.set("attachment", new Blob(["words"], { type: "text/plain" }), "words.txt")
    const headers = { authorization: `token ${world.hearth.token}` }
    const sent = await fetch(`${world.hearth.url}/api/v1${repo}/issues/${filed}/assets`, { method: "POST", headers, body: form })
    expect(sent.status).toBe(201)
    expect((await news()).of("issues", "edited")?.body.issue.assets).toMatchObject([{ name: "words.txt" }])
    // There are no events for reactions, locks, pins and times.
    const quiet = await must(ada, "POST", `${repo}/issues`, { title: "Quiet" })
    await news()
    await must(ada, "PUT", `${repo}/issues/${quiet.number}/lock`, { lock_reason: "spam" })
    await must(ada, "POST", `${repo}/issues/${quiet.number}/pin`)
    expect((await news()).events).toEqual([])
  })

  it("of pushes, branches and tags", async () => {
    await write(ada, "a.txt")
    const pushed = await news()
    expect(pushed.events).toEqual(["push"])
    expect(pushed.of("push")?.body).toMatchObject({
      ref: "refs/heads/main",
      total_commits: 1,
      commits: [{ message: "Write a.txt\n", added: ["a.txt"], removed: [], modified: [], verification: null, author: { username: "ada" } }],
      head_commit: { added: ["a.txt"] },
      pusher: { login: "ada" },
    })
    const { before, after, compare_url } = pushed.of("push")?.body ?? {}
    expect(compare_url).toBe(`${world.hearth.url}/ada/box${names}/compare/${before}...${after}`)

    await write(ben, "b.txt", { new_branch: "work" })
    const branched = await news()
    expect(branched.events).toEqual(["create", "push"])
    expect(branched.of("create")?.body).toMatchObject({ ref: "work", ref_type: "branch", sha: branched.of("push")?.body.after })
    expect(branched.of("push")?.body).toMatchObject({ before: "0".repeat(40), ref: "refs/heads/work", total_commits: 1 })

    await must(ada, "POST", `${repo}/tags`, { tag_name: "v1", target: "work" })
    const tagged = await news()
    expect(tagged.events).toEqual(["create", "push"])
    expect(tagged.of("create")?.body).toMatchObject({ ref: "v1", ref_type: "tag" })
    expect(tagged.of("push")?.body).toMatchObject({ ref: "refs/tags/v1", commits: [], total_commits: 0, head_commit: null })
    await must(ada, "PATCH", `${repo}/branches/work`, { name: "play" })
    const renamed = await news()
    expect(renamed.events).toEqual(["create", "delete"])
    expect(renamed.of("delete")?.body).toMatchObject({ ref: "work", ref_type: "branch" })
    expect(renamed.of("create")?.body).toMatchObject({ ref: "play", ref_type: "branch", sha: branched.of("push")?.body.after })
    await must(ada, "DELETE", `${repo}/branches/play`)
    const gone = await news()
    expect(gone.events).toEqual(["delete"])
    expect(gone.of("delete")?.body).toMatchObject({ ref: "play", ref_type: "branch", pusher_type: "user" })
    await must(ada, "DELETE", `${repo}/tags/v1`)
    expect((await news()).events).toEqual(["delete", "push"])
  })

  it("of pushes only where the branch filter lets them through", async () => {
    const config = { url: `${receiver.url}/filtered`, content_type: "json" }
    const options = { type: "gitea", active: true, config, events: ["push", "create", "issues"], branch_filter: "{main,refs/heads/rel*}" }
    await must(ada, "POST", `${repo}/hooks`, options)
    await write(ada, "a.txt")
    await write(ada, "b.txt", { new_branch: "work" })
    await write(ada, "c.txt", { new_branch: "release" })
    await must(ada, "POST", `${repo}/tags`, { tag_name: "main-1" })
    await must(ada, "POST", `${repo}/issues`, { title: "Told all the same" })
    await world.hearth.services.jobs.drain()
    const came = receiver.take().filter(({ path }) => path === "/filtered")
    expect(came.map(({ headers, body }) => [headers["x-gitea-event"], body.ref ?? ""].join(" ")).sort()).toEqual([
      "create release",
      "issues ",
      "push refs/heads/main",
      "push refs/heads/release",
    ])
  })

  it("of pull requests and their reviews", async () => {
    await write(ada, "a.txt", { new_branch: "work" })
    await news()
    const { number } = await must(ada, "POST", `${repo}/pulls`, { title: "Add a.txt", head: "work", base: "main" })
    const opened = await news()
    expect(opened.events).toEqual(["pull_request opened"])
    expect(opened.of("pull_request")?.body).toMatchObject({
      number,
      pull_request: { title: "Add a.txt", head: { ref: "work" }, base: { ref: "main" }, merged: false },
      requested_reviewer: null,
      review: null,
    })

    const pull = `${repo}/pulls/${number}`
    await must(ada, "POST", `${pull}/requested_reviewers`, { reviewers: ["ben"] })
    const asked = await news()
    expect(asked.events).toEqual(["pull_request_review_request review_requested"])
    expect(asked.of("pull_request_review_request")?.body).toMatchObject({ requested_reviewer: { login: "ben" } })
    await must(ada, "DELETE", `${pull}/requested_reviewers`, { reviewers: ["ben"] })
    expect((await news()).events).toEqual(["pull_request_review_request review_request_removed"])

    for (const [event, raw, name] of [
      ["COMMENT", "pull_request_review_comment", "pull_request_comment"],
      ["REQUEST_CHANGES", "pull_request_review_rejected", "pull_request_rejected"],
      ["APPROVED", "pull_request_review_approved", "pull_request_approved"],
    ] as const) {
      await must(ben, "POST", `${pull}/reviews`, { event, body: `I say ${event}` })
      const reviewed = await news()
      expect(reviewed.events).toEqual([`${raw} reviewed`])
      expect(reviewed.of(raw)).toMatchObject({ name, body: { review: { type: raw, content: `I say ${event}` }, sender: { login: "ben" } } })
    }
    // A pending review is visible to its author only.
    await must(ben, "POST", `${pull}/reviews`, { body: "Wait" })
    expect((await news()).events).toEqual([])

    const before = opened.of("pull_request")?.body.pull_request.head.sha
    await write(ada, "b.txt", { branch: "work" })
    const moved = await news()
    expect(moved.events).toEqual(["pull_request_sync synchronized", "push"])
    expect(moved.of("pull_request_sync")?.body).toMatchObject({ before, after: moved.of("push")?.body.after })

    await must(ben, "POST", `${repo}/issues/${number}/comments`, { body: "Fine." })
    const said = await news()
    expect(said.events).toEqual(["pull_request_comment created"])
    expect(said.of("pull_request_comment")).toMatchObject({ name: "issue_comment", body: { is_pull: true, pull_request: { number } } })

    await must(ada, "PATCH", pull, { title: "Add two files" })
    expect((await news()).events).toEqual(["pull_request edited"])
    await must(ada, "POST", `${repo}/branches`, { new_branch_name: "next", old_ref_name: "main" })
    await news()
    await must(ada, "PATCH", pull, { base: "next" })
    expect((await news()).of("pull_request", "edited")?.body).toMatchObject({
      changes: { ref: { from: "main" } },
      pull_request: { base: { ref: "next" } },
    })
    await must(ada, "DELETE", `${repo}/branches/next`)
    const moves = await news()
    expect(moves.events).toEqual(["delete", "pull_request edited"])
    expect(moves.of("pull_request")?.body).toMatchObject({ sender: { login: "ada" }, pull_request: { base: { ref: "main" } } })
    await must(ada, "POST", `${pull}/merge`, { Do: "merge" })
    const merged = await news()
    expect(merged.events).toEqual(["pull_request closed", "push"])
    expect(merged.of("pull_request")?.body.pull_request).toMatchObject({ merged: true, state: "closed", merged_by: { login: "ada" } })
  })

  it("of releases, statuses, forks and repositories", async () => {
    const { id } = await must(ada, "POST", `${repo}/releases`, { tag_name: "v1", name: "One" })
    const published = await news()
    expect(published.events).toEqual(["create", "push", "release published"])
    expect(published.of("release")?.body.release).toMatchObject({ tag_name: "v1", name: "One", author: { login: "ada" } })
    await must(ada, "PATCH", `${repo}/releases/${id}`, { name: "Number one" })
    await must(ada, "DELETE", `${repo}/releases/${id}`)
    expect((await news()).events).toEqual(["release deleted", "release updated"])
    await restoreLast()
    const again = await news()
    expect(again.events).toEqual(["release published"])
    expect(again.of("release")?.body).toMatchObject({ release: { id, tag_name: "v1", name: "Number one" }, restored: true })
    const draft = await must(ada, "POST", `${repo}/releases`, { tag_name: "v2", draft: true })
    await must(ada, "DELETE", `${repo}/releases/${draft.id}`)
    await restoreLast()
    expect((await news()).events).toEqual([])
    await must(ada, "POST", `${repo}/branches`, { new_branch_name: "side" })
    await must(ada, "DELETE", `${repo}/branches/side`)
    await news()
    await restoreLast()
    // A branch is made by a push, as any other is.
    const made = await news()
    expect(made.events).toEqual(["create", "push"])
    expect(made.of("create")?.body).toMatchObject({ ref: "side", ref_type: "branch" })

    const { sha } = (await must(ada, "GET", `${repo}/commits?limit=1`))[0]
    await must(ben, "POST", `${repo}/statuses/${sha}`, { state: "success", context: "ci" })
    expect((await news()).of("status")?.body).toMatchObject({
      sha,
      state: "success",
      context: "ci",
      commit: { id: sha },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      sender: { login: "ben" },
    })

    await must(ben, "POST", `${repo}/forks`, {})
    const forked = await news()
    expect(forked.events).toEqual(["fork"])
    expect(forked.of("fork")?.body).toMatchObject({
      forkee: { full_name: `ada/box${names}`, forks_count: 1 },
      repository: { full_name: `ben/box${names}`, fork: true },
      sender: { login: "ben" },
    })

    await must(ada, "POST", "/user/repos", { name: "born" })
    await must(ada, "PATCH", "/repos/ada/born", { name: "short-lived" })
    await must(ada, "DELETE", "/repos/ada/short-lived")
    const lived = await news()
    expect(lived.events).toEqual(["repository created", "repository deleted", "repository renamed"])
    expect(lived.of("repository", "renamed")?.body).toMatchObject({
      changes: { name: { from: "born" }, repository: { name: { from: "born" } } },
      organization: { login: "ada" },
      repository: { name: "short-lived", html_url: expect.stringMatching(/\/ada\/short-lived$/) },
      sender: { login: "ada" },
    })
    expect(lived.of("repository", "deleted")?.body).toMatchObject({
      organization: { login: "ada" },
      repository: { full_name: "ada/short-lived" },
    })
    await must(ada, "POST", `/user/deleted/${(await must(ada, "GET", "/user/deleted"))[0].id}/restore`, {})
    const back = await news()
    expect(back.events).toEqual(["repository created"])
    expect(back.of("repository")?.body).toMatchObject({ repository: { full_name: "ada/short-lived" }, restored: true })
  })

  it("is cheap where no webhook listens, and shows the state at the time of the event where one does", async () => {
    const { services } = world.hearth
    const home = await must(ben, "POST", "/user/repos", { name: `quiet${names}` })
    const statements: string[] = []
    const stop = services.database.observe(({ name = "", inTransaction }) => {
      if (inTransaction && name.startsWith("webhooks.")) statements.push(name)
    })
    await must(ben, "POST", `/repos/${home.full_name}/issues`, { title: "Alone" })
    stop()
    expect(statements).toEqual(["webhooks.findListeners"])

    const { number } = await must(ada, "POST", `${repo}/issues`, { title: "First" })
    await must(ada, "PATCH", `${repo}/issues/${number}`, { title: "Second" })
    const told = await news()
    expect(told.of("issues", "opened")?.body.issue.title).toBe("First")
    expect(told.of("issues", "edited")?.body.issue.title).toBe("Second")
  })
})
