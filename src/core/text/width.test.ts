import { expect, test } from "vitest"
import { cutToWidth } from "./width.ts"

test.each([
  ["", 5, ""],
  ["abcde", 5, "abcde"],
  ["abcdef", 5, "abcd…"],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["a日本語", 5, "a日…"],
  ["👍👍👍", 5, "👍👍…"],
  ["ab👍c", 4, "ab…"],
])("%j in %i columns", (text, width, expected) => expect(cutToWidth(text, width)).toBe(expected))
