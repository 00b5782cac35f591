import { expect, vi } from "vitest"
import { stopEndlessTasks, stopZombieTasks } from "../../src/features/actions/runs/clock.ts"
import { onPush, withRunner } from "./support/fixture.ts"

/** A job that says that it has begun, and goes on when it is let go. */
const waiting = (gate: string, label = "host", more = "") => `long:
  runs-on: ${label}
  steps:
    - run: |
        echo begun
        $GATES/wait ${gate}
        echo went on
    - run: echo after
    - run: echo always
      if: always()
${more}`

withRunner("cancelling", { machines: [{ name: "one", capacity: 4 }] }, ({ site, check, machine }) => {
  const cancel = (repository: string, { id }: { readonly id: number }) =>
    site.must(site.root, `POST /repos/${repository}/actions/runs/${id}/cancel`)

  check("10. a run is cancelled while its job runs: it ends at once, its last lines arrive, and its log is closed", async () => {
    const repository = await site.repository(
      "cancel",
      onPush(
        waiting(
          "cancelled",
          "host",
          `next:
  needs: long
  runs-on: host
  steps: [{run: echo next}]
anyway:
  needs: long
  if: always()
  runs-on: host
  steps: [{run: 'echo "result=\${{ needs.long.result }}"'}]
`,
        ),
      ),
    )
    await machine("one").reached("cancelled")
    const run = await site.reaches(repository, ({ status }) => status === "in_progress")
    await cancel(repository, run)
    const { jobs, conclusions, log } = await site.ended(repository)
    expect(conclusions).toEqual({ long: "cancelled", next: "cancelled", anyway: "success" })
    expect(await log("anyway")).toContain("result=cancelled")
    expect(jobs[0]?.steps.map(({ conclusion }) => conclusion)).toEqual(["cancelled", "cancelled", "cancelled"])
    // The runner is told at its next report, and sends what its job wrote until then.
    const task = site.hearth.services.database.read
      .selectFrom("action_tasks")
      .select(["state", "log_sealed"])
      .where("job_id", "=", jobs[0]?.id ?? 0)
    await vi.waitFor(async () => expect(await task.executeTakeFirst()).toEqual({ state: "cancelled", log_sealed: 1 }), { timeout: 60_000 })
    const lines = await log("long")
    expect(lines).toContain("begun")
    expect(lines.join("\n")).toMatch(/cancel/)
    expect(lines).not.toContain("went on")
    const [status] = await site.must(site.root, `GET /repos/${repository}/commits/${run.head_sha}/statuses`)
    expect(status).toBeDefined()
  })

  check("10. jobs that wait for a runner or for others are cancelled at once", async () => {
    const repository = await site.repository(
      "cancelwaiting",
      onPush(`waits:
  runs-on: nowhere
  steps: [{run: echo never}]
blocked:
  needs: waits
  runs-on: host
  steps: [{run: echo never}]
`),
    )
    const run = await site.reaches(repository, ({ status }) => status === "queued")
    await cancel(repository, run)
    expect((await site.ended(repository)).conclusions).toEqual({ waits: "cancelled", blocked: "cancelled" })
    const statuses: readonly { readonly context: string; readonly description: string }[] = await site.must(
      site.root,
      `GET /repos/${repository}/commits/${run.head_sha}/statuses`,
    )
    expect(statuses.find(({ context }) => context === "CI / waits (push)")).toMatchObject({
      status: "failure",
      description: "Canceled after 0s",
    })
    expect((await site.call(site.root, `POST /repos/${repository}/actions/runs/${run.id}/cancel`)).status).toBe(409)
  })

  check("10. a run is cancelled whose runner has been killed", async () => {
    const victim = await site.machine({ name: "victim", labels: ["victim"] })
    const repository = await site.repository("cancelkilled", onPush(waiting("victim", "victim")))
    await victim.reached("victim")
    const run = await site.reaches(repository, ({ status }) => status === "in_progress")
    await victim.kill()
    await cancel(repository, run)
    expect((await site.ended(repository)).conclusions).toEqual({ long: "cancelled" })
  })

  check("18. concurrency: a waiting run is replaced, and wakes up when the one before has ended", async () => {
    const text = (n: number) => `name: CI
on: push
concurrency: group-\${{ github.ref }}
jobs:
  long:
    runs-on: host
    steps: [{run: $GATES/wait queue${n}}]
`
    const repository = await site.repository("queue", { README: "queue" })
    for (const n of [1, 2, 3]) {
      await site.commit(repository, { ".gitea/workflows/ci.yml": text(n) })
      if (n === 1) await machine("one").reached("queue1")
    }
    const states = async () => (await site.runs(repository)).map(({ run_number, status, conclusion }) => [run_number, conclusion ?? status])
    await vi.waitFor(
      async () =>
        expect(await states()).toEqual([
          [3, "waiting"],
          [2, "cancelled"],
          [1, "in_progress"],
        ]),
      { timeout: 60_000 },
    )
    await machine("one").open("queue1")
    await machine("one").reached("queue3")
    await machine("one").open("queue3")
    await site.ended(repository, { run_number: 3 })
    expect(await states()).toEqual([
      [3, "success"],
      [2, "cancelled"],
      [1, "success"],
    ])
  })

  check("18. concurrency: cancel-in-progress ends the running one; jobs have groups of their own", async () => {
    const text = (n: number) => `name: CI
on: push
concurrency: {group: all, cancel-in-progress: true}
jobs:
  long:
    runs-on: host
    steps: [{run: $GATES/wait progress${n}}]
`
    const repository = await site.repository("progress", { ".gitea/workflows/ci.yml": text(1) })
    await machine("one").reached("progress1")
    await site.commit(repository, { ".gitea/workflows/ci.yml": text(2) })
    await machine("one").open("progress2")
    expect((await site.ended(repository, { run_number: 2 })).run.conclusion).toBe("success")
    expect((await site.ended(repository, { run_number: 1 })).run.conclusion).toBe("cancelled")

    const jobs = await site.repository(
      "jobgroups",
      onPush(`one:
  runs-on: host
  concurrency: deploy
  steps: [{run: $GATES/wait deploy}]
starter:
  runs-on: host
  steps: [{run: 'while [ ! -e $GATES/deploy.reached ]; do sleep 0.1; done'}]
two:
  needs: starter
  runs-on: host
  concurrency: deploy
  steps: [{run: echo deployed}]
`),
    )
    const run = await site.reaches(jobs, ({ status }) => status === "in_progress")
    const states = async () => Object.fromEntries((await site.jobs(jobs, run)).map(({ name, status }) => [name, status]))
    await vi.waitFor(async () => expect(await states()).toEqual({ one: "in_progress", starter: "completed", two: "waiting" }), {
      timeout: 60_000,
    })
    await machine("one").open("deploy")
    expect((await site.ended(jobs)).conclusions).toEqual({ one: "success", starter: "success", two: "success" })
  })
})

withRunner("runners that end", {}, ({ site, check }) => {
  const services = () => site.hearth.services

  check(
    "11. a runner is killed with -9 in a job: the job fails after the limit, with a line that says so, and the next job is not affected",
    async () => {
      const killed = await site.machine({ name: "killed", labels: ["killed"] })
      const repository = await site.repository("killed", onPush(waiting("killed", "killed")))
      await killed.reached("killed")
      const run = await site.reaches(repository, ({ status }) => status === "in_progress")
      const [job] = await site.jobs(repository, run)
      await vi.waitFor(async () => expect(await site.rawLog(repository, job ?? { id: 0 })).toMatch(/Z begun$/m), { timeout: 60_000 })
      await killed.kill()
      await services().database.write((tx) =>
        tx
          .updateTable("action_tasks")
          .set({ updated_at: services().now() - 601 })
          .where("job_id", "=", job?.id ?? 0)
          .execute(),
      )
      expect(await stopZombieTasks.run(services(), new AbortController().signal)).toBe("1 stopped")
      const { conclusions, jobs, log } = await site.ended(repository)
      expect(conclusions).toEqual({ long: "failure" })
      expect(jobs[0]?.steps.filter(({ status }) => status !== "completed")).toEqual([])
      expect((await log()).at(-1)).toBe("##[error]The runner has sent nothing for 10 minutes.")
      // Everything that the runner had sent is there.
      expect(await log()).toContain("begun")

      const next = await site.repository("afterkill", onPush("build:\n  runs-on: killed\n  steps: [{run: echo fine}]\n"))
      await killed.start()
      expect((await site.ended(next)).run.conclusion).toBe("success")
    },
  )

  check("11. a runner is asked to stop in a job: the job is not shown as success", async () => {
    const stopped = await site.machine({ name: "stopped", labels: ["stopped"] })
    const repository = await site.repository("stopped", onPush(waiting("stopped", "stopped")))
    await stopped.reached("stopped")
    await stopped.stop()
    expect((await site.ended(repository)).conclusions).toEqual({ long: "cancelled" })
  })

  check("11. a runner that is asked to stop finishes its job if it is given the time", async () => {
    const patient = await site.machine({ name: "patient", labels: ["patient"], graceSeconds: 60 })
    const repository = await site.repository("patient", onPush(waiting("patient", "patient")))
    await patient.reached("patient")
    const stopping = patient.stop()
    await patient.open("patient")
    await stopping
    expect((await site.ended(repository)).conclusions).toEqual({ long: "success" })
  })

  check("6. a job that runs for longer than its timeout-minutes is ended by the server", async () => {
    const slow = await site.machine({ name: "slow", labels: ["slow"] })
    const repository = await site.repository(
      "slow",
      onPush("long:\n  runs-on: slow\n  timeout-minutes: 5\n  steps: [{run: $GATES/wait slow}]\n"),
    )
    await slow.reached("slow")
    const run = await site.reaches(repository, ({ status }) => status === "in_progress")
    const [job] = await site.jobs(repository, run)
    await services().database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ started_at: services().now() - 301 })
        .where("job_id", "=", job?.id ?? 0)
        .execute(),
    )
    await stopEndlessTasks.run(services(), new AbortController().signal)
    const { conclusions, log } = await site.ended(repository)
    expect(conclusions).toEqual({ long: "failure" })
    expect((await log()).at(-1)).toBe("##[error]The job has run for longer than 5 minutes, the most that it may.")
    // The runner hears of it and takes the next job.
    const next = await site.repository("afterslow", onPush("build:\n  runs-on: slow\n  steps: [{run: echo fine}]\n"))
    expect((await site.ended(next)).run.conclusion).toBe("success")
  })
})
