import { parse } from "parse5"
import { describe, expect, it } from "vitest"
import { attribute, type Content, flagged, type Html, html, joined, NOTHING, trusted } from "./html.ts"

const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `&lt;b&gt;`,
  `</title></textarea><b>`,
]

interface Node {
  readonly nodeName: string
  readonly value?: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Node[]
}

const inside = (node: Node): readonly Node[] => [node, ...(node.childNodes ?? []).flatMap(inside)]
/** The elements that a browser makes of it, without those of every document. */
const elements = (made: Html): readonly Node[] =>
  inside(parse(String(made))).filter(({ nodeName }) => !/^(#.*|html|head|body)$/.test(nodeName))
const attributesOf = (made: Html): Readonly<Record<string, string>> =>
  Object.fromEntries((elements(made)[0]?.attrs ?? []).map(({ name, value }) => [name, value]))

/** A template with one hole, made from texts, as the tag gets it. */
const template = (before: string, after: string, value: Content): Html =>
  html(Object.assign([before, after], { raw: [before, after] }), value)

describe("a template of HTML", () => {
  it.each(HOSTILE)("shows %s as the text that it is", (text) => {
    const made = html`<p>${text}</p>`
    expect(elements(made).map(({ nodeName }) => nodeName)).toEqual(["p"])
    expect(elements(made)[0]?.childNodes?.[0]?.value).toBe(text)
  })

  it.each(HOSTILE)("keeps %s inside of the attribute", (text) => {
    for (const made of [
      html`<p title="${text}"></p>`,
      html`<p title="about ${text} and more"></p>`,
      html`<p ${attribute("title", text)}></p>`,
    ]) {
      expect(elements(made).map(({ nodeName }) => nodeName)).toEqual(["p"])
      expect(Object.keys(attributesOf(made))).toEqual(["title"])
      expect(attributesOf(made)["title"]).toContain(text)
    }
  })

  it("takes numbers, nothing, lists and other templates", () => {
    expect(String(html`<b>${1}${undefined}${null}${false}${[html`<i>${"a"}</i>`, "<", [2]]}${NOTHING}</b>`)).toBe("<b>1<i>a</i>&lt;2</b>")
    expect(String(joined(["a", "<", html`<b></b>`], html`<hr>`))).toBe("a<hr>&lt;<hr><b></b>")
    expect(String(joined([], ", "))).toBe("")
    expect(String(html`${trusted("<em>made by the markup door</em>")}`)).toBe("<em>made by the markup door</em>")
  })

  it.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//elsewhere.example",
    "file:///etc",
    "blob:x",
  ])("leads nowhere instead of to %s", (address) => {
    expect(attributesOf(html`<a href="${address}"></a>`)["href"]).toBe("#")
    expect(attributesOf(html`<form action="${address}"></form>`)["action"]).toBe("#")
    expect(attributesOf(html`<button formaction="${address}"></button>`)["formaction"]).toBe("#")
  })

  it.each([
    "/annw/repo",
    "/",
    "https://example.com/a?b=c&d=e",
    "http://example.com",
    "mailto:ann@example.com",
    "#part",
    "?page=2",
    "./a",
    "",
  ])("leads to %s", (address) => {
    expect(attributesOf(html`<a href="${address}"></a>`)["href"]).toBe(address)
  })

  it("escapes what follows in an address that a template begins", () => {
    expect(attributesOf(html`<a href="/${'"><b>'}"></a>`)["href"]).toBe('/"><b>')
    expect(attributesOf(html`<a href="/search?q=${"javascript:"}"></a>`)["href"]).toBe("/search?q=javascript:")
  })

  it.each([
    ["<script>", "</script>"],
    ["<style>a{b:", "}</style>"],
    ["<p title=", "></p>"],
    ["<p title='", "'></p>"],
    ["<", "></p>"],
    ["</", ">"],
    ["<p", "></p>"],
    ['<p onclick="', '"></p>'],
    ['<p ONCLICK="', '"></p>'],
    ['<p style="', '"></p>'],
    ['<iframe srcdoc="', '"></iframe>'],
  ])("refuses a hole in %s…%s", (before, after) => {
    expect(() => template(before, after, "x")).toThrow(TypeError)
  })

  it("refuses them whatever is put in, the first time and later", () => {
    const made = (value: Content) => html`<p title=${value}></p>`
    expect(() => made("x")).toThrow(TypeError)
    expect(() => made(undefined)).toThrow(TypeError)
  })

  it("sends none of the indentation of a template", () => {
    const list = html`
      <ul class="rows">
        <li>One</li>
        ${["Two"].map(
          (text) => html`
            <li>
              ${text}
            </li>
          `,
        )}
      </ul>
    `
    expect(String(list)).toBe('<ul class="rows"><li>One</li><li>Two</li></ul>')
  })

  it("keeps a line break between words, and in a tag, as a space; beside a tag or a hole a space is written as a hole", () => {
    const text = html`
      <p
        class="${"muted"}"
        ${attribute("id", "a")}
        lang="en"
      >
        words that go on
        in the next line,${" "}
        <b>bold</b>
        ${"hole"}${" "}
        ${"hole"}
      </p>
    `
    expect(String(text)).toBe('<p class="muted" id="a" lang="en">words that go on in the next line, <b>bold</b>hole hole</p>')
    expect(String(html`<pre>${"\n"}${"a\n  b"}</pre>`)).toBe("<pre>\na\n  b</pre>")
  })

  it("has attributes that are there or not", () => {
    expect(String(html`<a ${attribute("aria-current", undefined)}></a>`)).toBe("<a ></a>")
    expect(String(html`<a ${attribute("data-open", true)}></a>`)).toBe("<a data-open></a>")
    expect(String(html`<a ${attribute("aria-current", false)}></a>`)).toBe("<a ></a>")
    expect(String(html`<input ${flagged("checked", true)} ${flagged("disabled", false)}>`)).toBe("<input checked >")
  })
})
