import { expect } from "vitest"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Visitor, visit } from "../../../../tests/support/visitor.ts"
import { commitWorkflow } from "../../../features/actions/testing.ts"

const WORKFLOW = `on:
  workflow_dispatch:
    inputs:
      level: {type: choice, options: [low, high], default: low, description: How loud <b>it</b> is}
      who: {required: true, description: Who is greeted}
      log-count: {type: number}
      loud: {type: boolean, default: true}
      place: {type: environment}
jobs: {greet: {runs-on: nowhere, steps: [{run: echo}]}}
`
const SEND = "/ann/lamp/actions/workflows/greet.yml"
const LIST = "/ann/lamp/actions?workflow=greet.yml"
const BOXES = { ref: "refs/heads/main", boxes: "loud" }

withHearth("workflows that are run by hand", { people: ["ann", "ben", "eve"] }, ({ test, forge, ann, call }) => {
  let anns: Visitor
  let bens: Visitor
  let eves: Visitor
  test.beforeAll(async () => {
    for (const name of ["lamp", "closed", "old"])
      await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main", private: name === "closed" })
    for (const name of ["lamp", "closed", "old"])
      await commitWorkflow(forge, ann, `ann/${name}`, { path: ".gitea/workflows/greet.yml", text: WORKFLOW })
    await commitWorkflow(forge, ann, "ann/lamp", {
      path: ".gitea/workflows/pushed.yml",
      text: WORKFLOW.replace("workflow_dispatch", "pull_request"),
    })
    await call(ann, "POST /repos/ann/lamp/branches", { new_branch_name: "side", old_branch_name: "main" })
    const text = WORKFLOW.replace("who: {required: true", "whom: {required: false")
    const { body } = await call(ann, "GET /repos/ann/lamp/contents/.gitea/workflows/greet.yml?ref=side")
    const content = Buffer.from(text).toString("base64")
    await call(ann, "PUT /repos/ann/lamp/contents/.gitea/workflows/greet.yml", {
      content,
      sha: body.sha,
      branch: "side",
      message: "ask whom",
    })
    await call(ann, "PUT /repos/ann/closed/collaborators/ben", { permission: "read" })
    anns = await visit(forge, "ann")
    bens = await visit(forge, "ben")
    eves = await visit(forge, "eve")
  })
  const runs = async () => (await call(ann, "GET /repos/ann/lamp/actions/runs?event=workflow_dispatch")).body
  /** What the last run was given. */
  const given = async (): Promise<unknown> => {
    const row = await forge.hearth.services.database.read
      .selectFrom("action_runs")
      .select("payload")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow()
    return JSON.parse(row.payload).inputs
  }

  test("the form has the inputs of the file, with their kinds, descriptions and defaults", async () => {
    const { html } = await anns.get(LIST)
    expect(html).toContain('value="refs/heads/main"')
    expect(html).toContain("This workflow has no runs yet")
    expect(html).toMatch(/<option value="low" +selected/)
    expect(html).toContain("How loud &lt;b&gt;it&lt;/b&gt; is")
    expect(html).toContain("who (required)")
    expect(html).toMatch(/name="inputs.who"[^>]* required/)
    expect(html).toMatch(/type="checkbox" name="inputs.loud"[^>]* checked/)
    expect(html).not.toMatch(/id="run-workflow" +open/)
    for (const path of ["/ann/lamp/actions", "/ann/lamp/actions?workflow=pushed.yml", "/ann/lamp/actions?workflow=none.yml"])
      expect((await anns.get(path)).html).not.toContain("run-workflow")
  })

  test("a run is queued with what was typed, and shown", async () => {
    const { total_count } = await runs()
    const sent = { ...BOXES, "inputs.level": "high", "inputs.who": "Noor", "inputs.log-count": "2.5", "inputs.place": "roof" }
    const { to } = await anns.send(`${SEND}/dispatches`, { ...sent, "inputs.unknown": "x", "inputs.__proto__": "x" })
    const { workflow_runs, total_count: after } = await runs()
    expect(after).toBe(total_count + 1)
    expect(to).toBe(`/ann/lamp/actions/runs/${workflow_runs[0].id}`)
    expect(await given()).toEqual({ level: "high", who: "Noor", "log-count": "2.5", loud: false, place: "roof" })
    // The same again, as by a double click.
    expect((await anns.send(`${SEND}/dispatches`, { ...sent, "inputs.unknown": "x", "inputs.__proto__": "x" })).to).toBe(to)
    expect((await runs()).total_count).toBe(after)
    await anns.send(`${SEND}/dispatches`, { ...BOXES, "inputs.who": "Mira", "inputs.loud": "true" })
    expect(await given()).toEqual({ level: "low", who: "Mira", "log-count": "", loud: true, place: "" })
  })

  test("a mistake shows again what was typed, with what is wrong, and queues nothing", async () => {
    const { total_count } = await runs()
    const wrong = [
      ["inputs.who", "", "Who is required."],
      ["inputs.level", "<shrill>", "Should be one of low, high."],
      ["inputs.log-count", "many", "Should be a number."],
    ] as const
    for (const [name, value, words] of wrong) {
      const { status, html } = await anns.send(`${SEND}/dispatches`, {
        ...BOXES,
        "inputs.who": "Tomas",
        "inputs.place": "cellar",
        [name]: value,
      })
      expect(status).toBe(422)
      expect(html).toContain(`<span class="fault" id="actions-dispatch-${name.replace(".", "-")}-fault">${words}</span>`)
      expect(html).toMatch(/id="run-workflow" +open/)
      expect(html).toContain('value="cellar"')
      expect(html).not.toMatch(/name="inputs.loud"[^>]* checked/)
      expect(html).toContain("greet.yml · Actions")
    }
    const gone = await anns.send(`${SEND}/dispatches`, { ref: "refs/heads/gone" })
    expect(gone.status).toBe(422)
    expect(gone.html).toContain("There is no such workflow on this branch or tag.")
    const other = await anns.send("/ann/lamp/actions/workflows/pushed.yml/dispatches", { ref: "refs/heads/main" })
    expect(other.html).toContain("This workflow is not started by workflow_dispatch.")
    expect((await runs()).total_count).toBe(total_count)
  })

  test("another branch has the inputs of its own file", async () => {
    const { html } = await anns.get(`${LIST}&ref=side`)
    expect(html).toMatch(/id="run-workflow" +open/)
    expect(html).toContain('value="refs/heads/side"')
    expect(html).toContain('name="inputs.whom"')
    expect(html).not.toContain("who (required)")
    expect((await anns.get(`${LIST}&ref=gone`)).html).toContain("There is no branch or tag <bdi>gone</bdi> with this workflow.")
    await anns.send(`${SEND}/dispatches`, { ...BOXES, ref: "refs/heads/side", "inputs.whom": "Noor" })
    expect((await runs()).workflow_runs[0].head_branch).toBe("side")
  })

  test("a workflow is disabled, refuses to run, and is enabled", async () => {
    expect((await anns.get(LIST)).html).toContain(`action="${SEND}/disable"`)
    expect((await anns.send(`${SEND}/disable`)).to).toBe(LIST)
    const { html } = await anns.get(LIST)
    expect(html).toContain(`action="${SEND}/enable"`)
    expect(html).not.toContain("run-workflow")
    const refused = await anns.send(`${SEND}/dispatches`, { ...BOXES, "inputs.who": "Late" })
    expect([refused.status, refused.html.includes("This workflow is switched off.")]).toEqual([403, true])
    expect((await anns.send(`${SEND}/enable`)).to).toBe(LIST)
    expect((await anns.get(LIST)).html).toContain("run-workflow")
    expect((await anns.send("/ann/lamp/actions/workflows/none.yml/disable")).status).toBe(404)
  })

  test("readers see and send none of it, for strangers it is missing, and archived repositories stay as they are", async () => {
    const closed = "/ann/closed/actions/workflows/greet.yml"
    for (const [visitor, status, sent] of [
      [bens, 200, 403],
      [eves, 404, 404],
    ] as const) {
      const seen = await visitor.get("/ann/closed/actions?workflow=greet.yml")
      expect(seen.status).toBe(status)
      for (const words of ["run-workflow", "Disable workflow"]) expect(seen.html).not.toContain(words)
      for (const verb of ["dispatches", "disable", "enable"])
        expect((await visitor.send(`${closed}/${verb}`, { ref: "main", "inputs.who": "me" })).status).toBe(sent)
    }
    await call(ann, "PATCH /repos/ann/old", { archived: true })
    const { html } = await anns.get("/ann/old/actions?workflow=greet.yml")
    for (const words of ["run-workflow", "Disable workflow"]) expect(html).not.toContain(words)
    const old = await anns.send("/ann/old/actions/workflows/greet.yml/dispatches", { ref: "main", "inputs.who": "me" })
    expect(old.status).toBe(423)
  })

  test("the form asks git for nothing that it was told before, and costs as many statements with many branches", async () => {
    const { services } = forge.hearth
    const cost = async (query: string) => {
      await anns.get(`${LIST}&${query}0`)
      const before = services.git.spawned()
      const statements = await statementsOf(services.database, () => anns.get(`${LIST}&${query}1`))
      expect(services.git.spawned()).toBe(before)
      return statements.length
    }
    const few = await cost("few=")
    for (let index = 0; index < 5; index++)
      await call(ann, "POST /repos/ann/lamp/branches", { new_branch_name: `b${index}`, old_branch_name: "main" })
    expect(await cost("many=")).toBe(few)
  })
})
