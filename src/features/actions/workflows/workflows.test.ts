import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { commitWorkflow, finishRun } from "../testing.ts"

withHearth("workflows", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const repo = "/repos/ann/lamp/actions"
  const call = (route: string, body?: unknown, by: string | undefined = ann) => forge.call(by, route.replace(" ", ` ${repo}`), body)
  const total = async (path = "/runs"): Promise<number> => (await call(`GET ${path}`)).body.total_count
  const latest = async () => (await call("GET /runs?limit=1")).body.workflow_runs[0]
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
  })

  test("an empty repository, or one without files, has none", async () => {
    await forge.call(ann, "POST /user/repos", { name: "bare" })
    for (const at of ["/repos/ann/bare/actions", repo])
      expect((await forge.call(ann, `GET ${at}/workflows`)).body).toEqual({ workflows: [], total_count: 0 })
    expect((await call("GET /workflows/build.yml")).status).toBe(404)
    expect((await call("GET /workflows/build.yml/runs")).status).toBe(404)
  })

  test("workflows are the files of the default branch", async () => {
    await commitWorkflow(forge, ann, "ann/lamp")
    await commitWorkflow(forge, ann, "ann/lamp", {
      path: ".gitea/workflows/deep/plain.yaml",
      text: "on: workflow_dispatch\njobs: {a: {runs-on: x}}",
      message: "second [skip ci]",
    })
    await commitWorkflow(forge, ann, "ann/lamp", { path: ".gitea/workflows/notes.txt", text: "x", message: "third [skip ci]" })
    await commitWorkflow(forge, ann, "ann/lamp", { path: ".github/workflows/other.yml", message: "fourth [skip ci]" })
    const { status, body } = await call("GET /workflows")
    expect([status, body.total_count]).toEqual([200, 2])
    expect(body.workflows[0]).toEqual({
      id: "build.yml",
      name: "build",
      path: ".gitea/workflows/build.yml",
      state: "active",
      url: `${forge.hearth.url}/api/v1${repo}/workflows/build.yml`,
      html_url: `${forge.hearth.url}/ann/lamp/src/branch/main/.gitea/workflows/build.yml`,
      badge_url: `${forge.hearth.url}/ann/lamp/actions/workflows/build.yml/badge.svg?branch=main`,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect(body.workflows[1]).toMatchObject({ id: "deep/plain.yaml", name: "deep/plain.yaml" })
    expect((await call("GET /workflows/build.yml")).body).toEqual(body.workflows[0])
    expect((await call("GET /workflows/deep%2Fplain.yaml")).body).toEqual(body.workflows[1])
    expect((await call("GET /workflows/other.yml")).status).toBe(404)
    expect(await total()).toBe(1)
    expect((await call("GET /workflows", undefined, ben)).body.total_count).toBe(2)
    expect((await forge.call(undefined, `GET ${repo}/workflows`)).status).toBe(401)
  })

  test("one that is switched off can't be started", async () => {
    expect((await call("PUT /workflows/build.yml/disable", undefined, ben)).status).toBe(403)
    expect((await call("PUT /workflows/none.yml/disable")).status).toBe(404)
    for (let time = 0; time < 2; time++) expect((await call("PUT /workflows/build.yml/disable")).status).toBe(204)
    expect((await call("GET /workflows/build.yml")).body.state).toBe("disabled_manually")
    await commitWorkflow(forge, ann, "ann/lamp", { path: "a.txt", text: "x", message: "while off" })
    expect((await call("POST /workflows/build.yml/dispatches", { ref: "main" })).status).toBe(403)
    expect(await total()).toBe(1)
    expect((await call("PUT /workflows/none.yml/enable")).status).toBe(404)
    for (let time = 0; time < 2; time++) expect((await call("PUT /workflows/build.yml/enable")).status).toBe(204)
    expect((await call("GET /workflows/build.yml")).body.state).toBe("active")
  })

  test("a push starts only workflows with a matching trigger", async () => {
    const before = await total()
    await commitWorkflow(forge, ann, "ann/lamp", { path: "b.txt", text: "x", message: "plain\n\nmore" })
    expect([await total(), (await latest()).display_title]).toEqual([before + 1, "plain"])
    await commitWorkflow(forge, ann, "ann/lamp", { path: "c.txt", text: "x", message: "none [skip ci]" })
    expect(await total()).toBe(before + 1)
    const text = "on: {push: {paths: ['src/**']}}\njobs: {a: {runs-on: x}}"
    await commitWorkflow(forge, ann, "ann/lamp", { path: ".gitea/workflows/paths.yml", text, message: "new one" })
    expect(await total("/workflows/build.yml/runs")).toBe(before + 2)
    expect((await call("GET /workflows/paths.yml/runs")).body).toEqual({ workflow_runs: [], total_count: 0 })
    await commitWorkflow(forge, ann, "ann/lamp", { path: "src/d.txt", text: "x", message: "a source" })
    expect(await total("/workflows/paths.yml/runs")).toBe(1)
    await forge.call(ann, "POST /repos/ann/lamp/tags", { tag_name: "v1", target: "main" })
    const tagged = await latest()
    expect(tagged).toMatchObject({ path: expect.stringContaining("@refs/tags/v1") })
    expect(tagged).not.toHaveProperty("head_branch")
  })

  test("one push starts no more than a thousand jobs", async () => {
    await forge.call(ann, "POST /user/repos", { name: "crowd", auto_init: true, default_branch: "main" })
    const axis = `[${Array.from({ length: 250 }, (_, index) => index)}]`
    const text = `on: push\njobs: {many: {runs-on: nowhere, strategy: {matrix: {at: ${axis}}}}}\n`
    const content = Buffer.from(text).toString("base64")
    const files = Array.from({ length: 6 }, (_, index) => ({ operation: "create", path: `.gitea/workflows/${index}.yml`, content }))
    expect((await forge.call(ann, "POST /repos/ann/crowd/contents", { files, message: "many", branch: "main" })).status).toBe(201)
    expect((await forge.call(ann, "GET /repos/ann/crowd/actions/runs")).body.total_count).toBe(4)
    expect((await forge.call(ann, "GET /repos/ann/crowd/actions/jobs")).body.total_count).toBe(1000)
  })

  test("a repository without actions, or that is archived, starts none", async () => {
    await forge.call(ann, "POST /user/repos", { name: "dark", auto_init: true, default_branch: "main" })
    await forge.call(ann, "PATCH /repos/ann/dark", { has_actions: false })
    await commitWorkflow(forge, ann, "ann/dark")
    const dark = "/repos/ann/dark/actions"
    expect((await forge.call(ann, `GET ${dark}/runs`)).body.total_count).toBe(0)
    expect((await forge.call(ann, `POST ${dark}/workflows/build.yml/dispatches`, { ref: "main" })).status).toBe(403)
    await forge.call(ann, "PATCH /repos/ann/dark", { has_actions: true, archived: true })
    expect((await forge.call(ann, `POST ${dark}/workflows/build.yml/dispatches`, { ref: "main" })).status).toBe(423)
  })

  test("by hand, on a branch or a tag", async () => {
    for (const ref of ["main", "refs/heads/main", "v1", "refs/tags/v1"]) {
      const { status, body } = await call("POST /workflows/build.yml/dispatches?return_run_details=true", {
        ref,
        inputs: { level: "high", loud: "true", other: "x" },
      })
      expect(status).toBe(200)
      const run = (await call(`GET /runs/${body.workflow_run_id}`)).body
      expect(run).toMatchObject({ event: "workflow_dispatch", url: body.run_url, html_url: body.html_url, status: "queued" })
      const stored = await forge.hearth.services.database.read
        .selectFrom("action_runs")
        .select("payload")
        .where("id", "=", run.id)
        .executeTakeFirstOrThrow()
      expect(JSON.parse(stored.payload).inputs).toEqual({ level: "high", loud: true })
    }
    expect((await call("POST /workflows/build.yml/dispatches", { ref: "main" })).status).toBe(204)
    for (const [path, body, status] of [
      ["build.yml", {}, 422],
      ["build.yml", { ref: "none" }, 404],
      ["none.yml", { ref: "main" }, 404],
      ["paths.yml", { ref: "main" }, 422],
      ["build.yml", { ref: "main", inputs: { a: 1 } }, 422],
    ] as const)
      expect([path, body, (await call(`POST /workflows/${path}/dispatches`, body)).status]).toEqual([path, body, status])
    expect((await call("POST /workflows/build.yml/dispatches?scoped_workflow_source_repo_id=7", { ref: "main" })).status).toBe(404)
    expect((await call("POST /workflows/build.yml/dispatches", { ref: "main" }, ben)).status).toBe(403)
  })

  test("inputs that don't fit what is declared are refused by their names", async () => {
    const inputs = "{level: {type: choice, options: [low, high], required: true}, times: {type: number, default: 1}}"
    const text = `on: {workflow_dispatch: {inputs: ${inputs}}}\njobs: {build: {runs-on: nowhere}}\n`
    await commitWorkflow(forge, ann, "ann/lamp", { path: ".gitea/workflows/typed.yml", text })
    const start = async (sent: object) => {
      const { status, body } = await call("POST /workflows/typed.yml/dispatches", { ref: "main", inputs: sent })
      return [status, body?.message]
    }
    expect(await start({})).toEqual([422, expect.stringContaining("[inputs.level]: is required")])
    expect(await start({ level: "deafening" })).toEqual([422, expect.stringContaining("[inputs.level]: should be one of low, high")])
    expect(await start({ level: "low", times: "x" })).toEqual([422, expect.stringContaining("[inputs.times]: should be a number")])
    expect(await start({ level: "low", times: "2" })).toEqual([204, undefined])
  })

  test("a run that has ended is rerun, wholly or in part", async () => {
    const { body } = await call("POST /workflows/build.yml/dispatches?return_run_details=true", { ref: "main" })
    const at = `/runs/${body.workflow_run_id}`
    const jobsNow = async () => (await call(`GET ${at}/jobs`)).body.jobs
    expect((await call(`POST ${at}/rerun`)).status).toBe(400)
    await finishRun(forge, body.workflow_run_id, "success")
    expect((await call(`POST ${at}/rerun`, undefined, ben)).status).toBe(403)
    expect((await call(`POST ${at}/rerun-failed-jobs`)).status).toBe(400)
    const again = await call(`POST ${at}/rerun`)
    expect([again.status, again.body]).toMatchObject([
      201,
      { run_attempt: 2, status: "queued", started_at: "1970-01-01T00:00:00Z", previous_attempt_url: expect.stringMatching(/attempts\/1$/) },
    ])
    expect((await call(`POST ${at}/rerun`)).status).toBe(400)
    expect((await call(`GET ${at}/attempts/1`)).body).toMatchObject({ run_attempt: 1, status: "completed", conclusion: "success" })
    expect((await call(`GET ${at}/attempts/1/jobs`)).body.jobs).toMatchObject([{ status: "completed" }, { status: "completed" }])
    expect(await jobsNow()).toMatchObject([
      { name: "build", status: "queued", run_attempt: 2 },
      { name: "check", status: "waiting" },
    ])

    await finishRun(forge, body.workflow_run_id, "success")
    const [build, check] = await jobsNow()
    const one = await call(`POST ${at}/jobs/${check.id}/rerun`)
    expect([one.status, one.body]).toMatchObject([201, { name: "check", status: "queued", run_attempt: 3 }])
    expect(await jobsNow()).toMatchObject([
      { name: "build", status: "completed", conclusion: "success", run_attempt: 3 },
      { status: "queued" },
    ])

    await finishRun(forge, body.workflow_run_id, "failure")
    expect((await call(`POST ${at}/jobs/${build.id}/rerun`)).status).toBe(409)
    expect((await call(`POST ${at}/jobs/999999/rerun`)).status).toBe(404)
    expect((await call("POST /runs/999999/rerun")).status).toBe(404)
    const failed = await call(`POST ${at}/rerun-failed-jobs`)
    expect([failed.status, failed.body]).toEqual([201, undefined])
    await finishRun(forge, body.workflow_run_id, "failure")
    await call("PUT /workflows/build.yml/disable")
    expect((await call(`POST ${at}/rerun`)).status).toBe(403)
    await call("PUT /workflows/build.yml/enable")
    await forge.call(ann, "PATCH /repos/ann/lamp", { has_actions: false })
    expect((await call(`POST ${at}/rerun`)).status).toBe(403)
    await forge.call(ann, "PATCH /repos/ann/lamp", { has_actions: true })
  })
})
