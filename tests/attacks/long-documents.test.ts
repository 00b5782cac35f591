/*
 * Someone pushes templates of issues and workflows that take long to parse: 50 templates were parsed anew for each reader without an account, for two seconds in which no one else was
 * answered, and a workflow of 1.1 MB for one and a half at each push and each look at it. Now long ones are parsed in a thread, once for each of their versions, however many
 * ask; and all templates of a repository have a bound together, a workflow one of 512 KiB.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { LONGEST_ALLOWED_MS, longestTickOf } from "../support/ticks.ts"
import { commitFile } from "./repositories.ts"

const KIB = 1024
const template = (name: string, bytes: number) => {
  const field = (index: number) => `  - { type: input, id: f${index}, attributes: { label: "Label ${index}", placeholder: "abc" } }\n`
  const fields = Array.from({ length: bytes / field(1000).length }, (_, index) => field(index)).join("")
  return `name: ${name}\nabout: About ${name}\nbody:\n${fields}`
}
const workflow = (bytes: number) => {
  const step = "      - { run: echo one, name: a step, env: { A: b, C: d } }\n"
  return `on: workflow_dispatch\njobs:\n  one:\n    runs-on: x\n    steps:\n${step.repeat(bytes / step.length)}`
}

withHearth("documents that take long to parse", { people: ["ann"] }, ({ test, call, status, ann }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    const operations = Array.from({ length: 12 }, (_, index) => ({
      operation: "create",
      path: `.gitea/ISSUE_TEMPLATE/t${index}.yaml`,
      content: Buffer.from(template(`t${index}`, 100 * KIB)).toString("base64"),
    }))
    await call(ann, "POST /repos/ann/tool/contents", { files: operations })
    await commitFile(call, ann, "ann/tool", ".gitea/workflows/long.yaml", workflow(400 * KIB))
    await commitFile(call, ann, "ann/tool", ".gitea/workflows/longer.yaml", workflow(600 * KIB))
  })

  test("templates are parsed beside others' requests, up to a bound for all of them", async () => {
    const answers: number[] = []
    const longest = await longestTickOf(async () => {
      const listed = await Promise.all([1, 2, 3].map(() => call(undefined, "GET /repos/ann/tool/issue_templates")))
      answers.push(...listed.map(({ body }) => body.length))
    })
    expect(answers).toEqual([10, 10, 10])
    expect(longest).toBeLessThan(LONGEST_ALLOWED_MS)
  })

  test("workflows are parsed beside others' requests, and refused beyond their bound", async () => {
    const longest = await longestTickOf(async () => {
      const { body } = await call(ann, "GET /repos/ann/tool/actions/workflows")
      expect(body.workflows.map(({ path }: { path: string }) => path)).toContain(".gitea/workflows/long.yaml")
      expect(await status(ann, "POST /repos/ann/tool/actions/workflows/long.yaml/dispatches", { ref: "main" })).toBe(204)
    })
    expect(longest).toBeLessThan(LONGEST_ALLOWED_MS)
    const refused = await call(ann, "POST /repos/ann/tool/actions/workflows/longer.yaml/dispatches", { ref: "main" })
    expect([refused.status, refused.body.message.includes("larger than 524288 bytes")]).toEqual([422, true])
  })
})
