import type { MessageKey } from "./language/keys.ts"
import { ENGLISH, type Language } from "./language/language.ts"
import { type Text, Words } from "./language/message.ts"
import { MessageTemplate } from "./language/template.ts"
import { escapeHtml } from "./text/html.ts"

/** HTML for pages, in the language of who reads it. Whatever a template is given is escaped, unless it is `Html` itself. */
export class Html {
  readonly #made: string | ((language: Language) => string)

  /** Only for this module: elsewhere, `html` and `trusted` make it. */
  constructor(made: string | ((language: Language) => string)) {
    this.#made = made
  }

  in(language: Language): string {
    return typeof this.#made === "string" ? this.#made : this.#made(language)
  }

  /** Whether it is the same in every language. */
  get isPlain(): boolean {
    return typeof this.#made === "string"
  }

  /** In English. */
  toString(): string {
    return this.in(ENGLISH)
  }
}

/** What a template takes: texts and numbers are escaped, lists are joined, and nothing stands for undefined, null and false. */
export type Content = Html | Words | string | number | undefined | null | false | readonly Content[]

/**
 * A template of HTML: html`<a href="${address}">${text}</a>`. Holes stand between tags or inside of quoted attributes; in an attribute that
 * takes an address, one with a scheme other than http, https and mailto is replaced by `#`. Templates are indented like the HTML that they make; the indentation is not sent, so a space beside a
 * line break is the hole `${" "}`. The sentences between the tags are messages of the catalogue, see docs/languages.md. Throws TypeError for a template with holes elsewhere.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  const template = templateOf(strings)
  if (template.messages === undefined && values.every(isPlain)) return new Html(write(template, values, ENGLISH))
  return new Html((language) => write(template, values, language))
}

const isPlain = (value: Content): boolean =>
  typeof value !== "object" || value === null || (value instanceof Html ? value.isPlain : !(value instanceof Words) && value.every(isPlain))

function write({ texts, holes, messages }: Template, values: readonly Content[], language: Language): string {
  const arranged = messages && language !== ENGLISH ? language.arrange(messages) : undefined
  const { texts: said, order } = arranged ?? { texts, order: undefined }
  let text = said[0] ?? ""
  for (let index = 1; index < said.length; index++) {
    const hole = order ? (order[index - 1] ?? 0) : index - 1
    const value = values[hole]
    text +=
      holes[hole] === "address" ? safeAddress(typeof value === "string" ? value : plainText(value, language)) : textOf(value, language)
    text += said[index] ?? ""
  }
  return text
}

/** For HTML that is safe already, made by the markup door or the highlighter: nothing else may call this. */
export const trusted = (safe: string): Html => new Html(safe)

export const NOTHING: Html = new Html("")

function textOf(value: Content, language: Language): string {
  if (typeof value === "string") return escapeHtml(value)
  if (value instanceof Html) return value.in(language)
  if (typeof value === "number") return String(value)
  if (value === undefined || value === null || value === false) return ""
  if (value instanceof Words) return escapeHtml(value.in(language))
  let text = ""
  for (const item of value) text += textOf(item, language)
  return text
}

const plainText = (value: Content, language: Language): string => (value instanceof Words ? value.in(language) : String(value ?? ""))

type HoleKind = "text" | "address"

interface Template {
  readonly texts: readonly string[]
  /** What each hole stands in. */
  readonly holes: readonly HoleKind[]
  /** The template with its sentences, where it has any. */
  readonly messages: MessageTemplate | undefined
}

const known = new WeakMap<TemplateStringsArray, Template>()

/** A template as it is sent; looked at once for each. */
function templateOf(strings: TemplateStringsArray): Template {
  const before = known.get(strings)
  if (before) return before
  const template = readTemplate(strings)
  known.set(strings, template)
  return template
}

function readTemplate(strings: readonly string[]): Template {
  const texts: string[] = []
  const holes: HoleKind[] = []
  let read = ""
  for (const [index, part] of strings.entries()) {
    const text = withoutIndentation(part, read)
    texts.push(text)
    read += text
    if (index < strings.length - 1) holes.push(holeAfter(read))
  }
  const messages = new MessageTemplate(texts)
  return { texts, holes, messages: messages.messages.length === 0 ? undefined : messages }
}

/** The messages of a template, for who collects them. */
export const messagesOf = (strings: readonly string[]): MessageTemplate["messages"] => readTemplate(strings).messages?.messages ?? []

const isInTag = (read: string): boolean => read.lastIndexOf("<") > read.lastIndexOf(">")

/** A line break and the indentation after it are for who reads the source: between words, and in a tag, they are a space; beside a tag or a hole they are nothing. `read` is what stands before the text. */
const withoutIndentation = (text: string, read: string): string =>
  text.replace(/[ \t]*\n\s*/g, (found: string, at: number) => {
    const [before, after] = [text[at - 1], text[at + found.length]]
    if (isInTag(read + text.slice(0, at))) return after === ">" ? "" : " "
    return before === undefined || before === ">" || after === undefined || after === "<" ? "" : " "
  })

function holeAfter(read: string): HoleKind {
  if (/<(script|style)\b[^>]*>(?![\s\S]*<\/\1)/i.test(read)) throw new TypeError("a template must not write into a script or a style")
  if (!isInTag(read)) return "text"
  const tag = read.slice(read.lastIndexOf("<"))
  if (/^<\/?[\w-]*$/.test(tag)) throw new TypeError(`a template must not make the name of an element: ${tag}`)
  const attribute = /\s([\w:-]+)="([^"]*)$/.exec(tag)
  if (!attribute) {
    // A whole attribute from `attribute()` or `flag()`.
    if (/\s$/.test(tag) && (tag.match(/"/g)?.length ?? 0) % 2 === 0) return "text"
    throw new TypeError(`a value in a tag must be inside of a quoted attribute: ${tag}`)
  }
  const [, name = "", begun = ""] = attribute
  if (/^on/i.test(name) || name === "style" || name === "srcdoc") throw new TypeError(`a page must not have the attribute ${name}`)
  return begun === "" && /^(href|src|action|formaction|poster|cite)$/i.test(name) ? "address" : "text"
}

const ADDRESS = /^(?:https?:\/\/|mailto:|\/(?!\/)|[#?.]|$)/i

/** The address, or `#` where it is neither a path nor has a scheme that a page may link to. */
const safeAddress = (address: string): string => (ADDRESS.test(address) ? escapeHtml(address) : "#")

/** A whole attribute, ` name="value"`; nothing where the value is undefined or false. True gives the name alone. */
export function attribute(
  name: `${"aria" | "data"}-${string}` | "id" | "class" | "dir" | "lang" | "title" | "value" | "enctype" | "formaction" | "list",
  value: Text | number | boolean | undefined,
): Html {
  if (value === undefined || value === false) return NOTHING
  if (value instanceof Words) return new Html((language) => `${name}="${escapeHtml(value.in(language))}"`)
  return value === true ? new Html(name) : new Html(`${name}="${escapeHtml(String(value))}"`)
}

/** An attribute that is there or not, such as `checked`. */
export const flagged = (
  name: "checked" | "selected" | "disabled" | "required" | "open" | "hidden" | "autofocus" | "readonly" | "multiple",
  is: boolean,
): Html => (is ? new Html(name) : NOTHING)

/** A message of the catalogue, in which HTML stands. */
export const richMessage = (message: MessageKey, values: Readonly<Record<string, Content>>): Html =>
  new Html((language) => {
    const marks = Object.fromEntries(Object.keys(values).map((name) => [name, `\uE000${name}\uE001`]))
    return language
      .say(message, marks)
      .split(/\uE000(\w+)\uE001/)
      .map((piece, index) => (index % 2 === 1 ? textOf(values[piece], language) : escapeHtml(piece)))
      .join("")
  })

/** The items with something between them. */
export const joined = (items: readonly Content[], between: Content): Html =>
  html`${items.flatMap((item, index) => (index === 0 ? [item] : [between, item]))}`
