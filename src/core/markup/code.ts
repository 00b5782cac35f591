import type { Token } from "markdown-it"
import { grammarNamed } from "../highlight/grammars.ts"
import { codeLines, plainLines } from "../highlight/highlighting.ts"
import { isWithinLimits } from "../highlight/limits.ts"
import { escapeHtml } from "../text/html.ts"

/** The most code of a text that gets colours, in UTF-16 units. */
const MOST_COLOURED = 128 * 1024

/** Blocks of code with colours, where their language is known, and with characters shown that can't be seen. */
export async function withColours(tokens: readonly Token[]): Promise<void> {
  let left = MOST_COLOURED
  for (const token of tokens) {
    if (token.type !== "fence" && token.type !== "code_block") continue
    const language = token.type === "fence" ? (token.info.trim().split(/\s+/, 1)[0] ?? "") : ""
    const grammar =
      token.content.length <= left && isWithinLimits(token.content.split("\n"), token.content) ? grammarNamed(language) : undefined
    if (grammar) left -= token.content.length
    const html = grammar ? await codeLines(token.content, grammar) : plainLines(token.content)
    token.type = "html_block"
    token.content = `<pre><code${language === "" ? "" : ` class="language-${escapeHtml(language)}"`}>${html}</code></pre>\n`
  }
}
