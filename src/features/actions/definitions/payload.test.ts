import { expect, test } from "vitest"
import { parse } from "yaml"
import { payloadOf } from "./payload.ts"

const job = (definition: object, more: object = {}) => ({
  key: "build",
  name: "build",
  labels: '["host"]',
  continue_on_error: 0 as const,
  definition: JSON.stringify(definition),
  ...more,
})
const run = {
  title: "add a lamp",
  definition: JSON.stringify({
    name: "CI",
    on: { push: null },
    "run-name": "by an expression",
    env: { A: "1.10", B: ["$", "{{ github.sha }}"].join("") },
    defaults: { run: { shell: "bash" } },
    permissions: "read-all",
    concurrency: "one",
  }),
}
const read = (...[parts]: Parameters<typeof payloadOf>) => parse(payloadOf(parts))

test("a payload has the workflow's members and one job", () => {
  const steps = [{ run: "echo\n  hello\u2028\u0085", with: { version: "3.10" } }]
  const definition = {
    name: "as written",
    needs: ["a"],
    "runs-on": "x",
    if: "always()",
    "timeout-minutes": 5,
    "continue-on-error": "expression",
    concurrency: "two",
    outputs: { o: "1" },
    steps,
  }
  expect(read({ run, job: job(definition, { name: "evaluated", continue_on_error: 1 }) })).toEqual({
    name: "CI",
    on: { push: null },
    env: { A: "1.10", B: ["$", "{{ github.sha }}"].join("") },
    defaults: { run: { shell: "bash" } },
    permissions: "read-all",
    "run-name": "add a lamp",
    jobs: {
      build: {
        name: "evaluated",
        "runs-on": "host",
        if: "always()",
        "timeout-minutes": "5",
        "continue-on-error": true,
        outputs: { o: "1" },
        steps,
      },
    },
  })
})

test("a job of a matrix has its one combination, and all its labels", () => {
  const definition = {
    "runs-on": "x",
    strategy: { matrix: { v: [1, 2] }, "fail-fast": true, "max-parallel": 1 },
    matrix: { v: 2, w: { x: [1] } },
  }
  expect(read({ run, job: job(definition, { name: "build (2)", labels: '["a","b"]' }) }).jobs).toEqual({
    build: {
      name: "build (2)",
      "runs-on": ["a", "b"],
      strategy: { matrix: { v: [2], w: [{ x: [1] }] }, "fail-fast": "true", "max-parallel": "1" },
    },
  })
})

test("a job of a called workflow has the members of the called file", () => {
  expect(read({ run, job: job({ steps: [] }), called: { on: { workflow_call: {} }, env: { C: "c" } } })).toEqual({
    on: { workflow_call: {} },
    env: { C: "c" },
    "run-name": "add a lamp",
    jobs: { build: { name: "build", "runs-on": "host", steps: [] } },
  })
})
