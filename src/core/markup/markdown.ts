import type { Env, Token } from "markdown-it"
import { escapeHtml } from "../text/html.ts"
import { addressFor } from "./addresses.ts"
import { decorate, type Make } from "./blocks.ts"
import { cardsApart, withCards } from "./cards.ts"
import { withColours } from "./code.ts"
import { emojiNamed } from "./emoji.ts"
import { withNotesAtEnd } from "./footnotes.ts"
import { withMaths } from "./maths.ts"
import { type Mentioned, mentionAt, type Piece, piecesOf, targetsOf } from "./mentions.ts"
import type { Rendering, Target } from "./rendering.ts"
import { sanitise } from "./sanitise.ts"
import { DEEPEST, makerOf, parserOf } from "./syntax.ts"
import { namesOf, ticked } from "./tasks.ts"

/**
 * Markdown → tokens → what the tokens name, looked up at once → HTML → what of it is allowed. Undefined for a text that is nested too deeply, or that
 * consists of little else than markup.
 */
export async function markdownToHtml(text: string, rendering: Rendering): Promise<string | undefined> {
  const parser = parserOf(rendering.style)
  const env: Env = {}
  const parsed = parser.parse(text, env)
  if (isTooMuch(parsed)) return undefined
  const make = makerOf(parser)
  // Before the tokens of its paragraphs are changed.
  const boxes = rendering.isForPage && rendering.style === "comment" ? namesOf(parsed, text) : NO_BOXES
  withinBudget(parsed, text.length)
  const mentioned: Mentioned[] = []
  for (const token of parsed) {
    if (token.type === "html_block") token.content = shownTags(token.content, rendering)
    if (token.children) token.children = inlineTokens(token.children, rendering, make, mentioned)
  }
  const mathsKey = rendering.style === "plain" ? undefined : await withMaths(parsed, rendering)
  if (rendering.style !== "plain") await withColours(parsed)
  const decorated = decorate(cardsApart(parsed, mentioned, make), rendering.style, make, boxes)
  const tokens = withNotesAtEnd(decorated, (html) => make("html_inline", html))
  const targets = await targetsOf(mentioned, rendering)
  for (const each of mentioned) each.token.content = mentionHtml(each, targets.get(each.token)) ?? each.token.content
  await withCards(tokens, mentioned, targets)
  return sanitise(parser.renderer.render([...tokens], parser.options, env), rendering, mathsKey)
}

const NO_BOXES: ReturnType<typeof namesOf> = new Map()

/** See `ticked`; undefined as well for a text that is too much to be rendered. */
export function tickedText(text: string, name: string, isDone: boolean): string | undefined {
  const tokens = parserOf("comment").parse(text, {})
  return isTooMuch(tokens) ? undefined : ticked(tokens, text, name, isDone)
}

/** What of a text in HTML is allowed; undefined for one that consists of little else than markup. */
export const htmlToHtml = (text: string, rendering: Rendering): string | undefined =>
  tagsIn(text) > MOST_TAGS ? undefined : sanitise(text, rendering)

const tagsIn = (html: string): number => html.split(TAG, MOST_TAGS + 2).length - 1

/** Texts of people have far fewer, at the length that is rendered. */
const MOST_TOKENS = 200_000
/** Of HTML. The time that unclosed elements take grows with the square of their number. */
const MOST_TAGS = 20_000

function isTooMuch(tokens: readonly Token[]): boolean {
  let count = tokens.length
  let tags = 0
  for (const token of tokens) {
    // The parser leaves out what is nested in this.
    if (token.nesting === 1 && token.level >= DEEPEST - 1) return true
    for (const { type, content } of token.children ?? [token]) {
      count += type === "footnote_ref" ? FOOTNOTE_TOKENS : 1
      if (type === "html_inline") tags++
      else if (type === "html_block") tags += tagsIn(content)
    }
  }
  return count > MOST_TOKENS || tags > MOST_TAGS
}

const TAG = /<[a-z]/i
/** What a reference to a footnote becomes. */
const FOOTNOTE_TOKENS = 4

/** Addresses and titles that are defined once can be used any number of times. Beyond this, for each character of the text, links lose theirs. */
const MOST_GROWTH = 10
const FREE_GROWTH = 100_000

function withinBudget(tokens: readonly Token[], length: number): void {
  let left = FREE_GROWTH + MOST_GROWTH * length
  for (const { children } of tokens)
    for (const token of children ?? []) {
      if (token.type !== "link_open" && token.type !== "image") continue
      for (const [, value] of token.attrs ?? []) left -= String(value).length
      if (left < 0) token.attrs = []
    }
}

/** Tags that would swallow what follows them, or whose content is no text. People who write of them mean the word. */
const SHOWN_TAGS =
  /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|noscript|script|plaintext|svg|math|template|select|option|button|object)(?![\w-]))/gi

const shownTags = (html: string, { style }: Rendering): string => (style === "plain" ? html : html.replace(SHOWN_TAGS, "&lt;"))

/** The most mentions of a text that are shown as such. */
const MOST_SHOWN = 10_000

const OPENING = /^<(?:a|code|pre|kbd|samp)[\s>]/i
const CLOSING = /^<\/(?:a|code|pre|kbd|samp)\s*>/i

/** The tokens of a paragraph with mentions and emoji as tokens of their own. None are read inside of links and code. */
function inlineTokens(given: readonly Token[], rendering: Rendering, make: Make, mentioned: Mentioned[]): Token[] {
  const tokens: Token[] = []
  let inside = 0
  let isRefused = false
  for (let at = 0; at < given.length; at++) {
    const token = given[at]
    if (!token) continue
    const own = token.type === "link_open" && token.info === "auto" ? mentionAt(String(token.attrGet("href")), rendering) : undefined
    if (own && inside === 0 && given[at + 2]?.type === "link_close") {
      const whole = pieceToken(own, make, mentioned)
      whole.content = `<a href="${whole.content}">${whole.content}</a>`
      tokens.push(whole)
      at += 2
      continue
    }
    // Of a link that leads nowhere the text is left. Links are never within links.
    if (token.type === "link_open") isRefused = addressFor(String(token.attrGet("href") ?? ""), "page", rendering) === undefined
    if (isRefused && (token.type === "link_open" || token.type === "link_close")) continue
    if (token.type === "link_open" || (token.type === "html_inline" && OPENING.test(token.content))) inside++
    else if (token.type === "link_close" || (token.type === "html_inline" && CLOSING.test(token.content))) inside = Math.max(0, inside - 1)
    if (token.type === "html_inline") token.content = shownTags(token.content, rendering)
    else if (token.type === "s_open" || token.type === "s_close") token.tag = "del"
    else if (token.type === "text_special") token.type = "text"
    else if (token.type === "text" && inside === 0 && rendering.style !== "plain") {
      for (const piece of piecesOf(token.content, MOST_SHOWN - mentioned.length, rendering))
        tokens.push(piece.kind === "text" && piece.text === token.content ? token : pieceToken(piece, make, mentioned))
      continue
    }
    tokens.push(token)
  }
  return tokens
}

/** Mentions and emoji are tokens of HTML; `source` is what the anchor of a heading is made of. */
function pieceToken(piece: Piece, make: Make, mentioned: Mentioned[]): Token {
  const emoji = piece.kind === "emoji" ? emojiNamed(piece.name) : undefined
  if (piece.kind === "text" || (piece.kind === "emoji" && emoji === undefined)) return make("text", piece.text)
  const label = piece.kind === "emoji" ? escapeHtml(piece.name.replaceAll("_", " ")) : ""
  const token = make(
    "html_inline",
    emoji === undefined ? escapeHtml(piece.text) : `<span class="emoji" aria-label="${label}">${emoji}</span>`,
  )
  token.meta = { source: piece.text }
  if (piece.kind === "mention") mentioned.push({ token, ...piece })
  return token
}

const CLASSES = { account: "mention", issue: "ref-issue", commit: "ref-commit", lines: "ref-lines" } as const

function mentionHtml({ mention, shown }: Mentioned, target: Target | undefined): string | undefined {
  if (!target) return undefined
  const text = shown.code ? `<code>${escapeHtml(shown.text)}</code>` : escapeHtml(shown.text)
  const title = target.title === undefined ? "" : ` title="${escapeHtml(target.title)}"`
  return `<a href="${escapeHtml(target.href + (shown.fragment ?? ""))}" class="${CLASSES[mention.kind]}"${title}>${text}</a>`
}
