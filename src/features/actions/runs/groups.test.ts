import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner, commitWorkflow, expression, follow, type PlayedRun, playWorkflow, takeJob } from "../testing.ts"

withHearth("concurrency groups", { on: databaseKinds, people: ["ann"] }, ({ test, forge, ann }) => {
  let runner: number
  const job = (more = "") => `{runs-on: x, steps: [{run: a}]${more}}`
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
  })
  const play = (group: string, jobs = `{a: ${job()}}`) =>
    playWorkflow(forge, ann, "ann/lamp", `on: push\n# ${Math.random()}\n${group}\njobs: ${jobs}\n`)
  const begin = async (run: PlayedRun, name = "a") => takeJob(forge, await run.jobId(name), runner)
  const states = (...runs: readonly PlayedRun[]) => Promise.all(runs.map(({ state }) => state()))

  test("one run goes on, the newest waits for it, and those between are cancelled", async () => {
    const group = `concurrency: "one-${expression("github.ref_name")}"`
    const first = await play(group)
    await begin(first)
    const second = await play(group)
    expect(await states(first, second)).toEqual(["in_progress", "waiting"])
    const third = await play(group)
    expect(await states(first, second, third)).toEqual(["in_progress", "cancelled", "waiting"])
    await first.end("a", "failure")
    expect(await states(first, third)).toEqual(["failure", "queued"])
    const fourth = await play(group)
    expect(await states(third, fourth)).toEqual(["cancelled", "queued"])
    await fourth.end("a", "success")
  })

  test("other groups, and runs without one, are not concerned", async () => {
    const runs = [await play("concurrency: left"), await play("concurrency: right"), await play("")]
    for (const run of runs) await begin(run)
    expect(await states(...runs)).toEqual(["in_progress", "in_progress", "in_progress"])
    for (const run of runs) await run.end("a", "success")
  })

  test("a run that cancels others in progress starts at once, or when they have ended in order", async () => {
    const group = "concurrency: {group: two, cancel-in-progress: true}"
    const first = await play(group)
    await begin(first)
    const second = await play(group)
    expect(await states(first, second)).toEqual(["cancelled", "queued"])
    const able = await addRunner(forge, "/repos/ann/lamp", { name: "able", capabilities: '["cancelling"]' })
    await takeJob(forge, await second.jobId("a"), able)
    const third = await play(group)
    expect(await states(second, third)).toEqual(["in_progress", "waiting"])
    await second.end("a", "cancelled")
    expect(await states(second, third)).toEqual(["cancelled", "queued"])
    await third.end("a", "success")
  })

  test("jobs have groups as well, also such that follow from outputs", async () => {
    const jobs = `{a: ${job()}, b: ${job(`, needs: a, concurrency: "${expression("needs.a.outputs.where")}"`)}, c: ${job(", needs: b")}}`
    const first = await play("", jobs)
    await first.end("a", "success", { where: "there" })
    await begin(first, "b")
    const second = await play("", jobs)
    await second.end("a", "success", { where: "there" })
    expect(await second.jobs()).toEqual({ a: "success", b: "waiting", c: "waiting" })
    const third = await play("", jobs)
    await third.end("a", "success", { where: "elsewhere" })
    expect(await third.jobs()).toMatchObject({ b: "queued" })
    await first.end("b", "success")
    expect(await second.jobs()).toMatchObject({ b: "queued" })
    const fourth = await play("", jobs)
    await fourth.end("a", "success", { where: "there" })
    expect([await second.jobs(), await fourth.jobs()]).toMatchObject([{ b: "cancelled", c: "skipped" }, { b: "queued" }])
    for (const run of [third, fourth]) await run.end("b", "success")
    for (const run of [first, third, fourth]) await run.end("c", "success")
    expect(await states(first, second, third, fourth)).toEqual(["success", "cancelled", "success", "success"])
  })

  test("a group that can't be evaluated fails the job", async () => {
    const run = await play("", `{a: ${job(`, concurrency: "${expression("secrets.X")}"`)}}`)
    expect(await run.jobs()).toEqual({ a: "failure" })
    const { body } = await forge.call(ann, `GET /repos/ann/lamp/actions/jobs/${await run.jobId("a")}`)
    expect(body.error).toBe("Unrecognized named-value: 'secrets' (in the expression: secrets.X)")
  })

  test("a run and its job of the same group don't wait for each other", async () => {
    const run = await play("concurrency: same", `{a: ${job(", concurrency: same")}}`)
    expect(await run.jobs()).toEqual({ a: "queued" })
    await run.end("a", "success")
  })

  test("a further attempt waits for its turn as well", async () => {
    const first = await play("concurrency: again")
    await first.end("a", "failure")
    const second = await play("concurrency: again")
    await begin(second)
    expect((await forge.call(ann, `POST /repos/ann/lamp/actions/runs/${first.id}/rerun`)).status).toBe(201)
    expect(await states(first, second)).toEqual(["waiting", "in_progress"])
    await second.end("a", "success")
    expect(await states(first, second)).toEqual(["queued", "success"])
    await first.end("a", "success")
  })

  test("a run that waits for its turn is cancelled without ever starting, also what runs in any case", async () => {
    const jobs = `{a: ${job()}, b: ${job(', needs: a, if: "always()"')}}`
    const first = await play("concurrency: wait", jobs)
    await begin(first)
    const second = await play("concurrency: wait", jobs)
    expect((await forge.call(ann, `POST /repos/ann/lamp/actions/runs/${second.id}/cancel`)).status).toBe(202)
    expect([await second.state(), await second.jobs()]).toEqual(["cancelled", { a: "cancelled", b: "cancelled" }])
  })

  test("runs that are started at the same time end up with one whose turn it is", async () => {
    const text = `on: workflow_dispatch\nconcurrency: crowd\njobs: {a: ${job()}}\n`
    await commitWorkflow(forge, ann, "ann/lamp", { path: ".gitea/workflows/crowd.yml", text, message: "a crowd [skip ci]" })
    const start = () =>
      forge.call(ann, "POST /repos/ann/lamp/actions/workflows/crowd.yml/dispatches?return_run_details=true", { ref: "main" })
    const answers = await Promise.all(Array.from({ length: 6 }, start))
    const runs = answers.map(({ body }) => follow(forge, ann, "ann/lamp", body.workflow_run_id))
    expect((await states(...runs)).toSorted()).toEqual([...Array.from({ length: 5 }, () => "cancelled"), "queued"])
  })

  test("jobs that end at the same time start what needs them once", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `j${index}`)
    const run = await play("", `{${names.map((name) => `${name}: ${job()}`).join(", ")}, last: ${job(`, needs: [${names.join(", ")}]`)}}`)
    await Promise.all(names.map((name) => run.end(name, "success")))
    expect(await run.jobs()).toMatchObject({ last: "queued" })
    const cancel = () => forge.call(ann, `POST /repos/ann/lamp/actions/runs/${run.id}/cancel`)
    await Promise.all([run.end("last", "success"), cancel(), cancel()])
    expect(["success", "cancelled"]).toContain(await run.state())
  })
})
