import type { Token } from "markdown-it"
import { escapeHtml } from "../text/html.ts"
import type { Style } from "./rendering.ts"
import { attributeOf, type BoxName, markOf } from "./tasks.ts"

/** Alerts, task lists, anchors of headings and the alignment of tables: changes of the tokens that the parser made. */

export type Make = (type: string, content: string) => Token

/** The tokens with all of it; tokens are changed in place, as the parser does. `boxes` has the names of those that can be ticked. */
export function decorate(tokens: readonly Token[], style: Style, make: Make, boxes: ReadonlyMap<Token, BoxName>): readonly Token[] {
  const decorated: Token[] = []
  const lists: Token[] = []
  for (const [at, token] of tokens.entries()) {
    const inside = tokens[at + 2]
    decorated.push(token)
    switch (token.type) {
      case "th_open":
      case "td_open":
        align(token)
        break
      case "heading_open":
        if (style === "document" || style === "wiki") anchor(token, tokens[at + 1])
        break
      case "bullet_list_open":
      case "ordered_list_open":
        lists.push(token)
        break
      case "bullet_list_close":
      case "ordered_list_close":
        lists.pop()
        break
      case "list_item_open":
        if (tokens[at + 1]?.type === "paragraph_open" && inside) task(token, inside, lists.at(-1), make, boxes.get(inside))
        break
      case "blockquote_open":
        if (tokens[at + 1]?.type === "paragraph_open" && inside) {
          const head = alert(token, inside, make)
          if (head) decorated.push(head)
        }
        break
      default:
    }
  }
  return decorated
}

/** `style="text-align:right"` → `align="right"`. */
function align(token: Token): void {
  const side = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""))?.[1]
  token.attrs = side === undefined ? null : [["align", side]]
}

/** Where a heading can be linked to. Equal headings have the same anchor, of which browsers take the first. */
function anchor(heading: Token, inline: Token | undefined): void {
  const slug = (inline?.children ?? [])
    .map(({ type, content, meta }) => (typeof meta?.["source"] === "string" ? meta["source"] : type === "html_inline" ? "" : content))
    .join("")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")
  if (slug !== "") heading.attrSet("id", `user-content-${slug.slice(0, 150)}`)
}

function task(item: Token, inline: Token, list: Token | undefined, make: Make, box: BoxName | undefined): void {
  const { children } = inline
  const [first] = children ?? []
  const begins = markOf(inline)
  if (!begins || !first || !children) return
  first.content = first.content.slice(begins.mark.length)
  const named = box ? ` data-task="${attributeOf(box.name)}" aria-label="${escapeHtml(box.label)}"` : ""
  children.unshift(make("html_inline", `<input type="checkbox" disabled${begins.isDone ? " checked" : ""}${named}>`))
  item.attrSet("class", "task-list-item")
  list?.attrSet("class", "contains-task-list")
}

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*$/i

/** The heading of a quotation that begins with a line such as `[!NOTE]`, which is taken away. */
function alert(quotation: Token, inline: Token, make: Make): Token | undefined {
  const [line = ""] = inline.content.split("\n", 1)
  const kind = ALERT.exec(line)?.[1]?.toLowerCase()
  if (kind === undefined || !inline.children) return undefined
  const end = inline.children.findIndex(({ type }) => type === "softbreak" || type === "hardbreak")
  inline.children = end < 0 ? [] : inline.children.slice(end + 1)
  quotation.attrSet("class", `attention-${kind}`)
  return make("html_block", `<p class="attention-header"><strong>${kind.replace(/^./, (letter) => letter.toUpperCase())}</strong></p>\n`)
}
