import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openPullWorld, type PullRepository } from "../../review/pulls/testing.ts"
import { finishRun } from "../testing.ts"

const workflow = (on: string, name = "note") => `name: ${name}\non: ${on}\njobs: {build: {runs-on: nowhere}}\n`

withWorld("workflows started by events of their repository", { open: openPullWorld }, ({ test, world }) => {
  const services = () => world.hearth.services
  const settled = () => services().jobs.drain()
  async function idOf({ at }: PullRepository): Promise<number> {
    return (await world.must(world.ann, `GET ${at}`)).id
  }
  /** A repository whose main branch has these workflows. */
  async function watched(...triggers: readonly string[]): Promise<PullRepository> {
    const repo = await world.repository()
    for (const [index, on] of triggers.entries()) await repo.commit("main", `.gitea/workflows/w${index}.yml`, workflow(on))
    await settled()
    return repo
  }
  /** The runs, oldest first, with the events that they were told of. */
  async function runs(repo: PullRepository, ...events: readonly string[]) {
    await settled()
    const rows = await services()
      .database.read.selectFrom("action_runs")
      .selectAll()
      .where("repository_id", "=", await idOf(repo))
      .$if(events.length > 0, (list) => list.where("event", "in", events))
      .orderBy("id")
      .execute()
    return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
  }
  // Jobs run side by side, so each change is followed to its end before the next.
  async function must(route: string, body: object) {
    const answer = await world.must(world.ann, route, body)
    await settled()
    return answer
  }
  async function on(repo: PullRepository, method: string, path: string, body?: object, by = world.ann) {
    expect((await repo.on(method, path, body, by)).status).toBeLessThan(300)
    await settled()
  }
  const keys = (payload: object) => Object.keys(payload).sort()
  const head = async ({ at }: PullRepository, branch = "main") => (await world.must(world.ann, `GET ${at}/branches/${branch}`)).commit.id

  test("issues run on the default branch, with what a webhook would be told", async () => {
    const repo = await watched("issues", "{issues: {types: [labeled]}}", "{issues: {types: [unlabeled, milestoned]}}")
    const label = await must(`POST ${repo.at}/labels`, { name: "bug", color: "#ff0000" })
    const { number } = await must(`POST ${repo.at}/issues`, { title: "Lamp", body: "is dark" })
    await on(repo, "PATCH", `issues/${number}`, { title: "The lamp" })
    await on(repo, "POST", `issues/${number}/labels`, { labels: [label.id] })
    await on(repo, "DELETE", `issues/${number}/labels/${label.id}`)
    await on(repo, "PATCH", `issues/${number}`, { state: "closed" })
    await on(repo, "DELETE", `issues/${number}`)
    const found = await runs(repo)
    expect(found.map(({ workflow: file, payload: { action } }) => [file, action])).toEqual([
      ["w0.yml", "opened"],
      ["w0.yml", "edited"],
      ["w0.yml", "label_updated"],
      ["w1.yml", "label_updated"],
      ["w0.yml", "label_updated"],
      ["w2.yml", "label_updated"],
      ["w0.yml", "closed"],
    ])
    const [opened, edited, labelled] = found
    expect(opened).toMatchObject({ event: "issues", ref: "refs/heads/main", commit_id: await head(repo), is_untrusted: 0 })
    expect(keys(opened?.payload)).toEqual(["action", "commit_id", "issue", "number"])
    // As it was when it happened.
    expect(opened?.payload.issue).toMatchObject({ number, title: "Lamp", body: "is dark", state: "open" })
    expect(edited?.payload.changes).toEqual({ title: { from: "Lamp" } })
    expect(labelled?.payload.changes).toMatchObject({ added_labels: [{ name: "bug" }], removed_labels: [] })
  })

  test("comments run, also on pull requests, by their types", async () => {
    const repo = await watched("issue_comment", "{issue_comment: {types: [deleted]}}")
    const { number } = await must(`POST ${repo.at}/issues`, { title: "Lamp" })
    const { id } = await must(`POST ${repo.at}/issues/${number}/comments`, { body: "dark" })
    await on(repo, "PATCH", `issues/comments/${id}`, { body: "darker" })
    await on(repo, "DELETE", `issues/comments/${id}`)
    await repo.commit("side", "b.txt")
    const pull = await repo.pull("side")
    await on(repo, "POST", `issues/${pull}/comments`, { body: "bright" })
    const found = await runs(repo)
    expect(found.map(({ workflow: file, payload }) => [file, payload.action, payload.is_pull, payload.comment.body])).toEqual([
      ["w0.yml", "created", false, "dark"],
      ["w0.yml", "edited", false, "darker"],
      ["w0.yml", "deleted", false, "darker"],
      ["w1.yml", "deleted", false, "darker"],
      ["w0.yml", "created", true, "bright"],
    ])
    expect(keys(found[1]?.payload)).toEqual(["action", "changes", "comment", "is_pull", "issue"])
    expect(found[4]).toMatchObject({ ref: "refs/heads/main", payload: { pull_request: { number: pull, head: { ref: "side" } } } })
  })

  test("releases run by the workflows of their tags, drafts don't", async () => {
    const repo = await watched("release", "{release: {types: [edited]}}", "{push: {tags: ['*']}}")
    const tagged = await head(repo)
    const draft = await must(`POST ${repo.at}/releases`, { tag_name: "v1", draft: true })
    expect(await runs(repo)).toEqual([])
    await on(repo, "PATCH", `releases/${draft.id}`, { draft: false })
    await repo.commit("main", ".gitea/workflows/w0.yml", workflow("push"))
    await on(repo, "PATCH", `releases/${draft.id}`, { name: "One" })
    await on(repo, "DELETE", `releases/${draft.id}`)
    const found = await runs(repo, "release")
    expect(found.map((run) => [run.workflow, run.ref, run.commit_id, run.payload.action, run.payload.release.name])).toEqual([
      ["w0.yml", "refs/tags/v1", tagged, "published", expect.anything()],
      ["w0.yml", "refs/tags/v1", tagged, "updated", "One"],
      ["w1.yml", "refs/tags/v1", tagged, "updated", "One"],
      ["w0.yml", "refs/tags/v1", tagged, "deleted", "One"],
    ])
    expect((await runs(repo, "push")).map(({ ref }) => ref)).toContain("refs/tags/v1")
  })

  test("new and deleted branches and tags run, and renamed branches are both", async () => {
    const repo = await watched("[create, delete]")
    await on(repo, "POST", "branches", { new_branch_name: "side" })
    await on(repo, "POST", "tags", { tag_name: "v1" })
    await on(repo, "PATCH", "branches/side", { name: "edge" })
    await on(repo, "DELETE", "branches/edge")
    await on(repo, "DELETE", "tags/v1")
    const tip = await head(repo)
    const told = async (event: string) => (await runs(repo, event)).map(({ ref, payload }) => [ref, payload])
    expect(await told("create")).toEqual([
      ["refs/heads/side", { sha: tip, ref: "side", ref_type: "branch" }],
      ["refs/tags/v1", { sha: tip, ref: "v1", ref_type: "tag" }],
      ["refs/heads/edge", { sha: tip, ref: "edge", ref_type: "branch" }],
    ])
    expect(await told("delete")).toEqual([
      ["refs/heads/main", { ref: "side", ref_type: "branch", pusher_type: "user" }],
      ["refs/heads/main", { ref: "edge", ref_type: "branch", pusher_type: "user" }],
      ["refs/heads/main", { ref: "v1", ref_type: "tag", pusher_type: "user" }],
    ])
  })

  test("forks run in the original", async () => {
    const repo = await watched("fork")
    await repo.fork()
    const [run, ...more] = await runs(repo)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      event: "fork",
      payload: { forkee: { full_name: `ann/${repo.name}` }, repository: { full_name: `cyd/${repo.name}` } },
    })
  })

  test("new versions of packages that are linked to the repository run", async () => {
    const repo = await watched("{registry_package: {types: [published]}}")
    const tool = `tool-${repo.name}`
    const upload = async (version: string) => {
      const { status } = await fetch(`${world.hearth.url}/api/packages/ann/generic/${tool}/${version}/data`, {
        method: "PUT",
        headers: { authorization: world.ann },
        body: "x",
      })
      expect(status).toBe(201)
    }
    await upload("1")
    await must(`POST /packages/ann/generic/${tool}/-/link/${repo.name}`, {})
    await upload("2")
    const [run, ...more] = await runs(repo)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      event: "registry_package",
      ref: "refs/heads/main",
      payload: { action: "created", package: { version: "2" } },
    })
  })

  test("runs of other workflows run others, by name, type and branch", async () => {
    const repo = await world.repository()
    const commit = (file: string, text: string) => repo.commit("main", `.gitea/workflows/${file}`, text)
    await commit("after.yml", workflow("{workflow_run: {workflows: [Build + test], types: [completed], branches: [main]}}", "After"))
    await commit("any.yml", workflow("{workflow_run: {workflows: ['*'], branches-ignore: [main]}}", "Any"))
    await commit("build.yml", workflow("push", "Build + test"))
    const [build] = await runs(repo, "push")
    expect(await runs(repo, "workflow_run")).toEqual([])
    await finishRun(world, build?.id ?? 0, "success")
    const [run, ...more] = await runs(repo, "workflow_run")
    expect(more).toEqual([])
    expect(run).toMatchObject({ workflow: "after.yml", ref: "refs/heads/main", commit_id: await head(repo) })
    expect(run?.payload).toMatchObject({ action: "completed", workflow: { name: "Build + test" }, workflow_run: { id: build?.id } })
    // For a pull request the branch is that of its head.
    await commit("build.yml", workflow("pull_request", "Build + test"))
    await repo.commit("side", "b.txt")
    await repo.pull("side")
    const asked = (await runs(repo, "workflow_run")).slice(1)
    expect(asked.map(({ workflow: file, payload }) => [file, payload.action])).toEqual([["any.yml", "requested"]])
  })

  test("a workflow that follows itself ends after five runs", async () => {
    const repo = await watched("{workflow_run: {types: [requested]}, workflow_dispatch: {}}")
    await on(repo, "POST", "actions/workflows/w0.yml/dispatches", { ref: "main" })
    const found = await runs(repo)
    expect(found.map(({ event }) => event)).toEqual(["workflow_dispatch", ...Array.from({ length: 5 }, () => "workflow_run")])
    const depths = found.slice(1).map(({ payload }) => payload.workflow_run.id)
    expect(depths).toEqual(found.slice(0, -1).map(({ id }) => id))
  })

  test("reviews run the workflows of the head: verdicts and comments are different events", async () => {
    const repo = await watched("[pull_request_review, pull_request_review_comment]", "{pull_request_review: {types: [dismissed]}}")
    await repo.commit("side", "b.txt")
    const tip = await head(repo, "side")
    const number = await repo.pull("side", { title: "Bring it [skip ci]" })
    await on(repo, "POST", `pulls/${number}/reviews`, { event: "COMMENT", body: "hm" }, world.ben)
    await on(repo, "POST", `pulls/${number}/reviews`, { event: "APPROVED", body: "yes" }, world.ben)
    await on(repo, "POST", `pulls/${number}/reviews`, { event: "REQUEST_CHANGES", body: "no" }, world.ben)
    const found = await runs(repo)
    expect(found.map(({ event, workflow: file, payload }) => [event, file, payload.review])).toEqual([
      ["pull_request_review_comment", "w0.yml", { type: "pull_request_review_comment", content: "hm" }],
      ["pull_request_review", "w0.yml", { type: "pull_request_review_approved", content: "yes" }],
      ["pull_request_review", "w0.yml", { type: "pull_request_review_rejected", content: "no" }],
    ])
    expect(found[0]).toMatchObject({ ref: `refs/pull/${number}/head`, commit_id: tip, title: "Bring it [skip ci]", is_untrusted: 0 })
    expect(keys(found[0]?.payload)).toEqual(["action", "commit_id", "number", "pull_request", "requested_reviewer", "review"])
  })

  test("an event that no workflow listens to costs one query and no job", async () => {
    const repo = await watched("issues")
    const { number } = await must(`POST ${repo.at}/issues`, { title: "Lamp" })
    await settled()
    const jobs = async () => services().database.read.selectFrom("jobs").select("id").where("kind", "=", "actions.startForEvent").execute()
    const before = await jobs()
    const names: string[] = []
    const stop = services().database.observe(({ name = "", sql }) => void names.push(`${name} ${sql.includes("action") ? sql : ""}`))
    await world.must(world.ann, `POST ${repo.at}/issues/${number}/comments`, { body: "dark" })
    stop()
    expect(names.filter((text) => text.includes('"action_'))).toEqual([expect.stringContaining("actions.findListening")])
    await settled()
    expect(await jobs()).toEqual(before)
  })

  test("what is listened to follows the default branch, and workflows that are switched off start nothing", async () => {
    const repo = await watched("issues")
    const open = () => must(`POST ${repo.at}/issues`, { title: "Lamp" })
    const count = async () => (await runs(repo, "issues")).length
    await open()
    expect(await count()).toBe(1)
    await on(repo, "PUT", "actions/workflows/w0.yml/disable")
    await open()
    expect(await count()).toBe(1)
    await on(repo, "PUT", "actions/workflows/w0.yml/enable")
    await on(repo, "POST", "branches", { new_branch_name: "next" })
    await repo.commit("main", ".gitea/workflows/w0.yml", workflow("push"))
    await settled()
    await open()
    expect(await count()).toBe(1)
    await must(`PATCH ${repo.at}`, { default_branch: "next" })
    await settled()
    await open()
    expect(await count()).toBe(2)
    await must(`PATCH ${repo.at}`, { has_actions: false })
    await open()
    expect(await count()).toBe(2)
  })

  test("nothing is started twice for one event", async () => {
    const repo = await watched("issues")
    await must(`POST ${repo.at}/issues`, { title: "Lamp" })
    await settled()
    const { database } = services()
    await database.write((tx) =>
      tx.updateTable("jobs").set({ state: "waiting", run_at: 0 }).where("kind", "=", "actions.startForEvent").execute(),
    )
    expect(await runs(repo)).toHaveLength(1)
  })
})
