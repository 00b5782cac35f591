import MarkdownIt, { type MarkdownIt as Parser, type StateInline, type Token } from "markdown-it"
import { footnotes } from "./footnotes.ts"
import { maths } from "./maths-syntax.ts"
import type { Style } from "./rendering.ts"

/** The dialect: GitHub's, with footnotes and links between pages of a wiki. */

const parsers = new Map<Style, Parser>()

/** Texts with deeper quotations and lists are not rendered. */
export const DEEPEST = 50

/** The parser for texts of this style, made once. */
export function parserOf(style: Style): Parser {
  const known = parsers.get(style)
  if (known) return known
  const parser = new MarkdownIt({ html: true, linkify: style !== "plain", breaks: style === "comment", maxNesting: DEEPEST })
  parser.linkify.set({ fuzzyLink: false, fuzzyIP: false })
  // Which addresses are allowed is decided at the end, for Markdown and HTML alike; what is left of a refused link is its text.
  parser.validateLink = () => true
  // Joined where mentions are read: what is escaped must still be told apart there.
  parser.core.ruler.disable("text_join")
  parser.use(footnotes)
  parser.use(strikeThroughOfOne)
  if (style !== "plain") {
    parser.inline.ruler.before("link", "page_link", pageLink)
    parser.use(maths)
  }
  parsers.set(style, parser)
  return parser
}

export const makerOf = (parser: Parser): ((type: string, content: string) => Token) => {
  const { Token: Made } = new parser.core.State("", parser, {})
  return (type, content) => {
    const token = new Made(type, "", 0)
    token.content = content
    return token
  }
}

const TILDE = 0x7e
/** The marker of single tildes among the delimiters, so that they are not paired with double ones. */
const SINGLE = -TILDE

/** `~text~`, besides `~~text~~`. */
function strikeThroughOfOne(md: Parser): void {
  md.inline.ruler.before("strikethrough", "single_tilde", (state, silent) => {
    if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false
    const run = state.scanDelims(state.pos, true)
    if (run.length !== 1) return false
    state.push("text", "", 0).content = "~"
    const place = { token: state.tokens.length - 1, end: -1 }
    state.delimiters.push({ marker: SINGLE, length: 0, ...place, open: run.can_open, close: run.can_close })
    state.pos += 1
    return true
  })
  md.inline.ruler2.before("emphasis", "single_tilde", (state) => {
    for (const delimiters of [state.delimiters, ...state.tokens_meta.map((meta) => meta?.delimiters ?? [])])
      for (const { marker, token, end } of delimiters) {
        const closing = delimiters[end]
        if (marker === SINGLE && closing) strike(state, token, closing.token)
      }
  })
}

function strike(state: StateInline, opening: number, closing: number): void {
  for (const [at, nesting] of [
    [opening, 1],
    [closing, -1],
  ] as const) {
    const token = state.tokens[at]
    if (!token) continue
    token.type = nesting === 1 ? "s_open" : "s_close"
    token.tag = "del"
    token.nesting = nesting
    token.markup = "~"
    token.content = ""
  }
}

const PAGE_LINK = /\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,500}))?\]\](?![([])/y
const IMAGE = /\.(png|jpe?g|gif|webp|svg|avif)$/i

/** `[[Page]]` and `[[text|Page]]`; the page may be an address, or an image that is shown. */
function pageLink(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith("[[", state.pos) || state.linkLevel > 0) return false
  PAGE_LINK.lastIndex = state.pos
  const [source, text, page] = PAGE_LINK.exec(state.src) ?? []
  if (source === undefined || text === undefined) return false
  if (!silent) {
    const target = (page ?? text).trim()
    const href = state.md.normalizeLink(target.includes("://") ? target : target.replaceAll(" ", "-"))
    if (IMAGE.test(target)) {
      const image = state.push("image", "img", 0)
      image.attrs = [
        ["src", href],
        ["alt", ""],
      ]
      image.content = text
      image.children = []
      state.md.inline.parse(text, state.md, state.env, image.children)
    } else {
      state.push("link_open", "a", 1).attrs = [["href", href]]
      const inside = state.push("text", "", 0)
      inside.content = text.trim()
      // Anchors are made of the source.
      inside.meta = { source }
      state.push("link_close", "a", -1)
    }
  }
  state.pos += source.length
  return true
}
