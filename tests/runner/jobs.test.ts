import { expect } from "vitest"
import { after, onPush, withRunner, workflowPath } from "./support/fixture.ts"

withRunner("jobs", { machines: [{ name: "one", capacity: 6 }] }, ({ site, check }) => {
  check("3. push with one job: the status goes from pending to success, the log is complete, closed and downloadable", async () => {
    const repository = await site.repository("push", { README: "push" })
    const sha = await site.commit(
      repository,
      onPush(`build:
  runs-on: host
  steps:
    - name: Say hello
      run: |
        echo hello
        echo "of \${{ github.repository }}"
`),
      { message: "Say hello\n\nAt once." },
    )
    const statuses = () => site.must(site.root, `GET /repos/${repository}/commits/${sha}/statuses`)
    const { run, jobs, log } = await site.ended(repository)
    const [job] = jobs
    expect(run).toMatchObject({
      display_title: "Say hello",
      event: "push",
      head_sha: sha,
      run_number: 1,
      run_attempt: 1,
      conclusion: "success",
    })
    expect(job).toMatchObject({
      name: "build",
      status: "completed",
      conclusion: "success",
      runner_name: "one",
      steps: [{ name: "Say hello", number: 0, status: "completed", conclusion: "success" }],
    })
    const states: readonly {
      readonly status: string
      readonly description: string
      readonly context: string
      readonly target_url: string
    }[] = await statuses()
    expect(states.map(({ status, context }) => [status, context])).toEqual([
      ["success", "CI / build (push)"],
      ["pending", "CI / build (push)"],
      ["pending", "CI / build (push)"],
    ])
    expect(states.map(({ description }) => description)).toEqual([
      expect.stringMatching(/^Successful in \d+s$/),
      "In progress",
      "Waiting to run",
    ])
    expect(states[0]?.target_url).toContain(`/${repository}/actions/runs/${run.id}/jobs/${job?.id}`)

    const lines = await log()
    expect(lines[0]).toMatch(/^one\(version:.*\) received task \d+ of job build, be triggered by event: push$/)
    expect(lines).toEqual(expect.arrayContaining(["hello", `of ${repository}`, "Job succeeded"]))
    expect(lines.at(-1)).toBe("Job succeeded")
    const raw = await site.rawLog(repository, job ?? { id: 0 })
    expect(
      raw
        .split("\n")
        .slice(0, -1)
        .filter((line) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z /.test(line)),
    ).toEqual([])
    const task = site.hearth.services.database.read
      .selectFrom("action_tasks")
      .selectAll()
      .where("job_id", "=", job?.id ?? 0)
    expect(await task.executeTakeFirst()).toMatchObject({ state: "success", log_sealed: 1, log_lines: lines.length })
  })

  check("5. a matrix with include and exclude, its names, and the values of each combination", async () => {
    const repository = await site.repository(
      "matrix",
      onPush(`mat:
  runs-on: host
  strategy:
    matrix:
      os: [a, b]
      n: [1, 2]
      exclude: [{os: b, n: 2}]
      include: [{os: a, n: 1, extra: e}, {os: c, n: 3}]
  steps:
    - run: echo "values=\${{ matrix.os }} \${{ matrix.n }} \${{ matrix.extra }} \${{ toJSON(matrix.n) }}"
named:
  runs-on: host
  name: Named \${{ matrix.x }}
  strategy: {matrix: {x: [1, two]}}
  steps: [{run: echo named}]
`),
    )
    const { conclusions, log } = await site.ended(repository)
    expect(Object.keys(conclusions).sort()).toEqual(
      ["Named 1", "Named two", "mat (e, 1, a)", "mat (1, b)", "mat (2, a)", "mat (3, c)"].sort(),
    )
    expect(new Set(Object.values(conclusions))).toEqual(new Set(["success"]))
    expect(after(await log("mat (e, 1, a)"), "values=")).toEqual(["a 1 e 1"])
    expect(after(await log("mat (3, c)"), "values=")).toEqual(["c 3  3"])
  })

  check("5. needs with outputs, also empty ones, and with the results success, failure and skipped", async () => {
    const repository = await site.repository(
      "needs",
      onPush(`first:
  runs-on: host
  outputs:
    a: \${{ steps.s.outputs.a }}
    empty: \${{ steps.s.outputs.empty }}
    several: \${{ steps.s.outputs.several }}
  steps:
    - id: s
      run: |
        echo "a=one ü" >> $GITHUB_OUTPUT
        echo "empty=" >> $GITHUB_OUTPUT
        printf 'several<<END\\nx\\ny\\nEND\\n' >> $GITHUB_OUTPUT
second:
  needs: first
  runs-on: host
  env: {A: "\${{ needs.first.outputs.a }}", EMPTY: "\${{ needs.first.outputs.empty }}", SEVERAL: "\${{ needs.first.outputs.several }}"}
  steps:
    - run: 'echo "got=$A|$EMPTY|$SEVERAL" | tr "\\n" "/"; echo; echo "result=\${{ needs.first.result }}"'
fails:
  runs-on: host
  steps: [{run: exit 3}]
skipped:
  needs: fails
  runs-on: host
  steps: [{run: echo never}]
always:
  needs: [first, fails, skipped]
  if: always()
  runs-on: host
  steps:
    - run: 'echo "results=\${{ needs.first.result }} \${{ needs.fails.result }} \${{ needs.skipped.result }}"'
onfailure:
  needs: fails
  if: failure()
  runs-on: host
  steps: [{run: echo there}]
notonfailure:
  needs: first
  if: failure()
  runs-on: host
  steps: [{run: echo never}]
byoutput:
  needs: first
  if: needs.first.outputs.a == 'one ü'
  runs-on: host
  steps: [{run: echo there}]
`),
    )
    const { run, conclusions, log } = await site.ended(repository)
    expect(conclusions).toEqual({
      first: "success",
      second: "success",
      fails: "failure",
      skipped: "skipped",
      always: "success",
      onfailure: "success",
      notonfailure: "skipped",
      byoutput: "success",
    })
    expect(run.conclusion).toBe("failure")
    expect(after(await log("second"), "got=")).toEqual(["one ü||x/y/"])
    expect(after(await log("second"), "result=")).toEqual(["success"])
    expect(after(await log("always"), "results=")).toEqual(["success failure skipped"])
    expect(await log("fails")).toEqual(expect.arrayContaining(["Job failed"]))
  })

  check("5. the outputs of a matrix's jobs count together, and a matrix is made from outputs", async () => {
    const repository = await site.repository(
      "dynamic",
      onPush(`list:
  runs-on: host
  outputs: {values: "\${{ steps.s.outputs.values }}"}
  steps: [{id: s, run: 'echo "values=[\\"x\\",\\"y\\"]" >> $GITHUB_OUTPUT'}]
each:
  needs: list
  runs-on: host
  strategy: {matrix: {v: "\${{ fromJSON(needs.list.outputs.values) }}"}}
  outputs: {x: "\${{ steps.s.outputs.x }}", y: "\${{ steps.s.outputs.y }}"}
  steps: [{id: s, run: 'echo "\${{ matrix.v }}=made by \${{ matrix.v }}" >> $GITHUB_OUTPUT'}]
both:
  needs: each
  runs-on: host
  steps: [{run: 'echo "both=\${{ needs.each.outputs.x }}, \${{ needs.each.outputs.y }}"'}]
`),
    )
    const { conclusions, log } = await site.ended(repository)
    expect(conclusions).toEqual({ list: "success", "each (x)": "success", "each (y)": "success", both: "success" })
    expect(after(await log("both"), "both=")).toEqual(["made by x, made by y"])
  })

  check("5. a job without needs whose condition is false is skipped", async () => {
    const repository = await site.repository(
      "skips",
      onPush(`never:
  if: github.event_name == 'schedule'
  runs-on: host
  steps: [{run: echo never}]
later:
  needs: never
  runs-on: host
  steps: [{run: echo never}]
anyway:
  needs: never
  if: always() && needs.never.result == 'skipped'
  runs-on: host
  steps: [{run: echo there}]
`),
    )
    expect((await site.ended(repository)).conclusions).toEqual({ never: "skipped", later: "skipped", anyway: "success" })
  })

  check("5. a failing job of a matrix cancels its siblings unless fail-fast is off, and max-parallel holds them back", async () => {
    const repository = await site.repository(
      "failfast",
      onPush(`fast:
  runs-on: host
  strategy: {matrix: {n: [1, 2]}}
  steps: [{run: 'if [ \${{ matrix.n }} = 1 ]; then exit 1; fi; $GATES/wait failfast'}]
slow:
  runs-on: host
  strategy: {fail-fast: false, max-parallel: 1, matrix: {n: [1, 2]}}
  steps: [{run: 'mkdir $GATES/alone && sleep 0.5 && rmdir $GATES/alone && [ \${{ matrix.n }} = 2 ]'}]
`),
    )
    const { conclusions } = await site.ended(repository)
    expect(conclusions).toEqual({ "fast (1)": "failure", "fast (2)": "cancelled", "slow (1)": "failure", "slow (2)": "success" })
  })

  check("6. a failure that is allowed counts as success; a failing step skips those after it, unless it may fail", async () => {
    const repository = await site.repository(
      "failures",
      onPush(`allowed:
  runs-on: host
  continue-on-error: true
  steps: [{run: exit 1}]
after:
  needs: allowed
  runs-on: host
  steps: [{run: 'echo "result=\${{ needs.allowed.result }}"'}]
steps:
  runs-on: host
  steps:
    - run: exit 5
      continue-on-error: true
      id: may
    - run: 'echo "outcome=\${{ steps.may.outcome }} \${{ steps.may.conclusion }}"'
`),
    )
    const { run, jobs, conclusions, log } = await site.ended(repository)
    expect(conclusions).toEqual({ allowed: "failure", after: "success", steps: "success" })
    expect(run.conclusion).toBe("success")
    expect(after(await log("after"), "result=")).toEqual(["success"])
    expect(after(await log("steps"), "outcome=")).toEqual(["failure success"])
    expect(jobs.find(({ name }) => name === "steps")?.steps.map(({ conclusion }) => conclusion)).toEqual(["failure", "success"])

    const failing = await site.repository(
      "failing",
      onPush(`build:
  runs-on: host
  steps:
    - run: echo fine
    - run: exit 3
    - run: echo never
    - run: echo "$S always"
      env: {S: still}
      if: always()
    - run: echo failed
      if: failure()
`),
    )
    const failed = await site.ended(failing)
    expect(failed.run.conclusion).toBe("failure")
    expect(failed.jobs[0]?.steps.map(({ conclusion }) => conclusion)).toEqual(["success", "failure", "skipped", "success", "success"])
    expect(await failed.log()).toEqual(expect.arrayContaining(["##[error]Process completed with exit code 3.", "still always"]))
    const [status] = await site.must(site.root, `GET /repos/${failing}/commits/${failed.run.head_sha}/statuses`)
    expect(status).toMatchObject({ status: "failure", description: expect.stringMatching(/^Failing after \d+s$/) })
  })

  check("6. a step that takes too long fails", async () => {
    const repository = await site.repository(
      "minutes",
      onPush(`build:
  runs-on: host
  steps:
    - run: exec sleep 100
      timeout-minutes: 1
    - run: echo never
`),
    )
    const { run, jobs } = await site.ended(repository)
    expect(run.conclusion).toBe("failure")
    expect(jobs[0]?.steps.map(({ conclusion }) => conclusion)).toEqual(["failure", "skipped"])
  })

  check("19. re-runs of all, of the failed and of single jobs: the number of the attempt, and the logs of old attempts", async () => {
    const repository = await site.repository(
      "rerun",
      onPush(`good:
  runs-on: host
  outputs: {a: "\${{ steps.s.outputs.a }}"}
  steps: [{id: s, run: 'echo "a=of attempt $GITHUB_RUN_ATTEMPT" >> $GITHUB_OUTPUT'}]
bad:
  needs: good
  runs-on: host
  steps: [{run: 'echo "attempt=\${{ github.run_attempt }} after \${{ needs.good.outputs.a }}"; [ \${{ vars.IS_FINE }} = yes ]'}]
last:
  needs: bad
  runs-on: host
  steps: [{run: echo last}]
`),
    )
    const path = `/repos/${repository}/actions`
    await site.must(site.root, `POST ${path}/variables/IS_FINE`, { value: "no" })
    const first = await site.ended(repository, { run_attempt: 1 })
    expect(first.conclusions).toEqual({ good: "success", bad: "failure", last: "skipped" })
    await site.must(site.root, `PUT ${path}/variables/IS_FINE`, { value: "yes" })
    await site.must(site.root, `POST ${path}/runs/${first.run.id}/rerun-failed-jobs`)
    const second = await site.ended(repository, { run_attempt: 2 })
    expect(second.conclusions).toEqual({ good: "success", bad: "success", last: "success" })
    expect(after(await second.log("bad"), "attempt=")).toEqual(["2 after of attempt 1"])
    await site.must(site.root, `POST ${path}/runs/${first.run.id}/rerun`)
    const third = await site.ended(repository, { run_attempt: 3 })
    expect(after(await third.log("bad"), "attempt=")).toEqual(["3 after of attempt 3"])
    const bad = third.jobs.find(({ name }) => name === "bad")
    await site.must(site.root, `POST ${path}/runs/${first.run.id}/jobs/${bad?.id}/rerun`)
    const fourth = await site.ended(repository, { run_attempt: 4 })
    expect(after(await fourth.log("bad"), "attempt=")).toEqual(["4 after of attempt 3"])
    expect(after(await first.log("bad"), "attempt=")).toEqual(["1 after of attempt 1"])
    expect(await fourth.log("good")).toEqual(await third.log("good"))
  })

  check("23. the badge of a workflow: success, failure, none; in a private repository for its readers only", async () => {
    const repository = await site.repository(
      "badge",
      {
        ...onPush("build:\n  runs-on: host\n  steps: [{run: echo fine}]\n"),
        [workflowPath("bad")]: "on: push\njobs: {build: {runs-on: host, steps: [{run: exit 1}]}}",
      },
      { private: true },
    )
    await site.ended(repository, { file: "ci.yml" })
    await site.ended(repository, { file: "bad.yml" })
    const badge = async (file: string, authorization = site.root ?? "") => {
      const answer = await fetch(`${site.hearth.url}/${repository}/actions/workflows/${file}/badge.svg`, {
        headers: { ...(authorization && { authorization }) },
      })
      return [
        answer.status,
        answer.headers.get("content-type")?.split(";")[0],
        /(success|failure|no status|failing|passing)/.exec(await answer.text())?.[1],
      ]
    }
    expect(await badge("ci.yml")).toEqual([200, "image/svg+xml", "success"])
    expect(await badge("bad.yml")).toEqual([200, "image/svg+xml", "failure"])
    expect(await badge("missing.yml")).toEqual([200, "image/svg+xml", "no status"])
    expect((await badge("ci.yml", ""))[0]).toBe(404)
  })
})
