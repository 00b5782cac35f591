import { describe, expect, it } from "vitest"
import { html, messagesOf } from "../html.ts"
import { ENGLISH, Language } from "./language.ts"
import { acceptedLanguage, languageOf } from "./languages.ts"
import { textIn, Words } from "./message.ts"
import { MessageTemplate } from "./template.ts"

const messages = (strings: TemplateStringsArray, ..._values: readonly unknown[]) => messagesOf(strings).map(({ message }) => message)

/** A language that knows these translations. */
class Sample extends Language {
  readonly #known: ReadonlyMap<string, string>
  constructor(known: Readonly<Record<string, string>>) {
    super("de")
    this.#known = new Map(Object.entries(known))
  }
  override translation = (message: string): string | undefined => this.#known.get(message)
}

describe("a word with several meanings", () => {
  it("has its meaning in the key, of which English says nothing", () => {
    const german = new Sample({ Close: "Schließen", "Close|dialog": "Zumachen" })
    const meanings = ["Close", "Close|dialog", "{name}|place", "a | b", "a|B", "|"]
    expect(meanings.map((message) => ENGLISH.say(message, { name: "here" }))).toEqual(["Close", "Close", "here", "a | b", "a|B", "|"])
    expect(meanings.map((message) => german.say(message, { name: "here" })).slice(0, 3)).toEqual(["Schließen", "Zumachen", "here"])
  })
})

describe("sentences of templates", () => {
  it("are what stands between blocks, with holes and inline elements", () => {
    expect(messages`<h2>Branches</h2><p>${1} opened <a href="${2}">this <b>issue</b></a> ${3}</p>`).toEqual([
      "Branches",
      "{0} opened <a>this <b>issue</b></a> {1}",
    ])
  })

  it("leave out icons, code, numbers and what is not said", () => {
    expect(messages`<a href="/x">${1}Settings</a> <code>main</code> <p>#${2}</p><span translate="no">Hearth</span>`).toEqual(["Settings"])
    expect(messages`<p>Run <code>git fetch</code> &amp; go on</p>`).toEqual(["Run <code>git fetch</code> & go on"])
  })

  it("are those of attributes that are said, and of links beside each other", () => {
    expect(messages`<nav aria-label="Pages of ${1}"><a href="/a">One</a><a href="/b" title="The second">Two</a></nav>`).toEqual([
      "Pages of {0}",
      "One",
      "The second",
      "Two",
    ])
  })

  it("quote what means something in a message", () => {
    expect(messages`<p>Write {name} &lt;here&gt;</p>`).toEqual(["Write '{'name'}' '<'here'>'"])
  })
})

describe("a template in another language", () => {
  const german = new Sample({
    "{0} opened <a>this issue</a> {1}": "{1} hat {0} <a>dieses Issue</a> eröffnet",
    "Delete {0}": '{0} "löschen" & mehr',
    One: "Eins",
  })

  it("arranges holes and elements anew, and escapes words", () => {
    const shown = html`<p>${"<bob>"} opened <a href="${"/x?a&b"}">this issue</a> ${7}</p><i title="Delete ${"x"}">${"One"}</i>`
    expect(shown.in(german)).toBe(
      '<p>7 hat &lt;bob&gt; <a href="/x?a&amp;b">dieses Issue</a> eröffnet</p><i title="x &quot;löschen&quot; &amp; mehr">One</i>',
    )
    expect(String(shown)).toBe('<p>&lt;bob&gt; opened <a href="/x?a&amp;b">this issue</a> 7</p><i title="Delete x">One</i>')
  })

  it("keeps addresses guarded, and brings no HTML and no holes of its own", () => {
    const bad = new Sample({ "go {0}": "<script>{9}{0}</script><a>x</a>" })
    expect(html`<a href="${"javascript:1"}">x</a><p>go ${1}</p>`.in(bad)).toBe('<a href="#">x</a><p>1x</p>')
  })

  it("falls back by sentence", () => {
    expect(html`<p>One</p><p>Two</p>`.in(german)).toBe("<p>Eins</p><p>Two</p>")
  })

  it("says words in the language of the reader, in texts and attributes", () => {
    const words = new Words((language) => (language.code === "de" ? "Ja & nein" : "Yes & no"))
    expect(html`<p title="${words}">${[words]}</p>`.in(german)).toBe('<p title="Ja &amp; nein">Ja &amp; nein</p>')
    expect(textIn(ENGLISH, words)).toBe("Yes & no")
  })
})

describe("messages", () => {
  const german = new Sample({
    "{count, plural, one {# file} other {# files}}": "{count, plural, one {# Datei} other {# Dateien}}",
    "hi {name}": "Hallo {name}",
  })

  it("are formatted with their values, in the plural of the language", () => {
    expect(german.say("{count, plural, one {# file} other {# files}}", { count: 1 })).toBe("1 Datei")
    expect(german.say("{count, plural, one {# file} other {# files}}", { count: 2345 })).toBe("2.345 Dateien")
    expect(ENGLISH.say("{count, plural, one {# file} other {# files}}", { count: 2345 })).toBe("2,345 files")
    expect(german.say("hi {name}", { name: "{x} <b>" })).toBe("Hallo {x} <b>")
    expect(german.say("not there {name}", { name: "x" })).toBe("not there x")
  })

  it("leave a template without sentences alone", () => expect(new MessageTemplate(["<p>", "</p>"]).messages).toEqual([]))
})

describe("the language of a reader", () => {
  it.each([
    [undefined, "en"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["pt-PT", "pt-BR"],
    ["zh-Hans-CN, en", "zh-CN"],
    ["xx, fr;q=0.5, ja;q=0.7", "ja"],
    ["de;q=0", "en"],
    [";;;,,,q=", "en"],
    ["*", "en"],
  ])("%s is %s", (header, code) => expect(acceptedLanguage(header)).toBe(code))

  it("is found by a tag with an underscore", () => expect(languageOf("pt_BR")).toBe("pt-BR"))
})
