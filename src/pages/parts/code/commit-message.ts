import type { Html } from "../../../core/html.ts"
import type { OnCode } from "../../../features/code/contents/locate.ts"
import { renderText } from "../texts.ts"

/** Messages of commits are plain text in which issues, people, commits and addresses are links. */

/** The most bytes of a message that are looked at for links and co-authors. */
const MOST = 64 * 1024

const ADDRESS = /(https?:\/\/[^\s<>]+)/

/** The message in Markdown that means nothing but its text. */
function asMarkdown(text: string): string {
  const escaped = text
    .split(ADDRESS)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replace(/[\\`*_{}[\]<>()+\-!|~&$:=^"]/g, "\\$&")
            .replace(/^(\s*)(#|\d+\.)/gm, (_, space: string, mark: string) => `${space}${mark === "#" ? "\\#" : mark.replace(".", "\\.")}`),
    )
    .join("")
  // Leading spaces are part of what people write, and would make a block of code.
  return escaped.replace(/^[ \t]+/gm, (space) => " ".repeat(space.replaceAll("\t", "    ").length))
}

/** A part of a commit's message with its links. */
export const renderMessage = (call: OnCode, text: string): Promise<Html> =>
  renderText(call, asMarkdown(text.slice(0, MOST)), { style: "comment" })

export interface CoAuthor {
  readonly name: string
  readonly email: string
}

/** The most co-authors that are shown. */
const MOST_AUTHORS = 20

/** Those whom the last lines of a message name as co-authors, each once. */
export function coAuthorsOf(message: string): readonly CoAuthor[] {
  const found = new Map<string, CoAuthor>()
  for (const line of message.slice(-MOST).split("\n")) {
    const [, name = "", email = ""] = /^co-authored-by:\s*([^<]{0,200})<([^<>\s]{1,254})>\s*$/i.exec(line) ?? []
    if (email !== "" && found.size < MOST_AUTHORS) found.set(email.toLowerCase(), { name: name.trim() || email, email })
  }
  return [...found.values()]
}
