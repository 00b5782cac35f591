import { expect, test } from "vitest"
import { byBytes } from "./by-bytes.ts"

test("texts are in the order of their bytes", () => {
  const letters = ["", "a", "b", "/", ".", "é", "\ud7ff", "\ue000", "\uffff", "😀", "𝒳", "\u{10ffff}"]
  const texts = letters.flatMap((first) => letters.flatMap((second) => [first + second, `a${first}${second}`]))
  for (const a of texts)
    for (const b of texts) expect(Math.sign(byBytes(a, b)), `${a} ${b}`).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
})
