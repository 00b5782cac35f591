import { describe, expect, test } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { branchRef, tagRef } from "../../../git/index.ts"
import { readUses } from "./calls.ts"
import { newFuel } from "./expressions.ts"
import { layOut } from "./layout.ts"
import { planOfWorkflow } from "./plan.ts"
import { beginFiltering, inputsOf, requestsSkip, startsOnPaths, startsOnRef } from "./triggers.ts"
import { readWorkflow } from "./workflow.ts"

const workflow = (text: string) => readWorkflow(`on: push\njobs:\n${text.replace(/^/gm, "  ")}`)
const jobs = (text: string) => {
  const plan = planOfWorkflow(workflow(text), {}, newFuel())
  expect(plan.error).toBe("")
  return plan.jobs
}

/** An expression, split so that it is not mistaken for a template literal. */
const expression = (text: string): string => ["$", "{{ ", text, " }}"].join("")

describe("a workflow's text", () => {
  test("gives name, events, members and jobs", () => {
    const text =
      "name: n\nrun-name: by hand\non: [push, workflow_dispatch]\njobs:\n  a: {runs-on: x}\n  b: {needs: [a], if: always(), runs-on: {labels: [y, z], group: g}, name: B, continue-on-error: true, timeout-minutes: 7}\n"
    const read = readWorkflow(text)
    expect([read.name, read.error, read.size, [...read.events.keys()]]).toEqual(["n", "", 2, ["push", "workflow_dispatch"]])
    expect(read.members).toEqual({ name: "n", "run-name": "by hand", on: ["push", "workflow_dispatch"] })
    expect(planOfWorkflow(read, {}, newFuel())).toMatchObject({
      title: "by hand",
      concurrency: { group: "", cancelsRunning: false },
      jobs: [
        { key: "a", name: "a", needs: [], condition: "", labels: ["x"], continueOnError: false, timeoutMinutes: 0 },
        { key: "b", name: "B", needs: ["a"], condition: "always()", labels: ["y", "z", "g"], continueOnError: true, timeoutMinutes: 7 },
      ],
    })
  })

  test("keeps numbers as they were written, and merges anchors", () => {
    const [a, b] = jobs("a: &a {runs-on: x, env: {V: 1.10, M: 0755, N: 3}}\nb: {<<: *a, name: b}")
    expect(a?.definition["env"]).toEqual({ V: "1.10", M: "0755", N: 3 })
    expect(b).toMatchObject({ name: "b", labels: ["x"] })
  })

  test.each([
    ["a: {runs-on: x, strategy: {matrix: {v: [2, 1], os: [l]}}}", ["a (l, 1)", "a (l, 2)"]],
    [`a: {runs-on: x, name: 'on ${expression("matrix.v")}', strategy: {matrix: {v: [1, 2]}}}`, ["on 1", "on 2"]],
    ["a: {runs-on: x, strategy: {matrix: {v: [1, 2, 3], exclude: [{v: 2}]}}}", ["a (1)", "a (3)"]],
    ["a: {runs-on: x, strategy: {matrix: {v: [1], include: [{v: 1, w: 2}, {v: 9}]}}}", ["a (1, 2)", "a (9)"]],
    ["a: {runs-on: x, strategy: {matrix: {include: [{v: 1}, {v: 2}]}}}", ["a (1)", "a (2)"]],
    ["a: {runs-on: x, strategy: {matrix: {v: 1}}}", ["a (1)"]],
    [`a: {runs-on: x, strategy: {matrix: '${expression("fromJSON('{\"v\":[1,2]}')").replaceAll("'", "''")}'}}`, ["a (1)", "a (2)"]],
    [`a: {runs-on: x, strategy: {matrix: {v: '${expression("fromJSON('[1,2]')").replaceAll("'", "''")}'}}}`, ["a (1)", "a (2)"]],
    [`a: {runs-on: x}\nb: {runs-on: x, needs: a, strategy: {matrix: {v: '${expression("fromJSON(needs.a.outputs.x)")}'}}}`, ["a", "b"]],
  ])("%s is laid out as %j", (text, names) => expect(jobs(text).map(({ name }) => name)).toEqual(names))

  test("a matrix of outputs is laid out later", () => {
    const text = `a: {runs-on: x}\nb: {runs-on: x, needs: a, strategy: {matrix: {v: '${expression("fromJSON(needs.a.outputs.x)")}'}}}`
    expect(jobs(text).map(({ isUnexpanded }) => isUnexpanded)).toEqual([false, true])
    const plan = workflow(text).jobs[1]
    const layOutWith = (outputs: object) => (plan ? layOut(plan, { github: {}, needs: { a: { outputs } } }, newFuel()) : [])
    expect(layOutWith({ x: "[3, 4]" })).toMatchObject([{ name: "b (3)", definition: { matrix: { v: 3 } } }, { name: "b (4)" }])
    expect(layOutWith({ x: "[]" })).toMatchObject([{ error: "'v' of the matrix has no values" }])
    expect(layOutWith({})).toMatchObject([{ name: "b", error: expect.stringContaining("fromJSON") }])
    expect(layOutWith({ x: JSON.stringify(Array.from({ length: 300 })) })).toMatchObject([{ error: "the matrix makes more than 256 jobs" }])
  })

  test("a large job in a large matrix is refused before it is stored so many times", async () => {
    const values = Array.from({ length: 256 }, (_, index) => index).join(", ")
    const large = workflow(`a: {runs-on: x, env: {A: ${"a".repeat(500_000)}}, strategy: {matrix: {v: [${values}]}}}`)
    const effort = await effortOf(() =>
      expect(planOfWorkflow(large, {}, newFuel()).jobs).toMatchObject([
        { name: "a", error: "the jobs of this workflow are too large together" },
      ]),
    )
    expect(effort).toBeLessThan(1)
  })

  test("labels are filled in with matrix values", () => {
    const text = `a: {runs-on: '${expression("matrix.os")}', strategy: {matrix: {os: [l, [w, z]]}}}`
    expect(jobs(text).map(({ labels }) => labels)).toEqual([["w", "z"], ["l"]])
  })

  test.each([
    [`a: {runs-on: '${expression("vars.none")}'}`, "'runs-on' names no label"],
    [`a: {runs-on: x, name: '${expression("secrets.X")}'}`, "Unrecognized named-value: 'secrets' (in the expression: secrets.X)"],
    ["a: {runs-on: x, timeout-minutes: soon}", "'timeout-minutes' should be a number of minutes: soon"],
    ["a: {runs-on: x, if: success(}", "Unexpected end of expression: '(' (in the expression: success()"],
  ])("%s fails the job", (text, error) => {
    const plan = planOfWorkflow(workflow(text), { github: {}, vars: {} }, newFuel())
    expect([plan.error, plan.jobs.map((job) => job.error)]).toEqual(["", [error]])
  })

  test("a concurrency group is evaluated", () => {
    const group = (text: string) =>
      planOfWorkflow(readWorkflow(`on: push\n${text}\njobs: {a: {runs-on: x}}`), { github: { ref: "r" } }, newFuel())
    expect(group(`concurrency: 'ci-${expression("github.ref")}'`).concurrency).toEqual({ group: "ci-r", cancelsRunning: false })
    expect(group("concurrency: {group: g, cancel-in-progress: true}").concurrency).toEqual({ group: "g", cancelsRunning: true })
    expect(group("concurrency: {cancel-in-progress: true}").error).toBe("'concurrency' names no group")
    expect(group(`run-name: '${expression("nope")}'`).error).toBe("Unrecognized named-value: 'nope' (in the expression: nope)")
  })

  const many = Array.from({ length: 20 }, (_, index) => index).join(", ")
  test.each([
    ["jobs: [", "line 1, column 8: "],
    ["on: push\njobs:\n  a:\n   runs-on: x\n  b: [", "line 5, column 7: "],
    ["just a text", "it should be a mapping with 'on' and 'jobs'"],
    ["on: push", "it has no jobs"],
    ["on: push\njobs: {}", "line 2, column 1: it has no jobs"],
    ["jobs: {a: {runs-on: x}}", "'on' names no event that starts it"],
    [
      "on: push\njobs: {a: {runs-on: x, needs: b}, b: {runs-on: x, needs: a}}",
      "the job 'a' can never start: it needs itself, by way of 'b'",
    ],
    ["on: push\njobs:\n  a:\n    runs-on: x\n    needs: c", "line 5, column 5: the job 'a' needs 'c', which is not there"],
    ["on: push\njobs: {a b: {}}", "'a b' is no id of a job"],
    ["on: push\njobs: {a: 1}", "the job 'a' should be a mapping"],
    ["on: push\njobs: {a: {steps: []}}", "the job 'a' has no 'runs-on'"],
    ["on: push\njobs: {a: {runs-on: []}}", "the job 'a' has no 'runs-on'"],
    ["on: push\njobs: {a: {uses: ./x, steps: []}}", "calls a workflow, so it can't have 'steps'"],
    ["on: push\njobs: {a: {runs-on: x, with: {}}}", "has 'with', but calls no workflow"],
    ["on: push\njobs: {a: {runs-on: x, steps: {}}}", "'steps' of the job 'a' should be a list of mappings"],
    ["on: push\njobs: {a: {runs-on: x, strategy: {matrix: 1}}}", "'matrix' should be a mapping in the job 'a'"],
    [`on: push\njobs: {a: {runs-on: x, strategy: {matrix: {x: [${many}], y: [${many}]}}}}`, "more than 256 jobs"],
    [`on: push\njobs: {${Array.from({ length: 257 }, (_, index) => `j${index}: {runs-on: x}`).join(", ")}}`, "it has more than 256 jobs"],
    [`on: push\nx: &a [1]\ny: [${"*a, ".repeat(30)}]\nz: {}`, "alias"],
    [`on: push\njobs: ${"[".repeat(200)}${"]".repeat(200)}`, "nested"],
  ])("%j is wrong, and says why", (text, message) => expect(readWorkflow(text).error).toContain(message))

  test("one whose events can be read starts on these; another on pushes, so that its author is told", () => {
    expect([...readWorkflow("on: issues\njobs: {}").events.keys()]).toEqual(["issues"])
    expect([...readWorkflow("on: [").events.keys()]).toEqual(["push"])
  })
})

describe("what starts on a push", () => {
  const filtering = () => beginFiltering({ workSteps: 1_000_000 })
  test.each([
    [{}, branchRef("x"), true],
    [{}, tagRef("x"), true],
    [{ branches: ["main"] }, branchRef("main"), true],
    [{ branches: "main" }, branchRef("main"), true],
    [{ branches: ["main"] }, branchRef("side"), false],
    [{ branches: ["main"] }, tagRef("main"), false],
    [{ branches: ["main"], tags: ["v*"] }, tagRef("v1"), true],
    [{ branches: ["v/*", "!v/old"] }, branchRef("v/old"), false],
    [{ branches: ["v/*", "!v/old"] }, branchRef("v/new"), true],
    [{ branches: ["v/*"] }, branchRef("v/a/b"), false],
    [{ branches: ["v/**"] }, branchRef("v/a/b"), true],
    [{ "branches-ignore": ["side"] }, branchRef("side"), false],
    [{ "branches-ignore": ["side"] }, branchRef("main"), true],
    [{ "tags-ignore": ["v*"] }, branchRef("main"), false],
  ])("%j on %s: %s", async (filters, ref, starts) => expect(await startsOnRef(filters, ref, filtering())).toBe(starts))

  test.each([
    [{ paths: ["src/**"] }, ["a.md", "src/a/b.ts"], true],
    [{ paths: ["src/**"] }, ["a.md"], false],
    [{ paths: ["**", "!docs/**"] }, ["docs/a"], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a", "docs/b"], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a", "x"], true],
    [{}, ["x"], true],
  ])("%j with %j: %s", async (filters, paths, starts) => expect(await startsOnPaths(filters, paths, filtering())).toBe(starts))

  test("a message can ask to skip workflows", () => {
    expect(["fix [skip ci]", "x\n\n[actions skip]", "[SKIP CI]", "plain"].map(requestsSkip)).toEqual([true, true, false, false])
  })
})

test("inputs are the declared ones, with their defaults", () => {
  const filters = { inputs: { level: { default: "low" }, loud: { type: "boolean" }, count: { type: "number", default: 3 }, plain: null } }
  expect(inputsOf(filters, {})).toEqual({ level: "low", loud: false, count: "3", plain: "" })
  expect(inputsOf(filters, { level: "high", loud: "true", other: "x" })).toEqual({ level: "high", loud: true, count: "3", plain: "" })
  expect(inputsOf({}, { x: "y" })).toEqual({})
})

test("called files are in any of the folders of workflows", () => {
  for (const folder of [".hearth", ".gitea", ".github"])
    expect(readUses(`./${folder}/workflows/sub/x.yml`, "http://here")).toEqual({ of: "commit", path: `${folder}/workflows/sub/x.yml` })
  expect(() => readUses("./.other/workflows/x.yml", "http://here")).toThrow("names no workflow")
})
