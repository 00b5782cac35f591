import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { TestHearth } from "../../../../tests/support/hearth.ts"
import { addRunner, commitWorkflow, repositoryId, takeJob } from "../testing.ts"

const HOUR = 3600

withHearth("what the clock does about actions", { on: databaseKinds, people: ["ann"] }, ({ test, forge, ann }) => {
  let runner: number
  const tick = (name: string) => forge.hearth.services.jobs.tasks.run(name)
  const at = "/repos/ann/lamp/actions"
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, "ann/lamp")
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
  })

  const fresh = async (): Promise<{ readonly run: number; readonly job: number }> => {
    const { body } = await forge.call(ann, `POST ${at}/workflows/build.yml/dispatches?return_run_details=true`, { ref: "main" })
    const jobs = (await forge.call(ann, `GET ${at}/runs/${body.workflow_run_id}/jobs`)).body.jobs
    return { run: body.workflow_run_id, job: jobs[0].id }
  }
  const look = async (run: number) => {
    const { body } = await forge.call(ann, `GET ${at}/runs/${run}`)
    const jobs = (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs
    return [body.conclusion ?? body.status, ...jobs.map((job: { conclusion?: string; status: string }) => job.conclusion ?? job.status)]
  }
  const now = () => forge.hearth.services.now()
  const write: TestHearth["hearth"]["services"]["database"]["write"] = (work) => forge.hearth.services.database.write(work)

  test("a runner that is silent for ten minutes fails its job, and jobs that need it are skipped", async () => {
    const lively = await fresh()
    await takeJob(forge, lively.job, runner, [["First", "running"]], now() - 300)
    const dead = await fresh()
    await takeJob(forge, dead.job, runner, [["First", "running"]], now() - 700)
    const cancelling = await fresh()
    const task = await takeJob(forge, cancelling.job, runner, [], now() - 700)
    await write((tx) => tx.updateTable("action_tasks").set({ state: "cancelling" }).where("id", "=", task).execute())
    expect(await tick("stop_zombie_tasks")).toBe("ok")
    expect(await look(lively.run)).toEqual(["in_progress", "in_progress", "waiting"])
    expect(await look(dead.run)).toEqual(["failure", "failure", "skipped"])
    expect(await look(cancelling.run)).toEqual(["cancelled", "cancelled", "skipped"])
    const { body } = await forge.call(ann, `GET ${at}/jobs/${dead.job}`)
    expect(body.steps).toMatchObject([{ conclusion: "failure" }])
    expect(body.completed_at).not.toBe("1970-01-01T00:00:00Z")
  })

  const logOf = async (job: number): Promise<string> => {
    await forge.hearth.services.jobs.drain()
    return (await forge.call(ann, `GET ${at}/jobs/${job}/logs`)).body.replace(/^\S+ /, "")
  }

  test("the log of a job that was ended says why, and is closed", async () => {
    const dead = await fresh()
    const task = await takeJob(forge, dead.job, runner, [], now() - 700)
    await tick("stop_zombie_tasks")
    expect(await logOf(dead.job)).toBe("##[error]The runner has sent nothing for 10 minutes.\n")
    const { log_sealed } = await forge.hearth.services.database.read
      .selectFrom("action_tasks")
      .select("log_sealed")
      .where("id", "=", task)
      .executeTakeFirstOrThrow()
    expect(log_sealed).toBe(1)
  })

  test.each([
    ["six hours", 0, 360],
    ["the minutes that it asks for", 5, 5],
    ["six hours, if it asks for more", 1000, 360],
  ])("a task that runs for longer than %s fails, even if its runner is active", async (_, asked, limit) => {
    const runs = [await fresh(), await fresh()]
    for (const [index, { run, job }] of runs.entries()) {
      await write((tx) => tx.updateTable("action_jobs").set({ timeout_minutes: asked }).where("run_id", "=", run).execute())
      const task = await takeJob(forge, job, runner, [], now() - 60 * limit + (index === 0 ? -60 : 60))
      await write((tx) => tx.updateTable("action_tasks").set({ updated_at: now() }).where("id", "=", task).execute())
    }
    await tick("stop_zombie_tasks")
    await tick("stop_endless_tasks")
    const [long, short] = runs
    expect(await Promise.all(runs.map(({ run }) => look(run)))).toEqual([
      ["failure", "failure", "skipped"],
      ["in_progress", "in_progress", "waiting"],
    ])
    expect(await logOf(long?.job ?? 0)).toBe(`##[error]The job has run for longer than ${limit} minutes, the most that it may.\n`)
    expect((await forge.call(ann, `POST ${at}/runs/${short?.run}/cancel`)).status).toBe(202)
  })

  test("a job that no runner takes for a day is cancelled", async () => {
    const young = await fresh()
    // It was long before its turn came: what it needs may take days.
    const late = await fresh()
    const old = await fresh()
    for (const { run } of [late, old])
      await write((tx) =>
        tx
          .updateTable("action_jobs")
          .set({ created_at: now() - 25 * HOUR, queued_at: now() - (run === old.run ? 25 : 1) * HOUR })
          .where("run_id", "=", run)
          .execute(),
      )
    await tick("cancel_abandoned_jobs")
    expect(await look(young.run)).toEqual(["queued", "queued", "waiting"])
    expect(await look(late.run)).toEqual(["queued", "queued", "waiting"])
    expect(await look(old.run)).toEqual(["cancelled", "cancelled", "cancelled"])
    expect(await logOf(old.job)).toBe("##[error]No runner has taken the job for 24 hours.\n")
  })

  test("expired artifacts and logs and used runners are removed", async () => {
    const { run, job } = await fresh()
    const repository = await repositoryId(forge, "ann/lamp")
    const artifact = { run_id: run, repository_id: repository, attempt: 1, size: 1, created_at: now(), updated_at: now() }
    await write(async (tx) => {
      await tx
        .insertInto("action_artifacts")
        .values([
          { ...artifact, name: "old", expires_at: now() - 1 },
          { ...artifact, name: "new", expires_at: now() + HOUR },
        ])
        .execute()
    })
    const used = await addRunner(forge, "/repos/ann/lamp", { name: "used", is_ephemeral: 1 })
    const waiting = await addRunner(forge, "/repos/ann/lamp", { name: "waiting", is_ephemeral: 1 })
    const task = await takeJob(forge, job, used)
    await tick("cleanup_actions")
    expect((await forge.call(ann, `GET ${at}/runners/${used}`)).status).toBe(200)
    await write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ state: "success", stopped_at: now() - 366 * 24 * HOUR, log_lines: 7 })
        .where("id", "=", task)
        .execute(),
    )
    await tick("cleanup_actions")
    const shown = (await forge.call(ann, `GET ${at}/artifacts`)).body.artifacts
    expect(shown.map(({ name, expired }: { name: string; expired: boolean }) => [name, expired])).toEqual([
      ["new", false],
      ["old", true],
    ])
    expect((await forge.call(ann, `GET ${at}/runners/${used}`)).status).toBe(404)
    expect((await forge.call(ann, `GET ${at}/runners/${waiting}`)).status).toBe(200)
    const { log_expired } = await forge.hearth.services.database.read
      .selectFrom("action_tasks")
      .select("log_expired")
      .where("id", "=", task)
      .executeTakeFirstOrThrow()
    expect(log_expired).toBe(1)
  })
})
