import { decodeJwt } from "jose"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner, commitWorkflow, takeJob } from "../testing.ts"
import { readRuntimeToken, signRuntimeToken, writeJwt } from "./runtime-token.ts"

withHearth("runtime tokens of jobs", { people: ["ann"] }, ({ test, forge, ann }) => {
  const services = () => forge.hearth.services
  let ids: { readonly taskId: number; readonly runId: number; readonly jobId: number }

  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, "ann/lamp")
    const { jobs } = (await forge.call(ann, "GET /repos/ann/lamp/actions/jobs")).body
    const [{ id: jobId, run_id: runId }] = jobs
    ids = { jobId, runId, taskId: await takeJob(forge, jobId, await addRunner(forge, "/admin", { name: "r" })) }
  })

  test("name run, job and repository while the task runs", async () => {
    const token = signRuntimeToken(services(), ids)
    const { nbf = 0, exp, ...claims } = decodeJwt(token)
    expect(claims).toEqual({
      scp: `Actions.Results:${ids.runId}:${ids.jobId}`,
      TaskID: ids.taskId,
      RunID: ids.runId,
      JobID: ids.jobId,
      ac: '[{"Scope":"","Permission":2}]',
    })
    expect(exp).toBe(nbf + 4 * 3600)
    expect(await readRuntimeToken(services(), token)).toMatchObject({
      task: { id: ids.taskId },
      job: { id: ids.jobId, attempt: 1, key: "build" },
      run: { id: ids.runId, event: "push", ref: "refs/heads/main", is_untrusted: 0 },
      repository: { name: "lamp", default_branch: "main" },
    })
  })

  test("are refused when forged, altered, expired or issued for something else", async () => {
    const token = signRuntimeToken(services(), ids)
    const [header = "", payload = "", signature = ""] = token.split(".")
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const claims = decodeJwt(token)
    const late = { ...services(), now: () => services().now() - 4 * 3600 }
    const early = { ...services(), now: () => services().now() + 60 }
    const wrong = [
      "",
      "x",
      "..",
      `${header}.${payload}`,
      `${token}.x`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.`,
      `${header}.${encode({ ...claims, RunID: ids.runId + 1 })}.${signature}`,
      `${encode({ alg: "none", typ: "JWT" })}.${payload}.`,
      `${encode({ alg: "none", typ: "JWT" })}.${payload}.${signature}`,
      signRuntimeToken(late, ids),
      signRuntimeToken(early, ids),
      signRuntimeToken(services(), { ...ids, taskId: 999_999 }),
      signRuntimeToken(services(), { ...ids, runId: ids.runId + 1 }),
      signRuntimeToken(services(), { ...ids, jobId: ids.jobId + 1 }),
      writeJwt(services(), "something else", claims),
      writeJwt(services(), "actions runtime token", { ...claims, TaskID: "1" }),
    ]
    for (const text of wrong) expect(await readRuntimeToken(services(), text), text).toBeUndefined()
  })

  test("hold while the task is being cancelled, and no longer when it has ended", async () => {
    const token = signRuntimeToken(services(), ids)
    const states = [
      ["cancelling", true],
      ["cancelled", false],
      ["success", false],
      ["running", true],
    ] as const
    for (const [state, holds] of states) {
      await services().database.write((tx) => tx.updateTable("action_tasks").set({ state }).where("id", "=", ids.taskId).execute())
      expect((await readRuntimeToken(services(), token)) !== undefined, state).toBe(holds)
    }
  })
})
