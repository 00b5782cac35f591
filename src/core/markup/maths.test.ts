import { describe, expect, test } from "vitest"
import { effortOf } from "../../../tests/support/effort.ts"
import { rendered } from "./testing.ts"

const onPage = async (text: string) => rendered(text, { isForPage: true })
const formulas = (html: string): number => html.split("<math").length - 1

describe("formulas", () => {
  test("are MathML on pages", async () => {
    expect(await onPage("Of $a^2$ and $`b_1`$.")).toBe(
      '<p dir="auto">Of <math><msup><mi>a</mi><mn>2</mn></msup></math> and <math><msub><mi>b</mi><mn>1</mn></msub></math>.</p>',
    )
    const block = '<math class="tml-display" display="block"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    for (const text of ["$$\\frac12$$", "$$\n\\frac12\n$$", "```math\n\\frac12\n```"]) expect(await onPage(text)).toBe(block)
    expect(await onPage("a $$\\frac12$$ b")).toBe(`<p dir="auto">a ${block} b</p>`)
    expect(await onPage("- a\n\n  $$\n  \\frac12\n  $$\n")).toContain(`${block}</li>`)
    expect(await onPage("> $$\n> \\frac12\n> $$\n")).toContain(block)
  })

  test.each([
    "$5 and $10, or US$5 and 10$ more",
    "`$a$` and $HOME/bin:$PATH",
    "\\$a\\$ and $ a $ and $a $ and $$ $$",
    "cost$a$ and $a$b and $$$a$$$",
    "$a `b$` c",
    "$$\na\n\nb\n$$",
    "```\n$a$\n```",
  ])("are not %j", async (text) => {
    expect(formulas(await onPage(text))).toBe(0)
  })

  test("are read before emphasis, mentions and links", async () => {
    const html = await onPage("$a_1 * b_1$ and $c * d$, $\\text{@ann [x](y)}$")
    expect(formulas(html)).toBe(3)
    expect(html).not.toMatch(/<em>|<a /)
  })

  test("that can't be read are shown as they are written", async () => {
    expect(await onPage("a $\\nope{<b>}$ b")).toBe('<p dir="auto">a <code class="language-math">\\nope{&lt;b&gt;}</code> b</p>')
    expect(await onPage("$$\\frac{$$")).toBe('<pre><code class="language-math">\\frac{\n</code></pre>')
  })

  test("are their source for programs, and nothing of their own in plain texts", async () => {
    expect(await rendered("$a^2$")).toBe('<p dir="auto"><code class="language-math">a^2</code></p>')
    expect(await rendered("$a^2$", { style: "plain" })).toBe('<p dir="auto">$a^2$</p>')
  })

  test("stand in headings and descriptions of pictures", async () => {
    expect(await onPage("# The $x$ axis")).toBe('<h1 id="user-content-the-x-axis">The <math><mi>x</mi></math> axis</h1>')
    expect(await onPage("![of $x$](a.png)")).toContain('alt="of $x$"')
  })

  test("have colours, frames and rules without styles", async () => {
    const html = await onPage("$\\color{red}x$ $\\boxed{y}$\n\n$$\\begin{array}{c|c}1&2\\\\\\hline 3&4\\end{array}$$")
    expect(html).toContain('<mi mathcolor="#ff0000">x</mi>')
    expect(html).toContain('class="maths-box"')
    expect(html).toContain("maths-bottom")
    expect(html).not.toContain(" style=")
  })

  test("can't move over what is beside them", async () => {
    const html = await onPage("$\\kern-9999em x \\raisebox{999em}{y} \\rule{999em}{999em}$")
    expect(html).toContain("<math>")
    expect(html).not.toMatch(/999/)
  })
})

describe("formulas that are made to be slow", () => {
  test.each([
    ["double at each step", "\\def\\a{\\b\\b}\\def\\b{\\c\\c}\\def\\c{\\d\\d}\\def\\d{\\e\\e}\\def\\e{\\f\\f}\\def\\f{\\a\\a}\\a"],
    ["call themselves", "\\def\\a{\\a}\\a"],
    ["have much in a macro", `\\def\\a{${"x".repeat(2000)}}${"\\a".repeat(900)}`],
    ["nest deeply", `${"\\frac{".repeat(500)}x${"}{}".repeat(500)}`],
    ["have many columns", `\\begin{matrix}${"&".repeat(3900)}\\end{matrix}`],
  ])("because they %s take little time", async (_, tex) => {
    const seconds = await effortOf(async () => onPage(`$${tex}$\n\n`.repeat(100)))
    expect(seconds).toBeLessThan(6)
  })
})
