import { describe, expect, it } from "vitest"
import { type DiffFile, parseDiff } from "../../../core/text/hunks.ts"
import { hunkUpTo, lineAfter } from "./hunk.ts"

const fileOf = (...lines: readonly string[]): DiffFile => {
  const [file] = parseDiff(["diff --git a/a b/a", "--- a/a", "+++ b/a", ...lines, ""].join("\n")).files
  if (!file) throw new Error("there is no file in the diff")
  return file
}

describe("the hunk of a line", () => {
  const file = fileOf("@@ -1,3 +1,4 @@", " one", "-two", "+2", " three", "+four", "@@ -11,2 +12,2 @@ def x", "-eleven", "+11", " twelve")

  it("begins with the hunk as long as few lines lead to it", () => {
    expect(hunkUpTo(file, 2)).toBe("@@ -1,3 +1,4 @@\n one\n-two\n+2")
    expect(hunkUpTo(file, -2)).toBe("@@ -1,3 +1,4 @@\n one\n-two")
    expect(hunkUpTo(file, 3)).toBe("@@ -1,3 +1,4 @@\n one\n-two\n+2\n three")
    expect(hunkUpTo(file, 12)).toBe("@@ -11,2 +12,2 @@ def x\n-eleven\n+11")
  })

  it("shows four lines, with their own numbers", () => expect(hunkUpTo(file, 4)).toBe("@@ -2,2 +2,3 @@\n-two\n+2\n three\n+four"))

  it("counts from nothing in a new file", () => {
    const made = fileOf("@@ -0,0 +1,6 @@", "+1", "+2", "+3", "+4", "+5", "+6")
    expect(hunkUpTo(made, 6)).toBe("@@ -0,0 +3,4 @@\n+3\n+4\n+5\n+6")
  })

  it("is empty for a line that the diff does not show", () => {
    expect(hunkUpTo(file, 8)).toBe("")
    expect(hunkUpTo(file, -30)).toBe("")
  })
})

describe("a line after a change", () => {
  const file = fileOf("@@ -2,0 +3,2 @@", "+new", "+new", "@@ -5,2 +8 @@", "-five", "-six", "+5", "@@ -9,1 +10,0 @@", "-nine")

  it.each([
    [1, 1],
    [2, 2],
    [3, 5],
    [4, 6],
    [7, 8],
    [8, 9],
    [10, 10],
    [100, 100],
  ])("moves from %i to %i with what is added and taken before it", (from, to) => expect(lineAfter(file, from)).toBe(to))

  it.each([5, 6, 9])("is gone where it was changed itself: %i", (line) => expect(lineAfter(file, line)).toBeUndefined())

  it("is found among unchanged lines that a hunk shows", () => {
    const around = fileOf("@@ -1,3 +1,4 @@", " one", "+more", " two", " three")
    expect([1, 2, 3, 4].map((line) => lineAfter(around, line))).toEqual([1, 3, 4, 5])
  })
})
