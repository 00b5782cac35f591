import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { expect } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { commitWorkflow } from "../../features/actions/testing.ts"
import { PingService } from "./messages.ts"
import { openRunnerClient, type RunnerClient, type TaskInTest } from "./testing.ts"

const WORKFLOW = `name: build
on: {push: , workflow_dispatch: }
jobs:
  build:
    runs-on: host
    outputs: {level: "\${{ steps.one.outputs.level }}"}
    steps: [{id: one, run: echo hello}, {name: second, run: echo two}]
  next:
    needs: build
    runs-on: [host, fast]
    steps: [{run: echo}]
`

withHearth("runners", { on: databaseKinds, people: ["ann"] }, ({ test, forge, ann, call }) => {
  let client: RunnerClient
  let runner: RunnerClient
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main", private: true })
    await call(ann, "PUT /repos/ann/lamp/actions/secrets/PASSWORD", { data: "open sesame" })
    await call(ann, "POST /repos/ann/lamp/actions/variables/LEVEL", { value: "low" })
    await commitWorkflow(forge, ann, "ann/lamp", { text: WORKFLOW })
    client = openRunnerClient(forge.hearth.url)
    runner = await client.registered((await call(ann, "POST /repos/ann/lamp/actions/runners/registration-token")).body.token, [
      "host",
      "fast",
    ])
  })

  const run = async () => {
    const { body } = await call(ann, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches?return_run_details=true", { ref: "main" })
    return Number(body.workflow_run_id)
  }
  const jobsOf = async (runId: number) => (await call(ann, `GET /repos/ann/lamp/actions/runs/${runId}/jobs`)).body.jobs
  const ready = async () => {
    await call(ann, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches", { ref: "main" })
    return (await runner.fetch()).task
  }
  const drained = async () => {
    for (let task = (await runner.fetch()).task; task; task = (await runner.fetch()).task) await runner.finish(task.id)
  }

  test("are greeted, in JSON and in binary form", async () => {
    expect(await client.call("ping.v1.PingService/Ping", { data: "one" })).toMatchObject({ status: 200, body: { data: "Hello, one!" } })
    const { input, output } = PingService.method.ping
    const answer = await fetch(`${forge.hearth.url}/api/actions/ping.v1.PingService/Ping`, {
      method: "POST",
      headers: { "content-type": "application/proto", "connect-protocol-version": "1" },
      body: Buffer.from(toBinary(input, create(input, { data: "x".repeat(2000) }))),
    })
    expect(answer.headers.get("content-type")).toBe("application/proto")
    expect(fromBinary(output, Buffer.from(await answer.arrayBuffer())).data).toHaveLength(2008)
  })

  test.for([
    ["Register", { name: "", token: "x" }, 400, "invalid_argument"],
    ["Register", { name: "one", token: "unknown" }, 401, "unauthenticated"],
    ["Declare", { version: "v1" }, 401, "unauthenticated"],
    ["FetchTask", {}, 401, "unauthenticated"],
    ["UpdateTask", { state: { id: "1" } }, 401, "unauthenticated"],
    ["UpdateLog", { taskId: "1" }, 401, "unauthenticated"],
  ] as const)("%s with %o is refused with %s %s without a known runner", async ([method, message, status, code]) => {
    expect(await client.call(`runner.v1.RunnerService/${method}`, message)).toMatchObject({ status, body: { code } })
  })

  test("that are unreadable, or ask for what there is not, are told so", async () => {
    const post = (path: string, body: string, type = "application/json") =>
      fetch(`${forge.hearth.url}/api/actions/${path}`, { method: "POST", headers: { "content-type": type }, body })
    expect((await post("runner.v1.RunnerService/Register", "{")).status).toBe(400)
    expect((await post("runner.v1.RunnerService/Register", "{}", "text/plain")).status).toBe(415)
    expect((await post("runner.v1.RunnerService/Nothing", "{}")).status).toBe(404)
    expect((await fetch(`${forge.hearth.url}/api/actions/ping.v1.PingService/Ping`)).status).toBe(405)
    expect(await runner.call("runner.v1.RunnerService/UpdateTask", {})).toMatchObject({ status: 400, body: { code: "invalid_argument" } })
    expect(await runner.call("runner.v1.RunnerService/UpdateTask", { state: { id: "999" } })).toMatchObject({ status: 404 })
    expect(await runner.call("runner.v1.RunnerService/UpdateLog", { taskId: "999" })).toMatchObject({ status: 404 })
  })

  test("declare their labels and version anew at each start", async () => {
    await runner.call("runner.v1.RunnerService/Declare", { version: "v2", labels: ["host", "fast", "host"] })
    const { body } = await call(ann, "GET /repos/ann/lamp/actions/runners")
    expect(body.runners[0]).toMatchObject({ name: "worker", status: "online" })
    expect(body.runners[0].labels.map((label: { name: string }) => label.name)).toEqual(["host", "fast"])
  })

  test("get a job with what it needs, report on it, and then the job that needed it", async () => {
    await drained()
    const id = await run()
    const { task, tasksVersion } = await runner.fetch()
    if (!task) throw new Error("there is a job")
    expect(Number(tasksVersion)).toBeGreaterThan(0)
    expect(task.secrets).toMatchObject({ PASSWORD: "open sesame", GITHUB_TOKEN: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(task.vars).toEqual({ LEVEL: "low" })
    expect(task.context).toMatchObject({ run_id: String(id), job: "build", repository: "ann/lamp", event_name: "workflow_dispatch" })
    expect((await jobsOf(id))[0]).toMatchObject({ status: "in_progress", runner_name: "worker" })

    await runner.report(task.id, { steps: [{ id: "0", result: "RESULT_SUCCESS", startedAt: "2026-01-01T00:00:00Z" }] }, { level: "3" })
    const sent = await runner.report(task.id, {}, { level: "4", ["k".repeat(300)]: "too long" })
    expect(sent.sentOutputs).toEqual(["level", "k".repeat(300)])
    expect(await runner.finish(task.id)).toMatchObject({ state: { result: "RESULT_SUCCESS" } })

    const next = await runner.fetch()
    expect(next.task?.needs).toEqual({ build: { result: "RESULT_SUCCESS", outputs: { level: "3" } } })
    await runner.finish(next.task?.id, "RESULT_FAILURE")
    expect((await jobsOf(id)).map((job: { conclusion: string }) => job.conclusion)).toEqual(["success", "failure"])
  })

  test("can't change the result of a task, or say anything of another's", async () => {
    await drained()
    const task = await ready()
    const other = await client.registered((await call(ann, "POST /repos/ann/lamp/actions/runners/registration-token")).body.token, [], {
      name: "other",
    })
    expect((await other.call("runner.v1.RunnerService/UpdateTask", { state: { id: task?.id, result: "RESULT_SUCCESS" } })).status).toBe(404)
    expect((await other.call("runner.v1.RunnerService/UpdateLog", { taskId: task?.id, noMore: true })).status).toBe(404)
    await runner.finish(task?.id, "RESULT_FAILURE")
    expect(await runner.report(task?.id, { result: "RESULT_SUCCESS" }, { late: "1" })).toEqual({
      state: { id: task?.id, result: "RESULT_FAILURE" },
    })
  })

  test("that were stopped and call that a success have cancelled the job", async () => {
    await drained()
    const task = await ready()
    const steps = [
      { id: "0", result: "RESULT_FAILURE" },
      { id: "1", result: "RESULT_CANCELLED" },
    ]
    expect(await runner.report(task?.id, { result: "RESULT_SUCCESS", steps })).toMatchObject({ state: { result: "RESULT_CANCELLED" } })
  })

  test("send lines of the log again without doubling them, and no line after the last", async () => {
    await drained()
    const task = await ready()
    const rows = (...texts: readonly string[]) => texts.map((content) => ({ time: "2026-01-01T00:00:00.5Z", content }))
    const log = async (index: number, texts: readonly string[], noMore = false) =>
      (await runner.call("runner.v1.RunnerService/UpdateLog", { taskId: task?.id, index: String(index), rows: rows(...texts), noMore }))
        .body
    expect(await log(0, ["one", "the words are open sesame"])).toEqual({ ackIndex: "2" })
    expect(await log(0, ["one", "two", "three"])).toEqual({ ackIndex: "3" })
    expect(await log(5, ["gap"])).toEqual({ ackIndex: "3" })
    expect(await log(9, [], true)).toEqual({ ackIndex: "3" })
    expect(await log(3, [], true)).toEqual({ ackIndex: "3" })
    expect(await log(3, [], true)).toEqual({ ackIndex: "3" })
    expect(await log(3, ["late"])).toMatchObject({ code: "already_exists" })
    await runner.finish(task?.id)
    const id = Number(task?.context["run_id"])
    const job = (await jobsOf(id))[0]
    const { body } = await call(ann, `GET /repos/ann/lamp/actions/jobs/${job.id}/logs`)
    expect(body).toBe(["one", "the words are ***", "three"].map((text) => `2026-01-01T00:00:00.5000000Z ${text}\n`).join(""))
  })

  test("are given a task again that they never heard of, for five minutes, and not one that they report on", async () => {
    await drained()
    const task = await ready()
    expect((await runner.fetch()).task).toBeUndefined()
    const { database, now } = forge.hearth.services
    await database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ updated_at: now() - 11 })
        .where("id", "=", Number(task?.id))
        .execute(),
    )
    const again = (await runner.fetch()).task
    expect([again?.id, again?.secrets["GITHUB_TOKEN"]]).toEqual([task?.id, task?.secrets["GITHUB_TOKEN"]])
    await database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ updated_at: now() - 11, started_at: now() - 301 })
        .where("id", "=", Number(task?.id))
        .execute(),
    )
    expect((await runner.fetch()).task).toBeUndefined()
    await runner.report(task?.id, {})
    await database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ updated_at: now() - 11, started_at: now() })
        .where("id", "=", Number(task?.id))
        .execute(),
    )
    expect((await runner.fetch()).task).toBeUndefined()
    await runner.finish(task?.id)
  })

  test("that leave before the answer leave the job to others", async () => {
    await drained()
    await runner.abandonedFetch(() => call(ann, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches", { ref: "main" }))
    const tasks: TaskInTest[] = []
    await expect.poll(async () => tasks.push(...[(await runner.fetch()).task ?? []].flat())).toBe(1)
    expect(tasks[0]?.context["job"]).toBe("build")
    await runner.finish(tasks[0]?.id)
    await drained()
  })

  test("wait for work, and have it as soon as there is some", async () => {
    await drained()
    const { tasksVersion } = await runner.fetch()
    const waiting = runner.fetch(tasksVersion)
    const id = await run()
    const { task } = await waiting
    expect(task?.context["run_id"]).toBe(String(id))
    await runner.finish(task?.id)
    await drained()
  })

  test("of one job are gone after it; disabled ones get none", async () => {
    await drained()
    const token = (await call(ann, "POST /repos/ann/lamp/actions/runners/registration-token")).body.token
    const once = await client.registered(token, ["host"], { name: "once", ephemeral: true })
    const { body } = await call(ann, "GET /repos/ann/lamp/actions/runners")
    const mine = body.runners.toSorted((one: { id: number }, other: { id: number }) => one.id - other.id)[0]
    await run()
    const { task } = await once.fetch()
    expect(task).toBeDefined()
    expect((await once.fetch()).task).toBeUndefined()
    await once.finish(task?.id)
    expect((await once.call("runner.v1.RunnerService/FetchTask", {})).status).toBe(401)
    await call(ann, `PATCH /repos/ann/lamp/actions/runners/${mine.id}`, { disabled: true })
    expect((await runner.fetch()).task).toBeUndefined()
    await call(ann, `PATCH /repos/ann/lamp/actions/runners/${mine.id}`, { disabled: false })
    await drained()
  })

  test("take jobs of the repository with the fewest running ones first, and only those whose labels they have", async () => {
    await drained()
    await call(ann, "POST /user/repos", { name: "desk", auto_init: true, default_branch: "main" })
    const all = await client.registered((await call(ann, "POST /user/actions/runners/registration-token")).body.token, ["wide"])
    const text =
      "on: push\njobs:\n  a: {runs-on: wide, steps: [{run: a}]}\n  b: {runs-on: wide, steps: [{run: b}]}\n  c: {runs-on: narrow, steps: [{run: c}]}\n"
    await commitWorkflow(forge, ann, "ann/lamp", { text, path: ".gitea/workflows/wide.yml" })
    await commitWorkflow(forge, ann, "ann/desk", { text, path: ".gitea/workflows/wide.yml" })
    const fetched = async () => {
      const { task } = await all.fetch()
      return task && `${task.context["repository"]} ${task.context["job"]}`
    }
    expect([await fetched(), await fetched()].toSorted()).toEqual(["ann/desk a", "ann/lamp a"])
    expect([await fetched(), await fetched()].toSorted()).toEqual(["ann/desk b", "ann/lamp b"])
    expect(await fetched()).toBeUndefined()
  })
})
