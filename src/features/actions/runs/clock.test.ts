import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { TestHearth } from "../../../../tests/support/hearth.ts"
import { addRunner, commitWorkflow, repositoryId, takeJob } from "../testing.ts"

const HOUR = 3600

withHearth("what the clock does about actions", { people: ["ann"] }, ({ test, forge, ann }) => {
  let runner: number
  const tick = (name: string) => forge.call(forge.root, `POST /admin/cron/${name}`)
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
    expect((await tick("stop_zombie_tasks")).status).toBe(204)
    expect(await look(lively.run)).toEqual(["in_progress", "in_progress", "waiting"])
    expect(await look(dead.run)).toEqual(["failure", "failure", "skipped"])
    expect(await look(cancelling.run)).toEqual(["cancelled", "cancelled", "skipped"])
    const { body } = await forge.call(ann, `GET ${at}/jobs/${dead.job}`)
    expect(body.steps).toMatchObject([{ conclusion: "failure" }])
    expect(body.completed_at).not.toBe("1970-01-01T00:00:00Z")
  })

  test("a task that runs for three hours fails, even if its runner is active", async () => {
    const long = await fresh()
    const task = await takeJob(forge, long.job, runner, [], now() - 3 * HOUR - 60)
    await write((tx) => tx.updateTable("action_tasks").set({ updated_at: now() }).where("id", "=", task).execute())
    await tick("stop_zombie_tasks")
    expect((await look(long.run))[0]).toBe("in_progress")
    await tick("stop_endless_tasks")
    expect(await look(long.run)).toEqual(["failure", "failure", "skipped"])
  })

  test("a job that no runner takes for a day is cancelled", async () => {
    const young = await fresh()
    const old = await fresh()
    await write((tx) =>
      tx
        .updateTable("action_jobs")
        .set({ created_at: now() - 25 * HOUR })
        .where("run_id", "=", old.run)
        .execute(),
    )
    await tick("cancel_abandoned_jobs")
    expect(await look(young.run)).toEqual(["queued", "queued", "waiting"])
    expect(await look(old.run)).toEqual(["cancelled", "cancelled", "cancelled"])
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
