import { describe, expect, test } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { globMatches } from "./glob.ts"

describe("a pattern of EditorConfig", () => {
  test.each([
    ["*", "a/b.c"],
    ["*.js", "deep/down/x.js"],
    ["*.{js,py}", "x.py"],
    ["{a,b{c,d}}.x", "bd.x"],
    ["Makefile", "sub/Makefile"],
    ["/Makefile", "Makefile"],
    ["lib/**.js", "lib/a/b.js"],
    ["lib/*.js", "lib/a.js"],
    ["a/**/z", "a/z"],
    ["a/**/z", "a/b/c/z"],
    ["**/z", "z"],
    ["file?.txt", "file1.txt"],
    ["[ab].c", "b.c"],
    ["[!ab].c", "c.c"],
    ["[a-c].c", "b.c"],
    ["{1..3}.txt", "2.txt"],
    ["{-3..3}.txt", "-2.txt"],
    ["{single}.b", "{single}.b"],
    ["a\\*b", "a*b"],
    ["{}.c", "{}.c"],
    ["[ab", "[ab"],
  ])("%s fits %s", (pattern, path) => expect(globMatches(pattern, path)).toBe(true))

  test.each([
    ["*.js", "x.jsx"],
    ["/Makefile", "sub/Makefile"],
    ["lib/*.js", "lib/a/b.js"],
    ["a/**/z", "b/z"],
    ["[ab].c", "c.c"],
    ["[!ab].c", "a.c"],
    ["a?b", "a/b"],
    ["{1..3}.txt", "4.txt"],
    ["{1..3}.txt", "02.txt"],
    ["a\\*b", "acb"],
    ["", "a"],
  ])("%s does not fit %s", (pattern, path) => expect(globMatches(pattern, path)).toBe(false))

  test("takes time and memory in proportion to its length, however it is built", async () => {
    const effort = await effortOf(() => {
      expect(globMatches("{1..999999999999999}", "5")).toBe(true)
      expect(globMatches("*a".repeat(500), "a".repeat(1000))).toBe(true)
      expect(globMatches(`${"{a,b}".repeat(200)}x`, "a".repeat(200))).toBe(false)
      expect(globMatches(`${"**/".repeat(300)}x`, `${"a/".repeat(500)}y`)).toBe(false)
      expect(globMatches("{".repeat(1000), "x")).toBe(false)
      expect(globMatches(`${"{a,".repeat(300)}b${"}".repeat(300)}`, "b")).toBe(true)
      const worst = `${"**/".repeat(300)}x`
      for (let section = 0; section < 32; section++) globMatches(worst, `${"a/".repeat(510)}y`)
    })
    expect(effort).toBeLessThan(2)
  })
})
