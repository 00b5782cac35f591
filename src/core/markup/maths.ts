import { randomUUID } from "node:crypto"
import type { Token } from "markdown-it"
import { escapeHtml } from "../text/html.ts"
import { type Formula, formulaOf } from "./maths-syntax.ts"
import type { Rendering } from "./rendering.ts"

/** Formulas as MathML, which browsers draw without scripts and fonts of ours. What can't be read, or is too much, is shown as it is written. */

/** The longest formula, in UTF-16 units; and how much MathML one may become, and all of a text. */
const LONGEST = 4000
const LARGEST = 100_000
const MOST_TOGETHER = 1_000_000
/** How long the formulas of a text may take together. One takes a third of a millisecond. */
const MOST_MS = 1500
/** How often macros may be replaced in a formula; where it defines some itself, so often that no more than so much comes of it. */
const MOST_EXPANSIONS = 1000
const MOST_EXPANDED = 100_000
const DEFINES = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand)\b/
/** Sizes that are written, in em and in points. */
const LARGEST_SIZES: [number, number] = [10, 120]

/**
 * Puts the HTML of formulas into their tokens. Its elements carry the key, by which the sanitiser tells them from those that a text has; it is undefined
 * for a text without formulas, which costs no more than this look at its tokens.
 */
export async function withMaths(tokens: readonly Token[], { isForPage }: Rendering): Promise<string | undefined> {
  const found = tokens
    .flatMap((token) => [token, ...(token.children ?? [])])
    .flatMap((token) => {
      const formula = formulaIn(token)
      return formula ? [{ token, formula }] : []
    })
  if (found.length === 0) return undefined
  const key = randomUUID()
  // Readers of mail and programs know little of MathML: they get the source.
  const draw = isForPage ? await drawer(key) : () => undefined
  for (const { token, formula } of found) {
    if (token.type === "fence") token.type = "html_block"
    token.content = draw(formula) ?? asWritten(formula, token)
  }
  return key
}

/** A block of code in the language `math` is a formula, too. */
const formulaIn = (token: Token): Formula | undefined =>
  token.type === "fence" && /^math(?:\s|$)/.test(token.info.trim())
    ? { tex: token.content.trim(), isBlock: true, source: token.content }
    : formulaOf(token)

function asWritten({ tex, isBlock, source }: Formula, { type }: Token): string {
  if (!isBlock) return `<code class="language-math">${escapeHtml(tex)}</code>`
  if (type === "html_inline") return `<code class="language-math">${escapeHtml(source)}</code>`
  return `<pre><code class="language-math">${escapeHtml(tex)}\n</code></pre>\n`
}

/** What makes MathML of formulas until they are too much. */
async function drawer(key: string): Promise<(formula: Formula) => string | undefined> {
  const { default: temml } = await import("temml")
  const end = performance.now() + MOST_MS
  let left = MOST_TOGETHER
  return ({ tex, isBlock }) => {
    if (tex.length > LONGEST || performance.now() > end) return undefined
    const maxExpand = DEFINES.test(tex) ? Math.min(MOST_EXPANSIONS, Math.floor(MOST_EXPANDED / tex.length)) : MOST_EXPANSIONS
    try {
      const made = temml.renderToString(tex, {
        displayMode: isBlock,
        throwOnError: true,
        macros: {},
        maxExpand,
        maxSize: LARGEST_SIZES,
        trust: false,
      })
      left -= made.length
      return made.length > LARGEST || left < 0 ? undefined : made.replace(/<[a-z]+/g, `$& data-maths="${key}"`)
    } catch {
      // Also a formula that is nested so deeply that the stack ends.
      return undefined
    }
  }
}
