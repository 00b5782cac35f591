import { escapeHtml } from "../../../../core/text/html.ts"
import type { Part, Summary } from "./summary.ts"

/** The markup of a receiver; `text` escapes markup in what users wrote. */
export interface Markup {
  readonly text: (text: string) => string
  readonly link: (text: string, link: string) => string
}

const escapeSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]()<>#|~]/g, "\\$&")
// A URL may contain the character that would end it.
const inAddress = (link: string): string =>
  link
    .replace(/[\s<>()|"]/g, encodeURIComponent)
    .replaceAll("(", "%28")
    .replaceAll(")", "%29")

export const plain: Markup = { text: (text) => text, link: (text) => text }
export const html: Markup = {
  text: escapeHtml,
  link: (text, link) => `<a href="${escapeHtml(link)}">${escapeHtml(text)}</a>`,
}
export const slack: Markup = {
  text: escapeSlack,
  link: (text, link) => `<${inAddress(link)}|${escapeSlack(text).replaceAll("|", "¦")}>`,
}
export const markdown: Markup = {
  text: escapeMarkdown,
  link: (text, link) => `[${escapeMarkdown(text)}](${inAddress(link)})`,
}

/** One line in the receiver's markup. */
export const line = (parts: readonly Part[], { text, link }: Markup): string =>
  parts.map((part) => (part.link === undefined ? text(part.text) : link(part.text, part.link))).join("")

/** Everything below the headline in the receiver's markup: commits, and the text that a user wrote. */
export const details = ({ lines, words }: Summary, markup: Markup, lineBreak = "\n"): string =>
  [...lines.map((parts) => line(parts, markup)), ...(words === "" ? [] : [words.split("\n").map(markup.text).join(lineBreak)])].join(
    lineBreak,
  )
