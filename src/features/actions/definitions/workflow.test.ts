import { describe, expect, test } from "vitest"
import { branchRef, tagRef } from "../../../git/index.ts"
import { inputsOf, requestsSkip, startsOnPaths, startsOnRef } from "./triggers.ts"
import { readWorkflow } from "./workflow.ts"

const jobs = (text: string) => readWorkflow(`on: push\njobs:\n${text.replace(/^/gm, "  ")}`).jobs

/** An expression, split so that it is not mistaken for a template literal. */
const expression = (text: string): string => ["$", "{{ ", text, " }}"].join("")

describe("a workflow's text", () => {
  test("gives name, events and jobs", () => {
    const {
      name,
      runName,
      events,
      jobs: found,
    } = readWorkflow(
      "name: n\nrun-name: by hand\non: [push, workflow_dispatch]\njobs:\n  a: {runs-on: x}\n  b: {needs: [a], if: always(), runs-on: {labels: [y, z]}, name: B, continue-on-error: true}\n",
    )
    expect([name, runName, [...events.keys()]]).toEqual(["n", "by hand", ["push", "workflow_dispatch"]])
    expect(found).toMatchObject([
      { key: "a", name: "a", needs: [], condition: "", labels: ["x"], continueOnError: false },
      { key: "b", name: "B", needs: ["a"], condition: "always()", labels: ["y", "z"], continueOnError: true },
    ])
  })

  test("keeps expressions, and ignores a run name that is one", () => {
    expect(
      readWorkflow(`run-name: by ${expression("github.actor")}\non: push\njobs: {a: {runs-on: '${expression("vars.x")}'}}`),
    ).toMatchObject({
      runName: "",
      jobs: [{ labels: [`${expression("vars.x")}`] }],
    })
  })

  test.each([
    ["a: {runs-on: x, strategy: {matrix: {v: [2, 1], os: [l]}}}", ["a (l, 1)", "a (l, 2)"]],
    [`a: {runs-on: x, name: 'on ${expression("matrix.v")}', strategy: {matrix: {v: [1, 2]}}}`, ["on 1", "on 2"]],
    ["a: {strategy: {matrix: {v: [1, 2, 3], exclude: [{v: 2}]}}}", ["a (1)", "a (3)"]],
    ["a: {strategy: {matrix: {v: [1], include: [{v: 1, w: 2}, {v: 9}]}}}", ["a (1, 2)", "a (9)"]],
    ["a: {strategy: {matrix: {include: [{v: 1}, {v: 2}]}}}", ["a (1)", "a (2)"]],
    [`a: {strategy: {matrix: '${expression("fromJSON(x)")}'}}`, ["a"]],
    [`a: {strategy: {matrix: {v: '${expression("fromJSON(x)")}'}}}`, ["a"]],
  ])("%s is laid out as %j", (text, names) => expect(jobs(text).map(({ name }) => name)).toEqual(names))

  test("labels are filled in with matrix values", () => {
    expect(jobs(`a: {runs-on: '${expression("matrix.os")}', strategy: {matrix: {os: [l, w]}}}`).map(({ labels }) => labels)).toEqual([
      ["l"],
      ["w"],
    ])
  })

  const many = Array.from({ length: 20 }, (_, index) => index).join(", ")
  test.each([
    "jobs: [",
    "just a text",
    "on: push",
    "jobs: {a: {runs-on: x}}",
    "on: push\njobs: {a: {needs: b}, b: {needs: a}}",
    "on: push\njobs: {a: {needs: c}}",
    "on: push\njobs: {a b: {}}",
    "on: push\njobs: {a: 1}",
    "on: push\njobs: {a: {strategy: {matrix: 1}}}",
    `on: push\njobs: {a: {strategy: {matrix: {x: [${many}], y: [${many}]}}}}`,
  ])("%j is none", (text) => expect(() => readWorkflow(text)).toThrow())
})

describe("what starts on a push", () => {
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
  ])("%j on %s: %s", (filters, ref, starts) => expect(startsOnRef(filters, ref)).toBe(starts))

  test.each([
    [{ paths: ["src/**"] }, ["a.md", "src/a/b.ts"], true],
    [{ paths: ["src/**"] }, ["a.md"], false],
    [{ paths: ["**", "!docs/**"] }, ["docs/a"], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a", "docs/b"], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a", "x"], true],
    [{}, ["x"], true],
  ])("%j with %j: %s", (filters, paths, starts) => expect(startsOnPaths(filters, paths)).toBe(starts))

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
