import { describe, expect, it } from "vitest"
import { effortOf } from "../../../tests/support/effort.ts"
import { longestTickOf } from "../../../tests/support/ticks.ts"
import { beginWork, TooMuchWork } from "../work.ts"
import { patternSet } from "./automaton.ts"
import { compileGlob, parseGlob } from "./globs.ts"
import { compileRegex, parseRegex } from "./regex.ts"

const glob = (pattern: string, text: string) => compileGlob(pattern, { separator: "/" })?.(text)

describe("globs", () => {
  it.each([
    ["main", "main", true],
    ["main", "Main", false],
    ["main", "main2", false],
    ["", "", true],
    ["release/*", "release/1", true],
    ["release/*", "release/1/2", false],
    ["release/*", "release/", true],
    ["release/**", "release/1/2", true],
    ["**/x", "a/b/x", true],
    ["*.lock", "deps.lock", true],
    ["*.lock", "a.b.lock", true],
    ["*.lock", "a/deps.lock", false],
    ["v?", "v1", true],
    ["v?", "v/", false],
    ["v?", "v", false],
    ["v?", "v\u{1f600}", true],
    ["[a-c]x", "bx", true],
    ["[a-c]x", "dx", false],
    ["[!a-c]x", "dx", true],
    ["[^a-c]x", "ax", false],
    ["[a-]x", "-x", true],
    ["{one,t*o}/x", "two/x", true],
    ["{one,two}/x", "three/x", false],
    ["{a,{b,c}d}", "cd", true],
    ["{,a}b", "b", true],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["a,b", "a,b", true],
    ["a.b", "axb", false],
    ["(a|b)+", "a", false],
  ])("%s on %s: %s", (pattern, text, fits) => {
    expect(glob(pattern, text)).toBe(fits)
  })

  it("lets stars stand for anything where there is no separator", () => {
    expect(compileGlob("ci/*")?.("ci/a/b")).toBe(true)
    expect(compileGlob("?i")?.("/i")).toBe(true)
  })

  it.each(["[a", "[]", "[b-a]", "{a", "{a,b", "a}", "a]", "a\\", "{".repeat(20), "a".repeat(1001)])("refuses %s", (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined()
  })

  it("takes no longer for a spiteful pattern", async () => {
    const matches = compileGlob(`${"*a".repeat(200)}b`)
    expect(await effortOf(() => expect(matches?.("a".repeat(2000))).toBe(false))).toBeLessThan(2)
  })
})

describe("regular expressions", () => {
  it.each([
    ["^v\\d+$", "v12", true],
    ["^v\\d+$", "v12a", false],
    ["v\\d", "the v1 of it", true],
    ["^(a|bc)*$", "abcbca", true],
    ["^(?:a|bc)*$", "abcb", false],
    ["^(?P<major>\\d+)\\.(?<minor>\\d+)$", "1.20", true],
    ["^a{2,3}$", "aa", true],
    ["^a{2,3}$", "aaaa", false],
    ["^a{2}$", "aaa", false],
    ["^a{2,}$", "aaaaa", true],
    ["^a{x}$", "a{x}", true],
    ["^.?$", "", true],
    ["^[^/]+$", "a/b", false],
    ["^[\\w.-]+$", "a-b.c", true],
    ["^[[:alpha:]]+$", "ab1", false],
    ["^[]a]+$", "a]", true],
    ["\\bfoo\\b", "a foo b", true],
    ["\\bfoo\\b", "afoo", false],
    ["\\Ax\\z", "x", true],
    ["\\x41\\x{42}", "AB", true],
    ["(?i)^release$", "ReLease", true],
    ["(?i)^[a-c]$", "B", true],
    ["^release$", "Release", false],
    ["^a+?b*?$", "aab", true],
    ["", "anything", true],
    ["^$", "", true],
  ])("%s on %s: %s", (expression, text, found) => {
    expect(compileRegex(expression)?.(text)).toBe(found)
  })

  it.each([
    "(",
    ")",
    "(a",
    "[a",
    "*a",
    "a**",
    "a{2}{3}",
    "a{3,2}",
    "a{5000}",
    "(a{1000}){1000}",
    "(?:a?){1000}".repeat(60),
    `(${"a".repeat(900)}){1000}`,
    "(?=a)",
    "(?<!a)b",
    "(a)\\1",
    "\\q",
    "a\\",
    "[b-a]",
    "a".repeat(1001),
    "(".repeat(60),
  ])("refuses %s", (expression) => {
    expect(compileRegex(expression)).toBeUndefined()
  })

  it("takes no longer for spiteful expressions", async () => {
    const effort = await effortOf(() => {
      expect(compileRegex("^(a*)*$")?.(`${"a".repeat(2000)}b`)).toBe(false)
      expect(compileRegex("^(a|a)*$")?.(`${"a".repeat(2000)}b`)).toBe(false)
      expect(compileRegex("^(a?){500}a{500}$")?.("a".repeat(500))).toBe(true)
      expect(compileRegex(`${"(".repeat(20)}${"){900}".repeat(20)}`)?.("")).toBe(true)
    })
    expect(effort).toBeLessThan(2)
  })
})

describe("many patterns at once", () => {
  const work = (steps = 1e9) => beginWork({ what: "compare", steps })
  const globs = (texts: readonly string[]) => patternSet(texts.map((text) => parseGlob(text, { separator: "/" })))

  it("says which match, in their order, also of more than fit into one automaton", async () => {
    const set = globs([
      "src/**",
      "*.ts",
      "[",
      "src/*.ts",
      ...Array.from({ length: 500 }, (_, index) => `src/${index}*/${"x".repeat(20)}`),
      "**",
    ])
    expect(await set.matching("src/a.ts", work())).toEqual([0, 3, 504])
    expect(await set.matching(`src/12/${"x".repeat(20)}`, work())).toEqual([0, 5, 16, 504])
    expect(await set.matching("a.ts", work())).toEqual([1, 504])
    expect(await globs([]).matching("a", work())).toEqual([])
  })

  it("says the same as each alone", async () => {
    const list = ["a*b", "**/x", "{a,b}?", "*", "a/**/b", "[!a]*", "", "a?c*"]
    const alone = list.map((glob) => compileGlob(glob, { separator: "/" }))
    const set = globs(list)
    const texts = Array.from({ length: 2000 }, (_, index) => Array.from(index.toString(4), (digit) => "ab/x"[Number(digit)]).join(""))
    for (const text of texts) expect(await set.matching(text, work())).toEqual(alone.flatMap((fits, at) => (fits?.(text) ? at : [])))
  })

  it("knows places, as regular expressions have them", async () => {
    const set = patternSet([parseRegex("^v\\d+$"), parseRegex("^.*\\brc\\b.*$")])
    expect(await set.matching("v12", work())).toEqual([0])
    expect(await set.matching("v1-rc-1", work())).toEqual([1])
    expect(await set.matching("v1-arc-1", work())).toEqual([])
  })

  it("looks at each character once, as a rule", async () => {
    const set = globs(Array.from({ length: 100 }, (_, index) => `src/**/module-${index}*/**/*.{ts,js}`))
    const paths = Array.from({ length: 900 }, (_, index) => `src/features/module-${index % 150}x/deep/folder/file-${index}.ts`)
    const compare = async (steps: number) => {
      const counted = work(steps)
      for (const path of paths) await set.matching(path, counted)
    }
    await compare(5_000_000)
    await compare(100_000)
  })

  it("stops at the limit, and holds no one up until then", async () => {
    const spiteful = globs(Array.from({ length: 100 }, (_, index) => `${"*a".repeat(400)}b${index}`))
    const longest = await longestTickOf(() =>
      expect(spiteful.matching("a".repeat(3000), work(10_000_000))).rejects.toBeInstanceOf(TooMuchWork),
    )
    expect(longest).toBeLessThan(250)
  })
})
