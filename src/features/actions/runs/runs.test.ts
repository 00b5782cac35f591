import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner, commitWorkflow, finishRun, repositoryId, takeJob } from "../testing.ts"

withHearth("runs and jobs", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  let sha: string
  const repo = "/repos/ann/lamp/actions"
  const get = (path: string, by: string | undefined = ann) => forge.call(by, `GET ${path}`)
  const runsAt = async (path: string): Promise<number> => (await get(path)).body.total_count
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /orgs/guild/repos", { name: "mill", private: true, auto_init: true, default_branch: "main" })
    sha = await commitWorkflow(forge, ann, "ann/lamp")
    await commitWorkflow(forge, ann, "guild/mill")
    expect((await forge.call(ann, `POST ${repo}/workflows/build.yml/dispatches`, { ref: "main" })).status).toBe(204)
  })

  test("a run by a push, with one job that waits for a runner and one that waits for the other", async () => {
    const { body } = await get(`${repo}/runs?event=push`)
    expect(body.total_count).toBe(1)
    const [run] = body.workflow_runs
    expect(run).toMatchObject({
      display_title: "add build",
      path: "build.yml@refs/heads/main",
      event: "push",
      run_attempt: 1,
      run_number: 1,
      head_sha: sha,
      head_branch: "main",
      status: "queued",
      actor: { login: "ann" },
      trigger_actor: { login: "ann" },
      repository: { name: "lamp", permissions: { admin: false, push: false, pull: false } },
      pull_requests: [],
      previous_attempt_url: null,
      url: `${forge.hearth.url}/api/v1/repos/ann/lamp/actions/runs/${run.id}`,
      started_at: "1970-01-01T00:00:00Z",
    })
    expect(run).not.toHaveProperty("conclusion")
    expect((await get(`${repo}/runs/${run.id}`)).body).toEqual(run)
    expect((await get(`${repo}/runs/${run.id}/attempts/1`)).body).toEqual(run)
    const jobs = (await get(`${repo}/runs/${run.id}/jobs`)).body
    expect(jobs).toMatchObject({
      total_count: 2,
      jobs: [
        { name: "build", labels: ["nowhere"], status: "queued", steps: [], run_id: run.id },
        { name: "check", labels: ["nowhere", "fast"], status: "waiting" },
      ],
    })
    expect((await get(`${repo}/runs/${run.id}/attempts/1/jobs`)).body).toEqual(jobs)
    expect((await get(`${repo}/jobs/${jobs.jobs[0].id}`)).body).toEqual(jobs.jobs[0])
    for (const path of [`runs/${run.id}/attempts/2`, `runs/${run.id}/attempts/2/jobs`, "runs/999999", "runs/999999/jobs", "jobs/999999"])
      expect((await get(`${repo}/${path}`)).status).toBe(404)
    expect((await get(`${repo}/jobs/${jobs.jobs[0].id}/logs`)).status).toBe(404)
    expect((await get(`/repos/guild/mill/actions/runs/${run.id}`)).status).toBe(404)
  })

  test("runs are filtered by all parameters", async () => {
    for (const [asked, count] of [
      ["", 2],
      ["event=push", 1],
      ["event=workflow_dispatch", 1],
      ["event=issues", 0],
      ["event=", 2],
      ["branch=main", 2],
      ["branch=refs/heads/main", 0],
      ["branch=..", 0],
      ["actor=Ann", 2],
      ["actor=nobody", 0],
      [`head_sha=${sha}&event=push`, 1],
      ["status=queued", 2],
      ["status=in_progress", 0],
      ["status=success&status=queued", 2],
      ["status=success&status=failure", 0],
      ["exclude_pull_requests=true", 2],
    ] as const)
      expect([asked, await runsAt(`${repo}/runs?${asked}`)]).toEqual([asked, count])
    for (const asked of ["status=sleeping", "status=", "status=queued&status=", "status=constructor"])
      expect((await get(`${repo}/runs?${asked}`)).status).toBe(400)
    const { body, headers } = await get(`${repo}/runs?limit=1`)
    expect([body.workflow_runs[0].event, headers.get("x-total-count"), headers.get("link")]).toEqual([
      "workflow_dispatch",
      "2",
      expect.stringContaining('rel="next"'),
    ])
    expect((await get(`${repo}/runs?page=9`)).body).toEqual({ workflow_runs: [], total_count: 2 })
  })

  test("each owner scope has its own", async () => {
    expect(await runsAt("/user/actions/runs")).toBe(2)
    expect(await runsAt("/orgs/guild/actions/runs")).toBe(1)
    expect((await get("/admin/actions/runs", forge.root)).body.total_count).toBe(3)
    expect(await runsAt("/user/actions/jobs")).toBe(4)
    expect(await runsAt("/orgs/guild/actions/jobs")).toBe(2)
    expect((await get("/admin/actions/jobs", forge.root)).body.total_count).toBe(6)
    expect((await get("/user/actions/runs", ben)).body).toEqual({ workflow_runs: [], total_count: 0 })
    for (const path of ["/admin/actions/runs", "/orgs/guild/actions/jobs"]) expect((await get(path, ben)).status).toBe(403)
    expect((await get("/repos/guild/mill/actions/runs", ben)).status).toBe(404)
    expect((await get(`${repo}/runs`, ben)).body.total_count).toBe(2)
    expect((await forge.call(undefined, `GET ${repo}/runs`)).status).toBe(401)
  })

  test("members see what an organisation runs where they may read it", async () => {
    // ben may read the Actions of one repository, the code of another, and nothing of the third, which is mill.
    const mayRead = async (name: string, unit: string) => {
      await forge.call(ann, "POST /orgs/guild/repos", { name, private: true, auto_init: true, default_branch: "main" })
      await commitWorkflow(forge, ann, `guild/${name}`)
      const pull = { title: "higher", head: "higher", base: "main" }
      await forge.call(ann, `POST /repos/guild/${name}/branches`, { new_branch_name: "higher", old_branch_name: "main" })
      await commitWorkflow(forge, ann, `guild/${name}`, { path: ".gitea/workflows/higher.yml", branch: "higher" })
      expect((await forge.call(ann, `POST /repos/guild/${name}/pulls`, pull)).status).toBe(201)
      const { body } = await forge.call(ann, "POST /orgs/guild/teams", { name, units_map: { [unit]: "read" } })
      expect((await forge.call(ann, `PUT /teams/${body.id}/repos/guild/${name}`)).status).toBe(204)
      expect((await forge.call(ann, `PUT /teams/${body.id}/members/ben`)).status).toBe(204)
      return body.id
    }
    const byUnit = await mayRead("loom", "repo.actions")
    await mayRead("press", "repo.code")
    await forge.hearth.services.jobs.drain()
    const runs = (await get("/orgs/guild/actions/runs", ben)).body
    const reposOf = (list: readonly { repository: { name: string } }[]) => [...new Set(list.map(({ repository }) => repository.name))]
    expect([reposOf(runs.workflow_runs), runs.workflow_runs.length]).toEqual([["loom"], runs.total_count])
    expect(runs.total_count).toBeGreaterThan(0)
    const jobs = (await get("/orgs/guild/actions/jobs", ben)).body
    expect([jobs.jobs.length, jobs.jobs.every(({ url }: { url: string }) => url.includes("/guild/loom/"))]).toEqual([
      jobs.total_count,
      true,
    ])
    expect(reposOf((await get("/orgs/guild/actions/runs")).body.workflow_runs).toSorted()).toEqual(["loom", "mill", "press"])

    // The pull requests of their branches are shown to those who may read them.
    const pullsFor = async (by: string) =>
      (await get("/orgs/guild/actions/runs?branch=higher&event=push", by)).body.workflow_runs.map(
        ({ pull_requests, repository }: { pull_requests: unknown[]; repository: { name: string } }) =>
          `${repository.name}: ${pull_requests.length}`,
      )
    expect([...new Set(await pullsFor(ben))]).toEqual(["loom: 0"])
    expect(await pullsFor(ann)).toContain("loom: 1")
    await forge.call(ann, `PATCH /teams/${byUnit}`, { name: "loom", units_map: { "repo.actions": "read", "repo.pulls": "read" } })
    expect([...new Set(await pullsFor(ben))]).toEqual(["loom: 1"])

    // Runners and secrets remain the owners'.
    for (const path of ["runners", "secrets", "variables"]) expect((await get(`/orgs/guild/actions/${path}`, ben)).status).toBe(403)
    for (const name of ["loom", "press"]) expect((await forge.call(ann, `DELETE /repos/guild/${name}`)).status).toBe(204)
    await forge.call(ann, "DELETE /orgs/guild/members/ben")
  })

  test("jobs are filtered and sorted", async () => {
    const names = async (asked: string) =>
      (await get(`/user/actions/jobs?${asked}`)).body.jobs.map(({ name, status }: { name: string; status: string }) => `${name}:${status}`)
    expect(await names("")).toEqual(["build:queued", "check:waiting", "build:queued", "check:waiting"])
    expect(await names("status=waiting&sort=id&order=desc")).toEqual(["check:waiting", "check:waiting"])
    expect(await names("status=queued&status=waiting&limit=3&page=2")).toEqual(["check:waiting"])
    // The order counts without sort too, which has one value only.
    const reversed = ["check:waiting", "build:queued", "check:waiting", "build:queued"]
    for (const asked of ["order=desc", "sort=id&order=desc", "sort=&order=desc"])
      expect([asked, await names(asked)]).toEqual([asked, reversed])
    for (const asked of ["order=asc", "order=", "sort=id"]) expect([asked, await names(asked)]).toEqual([asked, reversed.toReversed()])
    const jobsOfAll = async (asked: string) =>
      (await get(`/admin/actions/jobs?${asked}`, forge.root)).body.jobs.map(({ id }: { id: number }) => id)
    expect(await jobsOfAll("order=desc")).toEqual((await jobsOfAll("")).toReversed())
    for (const asked of [
      "sort=name",
      "sort=name&order=asc",
      "sort=id&order=upwards",
      "order=upwards",
      "order=upwards&status=queued",
      "order=DESC",
    ])
      for (const [path, caller] of [
        ["/user/actions/jobs", ann],
        ["/admin/actions/jobs", forge.root],
        [`${repo}/jobs`, ann],
      ] as const)
        expect([asked, path, (await get(`${path}?${asked}`, caller)).status]).toEqual([asked, path, 422])
    expect((await get("/admin/actions/jobs?order=upwards", forge.root)).body.message).toContain("order")
    expect((await get("/user/actions/jobs?status=sleeping")).status).toBe(400)
  })

  test("a job assigned to a runner, and how the repository shows it", async () => {
    const { body: jobs } = await get("/orgs/guild/actions/jobs?status=queued")
    const runner = await addRunner(forge, "/orgs/guild", { name: "worker" })
    const task = await takeJob(forge, jobs.jobs[0].id, runner, [
      ["First", "success"],
      ["Second", "running"],
    ])
    const { body: job } = await get(`/repos/guild/mill/actions/jobs/${jobs.jobs[0].id}`)
    expect(job).toMatchObject({
      status: "in_progress",
      runner_id: runner,
      runner_name: "worker",
      steps: [
        { name: "First", number: 0, status: "completed", conclusion: "success" },
        { name: "Second", number: 1, status: "in_progress" },
      ],
    })
    expect((await get("/orgs/guild/actions/runs?status=in_progress")).body.workflow_runs).toMatchObject([{ status: "in_progress" }])
    const { body } = await get("/repos/guild/mill/actions/tasks")
    expect(body).toMatchObject({
      total_count: 1,
      workflow_runs: [{ id: task, name: "build", status: "running", workflow_id: "build.yml" }],
    })
    expect((await get("/repos/guild/mill/actions/tasks", ben)).status).toBe(404)
  })

  test("a run is deleted once it has ended, by users who may write", async () => {
    const { body } = await get(`${repo}/runs?event=workflow_dispatch`)
    const { id } = body.workflow_runs[0]
    expect((await forge.call(ben, `DELETE ${repo}/runs/${id}`)).status).toBe(403)
    expect((await forge.call(ann, `DELETE ${repo}/runs/${id}`)).status).toBe(400)
    await finishRun(forge, id, "success")
    expect((await get(`${repo}/runs/${id}`)).body).toMatchObject({ status: "completed", conclusion: "success" })
    expect((await forge.call(ann, `DELETE ${repo}/runs/${id}`)).status).toBe(204)
    expect((await forge.call(ann, `DELETE ${repo}/runs/${id}`)).status).toBe(404)
    expect(await runsAt(`${repo}/runs`)).toBe(1)
    expect(await runsAt(`${repo}/jobs`)).toBe(2)
    await forge.call(ann, `POST ${repo}/workflows/build.yml/dispatches`, { ref: "main" })
    expect((await get(`${repo}/runs`)).body.workflow_runs[0].run_number).toBe(3)
  })

  test("artifacts are listed, read and deleted", async () => {
    const { body } = await get(`${repo}/runs?event=push`)
    const run = body.workflow_runs[0].id
    const { database, now } = forge.hearth.services
    const repository = await repositoryId(forge, "ann/lamp")
    for (const name of ["log", "book"])
      await database.write((tx) =>
        tx
          .insertInto("action_artifacts")
          .values({
            run_id: run,
            repository_id: repository,
            attempt: 1,
            name,
            size: 7,
            created_at: now(),
            updated_at: now(),
            expires_at: now() + 60,
          })
          .execute(),
      )
    for (const at of [`${repo}/artifacts`, `${repo}/runs/${run}/artifacts`]) {
      expect((await get(at)).body).toMatchObject({ total_count: 2, artifacts: [{ name: "book" }, { name: "log" }] })
      expect((await get(`${at}?name=log`)).body.total_count).toBe(1)
    }
    const [{ id }] = (await get(`${repo}/artifacts?name=log`)).body.artifacts
    expect((await get(`${repo}/artifacts/${id}`)).body).toMatchObject({ id, size_in_bytes: 7, expired: false, workflow_run: { id: run } })
    expect((await get(`/repos/guild/mill/actions/artifacts/${id}`)).status).toBe(404)
    expect((await forge.call(ben, `DELETE ${repo}/artifacts/${id}`)).status).toBe(403)
    expect((await forge.call(ann, `DELETE ${repo}/artifacts/${id}`)).status).toBe(204)
    for (const path of [`artifacts/${id}`, "artifacts/x", "runs/999999/artifacts"]) expect((await get(`${repo}/${path}`)).status).toBe(404)
  })

  test("pull requests of a branch are shown with its runs to those who may read them", async () => {
    await forge.call(ann, "POST /repos/ann/lamp/branches", { new_branch_name: "side", old_branch_name: "main" })
    await commitWorkflow(forge, ann, "ann/lamp", { path: "note.txt", text: "x", branch: "side", message: "on the side" })
    const made = await forge.call(ann, "POST /repos/ann/lamp/pulls", { title: "side", head: "side", base: "main" })
    expect(made.status).toBe(201)
    const { body } = await get(`${repo}/runs?branch=side&limit=1`)
    expect(body.workflow_runs[0].pull_requests).toMatchObject([{ number: made.body.number, head: { ref: "side" }, base: { ref: "main" } }])
    expect((await get(`${repo}/runs?branch=side&exclude_pull_requests=true`)).body.workflow_runs[0].pull_requests).toEqual([])
  })
})
