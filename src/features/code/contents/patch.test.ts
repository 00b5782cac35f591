import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { longestTickOf } from "../../../../tests/support/ticks.ts"
import { TooMuchWork } from "../../../core/work.ts"
import { branchRef } from "../../../git/index.ts"
import { type Caller, openWorld, type World } from "../repositories/testing.ts"
import { applyPatch, readPatch } from "./patch.ts"
import type { Leaf, WorkingTree } from "./working-tree.ts"

/** A tree of files without directories. */
function treeOf(files: Readonly<Record<string, string | Buffer>>): WorkingTree & { readonly files: () => Record<string, string> } {
  const leaves = new Map<string, Leaf>(Object.entries(files).map(([name, text]) => [name, { mode: "100644", content: Buffer.from(text) }]))
  const bytes = ({ content }: Leaf): Buffer => (typeof content === "string" ? Buffer.alloc(0) : content)
  return {
    get: async (parts) => leaves.get(parts.join("/")),
    read: async (leaf) => bytes(leaf),
    put: async (parts, leaf) => void leaves.set(parts.join("/"), leaf),
    remove: async (parts) => void leaves.delete(parts.join("/")),
    write: () => {
      throw new Error("nothing is stored")
    },
    files: () => Object.fromEntries([...leaves].sort().map(([name, leaf]) => [name, bytes(leaf).toString("latin1")])),
  }
}

const apply = async (files: Readonly<Record<string, string | Buffer>>, patch: string) => {
  const tree = treeOf(files)
  await applyPatch(tree, readPatch(patch))
  return tree.files()
}
const refused = (message: RegExp) => ({ message: expect.stringMatching(message) })

describe("a patch", () => {
  const ten = Array.from({ length: 10 }, (_, index) => `${index}\n`).join("")
  const hunk = (head: string, lines: string) => `--- a/f\n+++ b/f\n@@ ${head} @@\n${lines}`

  it("changes, makes, moves, copies and deletes files", async () => {
    const patch = [
      "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
      "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+made\n\\ No newline at end of file\n",
      "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      "diff --git a/old b/moved\nsimilarity index 50%\nrename from old\nrename to moved\n--- a/old\n+++ b/moved\n@@ -1 +1 @@\n-o\n+m\n",
      "diff --git a/kept b/copy\nsimilarity index 100%\ncopy from kept\ncopy to copy\n",
      "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n",
    ].join("")
    expect(await apply({ f: "one\ntwo\n", gone: "x\n", old: "o\n", kept: "k" }, patch)).toEqual({
      copy: "k",
      empty: "",
      f: "one\n2\n",
      kept: "k",
      moved: "m\n",
      new: "made",
    })
  })

  it("finds lines that have moved, the nearest first, and keeps non-text bytes", async () => {
    expect(await apply({ f: `new\nnew\n${ten}` }, hunk("-4,3 +4,3", " 3\n-4\n+four\n 5\n"))).toEqual({
      f: `new\nnew\n${ten.replace("4", "four")}`,
    })
    const block = "a\nb\nc\n"
    expect(await apply({ f: block.repeat(4) }, hunk("-8,3 +8,3", " a\n-b\n+B\n c\n"))).toEqual({
      f: "a\nb\nc\na\nb\nc\na\nB\nc\na\nb\nc\n",
    })
    const odd = Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from("ü\nx\ny\nz\n")])
    expect(await apply({ f: odd }, hunk("-2,3 +2,3", " ü\n-x\n+X\n y\n"))).toEqual({
      f: Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from("ü\nX\ny\nz\n")]).toString("latin1"),
    })
  })

  it.each([
    ["lines that are not there", { f: ten }, hunk("-1,2 +1,2", " 0\n-nine\n+9\n"), /lines of @@ -1,2/],
    ["lines without those around them", { f: ten }, hunk("-5 +5", "-4\n+four\n"), /are not there/],
    ["a beginning that is no longer the first", { f: `x\n${ten}` }, hunk("-1,2 +1,2", "-0\n+zero\n 1\n"), /are not there/],
    ["a last line that has no newline now", { f: "a" }, hunk("-1 +1", "-a\n+b\n"), /are not there/],
    ["a file that is missing", {}, hunk("-1 +1", "-a\n+b\n"), /f does not exist/],
    ["a file that exists already", { f: "" }, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", /f exists already/],
    ["a file that holds more", { f: ten }, "--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-0\n-1\n-2\n", /are not there|holds more/],
    ["fewer lines than promised", { f: ten }, hunk("-1,3 +1,3", "-0\n+zero\n"), /promises/],
    ["two names", { f: ten, g: "" }, "--- a/f\n+++ b/g\n@@ -1 +1 @@\n-0\n+1\n", /both f and g/],
    ["no patch", {}, "x", /unified diff/],
    ["binary files", { f: "" }, "diff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZ\n\n", /binary/],
    [
      "a link",
      {},
      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
      /ordinary file/,
    ],
    [
      "a submodule",
      {},
      "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
      /ordinary file/,
    ],
  ])("is refused for %s", async (_, files, patch, message) => {
    await expect(apply(files, patch)).rejects.toMatchObject(refused(message))
  })

  it("is refused when it asks for too much", async () => {
    const many = Array.from({ length: 1001 }, (_, index) => `--- /dev/null\n+++ b/f${index}\n@@ -0,0 +1 @@\n+a\n`).join("")
    await expect(apply({}, many)).rejects.toMatchObject(refused(/no more than 1000 files/))
    const large = Buffer.concat([Buffer.from("x\nx\n"), Buffer.alloc(20 * 1024 * 1024, "z")])
    const copies = Array.from(
      { length: 8 },
      (_, index) => `diff --git a/f b/c${index}\ncopy from f\ncopy to c${index}\n--- a/f\n+++ b/c${index}\n@@ -1,2 +1,2 @@\n-x\n+y\n x\n`,
    )
    await expect(apply({ f: large }, copies.join(""))).rejects.toMatchObject({ kind: "tooLarge" })
    await expect(apply({ f: Buffer.alloc(40 * 1024 * 1024) }, hunk("-1 +1", "-a\n+b\n"))).rejects.toMatchObject({ kind: "tooLarge" })
  })

  it("is refused where its lines are looked for too long, and holds no one up until then", async () => {
    const alike = `${"x\n".repeat(5000)}y\n`
    const [file, patch] = [
      "x\n".repeat(1_000_000),
      hunk("-2,5001 +2,5000", `${"-x\n"}${alike.slice(2).replaceAll(/^/gm, " ").slice(0, -1)}`),
    ]
    const tick = await longestTickOf(() => expect(apply({ f: file }, patch)).rejects.toBeInstanceOf(TooMuchWork))
    expect(tick).toBeLessThan(250)
  })

  it("is refused with little effort where it counts on a line that is far away", async () => {
    const far = hunk("-999999999 +999999999", "-y\n+z\n")
    const effort = await effortOf(() => expect(apply({ f: "x\n" }, far)).rejects.toMatchObject({ kind: "invalid" }))
    expect(effort).toBeLessThan(1)
  })

  it("gives what git gives", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hearth-patch-"))
    try {
      let seed = 7
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
        return Math.floor((seed / 2_147_483_648) * below)
      }
      for (const side of ["a", "b"]) mkdirSync(join(folder, side))
      for (let round = 0; round < 40; round++) {
        const before = Array.from({ length: random(60) }, () => `${random(5)}`)
        const after = before.flatMap((line) => (random(9) === 0 ? [] : random(9) === 0 ? [line, `new ${random(9)}`] : [line]))
        const text = (lines: readonly string[]) => lines.join("\n") + (lines.length > 0 && random(2) === 0 ? "\n" : "")
        const [old, made] = [text(before), text(after)]
        writeFileSync(join(folder, "a", "f"), old)
        writeFileSync(join(folder, "b", "f"), made)
        if (old === made) continue
        const patch = git(folder, "diff", "--no-index", `-U${1 + random(4)}`, "a/f", "b/f")
          .replaceAll("a/a/f", "a/f")
          .replaceAll("b/b/f", "b/f")
        expect(await apply({ f: old }, patch), patch).toEqual({ f: made })
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Git's output; `git diff` exits with 1 if there is a difference. */
function git(folder: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (error) {
    if (typeof error === "object" && error !== null && "stdout" in error) return String(error.stdout)
    throw error
  }
}

describe("POST /diffpatch", () => {
  let world: World
  let mallory: Caller
  const repo = "/repos/mallory/trap"
  beforeAll(async () => {
    world = await openWorld("sqlite")
    mallory = await world.person("mallory")
    await mallory.call("POST", "/user/repos", { name: "trap", auto_init: true })
    await mallory.call("POST", `${repo}/contents/dir/file`, { content: Buffer.from("one\ntwo\n").toString("base64") })
  })
  afterAll(() => world.close())

  const state = async () => {
    const { database, git: door } = world.hearth.services
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", "trap").executeTakeFirstOrThrow()
    const repository = door.at(row.storage, row.object_format)
    const files = async (folder: string) => (await readdir(join(repository.directory, folder))).sort()
    return {
      tip: await door.references.resolve(repository, branchRef("main")),
      files: await files(""),
      hooks: await files("hooks").catch(() => []),
    }
  }

  it("commits a patch, whole or not at all", async () => {
    const patch = "--- a/dir/file\n+++ b/dir/file\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    const made = await mallory.call("POST", `${repo}/diffpatch`, { content: patch, new_branch: "patched", signoff: true })
    expect(made).toMatchObject({
      status: 201,
      body: { content: null, commit: { message: expect.stringMatching(/^apply-patch\n\nSigned-off-by: /) } },
    })
    const { body } = await mallory.call("GET", `${repo}/contents/dir/file?ref=patched`)
    expect(Buffer.from(body.content, "base64").toString()).toBe("one\n2\n")
    const before = await state()
    const half = `${patch}--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-not there\n+x\n`
    expect((await mallory.call("POST", `${repo}/diffpatch`, { content: half })).status).toBe(422)
    expect(await state()).toEqual(before)
  })

  const made = (path: string, mode = "100644") =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+#!/bin/sh\n`
  it.each([
    ["a hook", made("hooks/post-index-change", "100755").replaceAll("hooks/", "../hooks/")],
    [".git", made(".git/config")],
    [".GIT", made("a/.GIT/hooks/update")],
    ["git~1", made("git~1/config")],
    ["a hidden .git", made(".g\u200cit/config")],
    ["a way up", made("../escape")],
    ["a way up in the middle", made("a/../../escape")],
    ["a whole path", "--- /dev/null\n+++ /etc/passwd\n@@ -0,0 +1 @@\n+x\n"],
    ["an escaped way up", '--- /dev/null\n+++ "b/\\056\\056/escape"\n@@ -0,0 +1 @@\n+x\n'],
    ["a backslash", '--- /dev/null\n+++ "b/..\\\\escape"\n@@ -0,0 +1 @@\n+x\n'],
    ["a move out", "diff --git a/dir/file b/x\nsimilarity index 100%\nrename from dir/file\nrename to ../x\n"],
    ["a move into .git", "diff --git a/dir/file b/x\nsimilarity index 100%\nrename from dir/file\nrename to .git/x\n"],
    ["a link", made("link", "120000")],
    ["a link through a change of mode", "diff --git a/dir/file b/dir/file\nold mode 100644\nnew mode 120000\n"],
    ["a file in the place of a directory", made("dir")],
    ["a file below a file", made("dir/file/below")],
    ["a path that is too long", made(`${"n/".repeat(3000)}n`)],
  ])("refuses %s and leaves everything as it was", async (_, content) => {
    const before = await state()
    expect((await mallory.call("POST", `${repo}/diffpatch`, { content })).status).toBe(422)
    expect(await state()).toEqual(before)
  })

  it("writes below names that mean something only beside the files of a repository", async () => {
    const { hooks } = await state()
    // Two patches that create one file, which would collide in an index.
    const content = made("hooks/post-index-change", "100755")
    expect((await mallory.call("POST", `${repo}/diffpatch`, { content })).status).toBe(201)
    expect((await mallory.call("POST", `${repo}/diffpatch`, { content: content.replace("#!", "##") })).status).toBe(422)
    expect((await state()).hooks).toEqual(hooks)
  })

  it("is for those who may write", async () => {
    const other = await world.person("other")
    const content = made("x")
    expect((await other.call("POST", `${repo}/diffpatch`, { content })).status).toBe(403)
    expect((await world.anonymous.call("POST", `${repo}/diffpatch`, { content })).status).toBe(401)
    expect((await mallory.call("POST", `${repo}/diffpatch`, {})).status).toBe(422)
    expect((await mallory.call("POST", `${repo}/diffpatch`, { content, branch: "nowhere" })).status).toBe(404)
  })
})
