import { describe, expect, test } from "vitest"
import { renderTable } from "./markup.ts"
import { picturePath } from "./pictures.ts"
import type { Mention, Style } from "./rendering.ts"
import { ROOT, rendered } from "./testing.ts"

const paragraph = (html: string) => `<p dir="auto">${html}</p>`

describe("Markdown", () => {
  test.each([
    [
      "**b** *i* ~~two~~ ~one~ a~b ~c `x<y` &amp; &copy;",
      "<strong>b</strong> <em>i</em> <del>two</del> <del>one</del> a~b ~c <code>x&lt;y</code> &amp; ©",
    ],
    [
      "https://a.example/x_y_z. www.a.example a@b.example",
      `${external("https://a.example/x_y_z")}. www.a.example <a href="mailto:a@b.example" rel="nofollow">a@b.example</a>`,
    ],
    ["<https://a.example/?a=1&b=2>", `<a href="https://a.example/?a=1&amp;b=2" rel="nofollow">https://a.example/?a=1&amp;b=2</a>`],
    [
      ":tea: :+1: :no_such: 1:2:3",
      '<span class="emoji" aria-label="tea">🍵</span> <span class="emoji" aria-label="+1">👍</span> :no_such: 1:2:3',
    ],
    ["one\ntwo  \nthree", "one\ntwo<br />\nthree"],
    ["`:tea: @ann #1`", "<code>:tea: @ann #1</code>"],
    ["[x](javascript:alert(1)) [y]()", "x y"],
  ])("%j", async (text, html) => {
    expect(await rendered(text)).toBe(paragraph(html))
  })

  test("has tables with alignment", async () => {
    expect(await rendered("| a | b | c |\n|---|:-:|--:|\n| 1 | `\\|` | 3 |")).toBe(
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n<th align="right">c</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>1</td>\n<td align="center"><code>|</code></td>\n<td align="right">3</td>\n</tr>\n</tbody>\n</table>',
    )
  })

  test("has task lists", async () => {
    expect(await rendered("- [ ] a\n- [X] b\n- [x]c")).toBe(
      '<ul dir="auto" class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" disabled aria-label="To do" /> a</li>\n' +
        '<li class="task-list-item"><input type="checkbox" disabled checked aria-label="Done" /> b</li>\n<li>[x]c</li>\n</ul>',
    )
  })

  test("has alerts", async () => {
    expect(await rendered("> [!WARNING]\n> Hot **tea**\n\n> [!OTHER]\n> x\n\n> [!NOTE] on the line")).toBe(
      '<blockquote class="attention-warning">\n<p dir="auto" class="attention-header"><strong>Warning</strong></p>\n' +
        `${paragraph("Hot <strong>tea</strong>")}\n</blockquote>\n<blockquote>\n${paragraph("[!OTHER]\nx")}\n</blockquote>\n` +
        `<blockquote>\n${paragraph("[!NOTE] on the line")}\n</blockquote>`,
    )
  })

  test("has footnotes, in the order of their references", async () => {
    const reference = (number: number, id = `${number}`) =>
      `<sup class="footnote-ref"><a href="#user-content-fn-${number}" id="user-content-fnref-${id}" rel="nofollow">${number}</a></sup>`
    const back = (id: string) => ` <a href="#user-content-fnref-${id}" class="footnote-backref" rel="nofollow">↩︎</a>`
    expect(
      await rendered(
        "a[^b] b[^a] c[^b] d[^none]\n\n[^a]: A[^deep]\n[^b]: B\n    more\n\n    - list\n[^deep]: D\n[^unused]: U\n[^b]: again",
      ),
    ).toBe(
      `${paragraph(`a${reference(1)} b${reference(2)} c${reference(1, "1-2")} d[^none]`)}\n<section class="footnotes">\n<hr />\n<ol dir="auto">\n` +
        `<li id="user-content-fn-1">\n${paragraph("B\nmore")}\n<ul dir="auto">\n<li>list</li>\n</ul>\n${back("1")}${back("1-2")}</li>\n` +
        `<li id="user-content-fn-2">\n${paragraph(`A${reference(3)}${back("2")}`)}\n</li>\n` +
        `<li id="user-content-fn-3">\n${paragraph(`D${back("3")}`)}\n</li>\n</ol>\n</section>`,
    )
  })

  test("keeps the language of code", async () => {
    expect(await rendered("```ts extra\na < b\n```")).toBe('<pre><code class="language-ts">a &lt; b\n</code></pre>')
    expect(await rendered("```none\na < b\n```")).toBe('<pre><code class="language-none">a &lt; b\n</code></pre>')
  })

  test("gives code its colours", async () => {
    expect(await rendered("```ts\nlet a // one\n```")).toBe(
      '<pre><code class="language-ts"><span class="kw">let</span> a <span class="co">// one</span>\n</code></pre>',
    )
    expect(await rendered("> ~~~JSON\n> 1\n> ~~~")).toContain('<code class="language-JSON"><span class="nu">1</span>')
    expect(await rendered("```ts\nlet a\n```", { style: "plain" })).toBe("<pre><code>let a\n</code></pre>")
  })

  test("lets no other classes through", async () => {
    expect(await rendered('<span class="kw zz button">a</span> <b class="kw">b</b>')).toContain('<span class="kw">a</span> <b>b</b>')
  })

  test("shows characters of code that can't be seen", async () => {
    const mark = '<span class="iv" title="U+202E">U+202E</span>'
    expect(await rendered("```\na\u202eb\n```")).toBe(`<pre><code>a${mark}b\n</code></pre>`)
    expect(await rendered("    a\u202eb")).toBe(`<pre><code>a${mark}b\n</code></pre>`)
  })

  test("gives no colours beyond a limit, and shows all of the code", async () => {
    const [much, wide] = ["let a\n".repeat(25_000), `let ${"a".repeat(5_000)}\n`]
    const html = await rendered(`\`\`\`js\nlet b\n\`\`\`\n\`\`\`js\n${much}\`\`\`\n\`\`\`js\n${wide}\`\`\``)
    expect(html.match(/class="kw"/g)).toHaveLength(1)
    expect(html).toContain(much)
    expect(html).toContain(wide)
  })
})

describe("headings", () => {
  test.each([
    ["# Über *uns* & `Code`", "über-uns--code"],
    ["# [a](x) [m](mailto:a@b.example)", "a-m"],
    ["# [[Other Page]] [[text|Third]]", "other-page-textthird"],
    ["# 日本語 snake_case 1.0", "日本語-snake_case-10"],
    ["# #1 of @ann", "1-of-ann"],
  ])("%j has the anchor %j", async (text, anchor) => {
    expect(await rendered(text)).toMatch(`<h1 id="user-content-${anchor}">`)
  })

  test("have anchors in files and wikis only, and none without letters", async () => {
    expect(await rendered("# !?")).toBe("<h1>!?</h1>")
    expect(await rendered("# a", { style: "wiki" })).toBe('<h1 id="user-content-a">a</h1>')
    for (const style of ["plain", "comment"] as const) expect(await rendered("# a", { style })).toBe("<h1>a</h1>")
  })
})

describe("addresses", () => {
  const pages = `${ROOT}/ann/box/src/branch/main`
  const media = `${ROOT}/ann/box/media/branch/main`

  test.each([
    ["x.md", `${pages}/docs/x.md`],
    ["./a/../x.md?y#z", `${pages}/docs/x.md?y#z`],
    ["/x.md", `${pages}/x.md`],
    ["../x/", `${pages}/x/`],
    ["../../../x.md", `${pages}/x.md`],
    ["%2e%2e/%2E./x.md", `${pages}/x.md`],
    ["..\\x", `${pages}/docs/..%5Cx`],
    ["?y=1", `${pages}/docs?y=1`],
    ["#part", "#user-content-part"],
    ["/:root/x", `${ROOT}/x`],
    ["/:root/../x", `${ROOT}/x`],
    ["https://a.example/../x", "https://a.example/../x"],
    ["//a.example/x", "//a.example/x"],
    ["mailto:a@b.example", "mailto:a@b.example"],
  ])("%j leads to %j", async (written, address) => {
    const link = `<a href="${address}" rel="nofollow">a</a>`
    expect(await rendered(`[a](${written})`)).toBe(paragraph(link))
    expect(await rendered(`x <a href="${written}">a</a>`)).toBe(paragraph(`x ${link}`))
  })

  test("of images lead to the files themselves", async () => {
    expect(await rendered("![a](x.png) ![b](/y.png 't')")).toBe(
      paragraph(`<img src="${media}/docs/x.png" alt="a" loading="lazy" /> <img src="${media}/y.png" alt="b" title="t" loading="lazy" />`),
    )
    expect(await rendered('<picture><source media="(x)" srcset="a.png 2x, /b.png"><img src="c.png"></picture>')).toBe(
      paragraph(
        `<picture><source srcset="${media}/docs/a.png 2x, ${media}/b.png" media="(x)" /><img src="${media}/docs/c.png" loading="lazy" /></picture>`,
      ),
    )
  })

  test("on pages are paths where they are ours, and pictures of other sites are named and not loaded", async () => {
    const onPage = (text: string) => rendered(text, { isForPage: true })
    expect(await onPage("[a](b.md)")).toContain('href="/ann/box/src/branch/main/docs/b.md"')
    expect(await onPage("![a](b.png)")).toContain('src="/ann/box/media/branch/main/docs/b.png"')
    expect(await onPage("[![build](https://badges.example/b.svg)](https://ci.example/)")).toBe(
      '<p dir="auto"><a href="https://ci.example/" rel="nofollow"><span class="elsewhere" title="https://badges.example/b.svg">build</span></a></p>',
    )
    expect(await onPage("![](https://img.example/p.png)")).toContain(">picture at img.example</span>")
    expect(await onPage('<img src="https://img.example/p.png" alt="<script>alert(1)</script>">')).toContain(
      ">&lt;script&gt;alert(1)&lt;/script&gt;</span>",
    )
    for (const text of [
      '<img srcset="https://img.example/a.png 2x">',
      '<video src="https://img.example/a.mp4"></video>',
      '<picture><source srcset="https://img.example/a.png"><img src="b.png"></picture>',
      '<img src="//img.example/a.png">',
    ])
      expect(await onPage(text), text).not.toMatch(/(?:src|srcset)="[^"]*img\.example/)
  })

  test("on pages with a key show pictures of other sites by way of this server, and nothing else of theirs", async () => {
    const onPage = (text: string) => rendered(text, { isForPage: true, pictureKey: "key" })
    const through = (url: string) => (picturePath(url, "key") ?? "").replaceAll("&", "&amp;")
    expect(await onPage("[![build](https://badges.example/b.svg?a=1,2#c)](https://ci.example/)")).toBe(
      `<p dir="auto"><a href="https://ci.example/" rel="nofollow"><img src="${through("https://badges.example/b.svg?a=1,2")}" alt="build" loading="lazy" /></a></p>`,
    )
    expect(await onPage('<img src="//img.example/a.png">')).toContain(`src="${through("https://img.example/a.png")}"`)
    expect(await onPage('<picture><source srcset="https://img.example/a.png 2x, b.png"><img src="b.png"></picture>')).toContain(
      `srcset="${through("https://img.example/a.png")} 2x, /ann/box/media/branch/main/docs/b.png"`,
    )
    for (const text of [
      '<video src="https://img.example/a.mp4"></video>',
      "![who](https://ann:secret@img.example/a.png)",
      `![long](https://img.example/${"a".repeat(2_048)})`,
    ])
      expect(await onPage(text), text).not.toMatch(/(?:src|srcset)="/)
    expect(await rendered("![a](https://img.example/a.png)", { pictureKey: "key" })).toContain('src="https://img.example/a.png"')
  })

  test("of pages are written in double brackets", async () => {
    const links = { pages: `${ROOT}/ann/box/wiki`, media: `${ROOT}/ann/box/wiki/raw`, folder: "" }
    const wiki = (text: string) => rendered(text, { style: "wiki", links })
    const link = (address: string, text: string) => `<a href="${address}" rel="nofollow">${text}</a>`
    expect(await wiki("[[Other Page]] [[text|Third Page]]")).toBe(
      paragraph(`${link(`${links.pages}/Other-Page`, "Other Page")} ${link(`${links.pages}/Third-Page`, "text")}`),
    )
    expect(await wiki("[[x|https://a.example/]] [[a.png]]")).toBe(
      paragraph(`${link("https://a.example/", "x")} <img src="${links.media}/a.png" alt="a.png" loading="lazy" />`),
    )
    expect(await wiki("[[1]](x) [[]] [[a\nb]]")).toBe(paragraph(`${link(`${links.pages}/x`, "[1]")} [[]] [[a\nb]]`))
  })

  test("stay as they are in plain texts", async () => {
    expect(await rendered("[a](x.md) [b](/y#z) ![c](d.png) [[e]]", { style: "plain" })).toBe(
      paragraph('<a href="x.md" rel="nofollow">a</a> <a href="/y#z" rel="nofollow">b</a> <img src="d.png" alt="c" loading="lazy" /> [[e]]'),
    )
  })
})

describe("mentions", () => {
  const keyOf = (mention: Mention): string => {
    if (mention.kind === "account") return `@${mention.name}`
    const { owner, name } = mention.repository
    if (mention.kind === "lines") return `${owner}/${name}:${mention.path}#${mention.from}-${mention.to}`
    return `${owner}/${name}${mention.kind === "issue" ? `#${mention.number}` : `@${mention.id}`}`
  }
  const asked = async (text: string, style: Style = "comment") => {
    let mentions: readonly Mention[] = []
    await rendered(text, {
      style,
      resolve: async (given) => {
        mentions = given
        return []
      },
    })
    return mentions.map(keyOf)
  }

  test.each([
    ["@ann, (@ben) @cyd. **@dan** @e-f_g.h!", ["@ann", "@ben", "@cyd", "@dan", "@e-f_g.h"]],
    ["a@b /@a @@a @org/team `@a` [@a](x) <a href=x>@a</a> <code>@a</code> \\@a", []],
    ["#1 (!2) x/y#3 x/y!4 #1", ["ann/box#1", "ann/box#2", "x/y#3", "x/y#4"]],
    ["a#1 #0 #01 #1a ##1 x/y/z#1 &#35;1 GH-1 \\#1", []],
    ["deadbeef1 (0123456) x/y@abcdef0", ["ann/box@deadbeef1", "ann/box@0123456", "x/y@abcdef0"]],
    ["abcdef xdeadbeef1 deadbeef1x DEADBEEF1 deadbeef1/x", []],
    [`${ROOT}/x/y/issues/5 ${ROOT}/x/y/pulls/6#issuecomment-7 <${ROOT}/x/y/commit/abcdef0>`, ["x/y#5", "x/y#6", "x/y@abcdef0"]],
    [`${ROOT}/x/y/issues ${ROOT}.evil/x/y/issues/5 [a](${ROOT}/x/y/issues/5) ${ROOT}/x/y/issues/5/z`, []],
  ])("of %j are looked up", async (text, expected) => {
    expect(await asked(text)).toEqual(expected)
  })

  test("of issues of the own repository are not looked up in files, and none in plain texts", async () => {
    expect(await asked("#1 x/y#2 @ann abcdef0", "document")).toEqual(["x/y#2", "@ann", "ann/box@abcdef0"])
    expect(await asked(`#1 x/y#2 @ann abcdef0 ${ROOT}/x/y/issues/5`, "plain")).toEqual([])
  })

  test("become links where they lead somewhere", async () => {
    const resolve = async (mentions: readonly Mention[]) =>
      mentions.map(({ kind }) => ({ href: `${ROOT}/${kind}`, title: 'A "title" <b>' }))
    const link = (kind: string, css: string, text: string) =>
      `<a href="${ROOT}/${kind}" class="${css}" title="A &quot;title&quot; &lt;b&gt;" rel="nofollow">${text}</a>`
    expect(await rendered("@ann #1 x/y#2", { style: "comment", resolve })).toBe(
      paragraph(`${link("account", "mention", "@ann")} ${link("issue", "ref-issue", "#1")} ${link("issue", "ref-issue", "x/y#2")}`),
    )
    expect(await rendered("0123456789abcdef x/y@0123456789abcdef", { style: "comment", resolve })).toBe(
      paragraph(
        `${link("commit", "ref-commit", "<code>0123456789</code>")} ${link("commit", "ref-commit", "<code>x/y@0123456789</code>")}`,
      ),
    )
    const own = `${ROOT}/ann/box/issues/1#issuecomment-7 ${ROOT}/x/y/pulls/2`
    expect(await rendered(own, { style: "comment", resolve })).toBe(
      paragraph(`${link("issue#issuecomment-7", "ref-issue", "#1 (comment)")} ${link("issue", "ref-issue", "x/y#2")}`),
    )
  })

  test("that lead nowhere stay as they are written", async () => {
    expect(await rendered("@a #1 abcdef0", { style: "comment", resolve: async (mentions) => mentions.map(() => undefined) })).toBe(
      paragraph("@a #1 abcdef0"),
    )
    expect(await rendered(`${ROOT}/x/y/issues/5`)).toBe(paragraph(external(`${ROOT}/x/y/issues/5`)))
    expect(await rendered("#1", { style: "comment", home: undefined })).toBe(paragraph("#1"))
  })
})

test("comments keep their lines", async () => {
  expect(await rendered("a\nb", { style: "comment" })).toBe(paragraph("a<br />\nb"))
})

test("tables of values are read as RFC 4180 says", async () => {
  const line = (cell: string, ...values: string[]) => `<tr>${values.map((value) => `<${cell}>${value}</${cell}>`).join("")}</tr>\n`
  const table = (head: string, ...rows: string[]) => `<table>\n<thead>\n${head}</thead>\n<tbody>\n${rows.join("")}</tbody>\n</table>\n`
  expect(await renderTable('a,"b ""x"", c"\r\n1,"2\n3"\n<b>,\n"q"z', ",")).toBe(
    table(line("th", "a", "b &quot;x&quot;, c"), line("td", "1", "2\n3"), line("td", "&lt;b&gt;", ""), line("td", "qz")),
  )
  expect(await renderTable("a\tb,c\n", "\t")).toBe(table(line("th", "a", "b,c")))
})

function external(address: string): string {
  return `<a href="${address}" rel="nofollow">${address}</a>`
}
