import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { readSummary } from "../../../features/actions/runs/summaries.ts"
import { commitWorkflow } from "../../../features/actions/testing.ts"
import { openRunnerClient } from "../testing.ts"
import { runAnotherJob, runJob, endTask as stateTask } from "./testing.ts"

const WORKFLOW = `on: push
jobs:
  build:
    runs-on: host
    steps: [{run: make}, {run: make install}]
`

withHearth("summaries of jobs", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  const services = () => forge.hearth.services
  let last = 0
  /** A job that a runner has taken, of a repository with a secret. */
  async function taken() {
    const name = `lamp${++last}`
    await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    await call(ann, `PUT /repos/ann/${name}/actions/secrets/KEY`, { data: "very secret" })
    await commitWorkflow(forge, ann, `ann/${name}`, { text: WORKFLOW })
    const { token } = (await call(ann, `POST /repos/ann/${name}/actions/runners/registration-token`)).body
    const runner = await openRunnerClient(forge.hearth.url).registered(token, ["host"])
    const { task } = await runner.fetch()
    const run = Number(task?.context["run_id"])
    const { jobs } = (await call(ann, `GET /repos/ann/${name}/actions/runs/${run}/jobs`)).body
    return { run, job: Number(jobs[0].id), runner, task, token: String(task?.context["gitea_runtime_token"]) }
  }
  type Taken = Pick<Awaited<ReturnType<typeof taken>>, "run" | "job" | "token">
  const put = async ({ run, job, token }: Taken, step: number | string, content: string, more: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(
      `${forge.hearth.url}/api/actions_pipeline/_apis/pipelines/workflows/${run}/jobs/${job}/steps/${step}/summary`,
      { method: "PUT", headers: { authorization: `Bearer ${token}`, "content-type": "text/markdown", ...more }, body: content },
    )
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text }
  }
  const shown = async (id: number) => readSummary(services().database.read, { id, original_id: 0 })

  test("are announced to runners", async () => {
    const { token } = (await call(forge.root, "POST /admin/actions/runners/registration-token")).body
    const { body } = await openRunnerClient(forge.hearth.url).call("runner.v1.RunnerService/Register", { name: "new", token, labels: [] })
    const declared = await fetch(`${forge.hearth.url}/api/actions/runner.v1.RunnerService/Declare`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-runner-uuid": body.runner.uuid, "x-runner-token": body.runner.token },
      body: "{}",
    })
    expect([declared.status, declared.headers.get("x-gitea-actions-capabilities")]).toEqual([200, "job-summary"])
  })

  test("are kept by step, replaced, cleared, and read in order, with what is confidential masked", async () => {
    const made = await taken()
    expect(await put(made, 1, "# Second", { "content-type": "text/markdown; charset=utf-8" })).toEqual({
      status: 200,
      body: { message: "success", sizeBytes: 8, runAttempt: 1 },
    })
    expect((await put(made, 0, `first: very secret, ${made.token}.`)).status).toBe(200)
    expect(await shown(made.job)).toEqual([
      { step: 0, content: "first: ***, ***." },
      { step: 1, content: "# Second" },
    ])
    await put(made, 0, "again ü")
    expect((await put(made, 1, "")).body.message).toBe("cleared")
    expect(await shown(made.job)).toEqual([{ step: 0, content: "again ü" }])
    expect(await readSummary(services().database.read, { id: 999_999, original_id: made.job })).toEqual(await shown(made.job))
  })

  test("are bounded, and refused for other jobs, other steps, other types and after the end", async () => {
    const made = await taken()
    const other = await taken()
    expect((await put({ ...made, token: other.token }, 0, "x")).body.message).toContain("run_id mismatch")
    const sibling = await runAnotherJob(forge, { runId: made.run, jobId: made.job, taskId: 0 })
    expect((await put({ ...made, token: sibling.token }, 0, "x")).body.message).toContain("job_id mismatch")
    for (const step of [2, 100, "x", "-1"]) expect((await put(made, step, "x")).body.message, String(step)).toContain("step_index mismatch")
    expect((await put(made, 0, "x", { "content-type": "text/html" })).status).toBe(415)
    expect((await put({ ...made, token: "none" }, 0, "x")).status).toBe(401)
    const half = "x".repeat(600_000)
    expect((await put(made, 0, half)).status).toBe(200)
    expect((await put(made, 0, half)).status).toBe(200)
    expect((await put(made, 1, half)).body.message).toContain("aggregate size exceeded")
    expect((await put(made, 1, "x".repeat(2 ** 20 - 600_000))).status).toBe(200)
    expect((await shown(made.job)).map(({ content }) => content.length)).toEqual([600_000, 2 ** 20 - 600_000])
    await made.runner.finish(made.task?.id)
    expect((await put(made, 0, "late")).status).toBe(401)
  })

  test("are taken while a job is being cancelled, and go with the log after a year", async () => {
    const made = await taken()
    const taskId = Number(made.task?.id)
    await stateTask(forge, { ...made, runId: made.run, jobId: made.job, taskId }, "cancelling")
    expect((await put(made, 0, "cleaned up")).status).toBe(200)
    await made.runner.finish(made.task?.id)
    await services().database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ stopped_at: services().now() - 366 * 86_400 })
        .where("id", "=", taskId)
        .execute(),
    )
    await services().jobs.tasks.run("cleanup_actions")
    await services().jobs.drain()
    expect(await shown(made.job)).toEqual([])
  })

  test("what is too large as a whole is refused before it is read", async () => {
    const job = await runJob(forge, "ann/lamp1")
    expect((await put({ run: job.runId, job: job.jobId, token: job.token }, 0, "x".repeat(2 ** 20 + 1))).status).toBe(413)
  })
})
