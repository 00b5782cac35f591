import { expect, test } from "vitest"
import { cutToBytes } from "./bytes.ts"

test("a text is cut to so many bytes, never inside of a character", () => {
  expect(cutToBytes("short", 5)).toBe("short")
  expect(cutToBytes("longer", 5)).toBe("lo…")
  expect(cutToBytes("äöü", 6)).toBe("äöü")
  expect(cutToBytes("äöüä", 6)).toBe("ä…")
  expect(cutToBytes("😀😀", 7)).toBe("😀…")
  expect(cutToBytes("😀😀", 6)).toBe("…")
})
