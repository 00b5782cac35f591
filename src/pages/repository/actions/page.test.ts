import { parse } from "parse5"
import { expect } from "vitest"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { appendLog } from "../../../features/actions/runs/logs.ts"
import { addRunner, commitWorkflow, endJob, finishRun, playWorkflow, takeJob } from "../../../features/actions/testing.ts"

const ESC = String.fromCharCode(27)
const HOSTILE = `<script>alert(1)</script>"'`

withHearth("pages of runs", { people: ["ann", "eve"] }, ({ test, forge, ann, eve, call }) => {
  let runner: number
  let row: { readonly id: number; readonly storage: string }
  const services = () => forge.hearth.services

  test.beforeAll(async () => {
    for (const name of ["lamp", "closed", "empty"])
      await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main", private: name === "closed" })
    for (const name of ["lamp", "closed"]) await commitWorkflow(forge, ann, `ann/${name}`)
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
    row = await services()
      .database.read.selectFrom("repositories")
      .select(["id", "storage"])
      .where("name", "=", "lamp")
      .executeTakeFirstOrThrow()
  })

  const signIn = async (name: string): Promise<string> => {
    const answer = await fetch(`${forge.hearth.url}/user/login`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ login: name, password: PASSWORD }),
    })
    return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  }
  const get = async (path: string, cookie = "") => {
    const answer = await fetch(`${forge.hearth.url}${path}`, { redirect: "manual", headers: { accept: "text/html", cookie } })
    return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") ?? "" }
  }
  const post = async (path: string, cookie: string) =>
    (
      await fetch(`${forge.hearth.url}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, "sec-fetch-site": "same-origin" },
      })
    ).status
  const add = (taskId: number, index: number, contents: readonly string[], isLast = false) =>
    appendLog(services(), {
      repository: row,
      taskId,
      index,
      lines: contents.map((content) => ({ seconds: 1_700_000_000, nanos: 0, content })),
      isLast,
    })
  const setStep = (taskId: number, number: number, change: { readonly log_line: number; readonly log_lines: number }) =>
    services().database.write((tx) =>
      tx.updateTable("action_steps").set(change).where("task_id", "=", taskId).where("number", "=", number).execute(),
    )
  const dispatched = async () => {
    const { body } = await call(ann, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches?return_run_details=true", { ref: "main" })
    const run: number = body.workflow_run_id
    const { jobs } = (await call(ann, `GET /repos/ann/lamp/actions/runs/${run}/jobs`)).body
    return { run, job: Number(jobs[0].id), check: Number(jobs[1].id) }
  }
  const isSound = (text: string) => {
    const faults: string[] = []
    parse(text, { onParseError: ({ code }) => faults.push(code) })
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect(faults).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    expect(text.match(/<h1\b/g)).toHaveLength(1)
  }

  test("the list has filters, workflows and a way to the first one", async () => {
    const { body } = await call(ann, "GET /repos/ann/lamp/actions/runs")
    const list = await get("/ann/lamp/actions")
    isSound(list.text)
    expect(list.text).toContain(`href="/ann/lamp/actions/runs/${body.workflow_runs[0].id}"`)
    expect((await get("/ann/lamp/actions?workflow=build.yml&status=queued&branch=main&actor=ann&event=push")).text).toContain("add build")
    expect((await get("/ann/lamp/actions?branch=other")).text).toContain("No runs found")
    expect((await get("/ann/lamp/actions?status=nonsense")).status).toBe(200)
    expect((await get("/ann/lamp/actions?workflow=build.yml")).text).toContain("badge.svg")
    const none = await get("/ann/empty/actions")
    expect(none.text).toContain("register-token")
    await call(ann, "PUT /repos/ann/lamp/actions/workflows/build.yml/disable")
    expect((await get("/ann/lamp/actions")).text).toContain("build.yml (disabled)")
    await call(ann, "PUT /repos/ann/lamp/actions/workflows/build.yml/enable")
  })

  test("those of a private repository are for its readers, and changes for writers", async () => {
    const { body } = await call(ann, "GET /repos/ann/closed/actions/runs")
    const run = body.workflow_runs[0].id
    const job = (await call(ann, `GET /repos/ann/closed/actions/runs/${run}/jobs`)).body.jobs[0].id
    const [owner, stranger] = [await signIn("ann"), await signIn("eve")]
    const paths = [
      "",
      `/runs/${run}`,
      `/runs/${run}/attempts/1`,
      `/runs/${run}/jobs/${job}`,
      `/runs/${run}/events`,
      `/runs/${run}/jobs/${job}/events`,
    ]
    for (const path of paths)
      for (const cookie of ["", stranger]) expect((await get(`/ann/closed/actions${path}`, cookie)).status).toBe(404)
    for (const path of paths.slice(0, 4)) expect((await get(`/ann/closed/actions${path}`, owner)).status).toBe(200)
    // A run or job of another repository is none of this one.
    for (const path of [`/runs/${run}`, `/runs/${run}/jobs/${job}`, `/runs/${run}/jobs/${job}/events`, `/jobs/${job}/logs`])
      expect((await get(`/ann/lamp/actions${path}`, stranger)).status).toBe(404)
    const shared = await dispatched()
    const at = `/ann/lamp/actions/runs/${shared.run}`
    expect((await get(at, stranger)).text).not.toContain(`${at}/cancel`)
    expect(await post(`${at}/cancel`, stranger)).toBe(403)
    expect((await get(at, owner)).text).toContain(`${at}/cancel`)
    expect(await post(`${at}/cancel`, owner)).toBe(303)
    const ended = await get(at, owner)
    expect(ended.text).toContain("Cancelled")
    expect(ended.text).toContain(`${at}/rerun-failed`)
    expect(await post(`${at}/rerun`, owner)).toBe(303)
    expect((await get(at, owner)).text).toContain("Attempt 2")
    expect((await get(`${at}/attempts/1`, owner)).text).toContain("Cancelled")
    expect((await get(`${at}/attempts/9`, owner)).status).toBe(404)
  })

  test("what a workflow and its jobs say is never markup", async () => {
    const text = `name: '${HOSTILE.replaceAll("'", "''")}'
on: push
jobs:
  one:
    name: '${HOSTILE.replaceAll("'", "''")}'
    runs-on: '<img src=x>'
    steps: [{run: echo}]`
    const played = await playWorkflow(forge, ann, "ann/lamp", text, "hostile.yml")
    const job = await played.jobId(HOSTILE)
    const task = await takeJob(forge, job, runner, [[HOSTILE, "running"]])
    await add(task, 0, [
      HOSTILE,
      `${ESC}]8;;javascript:alert(1)${ESC}\\${HOSTILE}`,
      `::group::${HOSTILE}`,
      "inside",
      "::endgroup::",
      `::error::${HOSTILE}`,
    ])
    await services().database.write((tx) =>
      tx
        .insertInto("action_summaries")
        .values({ job_id: job, step: 0, content: `## Sum\n\n${HOSTILE}` })
        .execute(),
    )
    const at = `/ann/lamp/actions/runs/${played.id}`
    for (const path of ["/ann/lamp/actions", at, `${at}/jobs/${job}`, `${at}/jobs/${job}?q=script&times=1`, `${at}/jobs/${job}?times=1`]) {
      const { status, text: shown } = await get(path)
      expect(status).toBe(200)
      isSound(shown)
      expect(shown).not.toContain("<script>alert")
      expect(shown).not.toContain("<img src=x>")
      expect(shown).not.toContain("javascript:")
    }
    expect((await get(at)).text).toContain("Sum")
    expect((await get(`${at}/jobs/${job}?q=SCRIPT`)).text).toContain("<mark>script</mark>")
  })

  test("a workflow that can't be read says where and why", async () => {
    const played = await playWorkflow(forge, ann, "ann/lamp", "on: push\njobs:\n  one:\n    steps: [{run: echo}]\n", "wrong.yml")
    const { text } = await get(`/ann/lamp/actions/runs/${played.id}`)
    expect(text).toContain("The workflow could not be run.")
    expect(text).toMatch(/\/\.gitea\/workflows\/wrong\.yml#L\d+"/)
    expect((await get(`/ann/lamp/actions/runs/${played.id}/workflow`)).location).toContain("/.gitea/workflows/wrong.yml")
  })

  test("a log shows the last lines of each step, earlier ones on demand, and finds lines", async () => {
    const { run, job } = await dispatched()
    const task = await takeJob(forge, job, runner, [
      ["Fetch", "success"],
      ["Build", "failure"],
    ])
    await add(
      task,
      0,
      [
        "set up",
        ...Array.from({ length: 1500 }, (_, index) => `fetch ${index + 1}`),
        ...Array.from({ length: 2500 }, (_, index) => `build ${index + 1}`),
        "tidied",
      ],
      true,
    )
    await setStep(task, 0, { log_line: 1, log_lines: 1500 })
    await setStep(task, 1, { log_line: 1501, log_lines: 2500 })
    await endJob(forge, job, "failure")
    const at = `/ann/lamp/actions/runs/${run}/jobs/${job}`
    const { text } = await get(at)
    isSound(text)
    expect(text).toContain('id="jobstep-2-2500"')
    expect(text).toContain('id="jobstep-2-1501"')
    expect(text).not.toContain('id="jobstep-2-1500"')
    expect(text).toContain('id="jobstep-1-501"')
    expect(text).toContain('id="jobstep-3-1"')
    expect(text).toMatch(/id="step-2"[^>]* open/)
    const earlier = (await get(`${at}?step=2&from=1`)).text
    expect(earlier).toContain('id="jobstep-2-1"')
    expect(earlier).toContain("Later lines")
    expect(earlier).not.toContain('id="jobstep-2-1001"')
    const found = (await get(`${at}?q=BUILD+77`)).text
    expect(found).toContain("11 lines")
    expect(found).toContain("#jobstep-2-77&quot;".replace("&quot;", '"'))
    const raw = await get(`${at}/logs`)
    expect(raw.text.split("\n")).toHaveLength(4003)
    expect((await get(`/ann/lamp/actions/jobs/${job}/logs`)).location).toBe(`${at}/logs`)
  })

  test("a list of many runs, and a run of many jobs, cost as many statements as of few", async () => {
    const count = async (path: string) => (await statementsOf(services().database, () => get(path))).length
    const few = await playWorkflow(forge, ann, "ann/lamp", "on: push\njobs:\n  one: {runs-on: x, steps: [{run: a}]}\n", "few.yml")
    const jobs = Array.from({ length: 20 }, (_, index) => `  j${index}: {runs-on: x, steps: [{run: a}]}`).join("\n")
    const many = await playWorkflow(forge, ann, "ann/lamp", `on: push\njobs:\n${jobs}\n`, "many.yml")
    for (let index = 0; index < 12; index++) await dispatched()
    expect(await count("/ann/lamp/actions")).toBe(await count("/ann/lamp/actions?workflow=few.yml"))
    expect(await count(`/ann/lamp/actions/runs/${many.id}`)).toBe(await count(`/ann/lamp/actions/runs/${few.id}`))
    expect(await count("/ann/lamp/actions")).toBeLessThan(16)
  })

  /** What a browser hears, until `end`. */
  async function listen(path: string, cookie = "") {
    const leaving = new AbortController()
    const answer = await fetch(`${forge.hearth.url}${path}`, { headers: { cookie }, signal: leaving.signal })
    const heard: { readonly name: string; readonly data: unknown }[] = []
    const done = (async () => {
      let text = ""
      const decoder = new TextDecoder()
      for await (const bytes of answer.body ?? []) {
        text += decoder.decode(bytes, { stream: true })
        const events = text.split("\n\n")
        text = events.pop() ?? ""
        for (const event of events) {
          const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
          if (name !== "") heard.push({ name, data: JSON.parse(data) })
        }
      }
    })()
    return { answer, heard, done, leave: () => leaving.abort() }
  }

  test("a job tells its states and lines as they come, from where the page ended, until it has ended", async () => {
    const { run, job, check } = await dispatched()
    const at = `/ann/lamp/actions/runs/${run}`
    const whole = await listen(`${at}/events`)
    const waiting = await listen(`${at}/jobs/${job}/events?task=0&from=0`)
    expect(whole.answer.headers.get("content-type")).toContain("text/event-stream")
    const task = await takeJob(forge, job, runner, [["Run echo", "running"]])
    await waiting.done
    expect(waiting.heard.at(-1)?.name).toBe("reload")
    await add(task, 0, ["one", "two"])
    const page = (await get(`${at}/jobs/${job}`)).text
    expect(page).toContain(`data-live="${at}/jobs/${job}/events?task=${task}&amp;from=2"`)
    const live = await listen(`${at}/jobs/${job}/events?task=${task}&from=2`)
    await add(task, 2, [`${ESC}[32mthree`])
    await expect.poll(() => JSON.stringify(live.heard)).toContain('["ansi-2","three"]')
    expect(JSON.stringify(live.heard)).not.toContain("two")
    await setStep(task, 0, { log_line: 1, log_lines: 3 })
    await add(task, 3, ["four"], true)
    await endJob(forge, job, "success")
    await live.done
    expect(live.heard.at(-1)?.name).toBe("end")
    expect(JSON.stringify(live.heard)).toContain('"four"')
    await endJob(forge, check, "failure")
    await whole.done
    expect(whole.heard.at(-1)?.name).toBe("end")
    expect(JSON.stringify(whole.heard.at(-2))).toContain("Failed")
    expect((await get(at)).text).not.toContain("data-live")
    await finishRun(forge, run, "failure")
  })

  test("a reader that leaves is followed by no one, and strangers hear nothing", async () => {
    const { run, job } = await dispatched()
    const task = await takeJob(forge, job, runner, [["Run echo", "running"]])
    const path = `/ann/lamp/actions/runs/${run}/jobs/${job}/events?task=${task}&from=0`
    const readers = await Promise.all(Array.from({ length: 20 }, () => listen(path)))
    await add(task, 0, ["hello"])
    for (const { heard } of readers) await expect.poll(() => JSON.stringify(heard)).toContain("hello")
    for (const reader of readers) {
      reader.leave()
      await reader.done.catch(() => {})
    }
    await call(ann, "PATCH /repos/ann/lamp", { private: true })
    expect((await fetch(`${forge.hearth.url}${path}`, { headers: { authorization: eve } })).status).toBe(404)
    await call(ann, "PATCH /repos/ann/lamp", { private: false })
  })
})
