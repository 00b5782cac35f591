import { grammarOfFile } from "../../../core/highlight/grammars.ts"
import { linesOf } from "../../../core/text/lines.ts"

/** What a file consists of, as links into it: the headings of a document, and what a file of code defines at its top level. */

export interface OutlineEntry {
  /** The fragment of its address, without `#`. */
  readonly anchor: string
  readonly name: string
  /** What it is, in the word of the language; nothing for headings. */
  readonly kind: string
  /** How deep it stands, from 1 on. */
  readonly level: number
}

const MOST_ENTRIES = 300
const LONGEST_NAME = 100
/** Lines that are looked at, and characters of one. */
const MOST_LINES = 20_000
const LONGEST_LINE = 300

/**
 * Each expression is for a line without its indent being cut, and names the `kind` and the `name`. None can take more than linear time: what is repeated ends with something
 * that can't be in it.
 */
const TYPED =
  /^(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|export|default|declare|async|inline|suspend|readonly|override|case|implicit|lazy|fileprivate|indirect|unsafe)\s+)*(?<kind>class|interface|enum|record|struct|trait|object|protocol|extension|namespace|function|func|fun|def)\*?\s+(?<name>[\w$.\\]+)/
const SCRIPT = /^export\s+(?:declare\s+)?(?<kind>const|let|type)\s+(?<name>[\w$]+)/
const TYPE_ALIAS = /^(?:declare\s+)?(?<kind>type)\s+(?<name>[\w$]+)\s*[=<]/
const C_TYPE = /^(?:typedef\s+)?(?<kind>class|struct|enum|union|namespace)\s+(?<name>\w+)[^;]*$/
const C_FUNCTION =
  /^(?!(?:return|else|if|for|while|switch|case|goto|using|typedef|throw)\b)(?:[\w:*&<>,]+\s+)+[*&]*(?<name>[\w:~]+)\s*\([^;]*$/

const OF_GRAMMAR: Readonly<Record<string, readonly RegExp[]>> = {
  bash: [/^(?:function\s+)?(?<name>[\w-]+)\s*\(\)/],
  c: [C_TYPE, C_FUNCTION],
  cpp: [C_TYPE, C_FUNCTION],
  csharp: [TYPED],
  dart: [TYPED],
  elixir: [/^(?<kind>defmodule|defprotocol)\s+(?<name>[\w.]+)/],
  go: [/^(?<kind>func)\s+(?:\([^)]*\)\s*)?(?<name>\w+)/, /^(?<kind>type)\s+(?<name>\w+)/],
  groovy: [TYPED],
  java: [TYPED],
  javascript: [TYPED, SCRIPT],
  kotlin: [TYPED],
  lua: [/^(?:local\s+)?(?<kind>function)\s+(?<name>[\w.:]+)/],
  makefile: [/^(?<name>[\w./-]+)\s*:(?!=)/],
  php: [TYPED],
  python: [/^(?:async\s+)?(?<kind>def|class)\s+(?<name>\w+)/],
  ruby: [/^(?<kind>def|class|module)\s+(?<name>[\w.:?!]+)/],
  rust: [
    /^(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|default)\s+)*(?<kind>fn|struct|enum|trait|mod|type|union|macro_rules!)\s+(?<name>\w+)/,
    /^(?:unsafe\s+)?(?<kind>impl)\b(?:<[^>]*>)?\s*(?<name>[^{]+)/,
  ],
  scala: [TYPED],
  sql: [
    /^create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?<kind>table|view|index|function|procedure|trigger|type)\s+(?:if\s+not\s+exists\s+)?(?<name>[\w."]+)/i,
  ],
  swift: [TYPED],
  typescript: [TYPED, SCRIPT, TYPE_ALIAS],
}

/** What a file of code defines at its top level, in the order of its lines. Nothing for languages that aren't known. */
export function symbolsIn(name: string, text: string): readonly OutlineEntry[] {
  const grammar = grammarOfFile(name)
  const expressions = grammar !== undefined && Object.hasOwn(OF_GRAMMAR, grammar) ? (OF_GRAMMAR[grammar] ?? []) : []
  const found: OutlineEntry[] = []
  if (expressions.length === 0) return found
  for (const [index, whole] of linesOf(text).slice(0, MOST_LINES).entries()) {
    // Only what begins at the margin is at the top level.
    if (whole === "" || /^\W/.test(whole)) continue
    const line = whole.slice(0, LONGEST_LINE)
    for (const expression of expressions) {
      const groups = expression.exec(line)?.groups
      if (!groups) continue
      found.push({ anchor: `L${index + 1}`, name: shortened(groups["name"] ?? ""), kind: groups["kind"] ?? "", level: 1 })
      break
    }
    if (found.length === MOST_ENTRIES) break
  }
  return found
}

const shortened = (name: string): string => name.trim().slice(0, LONGEST_NAME)

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" }

/** The headings of a rendered document, as the markup door writes them. */
export function headingsIn(rendered: string): readonly OutlineEntry[] {
  const found: OutlineEntry[] = []
  for (const [, level = "", anchor = "", inside = ""] of rendered.matchAll(/<h([1-6])\b[^>]*? id="([^"]*)"[^>]*>(.*?)<\/h\1>/gs)) {
    const text = inside.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    if (text.trim() !== "") found.push({ anchor: plainOf(anchor), name: shortened(text), kind: "", level: Number(level) })
    if (found.length === MOST_ENTRIES) break
  }
  const top = Math.min(...found.map(({ level }) => level))
  return found.map((entry) => ({ ...entry, level: entry.level - top + 1 }))
}

const plainOf = (attribute: string): string => attribute.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
