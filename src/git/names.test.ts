import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { branchRef, isBranchName, isObjectId, isRefName, objectId, refName, tagRef } from "./names.ts"

/** Git's own verdict on a name. */
function gitAccepts(...args: readonly string[]): boolean {
  try {
    execFileSync("git", ["check-ref-format", ...args], { stdio: "ignore", cwd: "/" })
    return true
  } catch {
    return false
  }
}

// Made of the fragments that the rules mention, so that most names are borderline cases.
const piece = fc.constantFrom(
  ..."a b . .. / // @ @{ { ~ ^ : ? * [ ] \\ - .lock lock HEAD refs heads main \x01 \x7f é 日本 \u00a0 \t".split(" "),
  " ",
)
const name = fc.array(piece, { minLength: 0, maxLength: 6 }).map((pieces) => pieces.join(""))

describe("reference names", () => {
  test("agree with git check-ref-format", () => {
    fc.assert(
      fc.property(name, (text) => {
        expect([text, isRefName(text)]).toEqual([text, gitAccepts(text)])
        expect([text, isRefName(`refs/heads/${text}`)]).toEqual([text, gitAccepts(`refs/heads/${text}`)])
      }),
      { numRuns: 150 },
    )
  })

  test("branch names agree with git check-ref-format --branch", () => {
    fc.assert(
      fc.property(name, (text) => {
        // A leading "-" alone, and "@{-1}", are options and a shorthand, not names.
        expect([text, isBranchName(text)]).toEqual([text, gitAccepts("--branch", text)])
      }),
      { numRuns: 150 },
    )
  })

  test("a name without bytes in UTF-8 is none", () => {
    expect(isRefName("refs/heads/\ud800")).toBe(false)
    expect(() => refName("refs/heads/\ud800")).toThrow()
  })

  test("full names are made of short ones, and only of good ones", () => {
    expect(branchRef("a/b")).toBe("refs/heads/a/b")
    expect(tagRef("v1")).toBe("refs/tags/v1")
    expect(() => branchRef("HEAD")).toThrow()
    expect(() => branchRef("-x")).toThrow()
    expect(() => tagRef("a..b")).toThrow()
  })
})

describe("object ids", () => {
  test("are full, lower-case and of one of the two lengths", () => {
    expect(isObjectId("a".repeat(40))).toBe(true)
    expect(isObjectId("a".repeat(64), "sha256")).toBe(true)
    expect(isObjectId("a".repeat(64), "sha1")).toBe(false)
    for (const bad of ["", "a".repeat(39), "A".repeat(40), "g".repeat(40), "0".repeat(40), `${"a".repeat(40)}\n`])
      expect(isObjectId(bad)).toBe(false)
    expect(() => objectId("main")).toThrow()
  })
})
