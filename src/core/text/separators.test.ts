import { expect, test } from "vitest"
import { hasMoreFields, hasMoreValues } from "./separators.ts"

test.each([
  ['{"a":1,"b":2}', 1],
  ["[1,2,3]", 2],
  ['["a,b,c"]', 0],
  ['["a\\",b",1]', 1],
  ['["a\\\\",1]', 1],
  ['["a\\\\\\",1"]', 0],
  ['"open, text', 0],
  ["", 0],
])("%s has %i commas outside of its texts", (json, count) => {
  expect(hasMoreValues(Buffer.from(json), count)).toBe(false)
  if (count > 0) expect(hasMoreValues(Buffer.from(json), count - 1)).toBe(true)
})

test("fields of a form are counted", () => {
  expect(hasMoreFields(Buffer.from("a=1&b=2"), 2)).toBe(false)
  expect(hasMoreFields(Buffer.from("a=1&b=2"), 1)).toBe(true)
})
