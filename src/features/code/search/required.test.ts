import { describe, expect, test } from "vitest"
import { fold, gramsOf, type Need } from "./grams.ts"
import { readExpression } from "./required.ts"

const meets = (grams: ReadonlySet<number>, need: Need | undefined): boolean => {
  if (need === undefined) return true
  if (typeof need === "number") return grams.has(need)
  return need.kind === "all" ? need.of.every((each) => meets(grams, each)) : need.of.some((each) => meets(grams, each))
}
const mayMatch = (expression: string, text: string): boolean => {
  const { need, mayMatch: holds } = readExpression(expression)
  return meets(new Set(gramsOf(text)), need) && holds(fold(text))
}

describe("what is known of an expression", () => {
  test.each([
    ["foo\\w+bar", "a FooXBar", "foo alone"],
    ["(foo|bar)baz", "barbaz", "foofoo"],
    ["a\\.b\\.c", "A.B.C", "aXbXc"],
    ["(abc)+d?", "abcabc", "ab"],
    ["x{3}yes", "xxxyes", "xxx no"],
    ["^import .* from$", "import a from", "export a from"],
    ["(?i)Größe", "GRÖSSE größe", "grosse"],
    ["(one(two|three)|four)five", "fourfive", "one five"],
  ])("%s", (expression, held, missing) => {
    expect([mayMatch(expression, held), mayMatch(expression, missing)]).toEqual([true, false])
  })
  test.each([
    ["return (true|false);", ["return true;", "  Return FALSE; // no"]],
    ["(seven|eleven)", ["seven", "eleven"]],
    ["v.n", ["eleven", "seven"]],
    ["a\nb", []],
  ] as const)("%s: only these lines may match", (expression, lines) => {
    const text = "\nreturn true;\nseven\nreturn false\na\nb\n  Return FALSE; // no\neleven"
    const { linesIn } = readExpression(expression)
    expect(Array.from(linesIn?.(fold(text)) ?? [], ([from, to]) => text.slice(from, to)).toSorted()).toEqual(lines.toSorted())
  })
  test.each(["[a-z]+", "(abc)*", "(abc|)", "a|bcd", "ab", "\\Qa.b\\E", "(?i:abc)", "\\p{L}", "("])(
    "%s says nothing to the index",
    (expression) => expect(readExpression(expression).need).toBe(undefined),
  )
  test.each([
    ["a.b", false],
    ["a\\sb", true],
    ["[^x]", true],
    ["^a$", false],
    ["(\\d|\\W)?", true],
    ["\\p{L}", true],
  ])("%s may cross lines: %s", (expression, expected) => expect(readExpression(expression).mayCrossLines).toBe(expected))
})
