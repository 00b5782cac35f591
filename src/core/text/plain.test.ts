import { expect, test } from "vitest"
import { plainText } from "./plain.ts"

test.each([
  ["**Bold** and _this_ with `code` and snake_case_name, 2 * 3", "Bold and this with code and snake_case_name, 2 * 3"],
  ["# Title\n\n- [x] done\n- [ ] *open*\n1. one", "Title done open one"],
  ["> quoted\n\n```ts\nconst a = 1\n```\nafter", "quoted const a = 1 after"],
  ["see [the docs](https://x.example/a?b=c) and ![a picture](/attachments/1)", "see the docs and a picture"],
  ["![Screenshot](/attachments/0a1b…", "Screenshot"],
  ["a <b>bold</b> <img src=x onerror=alert(1)> word <!-- hidden -->", "a bold word"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "| a | b | | 1 | 2 |"],
  ["漢字 **強調** 😀", "漢字 強調 😀"],
])("%s", (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain)
})

test("long texts of marks take no time", () => {
  for (const mark of ["[", "](", "<", "_", "*", "> ", "<!--", "- "]) expect(plainText(mark.repeat(200_000)).length).toBeLessThan(2_001)
})
