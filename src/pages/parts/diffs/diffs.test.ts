import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openHighlighter } from "../../../core/highlight/highlight.ts"
import type { ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { openWorld, type World } from "../../../git/testing.ts"
import { anchorOf, diffFiles, excerpt, fileDiff, openDiff, partsOf } from "./diffs.ts"
import { type FileDiff, type Line, splitRows, type Whitespace } from "./model.ts"
import { readRules } from "./unseen.ts"

let world: World
let repository: Repository
const highlighter = openHighlighter({ cacheBytes: 2 ** 25, deadlineMs: () => 60_000 })
/** Colours are waited for on any machine. */
const PATIENT = { patienceMs: 60_000 }
const services = () => ({ git: world.git, highlighter })

beforeAll(async () => {
  world = await openWorld()
  repository = await world.git.repositories.create("ab/diffs", { format: "sha1", branch: "main" })
})
afterAll(() => world.close())

type Content = string | Buffer | { readonly mode: TreeEntry["mode"]; readonly id?: ObjectId; readonly text?: string }
interface Files {
  readonly [path: string]: Content
}

async function tree(files: Files): Promise<ObjectId> {
  const { objects } = world.git
  const folders = new Map<string, Record<string, Content>>()
  const entries: TreeEntry[] = []
  for (const [path, content] of Object.entries(files)) {
    const slash = path.indexOf("/")
    if (slash < 0) {
      const given = typeof content === "string" || Buffer.isBuffer(content) ? { mode: "100644" as const, text: content } : content
      entries.push({
        name: path,
        mode: given.mode,
        id: ("id" in given && given.id) || (await objects.writeBlob(repository, given.text ?? "")),
      })
    } else {
      const folder = folders.get(path.slice(0, slash)) ?? {}
      folder[path.slice(slash + 1)] = content
      folders.set(path.slice(0, slash), folder)
    }
  }
  for (const [name, below] of folders) entries.push({ name, mode: "40000", id: await tree(below) })
  return objects.writeTree(repository, entries)
}

async function commit(files: Files): Promise<ObjectId> {
  const who = { name: "Ada", email: "ada@example.com", offset: 0, when: 1_700_000_000 }
  return world.git.objects.writeCommit(repository, { tree: await tree(files), parents: [], author: who, committer: who, message: "m\n" })
}

async function diffOf(before: Files | null, after: Files, whitespace: Whitespace = "show-all") {
  const from = before === null ? null : await commit(before)
  return openDiff(services(), { repository, from, to: await commit(after), whitespace })
}

async function all(files: AsyncIterable<FileDiff>): Promise<readonly FileDiff[]> {
  const found: FileDiff[] = []
  for await (const file of files) found.push(file)
  return found
}

const filesOf = async (before: Files | null, after: Files, whitespace?: Whitespace) =>
  all(diffFiles(services(), await diffOf(before, after, whitespace), PATIENT))

const SIGNS = { context: " ", added: "+", deleted: "-" }
const linesOf = (file: FileDiff | undefined): readonly Line[] => file?.hunks.flatMap(({ lines }) => lines) ?? []
const shown = (file: FileDiff | undefined) => linesOf(file).map(({ kind, text }) => SIGNS[kind] + text)
const numbered = (count: number, word = "line") => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("")

describe("the files of a difference", () => {
  test("are told by what became of them", async () => {
    const sub = await commit({ a: "1" })
    const diff = await diffOf(
      {
        gone: "x\n",
        moved: numbered(20),
        tool: "run\n",
        pic: "\0a",
        link: { mode: "120000", text: "here" },
        sub: { mode: "160000", id: sub },
        turned: "text\n",
      },
      {
        away: numbered(20),
        tool: { mode: "100755", text: "run\n" },
        pic: "\0b",
        link: { mode: "120000", text: "there" },
        sub: { mode: "160000", id: await commit({ a: "2" }) },
        turned: { mode: "120000", text: "text" },
        made: "new\n",
        empty: "",
      },
    )
    expect(
      diff.files.map(({ path, oldPath, status, content, oldMode, newMode }) => [path, oldPath, status, content, oldMode, newMode]),
    ).toEqual([
      ["away", "moved", "renamed", "text", "100644", "100644"],
      ["empty", undefined, "added", "text", undefined, "100644"],
      ["gone", undefined, "deleted", "text", "100644", undefined],
      ["link", undefined, "modified", "symlink", "120000", "120000"],
      ["made", undefined, "added", "text", undefined, "100644"],
      ["pic", undefined, "modified", "binary", "100644", "100644"],
      ["sub", undefined, "modified", "submodule", "160000", "160000"],
      ["tool", undefined, "modified", "text", "100644", "100755"],
      ["turned", undefined, "typechanged", "symlink", "100644", "120000"],
    ])
    const files = await all(diffFiles(services(), diff))
    expect(files.map(({ file }) => file.path)).toEqual(diff.files.map(({ path }) => path))
    expect(Object.fromEntries(files.map((file) => [file.file.path, shown(file)]))).toEqual({
      away: [],
      empty: [],
      gone: ["-x"],
      link: ["-here", "+there"],
      made: ["+new"],
      pic: [],
      sub: [],
      tool: [],
      turned: ["-text", "+text"],
    })
    expect(files.filter(({ isCut }) => isCut)).toEqual([])
    expect(diff.files.find(({ path }) => path === "sub")?.oldId).toBe(sub)
  })

  test("that no one writes are folded, and shown on request", async () => {
    const attributes =
      "*.txt linguist-generated\nlib/kept.txt -linguist-generated\nsrc/**/out linguist-vendored=true\ngo.sum linguist-generated=false\n"
    const diff = await diffOf(
      { ".gitattributes": attributes, "deep/.gitattributes": "/made.c linguist-generated\n" },
      {
        ".gitattributes": attributes,
        "deep/.gitattributes": "/made.c linguist-generated\n",
        "a.txt": "1\n",
        "deep/a/made.c": "1\n",
        "deep/made.c": "1\n",
        "go.sum": "1\n",
        "lib/b.txt": "1\n",
        "lib/kept.txt": "1\n",
        "package-lock.json": "{}\n",
        "src/a/b/out": "1\n",
        "src/out": "1\n",
        "vendor/x.go": "1\n",
      },
    )
    expect(diff.files.filter(({ shown }) => shown === "inline").map(({ path }) => path)).toEqual([
      "deep/a/made.c",
      "go.sum",
      "lib/kept.txt",
    ])
    expect(diff.files.filter(({ reason }) => reason === "vendored").map(({ path }) => path)).toEqual([
      "src/a/b/out",
      "src/out",
      "vendor/x.go",
    ])
    expect((await all(diffFiles(services(), diff))).map(({ file }) => file.path)).toEqual(["deep/a/made.c", "go.sum", "lib/kept.txt"])
    expect(shown(await fileDiff(services(), diff, "package-lock.json"))).toEqual(["+{}"])
    expect(await fileDiff(services(), diff, "none")).toBeUndefined()
  })

  test("rules of .gitattributes with hostile patterns are bounded", () => {
    const text = `${"*a".repeat(400)} linguist-generated\n{a,b} linguist-generated\n[ linguist-generated\n${"x linguist-vendored\n".repeat(1_000)}`
    const rules = readRules(text)
    expect(rules.length).toBeLessThanOrEqual(100)
    expect(rules.some(({ matches }) => matches("a".repeat(4_000)))).toBe(true)
    expect(rules.some(({ matches }) => matches("{a,b}"))).toBe(true)
  })

  test("pointers to large files are read", async () => {
    const pointer = (digit: string, size: number) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize ${size}\n`
    const [file] = await filesOf({ big: pointer("a", 1) }, { big: pointer("b", 22) })
    expect(file?.largeFiles).toEqual({ old: { oid: "a".repeat(64), size: 1 }, new: { oid: "b".repeat(64), size: 22 } })
    const [other] = await filesOf({ big: "oid sha256:1\n" }, { big: "oid sha256:2\n" })
    expect(other?.largeFiles).toBeUndefined()
  })
})

describe("the lines of a difference", () => {
  test("have numbers, colours that fit the whole file, and marks", async () => {
    const code = (name: string) => `/* a\n b\n${"c\n".repeat(8)} d */\nconst ${name} = 1\n`
    const [file] = await filesOf({ "a.ts": code("one") }, { "a.ts": code("two") })
    expect(linesOf(file).map(({ oldLine, newLine, html, pair }) => [oldLine, newLine, String(html), pair])).toEqual([
      [9, 9, '<span class="co">c</span>', undefined],
      [10, 10, '<span class="co">c</span>', undefined],
      [11, 11, '<span class="co"> d */</span>', undefined],
      [12, undefined, '<span class="kw">const</span> <mark>one</mark> = <span class="nu">1</span>', 4],
      [undefined, 12, '<span class="kw">const</span> <mark>two</mark> = <span class="nu">1</span>', 3],
    ])
    expect(file).toMatchObject({ isHighlighted: true, isCut: false, newLines: 12, hasInvisible: false })
  })

  test("come without colours where they take long, and with them next time", async () => {
    const diff = await diffOf(null, { "a.ts": "let unseen\n" })
    expect((await fileDiff(services(), diff, "a.ts", { patienceMs: 0 }))?.isHighlighted).toBe(false)
    expect((await fileDiff(services(), diff, "a.ts", PATIENT))?.isHighlighted).toBe(true)
    expect((await fileDiff(services(), diff, "a.ts", { patienceMs: 0 }))?.isHighlighted).toBe(true)
  })

  test("name the function around a hunk", async () => {
    const code = (last: string) => `function first() {\n${"  a()\n".repeat(10)}  ${last}()\n}\n`
    const [file] = await filesOf({ "a.js": code("b") }, { "a.js": code("c") })
    expect(file?.hunks[0]).toMatchObject({ context: "function first() {", oldStart: 9, newStart: 9 })
  })

  test.each<[Whitespace, readonly string[]]>([
    ["show-all", ["-a b", "-c", "-d", "+a  b", "+c ", "+  d"]],
    ["ignore-eol", ["-a b", "+a  b", " c ", "-d", "+  d"]],
    ["ignore-change", [" a  b", " c ", "-d", "+  d"]],
    ["ignore-all", []],
  ])("with %s", async (whitespace, expected) => {
    const files = await filesOf({ f: "a b\nc\nd\n" }, { f: "a  b\nc \n  d\n" }, whitespace)
    expect(files.flatMap(shown)).toEqual(expected)
  })

  test("tell how they end", async () => {
    const [file] = await filesOf({ "a.js": "let a\r\nlet b" }, { "a.js": "let a\nlet b\n" })
    expect(linesOf(file).map(({ kind, text, html, hasReturn, noNewline }) => [kind, text, String(html), hasReturn, noNewline])).toEqual([
      ["deleted", "let a", '<span class="kw">let</span> a', true, false],
      ["deleted", "let b", '<span class="kw">let</span> b', false, true],
      ["added", "let a", '<span class="kw">let</span> a', false, false],
      ["added", "let b", '<span class="kw">let</span> b', false, false],
    ])
    expect(file?.hasInvisible).toBe(false)
  })

  test("stand beside each other in rows", async () => {
    const [file] = await filesOf(
      { f: "same\nfirst word here\nsecond word there\nend\n" },
      { f: "same\nquite another\nfirst words here\nsecond words there\nmore\nend\n" },
    )
    const rows = splitRows(linesOf(file))
    expect(rows.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ["same", "same"],
      [undefined, "quite another"],
      ["first word here", "first words here"],
      ["second word there", "second words there"],
      [undefined, "more"],
      ["end", "end"],
    ])
  })

  test("show characters that can't be seen, in code and plain text", async () => {
    const files = await filesOf({ "a.js": "let a\n", b: "a\n" }, { "a.js": "let a \u202e\n", b: "a\u200b\n" })
    expect(files.map(({ hasInvisible }) => hasInvisible)).toEqual([true, true])
    expect(files.map((file) => String(linesOf(file).at(-1)?.html))).toEqual([
      '<span class="kw">let</span> a<mark> <span class="iv" title="U+202E">U+202E</span></mark>',
      'a<mark><span class="iv" title="U+200B">U+200B</span></mark>',
    ])
  })
})

describe("attacks", () => {
  /** What a browser makes of the HTML: the names of elements. */
  const elementsOf = (html: string): ReadonlySet<string> => {
    const names = new Set<string>()
    const visit = (node: DefaultTreeAdapterTypes.ChildNode): void => {
      names.add(node.nodeName)
      if ("childNodes" in node) for (const child of node.childNodes) visit(child)
    }
    for (const node of parseFragment(html).childNodes) visit(node)
    return names
  }

  const NAMES = [
    "<img src=x onerror=alert(1)>.md",
    "a b/c d.ts",
    "--output=x",
    "#",
    "?x=1",
    "%2f",
    "cod\u202egpj.exe",
    "new\nline",
    'quo"te',
    "tab\there",
    "back\\slash",
    "a b/x b/y",
    "*",
    ":(top)",
    `${"x".repeat(250)}.js`,
    "constructor",
  ]
  const LINES = [
    "<script>alert(1)</script>",
    "</span></td></table><img src=x onerror=alert(1)>",
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1 +1 @@",
  ]

  test("by names and lines come out as text, in their own files", async () => {
    const text = LINES.join("\n")
    const files = await filesOf(
      Object.fromEntries(NAMES.map((name) => [name, `old\n${text}\n`])),
      Object.fromEntries(NAMES.map((name) => [name, `${text}\nnew <script>\n`])),
    )
    expect(files.map(({ file }) => file.path).toSorted()).toEqual(NAMES.toSorted())
    for (const file of files) {
      expect([file.file.path, shown(file)]).toEqual([file.file.path, ["-old", ...LINES.map((line) => ` ${line}`), "+new <script>"]])
      for (const { html } of linesOf(file)) for (const name of elementsOf(String(html))) expect(["#text", "span", "mark"]).toContain(name)
      expect(file.file.anchor).toMatch(/^diff-[0-9a-f]{40}$/)
    }
  })

  test("each by its own name alone", async () => {
    const diff = await diffOf(
      Object.fromEntries(NAMES.map((name) => [name, "old\n"])),
      Object.fromEntries(NAMES.map((name) => [name, `new ${anchorOf(name)}\n`])),
    )
    for (const name of NAMES) expect(shown(await fileDiff(services(), diff, name))).toEqual(["-old", `+new ${anchorOf(name)}`])
  })
})

describe("limits", () => {
  test("with more than 20,000 lines it is shown in parts, and a file with more is folded", async () => {
    const diff = await diffOf(null, {
      ...{ "a.txt": numbered(15_000), "b.txt": numbered(2_500), "c.txt": numbered(1_000) },
      ...{ "d.txt": numbered(3_500), "e.txt": numbered(20_001), "yarn.lock": numbered(30_000) },
    })
    expect(diff.isTooMuch).toBe(true)
    expect(diff.files.map(({ path, shown, reason }) => [path, shown, reason])).toEqual([
      ["a.txt", "inline", undefined],
      ["b.txt", "inline", undefined],
      ["c.txt", "inline", undefined],
      ["d.txt", "inline", undefined],
      ["e.txt", "folded", "large"],
      ["yarn.lock", "folded", "generated"],
    ])
    expect(diff.totals).toEqual({ files: 6, additions: 72_001, deletions: 0 })
    const parts = partsOf(diff.files)
    expect(parts.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 3],
      [3, 6],
    ])
    const files = diff.files.slice(1, 3)
    const shown = await all(diffFiles(services(), diff, { files }))
    expect(shown.map((each) => [each.file.path, linesOf(each).length])).toEqual([
      ["b.txt", 2_500],
      ["c.txt", 1_000],
    ])
    expect(linesOf(await fileDiff(services(), diff, "yarn.lock"))).toHaveLength(30_000)
  })

  test("what is folded doesn't count", async () => {
    const diff = await diffOf(null, { "a.txt": numbered(20_000), "yarn.lock": numbered(30_000) })
    expect(diff.isTooMuch).toBe(false)
    expect((await all(diffFiles(services(), diff))).map((file) => linesOf(file).length)).toEqual([20_000])
  })

  test("a file with more lines than the limit says so", async () => {
    const diff = await diffOf(null, { a: numbered(100_001) })
    expect(await fileDiff(services(), diff, "a")).toMatchObject({ isCut: true, file: { additions: 100_001 } })
  })

  test("long lines are cut", async () => {
    const [file] = await filesOf(null, { "a.js": `let a = "${"<".repeat(100_000)}"\n` })
    expect(linesOf(file)[0]?.text).toHaveLength(5_000)
    expect(String(linesOf(file)[0]?.html)).toMatch(/^let a = &quot;(&lt;)+$/)
  })

  const noneRuns = () => expect.poll(() => world.git.limits().find(({ name }) => name === "diffs")?.active).toBe(0)

  test("leaving early ends the process", async () => {
    const diff = await diffOf(null, { "a.txt": numbered(5_000), "b.txt": numbered(5_000) })
    for await (const { file } of diffFiles(services(), diff)) {
      expect(file.path).toBe("a.txt")
      break
    }
    // Readers of objects stay for a while.
    await noneRuns()
  })

  test("a reader that takes its time holds no process", async () => {
    const diff = await diffOf(null, Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.txt`, numbered(200)])))
    let count = 0
    for await (const _ of diffFiles(services(), diff)) {
      count += 1
      if (count === 1) await noneRuns()
    }
    expect(count).toBe(50)
  })
})

describe("an excerpt", () => {
  test("has lines with the colours of the whole file", async () => {
    const id = await world.git.objects.writeBlob(repository, "/*\none\ntwo\n*/\nlet a\n")
    const read = async (from: number, to: number) => excerpt(services(), { repository, id, name: "a.js", from, to })
    const found = await read(2, 3)
    expect(found?.lines.map(({ line, text, html }) => [line, text, String(html)])).toEqual([
      [2, "one", '<span class="co">one</span>'],
      [3, "two", '<span class="co">two</span>'],
    ])
    expect(found?.total).toBe(5)
    expect((await read(-5, 99))?.lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
    expect((await read(4, 2))?.lines).toEqual([])
  })

  test("is bounded", async () => {
    const write = (content: string) => world.git.objects.writeBlob(repository, content)
    const large = await excerpt(services(), { repository, id: await write(numbered(5_000)), name: "a", from: 1, to: 5_000 })
    expect([large?.lines.length, large?.total]).toEqual([1_000, 5_000])
    expect(await excerpt(services(), { repository, id: await write("a\0b"), name: "a", from: 1, to: 1 })).toBeUndefined()
    expect(await excerpt(services(), { repository, id: await tree({ a: "1" }), name: "a", from: 1, to: 1 })).toBeUndefined()
  })
})
