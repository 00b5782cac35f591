import { describe, expect, test } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { evaluate, evaluateAll, holds, interpolate, names, newFuel, requireCondition, requireReadable } from "./expressions.ts"

/** An expression, split so that it is not mistaken for a template literal. */
const expression = (text: string): string => ["$", "{{ ", text, " }}"].join("")

const contexts = {
  github: { event_name: "push", ref: "refs/heads/main", event: { commits: [{ id: "a" }, { id: "b" }], number: 7 } },
  needs: { a: { result: "success", outputs: { list: "[1,2]", bad: "{" } } },
  vars: { LEVEL: "high" },
  inputs: { loud: true },
  matrix: { os: "linux", v: 1.5, deep: { x: [1] } },
}
const value = (text: string) => evaluate(text, contexts, newFuel())
const good = { success: true, failure: false, cancelled: false }
const failed = { success: false, failure: true, cancelled: false }
const cancelled = { success: false, failure: false, cancelled: true }

describe("an expression", () => {
  test.each([
    ["plain", "plain"],
    [expression("github.event_name"), "push"],
    [expression("GITHUB.Event_Name"), "push"],
    [`on ${expression("matrix.os")} ${expression("matrix.v")}!`, "on linux 1.5!"],
    [expression("fromJSON(needs.a.outputs.list)"), [1, 2]],
    [expression("matrix.deep"), { x: [1] }],
    [expression("github.event.commits.*.id"), ["a", "b"]],
    [expression("join(github.event.commits.*.id, '-')"), "a-b"],
    [expression("format('{0} }} is {1}', 'a', 2)"), "a } is 2"],
    [expression("contains(github.ref, 'MAIN')"), true],
    [expression("startsWith(github.ref, 'refs/') && endsWith(github.ref, 'main')"), true],
    [expression("toJSON(matrix.deep)"), '{\n  "x": [\n    1\n  ]\n}'],
    [expression("inputs.loud && 'yes' || 'no'"), "yes"],
    [expression("github.nothing.at.all"), null],
    [`[${expression("github.nothing")}]`, "[]"],
    [expression("'it''s }} here'"), "it's }} here"],
    [expression("1 < 2 && '1' == 1"), true],
  ])("%s gives %j", (text, result) => expect(value(text)).toEqual(result))

  test.each([
    expression("secrets.X"),
    expression("github.ref == "),
    expression("nothing(1)"),
    expression("hashFiles('x')"),
    expression("constructor('x')"),
    expression("toString()"),
    expression("fromJSON(needs.a.outputs.bad)"),
    expression(""),
    expression("format('{1}', 'a')"),
    expression("contains('x')"),
    ["$", "{{ github.ref"].join(""),
    expression(`${"(".repeat(100)}1${")".repeat(100)}`),
    expression(`'${"x".repeat(30_000)}'`),
    `${"x".repeat(70_000)}${expression("1")}`,
    expression(`fromJSON('${"[".repeat(200)}${"]".repeat(200)}')`),
  ])("%# is refused with a message", (text) => expect(() => value(text)).toThrow(/./))

  test("a refusal says what and where", () => {
    expect(() => value(expression("nothing(1)"))).toThrow("Unrecognized function: 'nothing' (in the expression: nothing(1))")
    expect(() => value(expression("secrets.X"))).toThrow("Unrecognized named-value: 'secrets' (in the expression: secrets.X)")
  })

  test("every text in a value is evaluated", () =>
    expect(evaluateAll({ a: [expression("matrix.os"), 1], b: null }, contexts, newFuel())).toEqual({ a: ["linux", 1], b: null }))

  test("of another type is a text where a text is wanted", () => {
    expect(interpolate(expression("matrix.deep"), contexts, newFuel())).toBe('{"x":[1]}')
    expect(interpolate(expression("1 == 1"), contexts, newFuel())).toBe("true")
  })
})

describe("a condition", () => {
  test.each([
    ["", true, false, false],
    ["success()", true, false, false],
    ["always()", true, true, true],
    ["failure()", false, true, false],
    ["cancelled()", false, false, true],
    ["!cancelled()", true, true, false],
    ["ALWAYS()", true, true, true],
    ["github.event_name == 'push'", true, false, false],
    [expression("github.event_name == 'push'"), true, false, false],
    ["github.event_name == 'pull_request'", false, false, false],
    ["always() && needs.a.result == 'success'", true, true, true],
    ["'always()'", true, false, false],
    ["github.nothing", false, false, false],
    [`${expression("github.nothing")} == 'x'`, true, false, false],
    ["0", false, false, false],
  ])("%s", (text, ...expected) =>
    expect([good, failed, cancelled].map((status) => holds(text, contexts, status, newFuel()))).toEqual(expected),
  )

  test.each(["success(", "secrets.X == 'a'", "github.ref = 'x'"])("%s is refused, whatever came before", (text) => {
    for (const status of [good, failed]) expect(() => holds(text, contexts, status, newFuel())).toThrow(/in the expression/)
    expect(() => requireCondition(text, Object.keys(contexts))).toThrow(/in the expression/)
  })

  test("can be read without being evaluated", () => {
    requireCondition("always() && secrets.X", ["secrets"])
    requireCondition("", [])
    requireReadable(`a ${expression("env.X")}`, ["env"])
    expect(() => requireReadable(`a ${expression("env.X")}`, ["vars"])).toThrow(/env/)
  })
})

test("which contexts are named", () => {
  expect(names({ a: [expression("fromJSON(needs.a.outputs.list)")] }, "needs")).toBe(true)
  expect(names([expression("github.needs"), "needs", 1, null], "needs")).toBe(false)
})

describe("a bomb is refused with little effort", () => {
  const nested = (levels: number): string =>
    levels === 0 ? "'0123456789'" : `format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', ${nested(levels - 1)})`
  const big = { github: { text: "x".repeat(500_000), list: Array.from({ length: 10_000 }, () => "x".repeat(50)) } }
  test.each([
    ["a text that grows", nested(20)],
    ["many long texts compared", Array.from({ length: 600 }, () => "github.text != github.text").join(" || ")],
    ["many lists searched", Array.from({ length: 500 }, () => "contains(github.list, 'y')").join(" || ")],
    ["many texts of everything", Array.from({ length: 800 }, () => "toJSON(github) == ''").join(" || ")],
    ["a long separator", `join(github.list, '${"x".repeat(15_000)}')`],
    ["a long text repeated", `format('${"{0}".repeat(5000)}', github.text)`],
  ])("%s", async (_, text) => {
    const effort = await effortOf(async () => expect(() => evaluate(expression(text), big, newFuel())).toThrow(/too much work|longer than/))
    expect(effort).toBeLessThan(2)
  })
})
