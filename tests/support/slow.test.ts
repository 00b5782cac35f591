import { expect, test } from "vitest"
import { slowWithoutReason } from "./slow.ts"

const file = "tests/one.test.ts"
const blamed = (seconds: number, source: string) => slowWithoutReason({ file, seconds, source }) !== undefined

test("a daily file takes ten seconds of processor time, twice that on a busy machine, or says why it takes more", () => {
  expect(blamed(20, "")).toBe(false)
  expect(blamed(20.1, "")).toBe(true)
  expect(blamed(60, 'import { test } from "vitest"\n\n/**\n * Every page.\n * Slow: there are many.\n */\n')).toBe(false)
  expect(blamed(60, "// Every page.\n// Slow: there are many.\n")).toBe(false)
  expect(slowWithoutReason({ file, seconds: 60, source: "/** Every page. */" })).toContain("tests/one.test.ts took 60.0 s")
})

test("the reason is in the first comment, and nowhere else", () => {
  expect(blamed(60, "/** Every page. */\n// Slow: there are many.\n")).toBe(true)
  expect(blamed(60, '/** Every page. */\nconst words = "Slow: there are many."\n')).toBe(true)
})
