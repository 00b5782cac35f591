import { execFile } from "node:child_process"
import { promisify } from "node:util"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { branchRef, byBytes, isBranchName, isObjectId, isRefName, objectId, refName, tagRef } from "./names.ts"

const run = promisify(execFile)

/** Git's own verdict on each of the names, of which it takes one for a process: a small shell begins them. */
async function gitAccepts(names: readonly string[], option = ""): Promise<readonly boolean[]> {
  const script = `for name in "$@"; do git check-ref-format ${option} "$name" >/dev/null 2>&1 && echo yes || echo no; done`
  const { stdout } = await run("sh", ["-c", script, "sh", ...names], { cwd: "/" })
  return stdout
    .trim()
    .split("\n")
    .map((verdict) => verdict === "yes")
}

// Made of the fragments that the rules mention, so that most names are borderline cases.
const piece = fc.constantFrom(
  ..."a b . .. / // @ @{ { ~ ^ : ? * [ ] \\ - .lock lock HEAD refs heads main \x01 \x7f é 日本 \u00a0 \t".split(" "),
  " ",
)
const name = fc.array(piece, { minLength: 0, maxLength: 6 }).map((pieces) => pieces.join(""))

describe("reference names", () => {
  const told = (names: readonly string[], verdict: (name: string) => boolean) => names.map((text) => [text, verdict(text)])
  const expected = async (names: readonly string[], option?: string) => {
    const verdicts = await gitAccepts(names, option)
    return names.map((text, index) => [text, verdicts[index]])
  }

  test("agree with git check-ref-format", async () => {
    const names = fc.sample(name, 150).flatMap((text) => [text, `refs/heads/${text}`])
    expect(told(names, isRefName)).toEqual(await expected(names))
  })

  test("branch names agree with git check-ref-format --branch", async () => {
    // A leading "-" alone, and "@{-1}", are options and a shorthand, not names.
    const names = fc.sample(name, 150)
    expect(told(names, isBranchName)).toEqual(await expected(names, "--branch"))
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

test("names are in the order of their bytes", () => {
  const letters = ["", "a", "b", "/", ".", "é", "\ud7ff", "\ue000", "\uffff", "😀", "𝒳", "\u{10ffff}"]
  const texts = letters.flatMap((first) => letters.flatMap((second) => [first + second, `a${first}${second}`]))
  for (const a of texts)
    for (const b of texts) expect(Math.sign(byBytes(a, b)), `${a} ${b}`).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
})
