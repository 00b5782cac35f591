import { afterAll, afterEach, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { openReceiver, type Receiver } from "../../events/webhooks/testing.ts"
import { addRunner, commitWorkflow, finishRun, takeJob } from "../testing.ts"

withHearth(
  "what is told of runs",
  { on: databaseKinds, people: ["ann"], config: { outgoing: { allowedHosts: "loopback" } } },
  ({ test, forge, ann }) => {
    let receiver: Receiver
    let commit: string
    let runner: number
    const at = "/repos/guild/lamp/actions"
    const services = () => forge.hearth.services
    test.beforeAll(async () => {
      receiver = await openReceiver()
      await forge.call(ann, "POST /orgs", { username: "guild" })
      await forge.call(ann, "POST /orgs/guild/repos", { name: "lamp", auto_init: true, default_branch: "main" })
      runner = await addRunner(forge, "/repos/guild/lamp", { name: "worker" })
      const config = { url: receiver.url, content_type: "json" }
      const hook = { type: "gitea", active: true, config, events: ["workflow_run", "workflow_job", "status"] }
      expect((await forge.call(ann, "POST /repos/guild/lamp/hooks", hook)).status).toBe(201)
      commit = await commitWorkflow(forge, ann, "guild/lamp")
    })
    afterEach(async () => {
      await news()
    })
    afterAll(() => receiver.close())

    async function news() {
      await services().jobs.drain()
      const came = receiver.take().map(({ headers, body }) => ({ event: String(headers["x-gitea-event"]), body }))
      const of = (event: string) => came.filter((each) => each.event === event).map(({ body }) => body)
      return {
        runs: of("workflow_run"),
        jobs: of("workflow_job"),
        statuses: of("status"),
        said: {
          runs: of("workflow_run").map(({ action, workflow_run: { conclusion } }) => [action, conclusion ?? ""].join(" ")),
          jobs: of("workflow_job")
            .map(({ action, workflow_job: { name, conclusion } }) => [name, action, conclusion ?? ""].join(" "))
            .sort(),
        },
      }
    }
    const runs = async () => (await forge.call(ann, `GET ${at}/runs`)).body.workflow_runs
    const jobsOf = async (run: number) => (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs
    const statuses = async (id = commit) =>
      (await forge.call(ann, `GET /repos/guild/lamp/commits/${id}/status`)).body.statuses.map(
        (each: { context: string; status: string; description: string }) => [each.context, each.status, each.description],
      )
    const dispatch = async (): Promise<number> => {
      const query = "return_run_details=true"
      const { body } = await forge.call(ann, `POST ${at}/workflows/build.yml/dispatches?${query}`, { ref: "main" })
      return body.workflow_run_id
    }

    test("a push publishes the run and its jobs, and writes statuses of the commit", async () => {
      const [run] = await runs()
      const jobs = await jobsOf(run.id)
      const told = await news()
      expect(told.said).toEqual({ runs: ["requested "], jobs: ["build queued ", "check waiting "] })
      const html = `${forge.hearth.url}/guild/lamp`
      expect(told.runs[0]).toEqual({
        action: "requested",
        workflow: {
          id: "build.yml",
          name: "build",
          path: ".gitea/workflows/build.yml",
          state: "active",
          url: `${forge.hearth.url}/api/v1${at}/workflows/build.yml`,
          html_url: `${html}/src/branch/main/.gitea/workflows/build.yml`,
          badge_url: `${html}/actions/workflows/build.yml/badge.svg?branch=main`,
          created_at: expect.stringMatching(/^20\d\d-.*Z$/),
          updated_at: expect.stringMatching(/^20\d\d-.*Z$/),
        },
        workflow_run: { ...run, repository: expect.objectContaining({ full_name: "guild/lamp" }) },
        organization: expect.objectContaining({ username: "guild" }),
        repository: expect.objectContaining({ full_name: "guild/lamp" }),
        sender: expect.objectContaining({ login: "ann" }),
      })
      expect(told.jobs.find(({ action }) => action === "waiting")?.workflow_job).toEqual(jobs[1])
      expect(told.statuses.map(({ context, state }) => [context, state])).toContainEqual(["build / build (push)", "pending"])
      expect(told.statuses[0]).toMatchObject({
        sha: commit,
        commit: { id: commit, message: "add build\n" },
        sender: { login: "gitea-actions" },
      })
      expect(await statuses()).toEqual([
        ["build / build (push)", "pending", "Waiting to run"],
        ["build / check (push)", "pending", "Blocked by required conditions"],
      ])
      const [status] = (await forge.call(ann, `GET /repos/guild/lamp/commits/${commit}/statuses?sort=highestindex`)).body
      expect(status).toMatchObject({
        target_url: `${html}/actions/runs/${run.id}/jobs/${jobs[0].id}`,
        creator: { id: -2, login: "gitea-actions" },
      })
    })

    test("progress of runners is published step by step, without repetition", async () => {
      const [run] = await runs()
      const [job] = await jobsOf(run.id)
      // Recently active, though it began long ago: the clock uses real time, and would end it as abandoned if its task runs meanwhile.
      await takeJob(forge, job.id, runner, [], services().now() - 3725, services().now())
      expect((await news()).said).toEqual({ runs: ["in_progress "], jobs: ["build in_progress "] })
      expect(await statuses()).toContainEqual(["build / build (push)", "pending", "In progress"])
      await services().database.write((tx) => tx.updateTable("action_tasks").set({ updated_at: 1 }).execute())
      await forge.hearth.services.jobs.tasks.run("stop_zombie_tasks")
      expect((await news()).said).toEqual({ runs: ["completed failure"], jobs: ["build completed failure", "check completed skipped"] })
      expect(await statuses()).toEqual([
        ["build / build (push)", "failure", expect.stringMatching(/^Failing after 1h2m\d+s$/)],
        ["build / check (push)", "skipped", "Skipped"],
      ])
      await forge.hearth.services.jobs.tasks.run("stop_zombie_tasks")
      expect((await news()).said).toEqual({ runs: [], jobs: [] })
    })

    test("another attempt publishes the jobs that are rerun", async () => {
      const [run] = await runs()
      await forge.person("ben")
      await forge.call(ann, "PUT /repos/guild/lamp/collaborators/ben", { permission: "write" })
      const ben = await forge.call(forge.root, "GET /users/ben").then(() => `Basic ${Buffer.from("ben:pass-word-1").toString("base64")}`)
      expect((await forge.call(ben, `POST ${at}/runs/${run.id}/rerun-failed-jobs`)).status).toBe(201)
      const told = await news()
      expect(told.said).toEqual({ runs: ["requested "], jobs: ["build queued ", "check waiting "] })
      expect(told.runs[0]).toMatchObject({ sender: { login: "ben" }, workflow_run: { run_attempt: 2, trigger_actor: { login: "ben" } } })
      await finishRun(forge, run.id, "success")
      expect((await news()).said).toEqual({ runs: ["completed success"], jobs: ["build completed success", "check completed success"] })
      expect(await statuses()).toEqual([
        ["build / build (push)", "success", "Successful in 0s"],
        ["build / check (push)", "success", "Successful in 0s"],
      ])
      const [, check] = await jobsOf(run.id)
      expect((await forge.call(ann, `POST ${at}/runs/${run.id}/jobs/${check.id}/rerun`)).status).toBe(201)
      expect((await news()).said.jobs).toEqual(["check queued "])
    })

    test("a run started by hand writes no statuses; a job that no runner takes is cancelled", async () => {
      const before = await statuses()
      const run = await dispatch()
      expect((await news()).said).toEqual({ runs: ["requested "], jobs: ["build queued ", "check waiting "] })
      await services().database.write((tx) =>
        tx.updateTable("action_jobs").set({ created_at: 1, queued_at: 1 }).where("run_id", "=", run).execute(),
      )
      await forge.hearth.services.jobs.tasks.run("cancel_abandoned_jobs")
      const told = await news()
      expect(told.said).toEqual({ runs: ["completed cancelled"], jobs: ["build completed cancelled", "check completed cancelled"] })
      expect(told.statuses).toEqual([])
      expect(await statuses()).toEqual(before)
    })
  },
)
