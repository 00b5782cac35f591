import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { describe, expect, test } from "vitest"
import type { Html } from "../html.ts"
import { GRAMMARS, grammarNamed, grammarOfFile } from "./grammars.ts"
import { type HighlightedCode, openHighlighter } from "./highlight.ts"
import { codeToHtml, hasInvisible } from "./invisible.ts"
import { TOKEN_CLASSES } from "./tokens.ts"

/** No text of these tests takes long; machines do. */
const PATIENT = { cacheBytes: 1_000_000, deadlineMs: () => 60_000 }
const highlighter = openHighlighter(PATIENT)

const linesOf = async (name: string, text: string) => (await highlighter.lines({ name, text })).lines.map(String)

const readable = ({ lines, ...rest }: HighlightedCode) => ({ ...rest, lines: lines.map(String) })

/** The text as a browser shows it; fails where there is more than spans with our classes. */
function shown(html: Html | string): string {
  const read = (node: DefaultTreeAdapterTypes.ChildNode): string => {
    if ("value" in node) return node.value
    if (!("childNodes" in node)) throw new Error(`there is a ${node.nodeName}`)
    if (node.nodeName !== "span") throw new Error(`there is a ${node.nodeName}`)
    for (const { name, value } of node.attrs) {
      if (name === "class" && TOKEN_CLASSES.some((each) => each === value)) continue
      if (name === "title" && /^U\+[0-9A-F]{4,6}$/.test(value)) continue
      throw new Error(`there is ${name}="${value}"`)
    }
    return node.childNodes.map(read).join("")
  }
  return parseFragment(String(html)).childNodes.map(read).join("")
}

describe("highlighting", () => {
  test("gives each line its own spans", async () => {
    expect(await linesOf("a.rb", '=begin\n\none\n=end\nx = "a\n#{b}" # two\n')).toEqual([
      '<span class="co">=begin</span>',
      "",
      '<span class="co">one</span>',
      '<span class="co">=end</span>',
      'x = <span class="st">&quot;a</span>',
      '<span class="st"><span class="su">#{b}</span>&quot;</span> <span class="co"># two</span>',
    ])
  })

  test("colours languages inside of others, and always in the same way", async () => {
    const text = "<script>\nlet a\n</script>\n<style>\nb { color: red }\n</style>\n"
    const first = await linesOf("a.html", text)
    expect(first[1]).toBe('<span class="kw">let</span> a')
    await linesOf("a.vb", "Dim a")
    expect(await linesOf("a.html", text)).toEqual(first)
  })

  test.each([
    ["a\r\nb\r\n", ["a", "b"]],
    ["a\n\n", ["a", ""]],
    ["a", ["a"]],
    ["\n", [""]],
    ["", []],
  ])("knows the lines of %j", async (text, lines) => {
    expect(await linesOf("a.txt", text)).toEqual(lines)
    expect((await linesOf("a.js", text)).map(shown)).toEqual(lines)
  })

  test.each([...GRAMMARS])("there is a grammar %s", async (grammar) => {
    const { lines, grammar: found } = await highlighter.lines({ language: grammar, text: "a < b & \"c\" 'd' 1 # <script>\n/* x" })
    expect(found).toBe(grammar)
    expect(lines.map(shown)).toEqual(["a < b & \"c\" 'd' 1 # <script>", "/* x"])
  })

  test("what is shown is the text, whatever it is", async () => {
    const piece = fc.constantFrom(
      ...[
        "<",
        "</script>",
        "&amp;",
        '"',
        "'",
        "`",
        "${",
        "}",
        "/*",
        "*/",
        "//",
        "\n",
        "\n\n",
        " ",
        "\t",
        "let x",
        "<b class=kw>",
        "{{",
        "}}",
      ],
      ...[
        "<!--",
        "-->",
        "<?php",
        "?>",
        "#",
        "é",
        "😀",
        "❤️",
        "👩‍💻",
        "👍🏽",
        "^",
        "=> ",
        "class A",
        "0x1f",
        "\\",
        "@media",
        "constructor",
        "__proto__",
      ],
    )
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""))
    const grammar = fc.constantFrom(...GRAMMARS)
    await fc.assert(
      fc.asyncProperty(grammar, text, async (language, code) => {
        const { lines } = await highlighter.lines({ language, text: code })
        expect(lines.map(shown)).toEqual((code.endsWith("\n") ? code.slice(0, -1) : code).split("\n").slice(0, code === "" ? 0 : undefined))
      }),
      {
        numRuns: 300,
        // Pieces that end in the middle of a character.
        examples: [
          ["actionscript", '"\\😀'],
          ["haskell", "👩‍💻-->"],
        ],
      },
    )
  })

  test.each([
    ["too long", "a\n".repeat(20_000) + "b".repeat(4_000) + "\n".repeat(1), "a.js"],
    ["a line of 5,001", `let ${"a".repeat(4_997)}`, "a.js"],
    ["too large", `${"let a = 1 // one, two, three, four, five\n".repeat(13_000)}`, "a.js"],
    ["an unknown language", "let a", "a.unknown"],
  ])("leaves plain what is %s", async (_, text, name) => {
    const { lines, grammar } = await highlighter.lines({ name, text })
    expect(grammar).toBeUndefined()
    expect(`${lines.join("\n")}\n`).toBe(text.endsWith("\n") ? text : `${text}\n`)
  })

  test("leaves plain what takes too long, and goes on", async () => {
    let deadline = 1
    const hasty = openHighlighter({ cacheBytes: 0, deadlineMs: () => deadline })
    const slow = readFileSync(join(import.meta.dirname, "../settings.ts"), "utf8")
      .slice(0, 20_000)
      .trimEnd()
      .repeat(20)
    const { lines, grammar } = await hasty.lines({ name: "a.ts", text: slow })
    expect(grammar).toBeUndefined()
    expect(lines.map(shown)).toEqual(slow.trimEnd().split("\n"))
    deadline = 60_000
    expect((await hasty.lines({ name: "a.ts", text: "let a" })).lines.map(String)).toEqual(['<span class="kw">let</span> a'])
  })

  test("doesn't keep a reader waiting, and has the colours for the next one", async () => {
    const own = openHighlighter(PATIENT)
    const code = { name: "a.ts", text: "let a\n".repeat(5_000), id: "patience" }
    expect((await own.lines({ ...code, patienceMs: 0 })).grammar).toBeUndefined()
    // Nothing was begun by that.
    const [soon, later] = await Promise.all([own.lines({ ...code, patienceMs: 1 }), own.lines(code)])
    expect(soon).toMatchObject({ grammar: undefined, hasInvisible: false })
    expect(soon.lines.map(String)).toEqual(Array.from({ length: 5_000 }, () => "let a"))
    expect(String(later.lines[0])).toBe('<span class="kw">let</span> a')
    expect(readable(await own.lines({ ...code, patienceMs: 0 }))).toEqual(readable(later))
  })

  test("is done once for readers at the same time, and kept", async () => {
    const code = { name: "a.ts", text: "let a", id: "1" }
    const read = async (more: object = {}, by = highlighter) => readable(await by.lines({ ...code, ...more }))
    const [one, two] = await Promise.all([read(), read()])
    expect(one).toEqual(two)
    // Anyone who gives another text for the same blob gets what is known of it.
    expect(await read({ text: "let b" })).toEqual(one)
    expect(await read({ name: "a.py" })).not.toEqual(one)
    expect(await read({ text: "let b" }, openHighlighter({ ...PATIENT, cacheBytes: 0 }))).not.toEqual(one)
  })
})

describe("languages", () => {
  test.each([
    ["src/a.ts", "typescript"],
    ["A.TSX", "typescript"],
    ["Dockerfile", "dockerfile"],
    ["deep/Dockerfile.dev", "dockerfile"],
    ["Makefile", "makefile"],
    ["CMakeLists.txt", "cmake"],
    [".gitconfig", "ini"],
    ["a.vue", "xml"],
    ["constructor", undefined],
    ["a.__proto__", undefined],
    ["", undefined],
    ["README", undefined],
    [".ts", "typescript"],
    ["x".repeat(5_000), undefined],
  ])("%s is %s", (name, grammar) => expect(grammarOfFile(name)).toBe(grammar))

  test.each([
    ["C++", "cpp"],
    ["Visual Basic .NET", "vbnet"],
    ["Emacs Lisp", "lisp"],
    ["Shell", "bash"],
    ["TOML", "ini"],
    ["constructor", undefined],
    ["__proto__", undefined],
    ['"><script>', undefined],
  ])("%s is called %s", (name, grammar) => expect(grammarNamed(name)).toBe(grammar))
})

describe("characters that can't be seen", () => {
  test.each([
    ["\u202e", "U+202E"],
    ["\u2066", "U+2066"],
    ["\u200b", "U+200B"],
    ["\ufeff", "U+FEFF"],
    ["\u00ad", "U+00AD"],
    ["\u3164", "U+3164"],
    ["\0", "U+0000"],
    ["\x1b", "U+001B"],
    ["\u0085", "U+0085"],
    ["\u2028", "U+2028"],
    ["\ud800", "U+D800"],
    ["\u{e0041}", "U+E0041"],
    ["\u200d", "U+200D"],
    ["\ufe0f", "U+FE0F"],
  ])("%j is shown as %s", async (character, number) => {
    const mark = `<span class="iv" title="${number}">${number}</span>`
    expect(codeToHtml(`<${character}>`)).toBe(`&lt;${mark}&gt;`)
    expect(hasInvisible(`a${character}`)).toBe(true)
    const { lines, hasInvisible: has } = await highlighter.lines({ name: "a.js", text: `"a${character}b"` })
    expect([String(lines[0]), has]).toEqual([`<span class="st">&quot;a${mark}b&quot;</span>`, true])
  })

  test.each(["a\tb", "👩‍💻 ❤️ 1️⃣ 👋🏽", "é ü 漢字 عربي", "a\r\nb\r\n", "a\r"])("%j has none", (text) => {
    expect(hasInvisible(text)).toBe(false)
  })
})
