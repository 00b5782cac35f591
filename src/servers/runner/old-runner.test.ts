import { expect } from "vitest"
import { statementsOf } from "../../../tests/support/database.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { CallFailed, type Encoding, openOldRunner } from "../../../tests/support/old-runner.ts"
import { commitWorkflow } from "../../features/actions/testing.ts"

const WORKFLOW = `name: CI
on: push
jobs:
  build:
    runs-on: host
    steps: [{run: echo one}, {run: echo two}]
  next:
    needs: build
    if: always()
    runs-on: host
    steps: [{run: echo}]
`

withHearth("runners of version 0.2", { people: ["ann"] }, ({ test, forge, ann, call }) => {
  let last = 0
  /** A repository with a run whose first job a runner has taken. */
  async function taken(encoding: Encoding) {
    const name = `old${++last}`
    await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, `ann/${name}`, { text: WORKFLOW })
    const { token } = (await call(ann, `POST /repos/ann/${name}/actions/runners/registration-token`)).body
    const runner = await openOldRunner(token, { url: forge.hearth.url, encoding })
    const task = await runner.fetch()
    if (!task) throw new Error("there is a job")
    const run = (await call(ann, `GET /repos/ann/${name}/actions/runs`)).body.workflow_runs[0]
    const path = `/repos/ann/${name}/actions`
    const job = async (index = 0) => (await call(ann, `GET ${path}/runs/${run.id}/jobs`)).body.jobs[index]
    const log = async (index = 0) => (await call(ann, `GET ${path}/jobs/${(await job(index)).id}/logs`)).body
    const lines = async () =>
      (await log())
        .split("\n")
        .slice(0, -1)
        .map((line: string) => line.replace(/^\S+ /, ""))
    const row = async () =>
      forge.hearth.services.database.read.selectFrom("action_tasks").selectAll().where("id", "=", Number(task.id)).executeTakeFirstOrThrow()
    return { runner, task, run, path, job, lines, row }
  }

  test.for(["binary", "json"] as const)(
    "report at every tick, news or not, in %s form, and are done with the last one",
    async (encoding) => {
      const { runner, task, job, lines, row } = await taken(encoding)
      expect(task.payload).toContain("echo one")
      expect(task.secrets["GITHUB_TOKEN"]).toBe(task.context["token"])
      expect(await task.tick()).toBe(true)
      task.print("one", "two")
      task.step(0, "success")
      expect(await task.tick()).toBe(true)
      expect(await lines()).toEqual(["one", "two"])
      expect((await job()).steps.map(({ conclusion }: { conclusion: string | null }) => conclusion ?? "")).toEqual(["success", ""])
      for (let tick = 0; tick < 3; tick++) expect(await task.tick()).toBe(true)
      task.print("three")
      task.step(1, "success")
      await task.end("success", { level: "3" })
      expect(await lines()).toEqual(["one", "two", "three"])
      expect(await row()).toMatchObject({ state: "success", log_sealed: 1, log_lines: 3, log_end: "" })
      expect((await job()).conclusion).toBe("success")
      const next = await runner.fetch()
      expect(next?.context["job"]).toBe("next")
      await next?.end("success")
    },
  )

  test("cost little where they have nothing to say", async () => {
    const { task } = await taken("binary")
    await task.tick()
    const statements = await statementsOf(forge.hearth.services.database, async () => {
      for (let tick = 0; tick < 10; tick++) await task.tick()
    })
    // Nothing is written before the heartbeat is due, and each of the twenty calls takes at most five queries.
    expect(statements.filter(({ sql }) => /^(insert|update|delete)/.test(sql))).toEqual([])
    expect(statements.length).toBeLessThanOrEqual(100)
    await task.end("success")
  })

  test("fall silent after a cancellation: the job has ended, and its log is closed later, with a line that says so", async () => {
    const { runner, task, run, path, job, lines, row } = await taken("binary")
    task.print("one")
    await task.tick()
    expect((await call(ann, `POST ${path}/runs/${run.id}/cancel`)).status).toBeLessThan(300)
    expect((await job()).conclusion).toBe("cancelled")
    task.print("lost")
    expect(await task.tick()).toBe(false)
    const calls = runner.calls()
    await task.tick()
    await task.end("failure")
    expect(runner.calls()).toBe(calls)
    const { database, jobs } = forge.hearth.services
    expect(await row()).toMatchObject({ state: "cancelled", log_sealed: 0 })
    await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "actions.closeLog").execute())
    await jobs.drain()
    expect(await row()).toMatchObject({ state: "cancelled", log_sealed: 1 })
    const all = await lines()
    expect(all[0]).toBe("one")
    expect(all.at(-1)).toMatch(/^##\[error\]The job was cancelled/)
    expect((await job()).conclusion).toBe("cancelled")
  })

  test("are told to give up a task that the server has ended, and what they still send is dropped", async () => {
    const { task, run, path, job, lines, row } = await taken("json")
    task.print("one")
    await task.tick()
    const { services } = forge.hearth
    await services.database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ updated_at: services.now() - 601 })
        .where("id", "=", Number(task.id))
        .execute(),
    )
    expect(await services.jobs.tasks.run("stop_zombie_tasks")).toBeDefined()
    expect((await job()).conclusion).toBe("failure")
    task.print("late")
    expect(await task.tick()).toBe(false)
    expect(await lines()).toEqual(["one", "##[error]The runner has sent nothing for 10 minutes."])
    expect(await row()).toMatchObject({ state: "failure", log_sealed: 1, log_lines: 1 })
    expect((await call(ann, `GET ${path}/runs/${run.id}`)).body.status).not.toBe("completed")
  })

  test("can't speak for another, or without being known", async () => {
    const { task } = await taken("binary")
    const refused = await openOldRunner("0".repeat(40), { url: forge.hearth.url }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(CallFailed)
    expect(refused).toMatchObject({ status: 401 })
    await task.end("success")
  })

  test("that have not said anything yet about a task reload each time that they ask, until they do", async () => {
    const { runner, task } = await taken("json")
    // The version that was answered with the task is not what the runner keeps.
    const versions: bigint[] = []
    for (let poll = 0; poll < 3; poll++) {
      expect(await runner.fetch()).toBeUndefined()
      versions.push(runner.version())
    }
    expect(versions).toEqual([1n, 1n, 1n])
    await task.tick()
    expect(await runner.fetch()).toBeUndefined()
    expect(runner.version()).toBeGreaterThan(1n)
    await task.end("success")
  })
})
