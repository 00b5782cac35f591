import { expect, test } from "vitest"
import { cutToBytes, inListOf } from "./bytes.ts"

test("a text is cut to so many bytes, never inside of a character", () => {
  expect(cutToBytes("short", 5)).toBe("short")
  expect(cutToBytes("longer", 5)).toBe("lo…")
  expect(cutToBytes("äöü", 6)).toBe("äöü")
  expect(cutToBytes("äöüä", 6)).toBe("ä…")
  expect(cutToBytes("😀😀", 7)).toBe("😀…")
  expect(cutToBytes("😀😀", 6)).toBe("…")
})

test("a text is whole on its own, and cut among others", () => {
  const old = "x".repeat(1_000_000)
  expect(inListOf([1], old)).toBe(old)
  expect(Buffer.byteLength(inListOf([1, 2], old))).toBe(256 * 1024)
})
