import { describe, expect, it } from "vitest"
import { messageRefusals, messagesIn } from "./messages.ts"

const T = 'import { t } from "../core/language/message.ts"\n'
const SOURCE = `${T}const a = html\`<p>\${who} opened <a href="x">this</a></p>\`\nconst b = t("Saved by {name}", { name })\nconst c = plural(n, "file")`

describe("messages", () => {
  it("are collected from templates, t and plural, with their holes", () => {
    const { notes, keys, browser } = messagesIn([
      ["pages/x.ts", SOURCE],
      ["web/browser/y.ts", 'import { t } from "./words.ts"\nt("Copied")'],
      ["features/z.ts", 'import { t } from "kysely"\nt("no.message")'],
    ])
    expect([...notes]).toEqual([
      ["{0} opened <a>this</a>", "pages/x.ts; {0} who"],
      ["Saved by {name}", "pages/x.ts"],
      ["{count, plural, one {# file} other {# files}}", "pages/x.ts"],
      ["Copied", "web/browser/y.ts"],
    ])
    expect([[...keys], [...browser]]).toEqual([["Saved by {name}"], ["Copied"]])
  })

  it("are what refusals say that pages may show, and what t is the tag of", () => {
    const source = `${T}refuse.invalid("name", isNew ? "is taken" : t\`there is no \${name}\`)\nnew Refusal("busy", "wait for {it}")`
    const { notes } = messagesIn([
      ["features/people/x.ts", source],
      ["servers/ssh/y.ts", 'refuse.forbidden("no shell")'],
    ])
    expect([...notes]).toEqual([
      ["is taken", "features/people/x.ts"],
      ["there is no {0}", "features/people/x.ts; {0} name"],
      ["wait for '{'it'}'", "features/people/x.ts"],
    ])
    expect(messagesIn([["features/x.ts", "refuse.invalid(name, `no ${it}`)"]]).refusals).toEqual([
      "features/x.ts:1 refuses in a template that is no message: put t before it.",
    ])
  })

  it("are what scripts show, and no classes", () => {
    const source = 'import { t } from "./words.ts"\na.className = t("small muted")\nb.textContent = some ? `${many} files` : t("None")'
    expect(messagesIn([["web/browser/x.ts", source]]).refusals).toEqual([
      "web/browser/x.ts:2 gives t the names of classes: they are the same in every language.",
      'web/browser/x.ts:3 shows "{} files", which is no message: give it to t.',
    ])
    const made = 'element("p", { className: "small", textContent: "Not found" })'
    expect(messagesIn([["web/browser/y.ts", made]]).refusals).toEqual([
      'web/browser/y.ts:1 shows "Not found", which is no message: give it to t.',
    ])
  })

  it("have to be literals", () => {
    expect(messagesIn([["pages/x.ts", `${T}t(name)\nplural(n, word)`]]).refusals).toEqual([
      "pages/x.ts:2 gives t a message that is no literal: name each message where it is chosen.",
      "pages/x.ts:3 gives plural words that are no literals: use t with a plural for each.",
    ])
  })

  it("are refused where a catalogue lacks them, has too many, or takes something else", () => {
    const messages = messagesIn([["pages/x.ts", SOURCE]])
    const english = Object.fromEntries([...messages.notes.keys()].map((message) => [message, ""]))
    const german = {
      "{0} opened <a>this</a>": "<a>Das</a> hat {0} eröffnet",
      "Saved by {name}": "Von {name} gespeichert",
      "{count, plural, one {# file} other {# files}}": "{count, plural, one {# Datei} other {# Dateien}}",
    }
    expect(messageRefusals(messages, english, { de: german })).toEqual([])
    const { "Saved by {name}": _, ...fewer } = german
    expect(
      messageRefusals(messages, { ...english, gone: "" }, { de: { ...fewer, "{0} opened <a>this</a>": "{1} <b>hat</b>", x: "{" } }),
    ).toEqual([
      'assets/locales/en.json has "gone", which nothing says: npm run messages.',
      'assets/locales/de.json lacks "Saved by {name}": translate it.',
      'assets/locales/de.json lacks "gone": translate it.',
      'assets/locales/de.json: "{1} <b>hat</b>" takes <b> {1}, and the message takes <a> {0}.',
      'assets/locales/de.json: "{" translates nothing: npm run messages.',
    ])
    expect(messageRefusals(messages, {}, {}).length).toBe(3)
  })
})
