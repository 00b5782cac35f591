import { describe, expect, test } from "vitest"
import { wholeMatcher } from "../../../core/text/automaton.ts"
import { branchRef, tagRef } from "../../../git/index.ts"
import { parsePattern } from "./patterns.ts"
import { beginFiltering, inputsOf, requestsSkip, startsOn, startsOnPaths, startsOnPull, startsOnRef } from "./triggers.ts"
import { readWorkflow } from "./workflow.ts"

const steps = (workSteps = 1_000_000) => beginFiltering({ workSteps })

describe("patterns of filters", () => {
  const compiled = (text: string) => {
    const pattern = parsePattern(text)
    return pattern && wholeMatcher(pattern)
  }
  test.each([
    ["main", ["main"], ["Main", "mainly", "a/main"]],
    ["*", ["main", ""], ["a/b"]],
    ["**", ["main", "a/b", ""], []],
    ["rel/*", ["rel/1", "rel/"], ["rel/1/2", "rel"]],
    ["rel/**", ["rel/1", "rel/1/2", "rel/"], ["rel"]],
    ["**/x.js", ["x.js", "a/x.js", "a/b/x.js"], ["ax.js", "x.js/a"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]],
    ["a**", ["a", "ab/c"], ["ba"]],
    ["*.jsx?", ["page.js", "page.jsx"], ["page.jsxx"]],
    ["v[12].[0-9]+.[0-9]+", ["v1.10.1", "v2.0.0"], ["v3.0.0", "v1.0", "v1.x.0"]],
    ["v[!0]*", ["v1"], ["v0", "v"]],
    ["{a,b/*}", ["a", "b/c"], ["b", "c"]],
    ["{a,b}+c?", ["ab", "bbc"], ["c"]],
    ["a\\*\\?", ["a*?"], ["ab"]],
    ["100%+", ["100%%"], ["100"]],
  ])("%s", (pattern, fitting, others) => {
    const fits = compiled(pattern)
    expect([pattern, ...fitting.filter((text) => !fits?.(text))]).toEqual([pattern])
    expect([pattern, ...others.filter((text) => fits?.(text))]).toEqual([pattern])
  })
  test.each([
    "?",
    "+a",
    "[a",
    "a]",
    "{a",
    "a}",
    "[b-a]",
    "[]",
    "\\",
    "a".repeat(1001),
    "{".repeat(11) + "}".repeat(11),
    `a${"+".repeat(900)}`,
  ])("invalid: %s", (pattern) => {
    expect(compiled(pattern)).toBeUndefined()
  })
})

describe("references", () => {
  const [main, rel, old, tag] = [branchRef("main"), branchRef("rel/1"), branchRef("rel/old"), tagRef("v1")]
  test.each([
    [{}, [main, rel, old, tag]],
    [{ branches: "main" }, [main]],
    [{ branches: ["main", "rel/**", "!rel/old"] }, [main, rel]],
    [{ branches: ["rel/**", "!rel/**", "rel/old"] }, [old]],
    [{ branches: ["!rel/old"] }, []],
    [{ "branches-ignore": ["rel/**"] }, [main]],
    [{ branches: ["**"], "branches-ignore": ["main"] }, [rel, old]],
    [{ tags: ["v*"] }, [tag]],
    [{ "tags-ignore": ["v*"] }, []],
    [{ branches: ["main"], tags: ["v*"] }, [main, tag]],
    [{ branches: ["main"], "tags-ignore": ["w*"] }, [main, tag]],
    [{ branches: ["[x"] }, []],
  ])("%j", async (filters, fitting) => {
    const found = []
    for (const ref of [main, rel, old, tag]) if (await startsOnRef(filters, ref, steps())) found.push(ref)
    expect(found).toEqual(fitting)
  })
})

describe("paths", () => {
  test.each([
    [{}, ["a"], true],
    [{ paths: ["src/**", "!src/doc/**"] }, ["src/a.ts"], true],
    [{ paths: ["src/**", "!src/doc/**"] }, ["src/doc/a.md", "b"], false],
    [{ paths: ["!a"] }, ["b"], false],
    [{ paths: ["**"] }, [], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a"], false],
    [{ "paths-ignore": ["docs/**"] }, ["docs/a", "b"], true],
    [{ "paths-ignore": ["docs/**", "!docs/must"] }, ["docs/must"], true],
    [{ paths: ["**"], "paths-ignore": ["**"] }, ["a"], false],
    [{ paths: [...Array.from({ length: 100 }, () => "a"), "b"] }, ["b"], false],
  ])("%j with %j", async (filters, paths, starts) => {
    expect(await startsOnPaths(filters, paths, steps())).toBe(starts)
  })
})

test("more than a thousand files match any filter of paths", async () => {
  const paths = Array.from({ length: 1001 }, (_, index) => `src/${index}`)
  const filters = { paths: ["docs/**"] }
  expect([await startsOnPaths(filters, paths, steps()), await startsOnPaths(filters, paths.slice(1), steps())]).toEqual([true, false])
})

test("what takes too much work matches as to files, and doesn't as to branches", async () => {
  const [patterns, filtering] = [["*a*b".repeat(100)], steps(1000)]
  expect(await startsOnPaths({ paths: patterns }, ["ab".repeat(100)], filtering)).toBe(true)
  expect(await startsOnRef({ branches: patterns }, branchRef("ab".repeat(100)), filtering)).toBe(false)
})

describe("types", () => {
  test.each([
    [{}, ["opened"], true],
    [{}, ["synchronize"], true],
    [{}, ["edited"], false],
    [{ types: "closed" }, ["closed"], true],
    [{ types: ["closed"] }, ["opened"], false],
    [{ types: ["*ed", "!edited"] }, ["edited"], false],
    [{ types: ["*ed", "!edited"] }, ["labeled"], true],
    [{ types: ["unlabeled"] }, ["labeled", "unlabeled"], true],
    [{ types: ["{a,opened}"] }, ["opened"], true],
  ])("of a pull request, %j: %j", async (filters, types, starts) => {
    expect(await startsOnPull(filters, types, steps())).toBe(starts)
  })
  const run = (name: string, branch = "main") => ({ types: ["completed"], workflow: { name, file: "sub/x.yml", branch } })
  test.each([
    [{}, { types: ["edited"] }, true],
    [{ types: ["closed"] }, { types: ["edited"] }, false],
    [{ types: ["closed"] }, {}, true],
    [{ workflows: ["Build + test"] }, run("Build + test"), true],
    [{ workflows: ["Bu*"] }, run("Build"), true],
    [{ workflows: ["Build"] }, run("Other"), false],
    [{ workflows: ["sub/x.yml"] }, run(""), true],
    [{ workflows: "Build", types: ["requested"] }, run("Build"), false],
    [{ branches: ["rel/*"] }, run("Build"), false],
    [{ branches: ["main"] }, run("Build"), true],
    [{ branches: ["main"] }, run("Build", ""), false],
    [{ "branches-ignore": ["main"] }, run("Build"), false],
    [{}, { types: ["checks_requested"], branch: "main" }, true],
    [{ branches: ["rel/*"] }, { types: ["checks_requested"], branch: "main" }, false],
    [{ types: ["destroyed"] }, { types: ["checks_requested"], branch: "main" }, false],
  ])("of others, %j: %j", async (filters, trigger, starts) => {
    expect(await startsOn(filters, trigger, steps())).toBe(starts)
  })
})

test("the same trigger twice is one", () => {
  const { events } = readWorkflow("on: [push, push]\njobs: {a: {runs-on: x}}\n")
  expect([...events.keys()]).toEqual(["push"])
})

test.each([
  ["Mend it [skip ci]", true],
  ["a\n\n[actions skip]", true],
  ["[Skip CI] in capitals", false],
  ["skip ci", false],
])("skip words: %j", (message, skips) => {
  expect(requestsSkip(message)).toBe(skips)
})

describe("inputs", () => {
  const declared = {
    level: { default: "low" },
    loud: { type: "boolean" },
    calm: { type: "boolean", default: true },
    times: { type: "number", default: 3 },
    colour: { type: "choice", options: ["red", 7], default: "red" },
    must: { required: true },
  }
  const inputs = (sent: Record<string, string>) => inputsOf({ inputs: declared }, sent)
  test("have the types and defaults that are declared", () => {
    const defaults = { level: "low", loud: false, calm: true, times: "3", colour: "red", must: "x" }
    expect(inputs({ must: "x", other: "dropped" })).toEqual(defaults)
    expect(inputs({ must: "y", loud: "true", calm: "yes", times: "-1.5e3", colour: "7", level: "" })).toEqual({
      level: "",
      loud: true,
      calm: false,
      times: "-1.5e3",
      colour: "7",
      must: "y",
    })
    expect(inputsOf({}, { a: "b" })).toEqual({})
    expect(inputsOf({ inputs: { a: null } }, { a: "b" })).toEqual({ a: "b" })
  })
  test.each([
    [{}, "[inputs.must]: is required"],
    [{ must: "" }, "[inputs.must]: is required"],
    [{ must: "x", times: "three" }, "[inputs.times]: should be a number"],
    [{ must: "x", times: "Infinity" }, "[inputs.times]: should be a number"],
    [{ must: "x", colour: "blue" }, "[inputs.colour]: should be one of red, 7"],
  ])("%j is refused", (sent, message) => {
    expect(() => inputs(sent)).toThrow(message)
  })
})
