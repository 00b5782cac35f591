import { beforeAll, describe, expect, test } from "vitest"
import { effortOf } from "../../../tests/support/effort.ts"
import { LONGEST_MARKUP, renderTable } from "./markup.ts"
import { openRenderer } from "./renderer.ts"
import { type Mention, MOST_MENTIONS } from "./rendering.ts"
import { IN_FOLDER, rendered } from "./testing.ts"

/** Texts of about `size` characters that are made to be slow: rendering takes time, and gives HTML, in proportion to their length. */
const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  "opening brackets": (size) => "[".repeat(size),
  "opening double brackets": (size) => "[[".repeat(size / 2),
  "openings of footnotes": (size) => "[^".repeat(size / 2),
  "long names of footnotes": (size) => `[^${"a".repeat(98)}`.repeat(size / 100),
  "references to one footnote": (size) => `[^a]: x\n\n${"[^a]".repeat(size / 4)}`,
  "footnotes in footnotes": (size) => "[^a]: ".repeat(size / 6),
  "many footnotes": (size) => Array.from({ length: size / 20 }, (_, at) => `[^${at}]\n\n[^${at}]: x\n`).join("\n"),
  "openings of images": (size) => "![".repeat(size / 2),
  "unbalanced emphasis": (size) => "**x*".repeat(size / 4),
  "underscores in words": (size) => "_a__b".repeat(size / 5),
  asterisks: (size) => "*".repeat(size),
  "single tildes": (size) => "~a".repeat(size / 2),
  "double tildes": (size) => "~~a".repeat(size / 3),
  "runs of backticks": (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, at) => "`".repeat(at)).join(" "),
  "nested lists": (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n"),
  "lists in a line": (size) => "- ".repeat(size / 2),
  "nested quotations": (size) => ">".repeat(size),
  "deep quotations": (size) => `${">".repeat(40)}a\n`.repeat(size / 42),
  "unclosed elements": (size) => "<b>".repeat(size / 3),
  "unclosed blocks": (size) => "<div>x".repeat(size / 6),
  "closing tags": (size) => "</b>".repeat(size / 4),
  attributes: (size) => `<b ${"a=1 ".repeat(size / 4)}>`,
  "less-than signs": (size) => "<".repeat(size),
  comments: (size) => "<!--".repeat(size / 4),
  entities: (size) => "&amp;".repeat(size / 5),
  "uses of a long address": (size) => `[a]: /${"x".repeat(size / 2)}\n\n${"[a]".repeat(size / 6)}`,
  "uses of a long title": (size) => `[a]: /x '${"x".repeat(size / 2)}'\n\n${"[a]".repeat(size / 6)}`,
  definitions: (size) => Array.from({ length: size / 12 }, (_, at) => `[a${at}]: /x`).join("\n"),
  "wide tables": (size) => `${"|a".repeat(size / 4)}\n${"|-".repeat(size / 4)}\n`,
  "wide tables of short rows": (size) => `${"|a".repeat(size / 8)}|\n${"|-".repeat(size / 8)}|\n${"|\n".repeat(size / 4)}`,
  "long tables": (size) => `a|b\n-|-\n${"x|y\n".repeat(size / 4)}`,
  links: (size) => "[a](b)".repeat(size / 6),
  "unclosed links": (size) => "[a](b".repeat(size / 5),
  "dots in addresses": (size) => `[a](${"../".repeat(size / 3)})`,
  "sets of images": (size) => `<img srcset='${"a,".repeat(size / 2)}'>`,
  addresses: (size) => "http://a.b ".repeat(size / 11),
  "domains of mail": (size) => `a@${"a.".repeat(size / 2)}`,
  "at signs": (size) => "a@".repeat(size / 2),
  mentions: (size) => "@a ".repeat(size / 3),
  "mentions of different issues": (size) => Array.from({ length: size / 7 }, (_, at) => `a/b#${at + 1}`).join(" "),
  slashes: (size) => "a/".repeat(size / 2),
  digits: (size) => "a".repeat(size),
  emoji: (size) => ":tea:".repeat(size / 5),
  dollars: (size) => "$".repeat(size),
  "openings of formulas": (size) => "$a ".repeat(size / 3),
  "openings of quoted formulas": (size) => "$`a".repeat(size / 3),
  "openings of formulas on their own": (size) => "$$a\n".repeat(size / 4),
  "backslashes in formulas": (size) => `$${"\\".repeat(size)}`,
  formulas: (size) => "$a$ ".repeat(size / 4),
  colons: (size) => ":".repeat(size),
  tasks: (size) => "- [ ] a\n".repeat(size / 8),
  alerts: (size) => "> [!NOTE]\n\n".repeat(size / 11),
  headings: (size) => "# a\n".repeat(size / 4),
  lines: (size) => "a\n".repeat(size / 2),
  spaces: (size) => `a${" ".repeat(size)}b`,
  "signs of numbers after a heading": (size) => `# ${"#".repeat(size)} a`,
}

const resolve = async (mentions: readonly Mention[]) => mentions.map(() => ({ href: "https://forge.example.com/ann", title: "A title" }))

describe("the effort is in proportion to the length of", () => {
  beforeAll(async () => void (await rendered("# Loaded *and* <b>warm</b>")))

  test.each(Object.entries(HOSTILE))("%s", async (_, make) => {
    const measured = async (size: number) => {
      const text = make(size)
      let html = ""
      const effort = await effortOf(async () => {
        html = await rendered(text, { resolve, style: "wiki" })
      })
      return { effort, growth: html.length / text.length }
    }
    await measured(1000)
    const small = await measured(5_000)
    const large = await measured(50_000)
    // Ten times is linear and a hundred times quadratic; the rest is for what the machine does besides.
    expect(large.effort).toBeLessThan(40 * small.effort + 0.3)
    expect(large.growth).toBeLessThan(60)
  })

  test.each(['"', "a,", '"",', "\n", '"a"b'])("a table of %j", async (part) => {
    const measured = (size: number) => effortOf(() => renderTable(part.repeat(size / part.length), ","))
    await measured(1000)
    const small = await measured(5_000)
    expect(await measured(50_000)).toBeLessThan(40 * small + 0.3)
  })
})

describe("as it is written comes out", () => {
  test("what is too long", async () => {
    const longest = `# ${"a".repeat(LONGEST_MARKUP - 2)}`
    expect(await rendered(longest)).toMatch(/^<h1 /)
    expect((await rendered(`${longest}<`)) === `<pre>${longest}…</pre>`).toBe(true)
    expect(await renderTable("a".repeat(LONGEST_MARKUP + 1), ",")).toMatch(/^<pre>a/)
  })

  test.each([
    ["nested too deeply", `${"> ".repeat(60)}<b>`],
    ["nested too deeply in lists", `${"- ".repeat(60)}a`],
    ["of too many elements", "<b>".repeat(20_001)],
    ["of too many blocks of HTML", `<div>${"<i>".repeat(20_001)}`],
    ["little else than markup", "[a](b)".repeat(70_000)],
  ])("what is %s", async (_, text) => {
    expect(await rendered(text)).toBe(`<pre>${text.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</pre>`)
  })

  test("no text that people write", async () => {
    expect(await rendered(`${"> ".repeat(20)}deep`)).toMatch(/^<blockquote>/)
    const changelog = "## 1.0\n\n- **api**: fix [#1](https://x.example/1), thanks to @ann (`a1b2c3d`)\n- `x` and *y*\n\n".repeat(4000)
    expect(changelog.length).toBeGreaterThan(350_000)
    expect(await rendered(changelog)).toMatch(/^<h2 /)
  })
})

describe("while a text is rendered, the server goes on", () => {
  /** How often the event loop of this thread turned while the work was done. */
  async function turnsDuring(work: Promise<unknown>): Promise<number> {
    let turns = 0
    let next = setImmediate(function turn() {
      turns++
      next = setImmediate(turn)
    })
    await work.finally(() => clearImmediate(next))
    return turns
  }
  const SIZE = LONGEST_MARKUP / 4

  beforeAll(async () => void (await rendered("# Loaded")))

  // In this thread each of them would take the loop's time for an eighth of a second, in a handful of turns.
  test.each(["openings of images", "long tables", "addresses", "opening brackets"])("with %s", async (name) => {
    const text = HOSTILE[name]?.(SIZE) ?? ""
    expect(text.length).toBeGreaterThan(100_000)
    expect(await turnsDuring(rendered(text, { resolve, style: "wiki" }))).toBeGreaterThan(100)
  })

  test("with a table of values", async () => {
    expect(await turnsDuring(renderTable("\n".repeat(SIZE), ","))).toBeGreaterThan(100)
  })
})

describe("a renderer", () => {
  const task = { kind: "table", text: "a,b", separator: "," } as const
  const table = "<table>\n<thead>\n<tr><th>a</th><th>b</th></tr>\n</thead>\n<tbody>\n</tbody>\n</table>\n"

  test("gives up a text that takes too long", async () => {
    expect(await openRenderer(1).render(task, undefined)).toBeUndefined()
  })

  test("goes on after a look-up that failed", async () => {
    const renderer = openRenderer()
    const mentioning = { kind: "markdown", text: "@ann", rendering: IN_FOLDER, resolves: true } as const
    await expect(renderer.render(mentioning, () => Promise.reject(new Error("no database")))).rejects.toThrow("no database")
    expect(await renderer.render(task, undefined)).toBe(table)
  })

  test("refuses a caller with too many texts, and goes on", async () => {
    const renderer = openRenderer()
    const told = await Promise.allSettled(Array.from({ length: 300 }, () => renderer.render(task, undefined)))
    const refused = told.flatMap((each) => (each.status === "rejected" ? [each.reason.kind] : []))
    expect(refused).toEqual(Array.from({ length: 43 }, () => "busy"))
    expect(await renderer.render(task, undefined)).toBe(table)
  })
})

test("mentions are looked up once for a text, up to a limit, and each once", async () => {
  const asked: (readonly Mention[])[] = []
  const text = Array.from({ length: 3000 }, (_, at) => `@user${at % 500} #${at + 1} @USER${at % 500}`).join(" ")
  await rendered(text, {
    style: "comment",
    resolve: async (mentions) => {
      asked.push(mentions)
      return []
    },
  })
  expect(asked.map(({ length }) => length)).toEqual([MOST_MENTIONS])
})
