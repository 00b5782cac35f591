import { describe, expect, it } from "vitest"
import { type DiffFile, parseDiff } from "../../../core/text/hunks.ts"
import { hunkUpTo, lineAfter, linesShown, linesUpTo } from "./hunk.ts"

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

describe("the lines that lead to one that the diff does not show", () => {
  // Lines 1 to 3 became 1 to 4, 11 and 12 became 12 and 13, and nothing became of 20.
  const file = fileOf(
    "@@ -1,3 +1,4 @@",
    " one",
    "-two",
    "+2",
    " three",
    "+four",
    "@@ -11,2 +12,2 @@",
    "-eleven",
    "+11",
    " twelve",
    "@@ -20 +20,0 @@",
    "-twenty",
  )
  const numbersOf = (line: number, many = 1) => {
    const { first, last } = linesShown(file, line, many)
    return [first, last]
  }
  const header = (line: number, many = 1) => {
    const [first = 0, last = 0] = numbersOf(line, many)
    const texts = Array.from({ length: last - first + 1 }, () => "x")
    return linesUpTo(file, line, first, texts).split("\n")[0]
  }

  it("are four, or as many as the comment is about", () => {
    expect(numbersOf(11)).toEqual([8, 11])
    expect(numbersOf(-10)).toEqual([7, 10])
    expect(numbersOf(11, 6)).toEqual([6, 11])
  })

  it("begin after the hunk before", () => {
    expect(numbersOf(6)).toEqual([5, 6])
    expect(numbersOf(-4)).toEqual([4, 4])
    expect(numbersOf(14, 9)).toEqual([14, 14])
    expect(numbersOf(21)).toEqual([21, 21])
  })

  it("have their numbers on both sides", () => {
    expect(header(11)).toBe("@@ -7,4 +8,4 @@")
    expect(header(-10)).toBe("@@ -7,4 +8,4 @@")
    expect(header(18)).toBe("@@ -14,4 +15,4 @@")
    expect(header(30)).toBe("@@ -27,4 +27,4 @@")
    expect(header(-30)).toBe("@@ -27,4 +27,4 @@")
  })

  it("are unchanged lines", () => expect(linesUpTo({ hunks: [] }, 2, 1, ["a", ""])).toBe("@@ -1,2 +1,2 @@\n a\n "))
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
