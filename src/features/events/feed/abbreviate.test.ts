import { describe, expect, test } from "vitest"
import { abbreviate } from "./abbreviate.ts"

describe("the beginning of a text", () => {
  test("is the whole of a text that fits", () => {
    expect(abbreviate("")).toBe("")
    expect(abbreviate("a".repeat(200))).toBe("a".repeat(200))
    expect(abbreviate("語".repeat(100))).toBe("語".repeat(100))
  })

  test("is cut at 200 columns, the ellipsis among them", () => {
    expect(abbreviate("a".repeat(201))).toBe(`${"a".repeat(199)}…`)
    expect(abbreviate("語".repeat(101))).toBe(`${"語".repeat(99)}…`)
    expect(abbreviate("🌱".repeat(101))).toBe(`${"🌱".repeat(99)}…`)
    // Combining marks take no column of their own.
    expect(abbreviate("e\u0301".repeat(200))).toBe("e\u0301".repeat(200))
  })

  test("ends before a word that is cut through, unless it is long", () => {
    expect(abbreviate(`${"a".repeat(195)} broken word`)).toBe(`${"a".repeat(195)}…`)
    expect(abbreviate(`${"a".repeat(180)} ${"b".repeat(40)}`)).toBe(`${"a".repeat(180)} ${"b".repeat(18)}…`)
  })
})
