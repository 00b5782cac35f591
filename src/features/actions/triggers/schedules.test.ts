import { describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { nextTime } from "../definitions/cron-line.ts"
import { commitWorkflow, finishRun, repositoryId, takeJob } from "../testing.ts"

const seconds = (time: string) => Date.parse(time) / 1000
const at = seconds("2026-03-10T12:34:56Z")

describe("when a line is due", () => {
  test.each([
    ["*/15 * * * *", "2026-03-10T12:45:00Z"],
    ["0 0 * * 0", "2026-03-15T00:00:00Z"],
    ["@daily", "2026-03-11T00:00:00Z"],
    ["TZ=Asia/Tokyo 0 9 * * *", "2026-03-11T00:00:00Z"],
    ["CRON_TZ=America/New_York 30 8 * * *", "2026-03-11T12:30:00Z"],
  ])("%s", (line, next) => {
    expect(nextTime(line, at)).toBe(seconds(next))
  })
  test.each([
    "",
    "x",
    "* * * *",
    "* * * * * *",
    "61 * * * *",
    "0 0 31 2 *",
    "TZ=Nowhere/x * * * * *",
    "2030-01-01T00:00:00",
    "0 0 1 * +1",
    "* ".repeat(500),
  ])("never: %s", (line) => {
    expect(nextTime(line, at)).toBeUndefined()
  })
})

withHearth("workflows that the clock starts", { on: databaseKinds, people: ["ann"] }, ({ test, forge, ann }) => {
  const services = () => forge.hearth.services
  const text = (...lines: readonly string[]) =>
    `name: nightly\non:\n  schedule:\n${lines.map((line) => `    - cron: "${line}"\n`).join("")}jobs: {build: {runs-on: nowhere}}\n`
  const tick = async () => {
    await services().jobs.drain()
    return forge.hearth.services.jobs.tasks.run("start_schedule_tasks")
  }
  const runs = async (name: string) => (await forge.call(ann, `GET /repos/ann/${name}/actions/runs?event=schedule`)).body.workflow_runs
  const lines = async (name: string) => {
    await services().jobs.drain()
    const id = await repositoryId(forge, `ann/${name}`)
    return services()
      .database.read.selectFrom("action_schedules")
      .select(["workflow", "line", "next_at"])
      .where("repository_id", "=", id)
      .orderBy("id")
      .execute()
  }
  const written = async (name: string) => (await lines(name)).map(({ line }) => line)
  const makeDue = async (name: string) => {
    const id = await repositoryId(forge, `ann/${name}`)
    await services().database.write((tx) =>
      tx
        .updateTable("action_schedules")
        .set({ next_at: services().now() - 3600 })
        .where("repository_id", "=", id)
        .execute(),
    )
  }
  async function home(name: string, workflow = text("0 3 * * *")): Promise<void> {
    await forge.call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, `ann/${name}`, { text: workflow, path: ".gitea/workflows/nightly.yml" })
  }
  const rewrite = async (name: string, workflow: string, message = "change", branch = "main") => {
    const path = `/repos/ann/${name}/contents/.gitea/workflows/nightly.yml`
    const { sha } = (await forge.call(ann, `GET ${path}?ref=${branch}`)).body
    const content = Buffer.from(workflow).toString("base64")
    expect((await forge.call(ann, `PUT ${path}`, { content, message, branch, sha })).status).toBe(200)
  }

  test("the API says when that will be, while anything starts them", async () => {
    await forge.call(ann, "POST /user/repos", { name: "clock", auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, "ann/clock", { path: ".gitea/workflows/nightly.yml", text: text("0 0 1 1 *", "0 3 * * *") })
    await commitWorkflow(forge, ann, "ann/clock")
    const first = (await lines("clock")).map(({ next_at }) => next_at)
    const workflow = async (file: string) => (await forge.call(ann, `GET /repos/ann/clock/actions/workflows/${file}`)).body
    expect(Date.parse((await workflow("nightly.yml")).next_run_at) / 1000).toBe(Math.min(...first))
    expect(await workflow("build.yml")).not.toHaveProperty("next_run_at")
    await forge.call(ann, "PUT /repos/ann/clock/actions/workflows/nightly.yml/disable")
    expect(await workflow("nightly.yml")).not.toHaveProperty("next_run_at")
  })

  test("are started once when due, however many times were missed", async () => {
    await home("lamp")
    await tick()
    expect(await runs("lamp")).toEqual([])
    await makeDue("lamp")
    await tick()
    await tick()
    const [run, ...more] = await runs("lamp")
    expect(more).toEqual([])
    expect(run).toMatchObject({
      event: "schedule",
      path: "nightly.yml@refs/heads/main",
      head_branch: "main",
      display_title: "add build",
      actor: { id: -2, login: "gitea-actions" },
      trigger_actor: { login: "gitea-actions" },
      status: "queued",
    })
    const { payload } = await services()
      .database.read.selectFrom("action_runs")
      .select("payload")
      .where("id", "=", run.id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(payload)).toMatchObject({ schedule: "0 3 * * *", ref: "refs/heads/main", after: run.head_sha, total_commits: 1 })
    const [line] = await lines("lamp")
    expect(line?.next_at).toBeGreaterThan(services().now())
    expect((await forge.call(ann, `GET /repos/ann/lamp/commits/${run.head_sha}/statuses`)).body).toEqual([])
  })

  test("an earlier run that no runner has begun is cancelled, a running one continues", async () => {
    await home("mill")
    await makeDue("mill")
    await tick()
    const [first] = await runs("mill")
    await makeDue("mill")
    await tick()
    const [second, before] = await runs("mill")
    expect([before.id, before.conclusion, second.status]).toEqual([first.id, "cancelled", "queued"])
    const job = (await forge.call(ann, `GET /repos/ann/mill/actions/runs/${second.id}/jobs`)).body.jobs[0].id
    await takeJob(forge, job, 1)
    await makeDue("mill")
    await tick()
    expect((await runs("mill")).map(({ status }: { status: string }) => status)).toEqual(["queued", "in_progress", "completed"])
    await finishRun(forge, second.id, "success")
  })

  test("follow the default branch", async () => {
    await home("fort", text("0 3 * * *", "0 3 * * *", "30 4 * * *", "every day"))
    expect(await written("fort")).toEqual(["0 3 * * *", "30 4 * * *"])
    await rewrite("fort", text("30 4 * * *", "@weekly"), "other times [skip ci]")
    expect(await written("fort")).toEqual(["30 4 * * *", "@weekly"])
    await forge.call(ann, "POST /repos/ann/fort/branches", { new_branch_name: "side", old_branch_name: "main" })
    await rewrite("fort", text("@hourly"), "elsewhere", "side")
    expect(await written("fort")).toEqual(["30 4 * * *", "@weekly"])
    expect((await forge.call(ann, "PATCH /repos/ann/fort", { default_branch: "side" })).status).toBe(200)
    expect(await written("fort")).toEqual(["@hourly"])
    await makeDue("fort")
    await tick()
    expect((await runs("fort")).map(({ head_branch }: { head_branch: string }) => head_branch)).toEqual(["side"])
  })

  test("are read again when actions are switched on again", async () => {
    await home("barn")
    await forge.call(ann, "PATCH /repos/ann/barn", { has_actions: false })
    // What follows from that reads the workflows as well, and is over now.
    expect(await written("barn")).toEqual(["0 3 * * *"])
    await rewrite("barn", text("@hourly"))
    expect(await written("barn")).toEqual(["0 3 * * *"])
    await forge.call(ann, "PATCH /repos/ann/barn", { has_actions: true })
    expect(await written("barn")).toEqual(["@hourly"])
  })

  test("are limited to twenty lines of a repository", async () => {
    await home("many", text(...Array.from({ length: 25 }, (_, minute) => `${minute} 3 * * *`)))
    expect(await written("many")).toHaveLength(20)
  })

  test("are not started where they are switched off, or the repository is archived", async () => {
    await home("desk")
    await forge.call(ann, "PUT /repos/ann/desk/actions/workflows/nightly.yml/disable")
    await makeDue("desk")
    await tick()
    await forge.call(ann, "PUT /repos/ann/desk/actions/workflows/nightly.yml/enable")
    expect(await runs("desk")).toEqual([])
    for (const [off, on] of [
      [{ has_actions: false }, { has_actions: true }],
      [{ archived: true }, { archived: false }],
    ]) {
      await forge.call(ann, "PATCH /repos/ann/desk", off)
      await makeDue("desk")
      await tick()
      await forge.call(ann, "PATCH /repos/ann/desk", on)
      expect(await runs("desk")).toEqual([])
    }
    await makeDue("desk")
    await tick()
    expect(await runs("desk")).toHaveLength(1)
  })
})
