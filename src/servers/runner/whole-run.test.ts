import { expect } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth } from "../../../tests/support/hearth.ts"
import { commitWorkflow } from "../../features/actions/testing.ts"
import { openReceiver } from "../../features/events/webhooks/testing.ts"
import { openRunnerClient } from "./testing.ts"

/** All that is seen of one run from the push to its end, as one expected state: records, webhooks and statuses of the commit. */

const WORKFLOW = `name: Check
on: push
jobs:
  build:
    runs-on: host
    steps: [{name: Compile, run: make}, {run: make install}]
  test:
    needs: build
    runs-on: host
    strategy: {fail-fast: false, matrix: {node: [22, 24]}}
    steps: [{run: npm test}]
  publish:
    needs: test
    runs-on: host
    steps: [{run: npm publish}]
`

async function open(kind: FreshKind) {
  const receiver = await openReceiver()
  const forge = await freshHearth(kind, { outgoing: { allowedHosts: "loopback" } })
  const close = async () => {
    await forge.close()
    await receiver.close()
  }
  return { ...forge, receiver, close }
}

withWorld("a whole run", { open }, ({ test, world }) => {
  test("is seen in records, webhooks and statuses as it goes on", async () => {
    const ann = await world.person("ann")
    const { call, receiver } = world
    await call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const hook = {
      type: "gitea",
      active: true,
      events: ["workflow_run", "workflow_job"],
      config: { url: receiver.url, content_type: "json" },
    }
    expect((await call(ann, "POST /repos/ann/lamp/hooks", hook)).status).toBe(201)
    const { token } = (await call(ann, "POST /repos/ann/lamp/actions/runners/registration-token")).body
    const runner = await openRunnerClient(world.hearth.url).registered(token, ["host"])
    const commit = await commitWorkflow(world, ann, "ann/lamp", { text: WORKFLOW, message: "Check it" })

    const ends: string[] = []
    for (let next = (await runner.fetch()).task; next; next = (await runner.fetch()).task) {
      const [, job = ""] = /"name":"((?:build|test|publish)[^"]*)"/.exec(Buffer.from(next.workflowPayload, "base64").toString()) ?? []
      const fails = job === "test (24)"
      const result = fails ? "RESULT_FAILURE" : "RESULT_SUCCESS"
      await runner.report(next.id, {
        steps:
          job === "build"
            ? [
                { id: "0", result },
                { id: "1", result },
              ]
            : [{ id: "0", result }],
      })
      await runner.finish(next.id, result)
      ends.push(job)
    }
    await world.hearth.services.jobs.drain()

    const [run] = (await call(ann, "GET /repos/ann/lamp/actions/runs")).body.workflow_runs
    const jobs = (await call(ann, `GET /repos/ann/lamp/actions/runs/${run.id}/jobs`)).body.jobs
    const statuses = (await call(ann, `GET /repos/ann/lamp/commits/${commit}/statuses?limit=50`)).body
    const told = receiver.take().map(({ headers, body }) => {
      const { action, workflow_run: of, workflow_job: job } = body
      return `${headers["x-gitea-event"]} ${action} ${job ? job.name : of.display_title} ${(job ?? of).conclusion ?? ""}`.trim()
    })
    expect({
      ends,
      run: {
        title: run.display_title,
        event: run.event,
        status: run.status,
        conclusion: run.conclusion,
        attempt: run.run_attempt,
        head: [run.head_branch, run.head_sha === commit],
        path: run.path,
      },
      jobs: jobs.map((job: Record<string, unknown> & { readonly steps: readonly Record<string, unknown>[] }) => [
        job["name"],
        job["status"],
        job["conclusion"],
        job["runner_name"] ?? "",
        job.steps?.map((step) => `${step["name"]}: ${step["conclusion"]}`),
      ]),
      statuses: statuses
        .map(
          (status: Record<string, unknown>) =>
            `${status["context"]}: ${status["status"]}, ${String(status["description"]).replace(/\d+s$/, "…")}`,
        )
        .toReversed(),
      told: told.toSorted(),
    }).toMatchInlineSnapshot(`
      {
        "ends": [
          "build",
          "test (22)",
          "test (24)",
        ],
        "jobs": [
          [
            "build",
            "completed",
            "success",
            "worker",
            [
              "Compile: success",
              "Run make install: success",
            ],
          ],
          [
            "test (22)",
            "completed",
            "success",
            "worker",
            [
              "Run npm test: success",
            ],
          ],
          [
            "test (24)",
            "completed",
            "failure",
            "worker",
            [
              "Run npm test: failure",
            ],
          ],
          [
            "publish",
            "completed",
            "skipped",
            "",
            [],
          ],
        ],
        "run": {
          "attempt": 1,
          "conclusion": "failure",
          "event": "push",
          "head": [
            "main",
            true,
          ],
          "path": "build.yml@refs/heads/main",
          "status": "completed",
          "title": "Check it",
        },
        "statuses": [
          "Check / build (push): pending, Waiting to run",
          "Check / test (22) (push): pending, Blocked by required conditions",
          "Check / test (24) (push): pending, Blocked by required conditions",
          "Check / publish (push): pending, Blocked by required conditions",
          "Check / build (push): pending, In progress",
          "Check / build (push): success, Successful in …",
          "Check / test (22) (push): pending, Waiting to run",
          "Check / test (24) (push): pending, Waiting to run",
          "Check / test (22) (push): pending, In progress",
          "Check / test (22) (push): success, Successful in …",
          "Check / test (24) (push): pending, In progress",
          "Check / test (24) (push): failure, Failing after …",
          "Check / publish (push): skipped, Skipped",
        ],
        "told": [
          "workflow_job completed build success",
          "workflow_job completed publish skipped",
          "workflow_job completed test (22) success",
          "workflow_job completed test (24) failure",
          "workflow_job in_progress build",
          "workflow_job in_progress test (22)",
          "workflow_job in_progress test (24)",
          "workflow_job queued build",
          "workflow_job queued test (22)",
          "workflow_job queued test (24)",
          "workflow_job waiting publish",
          "workflow_job waiting test (22)",
          "workflow_job waiting test (24)",
          "workflow_run completed Check it failure",
          "workflow_run in_progress Check it",
          "workflow_run in_progress Check it",
          "workflow_run in_progress Check it",
          "workflow_run requested Check it",
          "workflow_run requested Check it",
          "workflow_run requested Check it",
        ],
      }
    `)
  })
})
