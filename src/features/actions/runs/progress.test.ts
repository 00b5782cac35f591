import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner, expression, playWorkflow, takeJob } from "../testing.ts"

withHearth("how runs move on", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann }) => {
  const home = "ann/lamp"
  const at = "/repos/ann/lamp/actions"
  const play = (text: string, file?: string) => playWorkflow(forge, ann, home, `on: push\n${text}`, file)
  const job = (text: string) => `{runs-on: x, steps: [{run: a}]${text === "" ? "" : `, ${text}`}}`
  let runner: number
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
  })

  test("conditions of jobs that need others are decided on once these have ended", async () => {
    const run = await play(`jobs:
  a: ${job("")}
  b: ${job("")}
  plain: ${job("needs: [a, b]")}
  failed: ${job('needs: [a, b], if: "failure()"')}
  anyway: ${job("needs: [a, b], if: \"always() && needs.a.outputs.x == '1'\"")}
  fine: ${job("needs: a, if: \"github.event_name == 'push'\"")}
  not: ${job("needs: a, if: \"github.event_name == 'issues'\"")}
  after: ${job("needs: [plain, failed]")}
`)
    expect(await run.jobs()).toMatchObject({ a: "queued", b: "queued", plain: "waiting", fine: "waiting" })
    await run.end("a", "success", { x: "1" })
    expect(await run.jobs()).toMatchObject({ fine: "queued", not: "skipped", anyway: "waiting" })
    await run.end("b", "failure")
    expect(await run.jobs()).toMatchObject({ plain: "skipped", failed: "queued", anyway: "queued", after: "waiting" })
    await run.end("failed", "success")
    expect(await run.jobs()).toMatchObject({ after: "skipped" })
    for (const name of ["anyway", "fine"]) await run.end(name, "success")
    expect(await run.state()).toBe("failure")
  })

  test("a condition that can't be evaluated fails its job at once, and says why", async () => {
    const run = await play(`jobs:
  a: ${job("")}
  b: ${job('needs: a, if: "fromJSON(needs.a.outputs.x)"')}
  c: ${job('needs: b, if: "always()"')}
  d: ${job('if: "success("')}
`)
    expect(await run.jobs()).toEqual({ a: "queued", b: "waiting", c: "waiting", d: "failure" })
    await run.end("a", "success", { x: "{" })
    expect(await run.jobs()).toEqual({ a: "success", b: "failure", c: "queued", d: "failure" })
    const id = await run.jobId("b")
    const { body } = await forge.call(ann, `GET ${at}/jobs/${id}`)
    expect(body.error).toMatch(/^The condition of this job can't be evaluated: fromJSON: .*: \{$/)
    expect((await forge.call(ann, `GET ${at}/jobs/${id}/logs`)).body).toMatch(
      /^\S+Z ##\[error\]The condition of this job can't be evaluated: .*\n$/,
    )
    const statuses = (await forge.call(ann, `GET /repos/ann/lamp/commits/${body.head_sha}/statuses`)).body
    expect(statuses.find(({ context }: { context: string }) => context === "play.yml / b (push)")).toMatchObject({
      status: "failure",
      description: body.error,
    })
    await run.end("c", "success")
    expect(await run.state()).toBe("failure")
  })

  test("names, labels and limits are evaluated, the title as well", async () => {
    await forge.call(ann, `POST ${at}/variables/LABEL`, { value: "fast" })
    const run = await play(`run-name: by ${expression("github.actor")}, run ${expression("github.run_number")}
jobs:
  a: {runs-on: [x, "${expression("vars.LABEL")}"], name: "for ${expression("github.ref_name")}", timeout-minutes: "${expression("2 > 1 && 5")}"}
`)
    const { body } = await forge.call(ann, `GET ${at}/runs/${run.id}`)
    expect(body.display_title).toBe(`by ann, run ${body.run_number}`)
    const jobs = (await forge.call(ann, `GET ${at}/runs/${run.id}/jobs`)).body.jobs
    expect(jobs).toMatchObject([{ name: "for main", labels: ["x", "fast"] }])
    const row = await forge.hearth.services.database.read
      .selectFrom("action_jobs")
      .selectAll()
      .where("run_id", "=", run.id)
      .executeTakeFirstOrThrow()
    expect([row.timeout_minutes, JSON.parse(row.permissions)["repo.code"]]).toEqual([5, "write"])
    await run.end("for main", "success")
    expect(await run.state()).toBe("success")
  })

  test("a matrix of outputs is laid out once they are there", async () => {
    const run = await play(`jobs:
  a: ${job("")}
  b: ${job(`needs: a, strategy: {matrix: {v: "${expression("fromJSON(needs.a.outputs.list)")}"}}`)}
  c: ${job("needs: b")}
`)
    expect(await run.jobs()).toEqual({ a: "queued", b: "waiting", c: "waiting" })
    await run.end("a", "success", { list: "[1, 2]" })
    expect(await run.jobs()).toEqual({ a: "success", "b (1)": "queued", "b (2)": "queued", c: "waiting" })
    await run.end("b (1)", "success")
    await run.end("b (2)", "success")
    expect(await run.jobs()).toMatchObject({ c: "queued" })
    await run.end("c", "success")
    expect((await forge.call(ann, `POST ${at}/runs/${run.id}/rerun`)).status).toBe(201)
    expect(await run.jobs()).toEqual({ a: "queued", b: "waiting", c: "waiting" })
    await run.end("a", "success", { list: "[3]" })
    expect(await run.jobs()).toEqual({ a: "success", "b (3)": "queued", c: "waiting" })
    await run.end("b (3)", "failure")
    expect(await run.jobs()).toMatchObject({ c: "skipped" })
    expect((await forge.call(ann, `POST ${at}/runs/${run.id}/rerun-failed-jobs`)).status).toBe(201)
    expect(await run.jobs()).toEqual({ a: "success", "b (3)": "queued", c: "waiting" })
    await run.end("b (3)", "success")
    await run.end("c", "success")
    expect(await run.state()).toBe("success")
  })

  test("a list of outputs that is none fails the job", async () => {
    const run = await play(`jobs:
  a: ${job("")}
  b: ${job(`needs: a, strategy: {matrix: {v: "${expression("fromJSON(needs.a.outputs.list)")}"}}`)}
`)
    await run.end("a", "success", { list: "[]" })
    expect(await run.jobs()).toEqual({ a: "success", b: "failure" })
    expect((await forge.call(ann, `GET ${at}/jobs/${await run.jobId("b")}`)).body.error).toBe("'v' of the matrix has no values")
  })

  const matrix = (more: string) => `strategy: {${more}matrix: {v: [1, 2, 3]}}`

  test("a failure in a matrix ends the others, unless it is allowed or they are to go on", async () => {
    const text = (more: string, job_: string) => `jobs: {a: ${job(`${matrix(more)}${job_}`)}, b: ${job("needs: a")}}\n`
    const fast = await play(text("", ""))
    await takeJob(forge, await fast.jobId("a (2)"), runner)
    await fast.end("a (1)", "failure")
    expect(await fast.jobs()).toEqual({ "a (1)": "failure", "a (2)": "cancelled", "a (3)": "cancelled", b: "skipped" })
    expect(await fast.state()).toBe("cancelled")
    for (const [more, job_, state] of [
      ["fail-fast: false, ", "", "failure"],
      ["", ", continue-on-error: true", "success"],
    ] as const) {
      const slow = await play(text(more, job_))
      await slow.end("a (1)", "failure")
      expect(await slow.jobs()).toMatchObject({ "a (2)": "queued", "a (3)": "queued" })
      await slow.end("a (2)", "success")
      await slow.end("a (3)", "success")
      expect(await slow.jobs()).toMatchObject({ b: state === "success" ? "queued" : "skipped" })
      if (state === "success") await slow.end("b", "success")
      expect(await slow.state()).toBe(state)
    }
  })

  test("no more of a matrix are queued at once than it says", async () => {
    const run = await play(`jobs: {a: ${job(matrix("max-parallel: 2, "))}}\n`)
    expect(await run.jobs()).toEqual({ "a (1)": "queued", "a (2)": "queued", "a (3)": "waiting" })
    await run.end("a (2)", "success")
    expect(await run.jobs()).toEqual({ "a (1)": "queued", "a (2)": "success", "a (3)": "queued" })
    await run.end("a (1)", "success")
    await run.end("a (3)", "success")
    expect(await run.state()).toBe("success")
  })

  test("a file that can't be read makes a failed run that says where", async () => {
    const run = await play("jobs:\n  a: {runs-on: x, needs: b}\n", "broken.yml")
    const { body } = await forge.call(ann, `GET ${at}/runs/${run.id}`)
    expect(body).toMatchObject({
      status: "completed",
      conclusion: "failure",
      display_title: "write broken.yml",
      error: "line 3, column 19: the job 'a' needs 'b', which is not there",
    })
    expect(await run.jobs()).toEqual({})
    const statuses = (await forge.call(ann, `GET /repos/ann/lamp/commits/${body.head_sha}/statuses`)).body
    expect(statuses.filter(({ context }: { context: string }) => context.startsWith("broken"))).toMatchObject([
      {
        context: "broken.yml (push)",
        status: "failure",
        description: body.error,
        target_url: expect.stringContaining(`/actions/runs/${run.id}`),
      },
    ])
    const rerun = await forge.call(ann, `POST ${at}/runs/${run.id}/rerun`)
    expect([rerun.status, rerun.body.message]).toEqual([400, "this run has no jobs"])
    expect((await forge.call(ann, `POST ${at}/runs/${run.id}/cancel`)).status).toBe(409)
    const dispatched = await forge.call(ann, `POST ${at}/workflows/broken.yml/dispatches`, { ref: "main" })
    expect([dispatched.status, JSON.stringify(dispatched.body)]).toEqual([422, expect.stringContaining("which is not there")])
    await forge.call(ann, `PUT ${at}/workflows/broken.yml/disable`)
  })

  test("what can't be evaluated of the run itself fails it", async () => {
    const run = await play(`run-name: ${expression("nothing.x")}\njobs: {a: ${job("")}}\n`, "named.yml")
    const { body } = await forge.call(ann, `GET ${at}/runs/${run.id}`)
    expect(body).toMatchObject({ conclusion: "failure", error: "Unrecognized named-value: 'nothing' (in the expression: nothing.x)" })
    await forge.call(ann, `PUT ${at}/workflows/named.yml/disable`)
  })

  test("a cancelled run starts only what is to run in any case, and not even that when it is cancelled again", async () => {
    const text = `jobs:
  a: ${job("")}
  b: ${job("")}
  plain: ${job("needs: a")}
  clean: ${job('needs: [a, b], if: "always()"')}
  sad: ${job('needs: a, if: "cancelled()"')}
  glad: ${job("needs: clean")}
`
    const cancel = (id: number) => forge.call(ann, `POST ${at}/runs/${id}/cancel`)
    const run = await play(text)
    const task = await takeJob(forge, await run.jobId("a"), runner, [["First", "running"]])
    expect((await cancel(run.id)).status).toBe(202)
    expect(await run.jobs()).toEqual({
      a: "cancelled",
      b: "cancelled",
      plain: "cancelled",
      clean: "queued",
      sad: "queued",
      glad: "waiting",
    })
    const { state } = await forge.hearth.services.database.read
      .selectFrom("action_tasks")
      .select("state")
      .where("id", "=", task)
      .executeTakeFirstOrThrow()
    expect(state).toBe("cancelled")
    await run.end("sad", "success")
    await run.end("clean", "success")
    expect(await run.jobs()).toMatchObject({ glad: "cancelled" })
    expect(await run.state()).toBe("cancelled")
    expect((await cancel(run.id)).status).toBe(409)
    expect((await forge.call(ann, `POST ${at}/runs/999999/cancel`)).status).toBe(404)

    const again = await play(text)
    expect([(await cancel(again.id)).status, (await cancel(again.id)).status]).toEqual([202, 202])
    expect(new Set(Object.values(await again.jobs()))).toEqual(new Set(["cancelled"]))
    expect(await again.state()).toBe("cancelled")
  })

  test("a runner that ends jobs in order is asked to, and not waited for the second time", async () => {
    const able = await addRunner(forge, "/repos/ann/lamp", { name: "able", capabilities: '["cancelling"]' })
    const run = await play(`jobs: {a: ${job("")}, b: ${job("")}}\n`)
    for (const name of ["a", "b"]) await takeJob(forge, await run.jobId(name), able)
    const cancel = () => forge.call(ann, `POST ${at}/runs/${run.id}/cancel`)
    expect((await cancel()).status).toBe(202)
    expect(await run.jobs()).toEqual({ a: "in_progress", b: "in_progress" })
    await run.end("a", "cancelled")
    expect(await run.state()).toBe("in_progress")
    expect((await cancel()).status).toBe(202)
    expect([await run.state(), await run.jobs()]).toEqual(["cancelled", { a: "cancelled", b: "cancelled" }])
  })
})
