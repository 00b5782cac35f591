import type { Token } from "markdown-it"
import { grammarOfFile } from "../highlight/grammars.ts"
import { codeLines, plainLines } from "../highlight/highlighting.ts"
import { isWithinLimits } from "../highlight/limits.ts"
import { escapeHtml } from "../text/html.ts"
import type { Make } from "./blocks.ts"
import { type Mentioned, SHORT_ID } from "./mentions.ts"
import type { Target } from "./rendering.ts"

/** Links to lines of code as cards that show these lines, where a link stands on a line of its own. Elsewhere, and without lines, it stays a link. */

/** Gives each link to lines that stands on a line of its own a paragraph of its own, whose place a card can take. */
export function cardsApart(tokens: readonly Token[], mentioned: readonly Mentioned[], make: Make): readonly Token[] {
  const links = new Set(mentioned.flatMap(({ mention, token }) => (mention.kind === "lines" ? token : [])))
  if (links.size === 0) return tokens
  return tokens.flatMap((token, at) => {
    const before = tokens[at - 1]
    const after = tokens[at + 1]
    if (before?.type !== "paragraph_open" || after?.type !== "paragraph_close" || !token.children) return token
    const parts = partsOf(token.children, links)
    return parts.flatMap((children, index) => {
      const part = index === 0 ? token : Object.assign(make("inline", ""), { block: true })
      part.children = [...children]
      const between = index === 0 ? [] : [copyOf(after, make), copyOf(before, make)]
      return [...between, part]
    })
  })
}

const copyOf = ({ type, tag, nesting, hidden }: Token, make: Make): Token =>
  Object.assign(make(type, ""), { tag, nesting, hidden, block: true })

const isBreak = (token: Token | undefined): boolean => token?.type === "softbreak" || token?.type === "hardbreak"

/** The tokens of a paragraph, cut before and after links that have a line for themselves; without the breaks between. */
function partsOf(children: readonly Token[], links: ReadonlySet<Token>): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  for (const [at, token] of children.entries()) {
    const isAlone = (place: number): boolean => {
      const each = children[place]
      const isFirst = place === 0 || isBreak(children[place - 1])
      return each !== undefined && links.has(each) && isFirst && (place === children.length - 1 || isBreak(children[place + 1]))
    }
    if (isBreak(token) && (isAlone(at - 1) || isAlone(at + 1))) parts.push([])
    else parts.at(-1)?.push(token)
  }
  const written = parts.filter((part) => part.length > 0)
  return written.length === 0 ? [[]] : written
}

/** Puts cards in the place of paragraphs that consist of nothing but a link to lines that are known. */
export async function withCards(
  tokens: readonly Token[],
  mentioned: readonly Mentioned[],
  targets: ReadonlyMap<Token, Target>,
): Promise<void> {
  const links = new Map(mentioned.flatMap((each) => (each.mention.kind === "lines" ? [[each.token, each] as const] : [])))
  if (links.size === 0) return
  for (const [at, { type, children }] of tokens.entries()) {
    const [only, ...others] = type === "inline" ? (children ?? []) : []
    const link = only && others.length === 0 ? links.get(only) : undefined
    const target = only && targets.get(only)
    const [before, after] = [tokens[at - 1], tokens[at + 1]]
    if (!link || !target?.lines || before?.type !== "paragraph_open" || after?.type !== "paragraph_close") continue
    link.token.content = await cardHtml(link.shown.text, target.href, target.lines)
    before.hidden = true
    after.hidden = true
  }
}

async function cardHtml(where: string, href: string, { text, first, commit }: NonNullable<Target["lines"]>): Promise<string> {
  const grammar = isWithinLimits(text.split("\n"), text) ? grammarOfFile(where.replace(/#L[\d-L]*$/, "")) : undefined
  const lines = (grammar ? await codeLines(`${text}\n`, grammar) : plainLines(`${text}\n`)).split("\n").slice(0, -1)
  const head = [
    `<a href="${escapeHtml(href)}">${escapeHtml(where)}</a>`,
    `<a href="${escapeHtml(commit.href)}" class="ref-commit"><code>${escapeHtml(commit.id.slice(0, SHORT_ID))}</code></a>`,
  ]
  const rows = lines.map((line) => `<li><code>${line}</code></li>`).join("")
  return `<figure class="ref-lines"><figcaption>${head.join(" ")}</figcaption><ol dir="ltr" start="${first}">${rows}</ol></figure>\n`
}
