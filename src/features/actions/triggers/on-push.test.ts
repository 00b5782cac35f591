import { hash } from "node:crypto"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { UNITS } from "../../../access/modes.ts"
import { client, ok } from "../../../git/testing.ts"
import { commitIn, openPullWorld, type PullRepository } from "../../review/pulls/testing.ts"
import { takeJob } from "../testing.ts"
import { tokenOfTask } from "../tokens/job-token.ts"

const workflow = (on: string, name = "check") => `name: ${name}\non: ${on}\njobs: {build: {runs-on: nowhere}}\n`

withWorld("workflows started by pushes", { open: openPullWorld }, ({ test, world }) => {
  const services = () => world.hearth.services
  const rows = async ({ at }: PullRepository) => {
    await services().jobs.drain()
    const { id } = await world.must(world.ann, `GET ${at}`)
    const found = await services()
      .database.read.selectFrom("action_runs")
      .selectAll()
      .where("repository_id", "=", id)
      .orderBy("id")
      .execute()
    return found.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
  }
  /** The runs since a moment, as file and reference. */
  async function since(repo: PullRepository, happens: () => Promise<unknown>) {
    const before = (await rows(repo)).length
    await happens()
    return (await rows(repo)).slice(before)
  }
  const named = (runs: Awaited<ReturnType<typeof rows>>) => runs.map(({ workflow: file, ref }) => [file, ref])
  /** A repository whose main branch has these workflows. */
  async function watched(files: Readonly<Record<string, string>>, folder = ".gitea/workflows"): Promise<PullRepository> {
    const repo = await world.repository()
    for (const [file, text] of Object.entries(files)) await repo.commit("main", `${folder}/${file}`, text)
    return repo
  }
  const statuses = async (repo: PullRepository, commit: string) => {
    const { statuses: list } = await world.must(world.ann, `GET ${repo.at}/commits/${commit}/status`)
    return (list ?? []).map(({ context, status }: { context: string; status: string }) => [context, status])
  }

  test("are told what a webhook is told", async () => {
    const repo = await watched({ "a.yml": workflow("push") })
    const before = (await world.must(world.ann, `GET ${repo.at}/branches/main`)).commit.id
    const after = await repo.commit("main", "docs/x.md")
    const run = (await rows(repo)).at(-1)
    expect(Object.keys(run?.payload).sort()).toEqual([
      "after",
      "before",
      "commits",
      "compare_url",
      "head_commit",
      "pusher",
      "ref",
      "total_commits",
    ])
    expect(run?.payload).toMatchObject({
      ref: "refs/heads/main",
      before,
      after,
      total_commits: 1,
      commits: [{ id: after, message: expect.stringContaining("Write docs/x.md"), added: ["docs/x.md"] }],
      head_commit: { id: after },
      pusher: { login: "ann" },
      compare_url: expect.stringContaining(`/compare/${before}...${after}`),
    })
  })

  test("a new branch is compared with where it left the default branch", async () => {
    const repo = await watched({
      "docs.yml": workflow("{push: {paths: ['docs/**']}}"),
      "source.yml": workflow("{push: {paths: ['src/**'], branches: [side]}}"),
    })
    await repo.commit("main", "docs/old.md")
    const work = await repo.clone()
    await ok(work, "checkout", "-q", "-b", "side")
    await commitIn(work, "src/a.ts")
    await commitIn(work, "b.txt")
    expect(named(await since(repo, () => ok(work, "push", "-q", "origin", "side")))).toEqual([["source.yml", "refs/heads/side"]])
    // A branch without commits of its own changes nothing.
    expect(await since(repo, () => ok(work, "push", "-q", "origin", "HEAD~2:refs/heads/same"))).toEqual([])
    // The filters of branches exclude tags, those of paths don't.
    expect(named(await since(repo, () => ok(work, "push", "-q", "origin", "HEAD:refs/tags/v1")))).toEqual([["docs.yml", "refs/tags/v1"]])
  })

  test("skip words skip pushes, and not that a branch is new", async () => {
    const repo = await watched({ "a.yml": workflow("[push, create]") })
    const work = await repo.clone()
    await ok(work, "commit", "-q", "--allow-empty", "-m", "More [skip ci]")
    const found = await since(repo, () => ok(work, "push", "-q", "origin", "HEAD:refs/heads/side"))
    expect(found.map(({ event }) => event)).toEqual(["create"])
  })

  test("the folder of Hearth comes before those of others", async () => {
    const repo = await watched({ "a.yml": workflow("push", "theirs") })
    await repo.commit("main", ".hearth/workflows/b.yml", workflow("push", "own"))
    const [run, ...more] = (await rows(repo)).slice(1)
    expect([run?.workflow, run?.workflow_folder, more]).toEqual(["b.yml", ".hearth/workflows", []])
  })

  test("the first push describes the default branch that it chooses", async () => {
    const { name } = await world.must(world.ann, "POST /user/repos", { name: "first", default_branch: "main" })
    const repo = await world.repository()
    const work = await repo.clone()
    await commitIn(work, ".gitea/workflows/a.yml", workflow("{issues: {}, schedule: [{cron: '0 0 * * *'}]}"))
    const url = new URL(`${world.hearth.url}/ann/${name}.git`)
    url.username = "ann"
    url.password = "pass-word-1"
    await ok(work, "push", "-q", url.href, "HEAD:refs/heads/trunk")
    const { id, default_branch } = await world.must(world.ann, `GET /repos/ann/${name}`)
    expect(default_branch).toBe("trunk")
    const { database } = services()
    const stored = async (table: "action_schedules" | "action_triggers") =>
      (await database.read.selectFrom(table).selectAll().where("repository_id", "=", id).execute()).length
    expect([await stored("action_schedules"), await stored("action_triggers")]).toEqual([1, 1])
  })

  test("required checks of workflows that their filters exclude are skipped", async () => {
    const repo = await watched({
      "docs.yml": workflow("{push: {paths: ['docs/**']}, pull_request: {paths: ['docs/**']}}", "docs"),
      "other.yml": workflow("{push: {branches: [none]}}", "other"),
    })
    await world.must(world.ann, `POST ${repo.at}/branch_protections`, {
      rule_name: "main",
      enable_push: true,
      enable_status_check: true,
      status_check_contexts: ["docs / *"],
    })
    const commit = await repo.commit("side", "b.txt")
    expect(await statuses(repo, commit)).toEqual([["docs / build (push)", "skipped"]])
    const number = await repo.pull("side")
    await rows(repo)
    expect(await statuses(repo, commit)).toEqual([
      ["docs / build (push)", "skipped"],
      ["docs / build (pull_request)", "skipped"],
    ])
    expect((await repo.on("POST", `pulls/${number}/merge`, { Do: "merge" })).status).toBe(200)
    // Checks that a commit has are kept.
    const checked = await repo.commit("docs", "docs/y.md")
    const pending = [["docs / build (push)", "pending"]]
    expect(await statuses(repo, checked)).toEqual(pending)
    await repo.on("POST", "branches", { new_branch_name: "again", old_ref_name: "docs" })
    expect(await statuses(repo, checked)).toEqual(pending)
  })

  test("what a job does with its token starts nothing but dispatches, and its pushes say so", async () => {
    const repo = await watched({
      "a.yml": workflow("{push: {}, issues: {}, pull_request: {}, workflow_dispatch: {}, schedule: [{cron: '0 0 * * *'}]}"),
    })
    const [run] = await rows(repo)
    const { database, ...rest } = services()
    const job = await database.read
      .selectFrom("action_jobs")
      .selectAll()
      .where("run_id", "=", run?.id ?? 0)
      .executeTakeFirstOrThrow()
    const taskId = await takeJob(world, job.id, 1)
    const token = tokenOfTask(rest, taskId)
    await database.write(async (tx) => {
      await tx
        .updateTable("action_tasks")
        .set({ digest: hash("sha256", token) })
        .where("id", "=", taskId)
        .execute()
      const permissions = JSON.stringify(Object.fromEntries(UNITS.map((unit) => [unit, "write"])))
      await tx.updateTable("action_jobs").set({ permissions }).where("id", "=", job.id).execute()
    })
    const bearer = `Bearer ${token}`
    const work = await repo.clone()
    await commitIn(work, ".gitea/workflows/a.yml", workflow("{push: {}, workflow_dispatch: {}, schedule: [{cron: '1 1 * * *'}]}"))
    const url = new URL(`${world.hearth.url}/ann/${repo.name}.git`)
    url.username = "x-access-token"
    url.password = token
    const found = await since(repo, async () => {
      const { code, err } = await client(work, ["push", url.href, "HEAD:main", "HEAD:refs/heads/side"])
      expect([code, err]).toEqual([0, expect.stringContaining("remote: Workflows were not started: what a job pushes")])
      expect(err.match(/were not started/g)).toHaveLength(1)
      await world.must(bearer, `POST ${repo.at}/issues`, { title: "By a job" })
      await world.must(bearer, `POST ${repo.at}/contents/c.txt`, { content: "", message: "By a job", branch: "side" })
      await world.must(bearer, `POST ${repo.at}/pulls`, { title: "By a job", head: "side", base: "main" })
    })
    expect(found).toEqual([])
    // The push is settled like all others.
    expect((await world.must(world.ann, `GET ${repo.at}/branches/side`)).commit.message).toContain("By a job")
    const lines = await database.read.selectFrom("action_schedules").select("line").where("repository_id", "=", job.repository_id).execute()
    expect(lines).toEqual([{ line: "1 1 * * *" }])
    const dispatched = await since(repo, () => world.must(bearer, `POST ${repo.at}/actions/workflows/a.yml/dispatches`, { ref: "main" }))
    expect(dispatched.map(({ event, actor_id }) => [event, actor_id])).toEqual([["workflow_dispatch", -2]])
    // A push that starts nothing has nothing to say.
    await ok(work, "rm", "-q", ".gitea/workflows/a.yml")
    await ok(work, "commit", "-q", "-m", "No more")
    const quiet = await client(work, ["push", url.href, "HEAD:main"])
    expect([quiet.code, quiet.err.includes("not started")]).toEqual([0, false])
  })
})
