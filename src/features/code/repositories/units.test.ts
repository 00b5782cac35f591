import { describe, expect, test } from "vitest"
import { formatDuration, parseDuration } from "./durations.ts"
import { requireRepositoryName } from "./names.ts"
import { gitignores } from "./templates/gitignores.ts"
import { labelSet, labelSetNames } from "./templates/labels.ts"
import { fillLicense, licenseText } from "./templates/licenses.ts"

describe("lengths of time", () => {
  test.each([
    [28_800, "8h0m0s"],
    [600, "10m0s"],
    [45, "45s"],
    [0, "0s"],
  ])("%d seconds are written %s and read back", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
    expect(parseDuration(text)).toBe(seconds)
  })
  test.each([
    ["1.5h", 5400],
    ["90m", 5400],
    ["0", 0],
    ["-5m", -300],
    ["8h30m0s", 30_600],
  ])("%s is read as %d", (text, seconds) => expect(parseDuration(text)).toBe(seconds))
  test.each(["", "8", "h", "8 h", "8d", "soon"])("%j is no length of time", (text) => expect(parseDuration(text)).toBeUndefined())
})

describe("names", () => {
  test.each(["a", "a.b", "A_b-c", "x".repeat(100), "git", ".github"])("%s is one", (name) =>
    expect(() => requireRepositoryName(name)).not.toThrow(),
  )
  test.each(["", ".", "..", "-", "a..b", "a b", "a/b", "a.git", "a.WIKI", "a.rss", "a.atom", "é", "x".repeat(101)])("%j is none", (name) =>
    expect(() => requireRepositoryName(name)).toThrow(/^\[name\]: /),
  )
  test("a refusal names the character", () => {
    for (const [name, character] of [
      ["a b", " "],
      ["a/b?", "/"],
      ["naïve", "ï"],
      ["😀", "😀"],
    ] as const)
      expect(() => requireRepositoryName(name)).toThrow(`must not contain "${character}"; it must be letters, digits, - _ and .`)
  })
})

describe("templates", () => {
  test("every .gitignore template has lines that end", async () => {
    const names = await gitignores.names()
    expect(names).toEqual(expect.arrayContaining(["C", "C++", "Go", "Node"]))
    for (const name of names) expect(await gitignores.text(name)).toMatch(/^\S[\s\S]*\S\n$/)
  })
  test("every label is complete, and named once in its set", async () => {
    const names = await labelSetNames()
    expect(names).toEqual(["Advanced", "Default"])
    for (const name of names) {
      const labels = (await labelSet(name)) ?? []
      expect(new Set(labels.map((label) => label.name)).size).toBe(labels.length)
      for (const label of labels)
        expect(label).toEqual({
          name: expect.stringMatching(/\S/),
          color: expect.stringMatching(/^[0-9a-f]{6}$/),
          description: expect.any(String),
          exclusive: expect.any(Boolean),
        })
    }
  })
  test.each(["constructor", "../labels/Default", "go", "", "Go/../Go"])("there is no .gitignore template %j", async (name) =>
    expect(await gitignores.text(name)).toBeUndefined(),
  )
  test("a licence leaves no place for year and holder open, and a GNU licence is not touched", async () => {
    const mit = fillLicense("MIT", (await licenseText("MIT")) ?? "", { name: "$& Ada", year: 2026 })
    expect(mit).toContain("Copyright (c) 2026 $& Ada\n")
    const gpl = (await licenseText("GPL-3.0-or-later")) ?? ""
    expect(fillLicense("GPL-3.0-or-later", gpl, { name: "Ada", year: 2026 })).toBe(gpl)
  })
  test.each(["../package", "No-Such", "", "MIT/../MIT"])("there is no licence %j", async (name) =>
    expect(await licenseText(name)).toBeUndefined(),
  )
})
