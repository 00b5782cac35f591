import type { MarkdownIt, StateBlock, StateInline, Token } from "markdown-it"

/** Formulas in texts, as GitHub reads them: `$x$` and `` $`x`$ `` in a line, `$$x$$` on its own. They become tokens of HTML whose content is the source. */

/** The formula that a token stands for. */
export interface Formula {
  readonly tex: string
  readonly isBlock: boolean
  /** As it stands in the text; also what anchors of headings and descriptions of pictures are made of. */
  readonly source: string
}

const formulas = new WeakMap<Token, Formula>()

export const formulaOf = (token: Token): Formula | undefined => formulas.get(token)

export function maths(md: MarkdownIt): void {
  md.block.ruler.before("fence", "maths", block, { alt: ["paragraph", "reference", "blockquote", "list"] })
  md.inline.ruler.before("escape", "maths", inline)
}

const DOLLAR = 0x24

/** A word, an amount of money or a variable of a shell is no formula: those end, or begin, beside a space, a letter or a digit. */
const IN_LINE = /\$(?:`([^`\n]+)`|((?![\s$`])(?:\\[\s\S]|[^\\$`])*?))\$(?![\w$])/y
const ON_ITS_OWN = /\$\$((?:\\[\s\S]|[^\\$])+)\$\$(?!\$)/y

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== DOLLAR || (pos > 0 && /[\w$\\]/.test(src.charAt(pos - 1)))) return false
  const isBlock = src.charCodeAt(pos + 1) === DOLLAR
  const pattern = isBlock ? ON_ITS_OWN : IN_LINE
  pattern.lastIndex = pos
  const [source, quoted, plain] = pattern.exec(src) ?? []
  const tex = quoted ?? plain ?? ""
  if (source === undefined || tex.trim() === "" || (quoted === undefined && /\s$/.test(tex))) return false
  if (!silent) push(state, "html_inline", { tex: tex.trim(), isBlock, source })
  state.pos += source.length
  return true
}

/** Lines from `$$` to the line that ends in `$$`, which may be the same. Without an end it is a paragraph. */
function block(state: StateBlock, first: number, end: number, silent: boolean): boolean {
  const start = (state.bMarks[first] ?? 0) + (state.tShift[first] ?? 0)
  if (!state.src.startsWith("$$", start) || (state.sCount[first] ?? 0) - state.blkIndent >= 4) return false
  for (let line = first; line < end; line++) {
    // What belongs to a list or a quotation ends with it, and a formula has no empty lines.
    if (line > first && ((state.sCount[line] ?? 0) < state.blkIndent || state.isEmpty(line))) return false
    const from = line === first ? start + 2 : (state.bMarks[line] ?? 0)
    const text = state.src.slice(from, state.eMarks[line]).trimEnd()
    if (!text.endsWith("$$")) {
      if (text.includes("$$")) return false
      continue
    }
    const tex =
      `${line === first ? "" : state.getLines(first, line, state.blkIndent, true).trimStart().slice(2)}${text.slice(0, -2)}`.trim()
    if (tex === "" || tex.includes("$$")) return false
    if (silent) return true
    state.line = line + 1
    push(state, "html_block", { tex, isBlock: true, source: `$$${tex}$$` }).map = [first, line + 1]
    return true
  }
  return false
}

function push(state: StateInline | StateBlock, type: "html_inline" | "html_block", formula: Formula) {
  const token = state.push(type, "", 0)
  token.content = formula.source
  token.meta = { source: formula.source }
  formulas.set(token, formula)
  return token
}
