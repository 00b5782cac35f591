import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openPullWorld, type PullRepository } from "../../review/pulls/testing.ts"

const WORKFLOW = (trigger: string) =>
  `name: check\non:\n${trigger}\njobs: {build: {runs-on: nowhere}, test: {needs: build, runs-on: nowhere}}\n`

withWorld("workflows started by pull requests", { open: openPullWorld }, ({ test, world }) => {
  const settled = () => world.hearth.services.jobs.drain()
  /** Runs of pull requests, newest first. */
  async function runs({ at }: PullRepository) {
    await settled()
    const { body } = await world.call(world.ann, `GET ${at}/actions/runs`)
    return body.workflow_runs.filter(({ event }: { event: string }) => event.startsWith("pull"))
  }
  const events = async (repo: PullRepository) =>
    (await runs(repo)).map(({ event, head_sha, status }: { event: string; head_sha: string; status: string }) => [event, head_sha, status])
  /** A repository whose main branch has a workflow with this trigger. */
  async function watched(trigger = "  pull_request:", options: object = {}): Promise<PullRepository> {
    const repo = await world.repository({ has_actions: true, ...options })
    await repo.commit("main", ".gitea/workflows/check.yml", WORKFLOW(trigger))
    return repo
  }

  test("run when one is opened, pushed to and reopened, with statuses of its head", async () => {
    const repo = await watched()
    const first = await repo.commit("side", "b.txt")
    const number = await repo.pull("side", { title: "Mend the lamp" })
    const [run] = await runs(repo)
    expect(run).toMatchObject({
      event: "pull_request",
      display_title: "Mend the lamp",
      head_sha: first,
      path: `check.yml@refs/pull/${number}/head`,
      status: "queued",
      actor: { login: "ann" },
      pull_requests: [{ number, head: { ref: "side", sha: first, repo: { name: repo.name } }, base: { ref: "main" } }],
    })
    expect(run.head_branch).toBeUndefined()
    const checks = async (id: string) =>
      (await world.call(world.ann, `GET ${repo.at}/commits/${id}/status`)).body.statuses.map(({ context }: { context: string }) => context)
    expect(await checks(first)).toEqual(["check / build (pull_request)", "check / test (pull_request)"])
    const second = await repo.commit("side", "c.txt")
    expect(await events(repo)).toEqual([
      ["pull_request", second, "queued"],
      ["pull_request", first, "queued"],
    ])
    expect(await checks(second)).toHaveLength(2)
    await repo.edit(number, { state: "closed" })
    expect(await runs(repo)).toHaveLength(2)
    await repo.edit(number, { state: "open" })
    expect(await events(repo)).toHaveLength(3)
  })

  test("match their filters: actions, base branches, paths", async () => {
    const repo = await watched("  pull_request: {types: [edited, closed]}")
    await repo.commit("main", ".gitea/workflows/other.yml", WORKFLOW("  pull_request: {branches: [release]}"))
    await repo.commit("main", ".gitea/workflows/paths.yml", WORKFLOW("  pull_request: {paths: ['docs/**']}"))
    await repo.commit("main", ".gitea/workflows/push.yml", WORKFLOW("  push: {branches: [none]}"))
    await repo.commit("side", "b.txt")
    const number = await repo.pull("side")
    expect(await runs(repo)).toEqual([])
    await repo.edit(number, { title: "Another" })
    expect((await runs(repo)).map(({ path }: { path: string }) => path.split("@")[0])).toEqual(["check.yml"])
    await repo.commit("side", "docs/x.md")
    expect((await runs(repo)).map(({ path }: { path: string }) => path.split("@")[0])).toEqual(["paths.yml", "check.yml"])
  })

  /** Runs as they are stored, oldest first. */
  async function stored({ at }: PullRepository) {
    await settled()
    const { id } = await world.must(world.ann, `GET ${at}`)
    const rows = await world.hearth.services.database.read
      .selectFrom("action_runs")
      .selectAll()
      .where("repository_id", "=", id)
      .where("event", "like", "pull%")
      .orderBy("id")
      .execute()
    return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
  }

  test("are told what a webhook is told", async () => {
    const repo = await watched("  pull_request: {types: ['*']}")
    const first = await repo.commit("side", "b.txt")
    const number = await repo.pull("side")
    await settled()
    const label = await world.must(world.ann, `POST ${repo.at}/labels`, { name: "bug", color: "#ff0000" })
    await repo.on("POST", `issues/${number}/labels`, { labels: [label.id] })
    await settled()
    await repo.edit(number, { title: "Another" })
    await settled()
    await repo.on("POST", `pulls/${number}/requested_reviewers`, { reviewers: ["ben"] })
    await settled()
    const second = await repo.commit("side", "c.txt")
    const found = (await stored(repo)).map(({ payload }) => payload)
    expect(Object.keys(found[0]).sort()).toEqual(["action", "commit_id", "number", "pull_request", "requested_reviewer", "review"])
    expect(found).toMatchObject([
      { action: "opened", number, pull_request: { number, head: { ref: "side" }, base: { ref: "main" } }, requested_reviewer: null },
      { action: "label_updated", changes: { added_labels: [{ name: "bug" }], removed_labels: [] } },
      { action: "edited", changes: { title: { from: "Bring side" } } },
      { action: "review_requested", requested_reviewer: { login: "ben" } },
      { action: "synchronized", before: first, after: second },
    ])
  })

  test("know labels, drafts and automatic merges by their types", async () => {
    const repo = await watched("  pull_request: {types: [labeled]}")
    const types = ["unlabeled", "ready_for_review", "converted_to_draft", "auto_merge_*", "locked"]
    for (const type of types)
      await repo.commit("main", `.gitea/workflows/${type.replace("*", "x")}.yml`, WORKFLOW(`  pull_request: {types: ['${type}']}`))
    await repo.commit("side", "b.txt")
    const number = await repo.pull("side")
    const label = await world.must(world.ann, `POST ${repo.at}/labels`, { name: "bug", color: "#ff0000" })
    const started: string[][] = []
    const then = async (happens: () => Promise<{ status: number }>) => {
      const before = (await stored(repo)).length
      expect((await happens()).status).toBeLessThan(300)
      started.push((await stored(repo)).slice(before).map((run) => `${run.workflow}: ${run.payload.action}`))
    }
    await then(() => repo.on("POST", `issues/${number}/labels`, { labels: [label.id] }))
    await then(() => repo.on("DELETE", `issues/${number}/labels/${label.id}`))
    await then(() => repo.edit(number, { title: "WIP: Another" }))
    await then(() => repo.edit(number, { title: "WIP: Others" }))
    await then(() => repo.edit(number, { title: "Others" }))
    await world.must(world.ann, `POST ${repo.at}/branch_protections`, { rule_name: "main", required_approvals: 1 })
    await then(() => repo.on("POST", `pulls/${number}/merge`, { Do: "merge", merge_when_checks_succeed: true }))
    await then(() => repo.on("DELETE", `pulls/${number}/merge`))
    expect(started).toEqual([
      ["check.yml: label_updated"],
      ["unlabeled.yml: label_updated"],
      ["converted_to_draft.yml: converted_to_draft"],
      [],
      ["ready_for_review.yml: ready_for_review"],
      ["auto_merge_x.yml: auto_merge_enabled"],
      ["auto_merge_x.yml: auto_merge_disabled"],
    ])
  })

  test("of forks are not trusted, also for reviews, unless they run code of the base", async () => {
    const repo = await watched("  pull_request:\n  pull_request_target:\n  pull_request_review:")
    await repo.fork()
    await repo.commit("theirs", "b.txt", "x", true)
    const number = await repo.pull("cyd:theirs", {}, world.cyd)
    await settled()
    await repo.on("POST", `pulls/${number}/reviews`, { event: "APPROVED" })
    await settled()
    const own = await repo.commit("side", "b.txt")
    await repo.pull("side")
    const found = await stored(repo)
    expect(found.map((run) => [run.event, run.is_untrusted, run.needs_approval])).toEqual([
      ["pull_request", 1, 1],
      ["pull_request_target", 0, 0],
      ["pull_request_review", 1, 1],
      ["pull_request", 0, 0],
      ["pull_request_target", 0, 0],
    ])
    expect(found[3]?.commit_id).toBe(own)
  })

  test("are skipped where the title says so, where they are off, and in repositories without them", async () => {
    const repo = await watched()
    await repo.commit("side", "b.txt")
    await repo.pull("side", { title: "Only words [skip ci]" })
    expect(await runs(repo)).toEqual([])
    await repo.on("PUT", "/actions/workflows/check.yml/disable")
    await repo.commit("other", "b.txt")
    await repo.pull("other")
    expect(await runs(repo)).toEqual([])
    const without = await watched()
    await without.on("PATCH", "", { has_actions: false })
    await without.commit("side", "b.txt")
    await without.pull("side")
    await settled()
    const { database } = world.hearth.services
    const id = (await world.call(world.ann, `GET ${without.at}`)).body.id
    expect(
      await database.read.selectFrom("action_runs").select("id").where("repository_id", "=", id).where("event", "<>", "push").execute(),
    ).toEqual([])
  })

  test("from the fork of a user without access they wait for approval; those of the base do not", async () => {
    const repo = await watched("  pull_request:\n  pull_request_target:")
    await repo.fork()
    const head = await repo.commit("theirs", "b.txt", "x", true)
    const base = (await world.call(world.ann, `GET ${repo.at}/branches/main`)).body.commit.id
    const number = await repo.pull("cyd:theirs", {}, world.cyd)
    const found = await runs(repo)
    expect(
      found.map(({ event, head_sha, status }: { event: string; head_sha: string; status: string }) => [event, head_sha, status]),
    ).toEqual([
      ["pull_request_target", base, "queued"],
      ["pull_request", head, "waiting"],
    ])
    expect(found[1].pull_requests).toMatchObject([{ number, head: { sha: head, repo: { url: expect.stringContaining("/cyd/") } } }])
    const { body } = await world.call(world.ann, `GET ${repo.at}/commits/${head}/status`)
    expect(body.statuses.map(({ context, description }: { context: string; description: string }) => [context, description])).toEqual([
      ["check / build (pull_request)", "Blocked by required conditions"],
      ["check / test (pull_request)", "Blocked by required conditions"],
      ["check / build (pull_request_target)", "Waiting to run"],
      ["check / test (pull_request_target)", "Blocked by required conditions"],
    ])
    // An action of a trusted user on it makes its code no more trusted.
    await repo.edit(number, { state: "closed" }, world.ann)
    await repo.edit(number, { state: "open" }, world.ann)
    expect((await runs(repo))[1]).toMatchObject({ event: "pull_request", status: "waiting", actor: { login: "ann" } })
    // A second attempt doesn't approve it either.
    await world.hearth.services.database.write((tx) =>
      tx.updateTable("action_jobs").set({ created_at: 1 }).where("state", "=", "blocked").execute(),
    )
    await world.hearth.services.jobs.tasks.run("cancel_abandoned_jobs")
    const stopped = (await runs(repo))[3]
    expect(stopped).toMatchObject({ event: "pull_request", conclusion: "cancelled" })
    const again = await world.call(world.ann, `POST ${repo.at}/actions/runs/${stopped.id}/rerun`)
    expect([again.status, again.body.status]).toEqual([201, "waiting"])

    const approve = (by: string, id: number) => world.call(by, `POST ${repo.at}/actions/runs/${id}/approve`)
    expect([(await approve(world.cyd, stopped.id)).status, (await approve(world.ann, 999_999)).status]).toEqual([403, 404])
    expect((await approve(world.ann, stopped.id)).status).toBe(204)
    expect((await runs(repo))[3]).toMatchObject({ id: stopped.id, status: "queued" })
    expect((await approve(world.ann, stopped.id)).status).toBe(409)
    const rows = await world.hearth.services.database.read
      .selectFrom("action_jobs")
      .innerJoin("action_runs", "action_runs.id", "action_jobs.run_id")
      .select(["action_jobs.permissions", "action_runs.is_untrusted"])
      .where("action_runs.id", "=", stopped.id)
      .execute()
    for (const { permissions, is_untrusted } of rows)
      expect([is_untrusted, JSON.parse(permissions)]).toEqual([
        1,
        { "repo.code": "read", "repo.releases": "read", "repo.packages": "read" },
      ])
  })

  test("a run that waits for approval joins its concurrency group with that, and displaces none before", async () => {
    const group = "\nconcurrency: {group: all, cancel-in-progress: true}"
    const repo = await watched(`  pull_request:${group}`)
    await repo.commit("side", "a.txt")
    await repo.pull("side")
    const [own] = await runs(repo)
    await repo.fork()
    await repo.commit("theirs", "b.txt", "x", true)
    await repo.pull("cyd:theirs", {}, world.cyd)
    const [theirs] = await runs(repo)
    const states = async () =>
      (await runs(repo)).map(({ id, status, conclusion }: { id: number; status: string; conclusion?: string }) => [
        id,
        conclusion ?? status,
      ])
    expect(await states()).toEqual([
      [theirs.id, "waiting"],
      [own.id, "queued"],
    ])
    expect((await world.call(world.ann, `POST ${repo.at}/actions/runs/${theirs.id}/approve`)).status).toBe(204)
    expect(await states()).toEqual([
      [theirs.id, "queued"],
      [own.id, "cancelled"],
    ])
    expect((await world.call(world.ann, `POST ${repo.at}/actions/runs/${theirs.id}/cancel`)).status).toBe(202)
    expect(await states()).toEqual([
      [theirs.id, "cancelled"],
      [own.id, "cancelled"],
    ])
  })

  test("from the fork of a user with a merged pull request they run at once", async () => {
    const repo = await watched()
    await repo.fork()
    await repo.commit("first", "b.txt", "x", true)
    const number = await repo.pull("cyd:first", {}, world.cyd)
    expect((await runs(repo))[0].status).toBe("waiting")
    expect((await repo.on("POST", `/pulls/${number}/merge`, { Do: "merge" })).status).toBe(200)
    await repo.commit("second", "c.txt", "x", true)
    await repo.pull("cyd:second", {}, world.cyd)
    expect((await runs(repo))[0].status).toBe("queued")
  })

  test("nothing is started twice for one event", async () => {
    const repo = await watched()
    await repo.commit("side", "b.txt")
    await repo.pull("side")
    expect(await runs(repo)).toHaveLength(1)
    const { database } = world.hearth.services
    await database.write((tx) =>
      tx.updateTable("jobs").set({ state: "waiting", run_at: 0 }).where("kind", "=", "actions.startForPull").execute(),
    )
    expect(await runs(repo)).toHaveLength(1)
    const tries = await database.read.selectFrom("jobs").select("attempts").where("kind", "=", "actions.startForPull").execute()
    expect(tries.every(({ attempts }) => attempts === 2)).toBe(true)
  })
})
