import { execFileSync } from "node:child_process"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseDiff } from "./hunks.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hearth-hunks-"))
  git("init", "-q")
})
afterAll(() => rmSync(folder, { recursive: true }))

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" })

describe("what git writes", () => {
  test("is read file by file", () => {
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const twenty = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("")
    put("plain.txt", twenty)
    put("old name.txt", twenty)
    put("gone.txt", "1\n2\n")
    put("picture", "\0")
    put("script", "x\n")
    git("add", ".")
    git("commit", "-qm", "one")
    put("plain.txt", twenty.replace("line 3\n", "").replace("line 17", "line seventeen").trimEnd())
    renameSync(join(folder, "old name.txt"), join(folder, 'nëw "name".txt'))
    rmSync(join(folder, "gone.txt"))
    put("picture", "\0\0")
    put("empty", "")
    git("add", ".")
    git("update-index", "--chmod=+x", "script")
    const text = git("diff", "--cached", "-M")
    const { files, incomplete } = parseDiff(text)
    expect(incomplete).toBe(false)
    const told = files.map(({ oldPath, newPath, status, binary, additions, deletions }) => [
      oldPath,
      newPath,
      status,
      binary,
      additions,
      deletions,
    ])
    expect(told).toEqual([
      [undefined, "empty", "added", false, 0, 0],
      ["gone.txt", undefined, "deleted", false, 0, 2],
      ["old name.txt", 'nëw "name".txt', "renamed", false, 0, 0],
      ["picture", "picture", "modified", true, 0, 0],
      ["plain.txt", "plain.txt", "modified", false, 2, 3],
      ["script", "script", "modified", false, 0, 0],
    ])
    expect(files.at(-1)).toMatchObject({ oldMode: "100644", newMode: "100755" })
    const hunks = files[4]?.hunks ?? []
    expect(hunks.map(({ oldStart, oldCount, newStart, newCount }) => [oldStart, oldCount, newStart, newCount])).toEqual([
      [1, 7, 1, 6],
      [15, 6, 14, 6],
    ])
    expect(hunks[0]?.lines[3]).toEqual({ kind: "deleted", text: "line 3", oldLine: 4, newLine: undefined, noNewline: false })
    expect(hunks[0]?.lines[4]).toEqual({ kind: "context", text: "line 4", oldLine: 5, newLine: 4, noNewline: false })
    expect(hunks[1]?.lines.at(-1)).toEqual({ kind: "added", text: "line 19", oldLine: undefined, newLine: 19, noNewline: true })
  })

  test("is read out of a mail, with binary parts passed over", () => {
    const text = git("format-patch", "--stdout", "--root", "HEAD")
    expect(parseDiff(text).files.map(({ newPath }) => newPath)).toEqual(["gone.txt", "old name.txt", "picture", "plain.txt", "script"])
    const { files } = parseDiff(git("diff", "--cached", "--binary"))
    expect(files.find(({ newPath }) => newPath === "picture")).toMatchObject({ binary: true, hunks: [] })
    expect(files.at(-1)?.newPath).toBe("script")
  })
})

describe("limits", () => {
  const file = (name: string, lines: number) =>
    `--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, () => "+1234567890\n").join("")}`

  test("cut files, lines and letters, and say so", () => {
    const text = file("a", 5) + file("b", 3) + file("c", 1)
    const { files, incomplete } = parseDiff(text, { files: 2, lines: 4, lineLength: 3 })
    expect(incomplete).toBe(true)
    expect(files.map((one) => [one.newPath, one.incomplete, one.additions, one.hunks[0]?.lines.length])).toEqual([
      ["a", true, 5, 4],
      ["b", false, 3, 3],
    ])
    expect(files[0]?.hunks[0]?.lines[0]?.text).toBe("123")
  })
})

describe("what is broken", () => {
  test.each([
    ["nothing", ""],
    ["words", "Hello\nworld\n"],
    ["a hunk without a file", "@@ -1 +1 @@\n-a\n+b\n"],
  ])("%s holds no file", (_, text) => {
    expect(parseDiff(text)).toEqual({ files: [], incomplete: false })
  })

  test("is read as far as it goes", () => {
    const { files } = parseDiff("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\nnonsense\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n")
    expect(files.map(({ newPath, additions, deletions }) => [newPath, additions, deletions])).toEqual([
      ["f", 0, 1],
      ["g", 1, 1],
    ])
    expect(parseDiff("--- a/f\n+++ b/f\n@@ -1 +99999999999 @@\n-x\n").files[0]?.hunks).toEqual([])
  })
})
