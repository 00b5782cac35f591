import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { commitWorkflow, expression, type PlayedRun, playWorkflow } from "../testing.ts"

withHearth("called workflows", { people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const job = (more = "") => `{runs-on: x, steps: [{run: a}]${more}}`
  const put = (file: string, text: string, repository = "ann/lamp", by = ann) =>
    commitWorkflow(forge, by, repository, { path: `.gitea/workflows/${file}`, text, message: `add ${file} [skip ci]` })
  test.beforeAll(async () => {
    for (const [by, name] of [
      [ann, "lamp"],
      [ben, "shelf"],
    ] as const)
      await forge.call(by, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    await forge.call(ben, "POST /user/repos", { name: "safe", private: true, auto_init: true, default_branch: "main" })
    await put(
      "inner.yml",
      `on:
  workflow_call:
    inputs:
      level: {type: number, required: true}
      loud: {type: boolean, default: true}
      where: {type: string}
    secrets:
      KEY: {required: true}
      MORE: {}
    outputs:
      told: {value: "${expression("jobs.one.outputs.told")} and ${expression("inputs.level")}"}
permissions: {contents: write, issues: write}
jobs:
  one: ${job(`, name: "level ${expression("inputs.level + 0 == 7 && 'seven'")}"`).replace("inputs.level + 0", "inputs.level")}
  two: ${job(`, needs: one, if: "inputs.loud && needs.one.outputs.told == 'x'"`)}
`,
    )
    await put("outer.yml", "on: workflow_call\njobs: {deep: {uses: ./.gitea/workflows/inner.yml, with: {level: 1}, secrets: inherit}}\n")
    await put("circle.yml", "on: workflow_call\njobs: {again: {uses: ./.gitea/workflows/circle.yml}}\n")
    await put("plain.yml", `on: issues\njobs: {a: ${job()}}\n`)
    await put("wrong.yml", "on: workflow_call\njobs: {a: {}}\n")
    await put(
      "there.yml",
      `on: workflow_call\nenv: {PLACE: there}\njobs: {there: ${job()}, own: {uses: ./.gitea/workflows/own.yml}}\n`,
      "ben/shelf",
      ben,
    )
    await put("own.yml", `on: workflow_call\njobs: {own: ${job()}}\n`, "ben/shelf", ben)
    await put("hidden.yml", `on: workflow_call\njobs: {a: ${job()}}\n`, "ben/safe", ben)
  })
  const play = (jobs: string) => playWorkflow(forge, ann, "ann/lamp", `on: push\n# ${Math.random()}\njobs:\n${jobs}`)
  const rowOf = async (run: PlayedRun, name: string) => {
    const id = await run.jobId(name)
    return forge.hearth.services.database.read.selectFrom("action_jobs").selectAll().where("id", "=", id).executeTakeFirstOrThrow()
  }

  test("its jobs are those of the caller, with inputs, needs, outputs and permissions", async () => {
    const run = await play(`  a: ${job()}
  call:
    needs: a
    uses: ./.gitea/workflows/inner.yml
    permissions: {contents: read}
    with: {level: "${expression("needs.a.outputs.level")}", unknown: 1}
    secrets: {KEY: "${expression("secrets.MINE")}"}
  b: ${job(`, needs: call, if: "needs.call.outputs.told == 'x and 7'"`)}
`)
    expect(await run.jobs()).toEqual({ a: "queued", call: "waiting", b: "waiting" })
    await run.end("a", "success", { level: "7" })
    expect(await run.jobs()).toEqual({
      a: "success",
      call: "queued",
      b: "waiting",
      "call / level seven": "queued",
      "call / two": "waiting",
    })
    const child = await rowOf(run, "call / level seven")
    expect([child.key, child.call, JSON.parse(child.permissions)]).toEqual(["one", "{}", { "repo.code": "read", "repo.releases": "read" }])
    expect(JSON.parse((await rowOf(run, "call")).call)).toMatchObject({
      inputs: { level: 7, loud: true, where: "" },
      secrets: { KEY: "MINE" },
    })
    await run.end("call / level seven", "success", { told: "x" })
    expect(await run.jobs()).toMatchObject({ "call / two": "queued", call: "queued" })
    await run.end("call / two", "success")
    expect(await run.jobs()).toMatchObject({ call: "success", b: "queued" })
    expect(JSON.parse((await rowOf(run, "call")).outputs)).toEqual({ told: "x and 7" })
    await run.end("b", "success")
    expect(await run.state()).toBe("success")
  })

  test("of another repository, which may call its own", async () => {
    const run = await play("  far: {uses: ben/shelf/.gitea/workflows/there.yml@main}\n")
    expect(await run.jobs()).toEqual({ far: "queued", "far / there": "queued", "far / own": "queued", "far / own / own": "queued" })
    await run.end("far / there", "success")
    await run.end("far / own / own", "failure")
    expect(await run.jobs()).toMatchObject({ far: "failure", "far / own": "failure" })
    expect(await run.state()).toBe("failure")

    expect((await forge.call(ann, `POST /repos/ann/lamp/actions/runs/${run.id}/rerun-failed-jobs`)).status).toBe(201)
    expect(await run.jobs()).toEqual({ far: "queued", "far / there": "success", "far / own": "queued", "far / own / own": "queued" })
    await run.end("far / own / own", "success")
    expect(await run.state()).toBe("success")
    expect((await forge.call(ann, `POST /repos/ann/lamp/actions/runs/${run.id}/rerun`)).status).toBe(201)
    expect(await run.jobs()).toEqual({ far: "queued", "far / there": "queued", "far / own": "queued", "far / own / own": "queued" })
    expect((await forge.call(ann, `POST /repos/ann/lamp/actions/runs/${run.id}/cancel`)).status).toBe(202)
    expect(new Set(Object.values(await run.jobs()))).toEqual(new Set(["cancelled"]))
  })

  test("also from a matrix, and by way of another", async () => {
    const run = await play(`  call: {uses: ./.gitea/workflows/outer.yml, strategy: {matrix: {v: [1, 2]}}, secrets: inherit}\n`)
    expect(Object.keys(await run.jobs()).filter((name) => name.startsWith("call (1)"))).toEqual([
      "call (1)",
      "call (1) / deep",
      "call (1) / deep / level false",
      "call (1) / deep / two",
    ])
    await run.end("call (1) / deep / level false", "failure")
    expect(await run.jobs()).toMatchObject({ "call (1)": "failure", "call (2)": "cancelled", "call (2) / deep / level false": "cancelled" })
  })

  test.each([
    ["uses: ./.gitea/workflows/none.yml", "'./.gitea/workflows/none.yml' is not there"],
    ["uses: ./elsewhere/inner.yml", /names no workflow/],
    ["uses: ben/safe/.gitea/workflows/hidden.yml@main", /is not there, or this repository may not read it/],
    ["uses: ben/shelf/.gitea/workflows/there.yml@none", /is not there, or this repository may not read it/],
    ["uses: ./.gitea/workflows/plain.yml", "the workflow can't be called: it has no 'workflow_call' in 'on'"],
    ["uses: ./.gitea/workflows/wrong.yml", "line 2, column 8: the job 'a' has no 'runs-on'"],
    ["uses: ./.gitea/workflows/inner.yml", "the input 'level' is required"],
    ["uses: ./.gitea/workflows/inner.yml, with: {level: high}", "the input 'level' should be a number: \"high\""],
    ["uses: ./.gitea/workflows/inner.yml, with: {level: 1, loud: maybe}", "the input 'loud' should be a boolean: \"maybe\""],
    ["uses: ./.gitea/workflows/inner.yml, with: {level: 1}", "the secret 'KEY' is required"],
    [
      "uses: ./.gitea/workflows/inner.yml, with: {level: 1}, secrets: {KEY: abc}",
      "the secret 'KEY' should be one of the caller's, and nothing else",
    ],
    [
      `uses: ./.gitea/workflows/inner.yml, with: {level: 1}, secrets: {KEY: "${expression("secrets.A")}", NO: x}`,
      "the called workflow declares no secret 'NO'",
    ],
  ])("%s fails the caller with the reason", async (text, error) => {
    const run = await play(`  call: {${text}}\n  after: ${job(', needs: call, if: "failure()"')}\n`)
    expect(await run.jobs()).toEqual({ call: "failure", after: "queued" })
    const { body } = await forge.call(ann, `GET /repos/ann/lamp/actions/jobs/${await run.jobId("call")}`)
    expect(body.error).toEqual(typeof error === "string" ? error : expect.stringMatching(error))
  })

  test("one that calls itself fails where it does", async () => {
    const run = await play("  call: {uses: ./.gitea/workflows/circle.yml}\n")
    expect(await run.jobs()).toEqual({ call: "failure", "call / again": "failure" })
    const { body } = await forge.call(ann, `GET /repos/ann/lamp/actions/jobs/${await run.jobId("call / again")}`)
    expect(body.error).toBe("'./.gitea/workflows/circle.yml' calls itself")
  })

  test("not over more than nine levels", async () => {
    for (let level = 0; level < 12; level++)
      await put(`level${level}.yml`, `on: workflow_call\njobs: {n: {uses: ./.gitea/workflows/level${level + 1}.yml}}\n`)
    const run = await play("  call: {uses: ./.gitea/workflows/level0.yml}\n")
    const names = Object.keys(await run.jobs())
    const deepest = names.at(-1) ?? ""
    expect([names.length, await run.state()]).toEqual([10, "failure"])
    const { body } = await forge.call(ann, `GET /repos/ann/lamp/actions/jobs/${await run.jobId(deepest)}`)
    expect(body.error).toBe("workflows call each other over more than 9 levels")
  })

  test("not more than 256 jobs in a run", async () => {
    const jobs = Array.from({ length: 100 }, (_, index) => `j${index}: ${job()}`).join(", ")
    await put("many.yml", `on: workflow_call\njobs: {${jobs}}\n`)
    const run = await play(
      "  a: {uses: ./.gitea/workflows/many.yml}\n  b: {uses: ./.gitea/workflows/many.yml}\n  c: {uses: ./.gitea/workflows/many.yml}\n",
    )
    const { body } = await forge.call(ann, `GET /repos/ann/lamp/actions/jobs/${await run.jobId("c")}`)
    expect([body.conclusion, body.error]).toEqual(["failure", "the run would have more than 256 jobs"])
  })
})

withHearth("workflows that private repositories share", { people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  const reading = async (run: PlayedRun) => {
    const { read } = forge.hearth.services.database
    const job = await read
      .selectFrom("action_jobs")
      .select(["id", "error"])
      .where("run_id", "=", run.id)
      .orderBy("id")
      .executeTakeFirstOrThrow()
    return job.error === "" ? "reads" : job.error
  }
  const uses = (by: string, repository: string) =>
    playWorkflow(forge, by, repository, `on: push\n# ${Math.random()}\njobs: {call: {uses: ann/shelf/.gitea/workflows/there.yml@main}}\n`)
  const REFUSED = "'ann/shelf/.gitea/workflows/there.yml@main' is not there, or this repository may not read it"
  const share = (shares_workflows: boolean) => call(ann, "PATCH /repos/ann/shelf", { shares_workflows })
  test.beforeAll(async () => {
    for (const [by, name, isPrivate] of [
      [ann, "shelf", true],
      [ann, "lamp", true],
      [ann, "open", false],
      [ben, "other", true],
    ] as const)
      await call(by, "POST /user/repos", { name, private: isPrivate, auto_init: true, default_branch: "main" })
    const text = "on: workflow_call\njobs: {there: {runs-on: x, steps: [{run: a}]}}\n"
    await commitWorkflow(forge, ann, "ann/shelf", { path: ".gitea/workflows/there.yml", text })
  })

  test("are called by private ones of the same owner, once the setting says so", async () => {
    expect((await call(ann, "GET /repos/ann/shelf")).body).not.toHaveProperty("shares_workflows")
    expect(await reading(await uses(ann, "ann/lamp"))).toBe(REFUSED)
    expect((await share(true)).body.shares_workflows).toBe(true)
    expect(await reading(await uses(ann, "ann/lamp"))).toBe("reads")
    expect(await reading(await uses(ann, "ann/open")), "whose logs everyone may read").toBe(REFUSED)
    expect(await reading(await uses(ben, "ben/other")), "of another owner").toBe(REFUSED)
    await share(false)
    expect(await reading(await uses(ann, "ann/lamp"))).toBe(REFUSED)
  })

  test("are never called by code of a fork, and are shared with no one after a transfer", async () => {
    await share(true)
    await call(ann, "PUT /repos/ann/lamp/collaborators/ben", { permission: "read" })
    expect((await call(ben, "POST /repos/ann/lamp/forks", {})).status).toBe(202)
    await forge.hearth.services.jobs.drain()
    const content = Buffer.from("on: pull_request\njobs: {call: {uses: ann/shelf/.gitea/workflows/there.yml@main}}\n").toString("base64")
    const path = ".gitea/workflows/mine.yml"
    const change = { content, message: "call it", branch: "main", new_branch: "mine" }
    expect((await call(ben, `POST /repos/ben/lamp/contents/${path}`, change)).status).toBe(201)
    expect((await call(ben, "POST /repos/ann/lamp/pulls", { head: "ben:mine", base: "main", title: "mine" })).status).toBe(201)
    await forge.hearth.services.jobs.drain()
    const { workflow_runs: runs } = (await call(ann, "GET /repos/ann/lamp/actions/runs?event=pull_request")).body
    expect(runs).toHaveLength(1)
    const { called } = await forge.hearth.services.database.read
      .selectFrom("action_runs")
      .select("called")
      .where("id", "=", runs[0].id)
      .executeTakeFirstOrThrow()
    expect(called).toContain("this repository may not read it")

    await call(ann, "POST /orgs", { username: "crafts" })
    expect((await call(ann, "POST /repos/ann/shelf/transfer", { new_owner: "crafts" })).status).toBeLessThan(300)
    expect((await call(ann, "GET /repos/crafts/shelf")).body).not.toHaveProperty("shares_workflows")
  })
})
