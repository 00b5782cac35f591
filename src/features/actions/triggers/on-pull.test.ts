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
    await world.call(world.root, "POST /admin/cron/cancel_abandoned_jobs")
    const stopped = (await runs(repo))[3]
    expect(stopped).toMatchObject({ event: "pull_request", conclusion: "cancelled" })
    const again = await world.call(world.ann, `POST ${repo.at}/actions/runs/${stopped.id}/rerun`)
    expect([again.status, again.body.status]).toEqual([201, "waiting"])
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
