import type { Env, MarkdownIt, StateBlock, StateInline, Token } from "markdown-it"

/** Footnotes: `[^name]` in a text, and `[^name]: the note` as a block, which may have further paragraphs that are indented by four columns. */

const DEFINITION = /^\[\^([^\s[\]]{1,100})\]:[ \t]*/
const REFERENCE = /\[\^([^\s[\]]{1,100})\]/y
/** The longest beginning of a line that may define a note. */
const LONGEST_START = 200

interface Note {
  readonly label: string
  /** The number that readers see; in the order of the first references. */
  readonly number: number
  references: number
}

interface Notes {
  readonly defined: Set<string>
}

const notesOf = new WeakMap<Env, Notes>()

function notesIn(env: Env): Notes {
  const known = notesOf.get(env)
  if (known) return known
  const notes: Notes = { defined: new Set() }
  notesOf.set(env, notes)
  return notes
}

export function footnotes(md: MarkdownIt): void {
  md.block.ruler.before("reference", "footnote", definition, { alt: ["paragraph", "reference"] })
  md.inline.ruler.before("link", "footnote", reference)
}

function definition(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  if (state.src.charCodeAt(start + 1) !== 0x5e || (state.sCount[line] ?? 0) - state.blkIndent >= 4) return false
  const [mark, label] = DEFINITION.exec(state.src.slice(start, Math.min(state.eMarks[line] ?? start, start + LONGEST_START))) ?? []
  if (mark === undefined || label === undefined) return false
  if (silent) return true
  notesIn(state.env).defined.add(label)
  state.push("footnote_open", "", 1).meta = { label }
  const { parentType, blkIndent } = state
  const before = { begin: state.bMarks[line] ?? 0, shift: state.tShift[line] ?? 0, indent: state.sCount[line] ?? 0 }
  state.bMarks[line] = start + mark.length
  state.tShift[line] = 0
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.parentType = "footnote"
  state.md.block.tokenize(state, line, end)
  state.parentType = parentType
  state.blkIndent = blkIndent
  state.bMarks[line] = before.begin
  state.tShift[line] = before.shift
  state.sCount[line] = before.indent
  state.push("footnote_close", "", -1)
  return true
}

function reference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false
  REFERENCE.lastIndex = state.pos
  const [mark, label] = REFERENCE.exec(state.src) ?? []
  if (mark === undefined || label === undefined || !notesIn(state.env).defined.has(label)) return false
  if (!silent) state.push("footnote_ref", "", 0).meta = { label }
  state.pos += mark.length
  return true
}

const labelOf = ({ meta }: Token): string => String(meta?.["label"])

/**
 * Moves the notes that are referred to to the end of the tokens, in the order of their first references; a note that is not referred to is
 * dropped. Of a note that is defined twice the first counts.
 */
export function withNotesAtEnd(tokens: readonly Token[], make: (html: string) => Token): readonly Token[] {
  const { text, definitions } = apart(tokens)
  const notes = new Map<string, Note>()
  const number = (part: readonly Token[]) => numberReferences(part, notes, make)
  const body = number(text)
  if (notes.size === 0) return body
  const ends: Token[] = [make('<section class="footnotes">\n<hr>\n<ol>\n')]
  // Notes may refer to further notes, which are added while this goes on.
  for (const note of notes.values()) {
    const content = number(definitions.get(note.label) ?? [])
    const last = content.at(-1)?.type === "paragraph_close" ? content.at(-1) : undefined
    ends.push(make(`<li id="user-content-fn-${note.number}">\n`))
    for (const token of last ? content.slice(0, -1) : content) ends.push(token)
    ends.push(make(backReferences(note)))
    if (last) ends.push(last)
    ends.push(make("</li>\n"))
  }
  ends.push(make("</ol>\n</section>\n"))
  return [...body, ...ends]
}

function apart(tokens: readonly Token[]): { readonly text: readonly Token[]; readonly definitions: ReadonlyMap<string, readonly Token[]> } {
  const text: Token[] = []
  const definitions = new Map<string, readonly Token[]>()
  const open: Token[][] = []
  for (const token of tokens) {
    if (token.type === "footnote_open") {
      const content: Token[] = []
      open.push(content)
      if (!definitions.has(labelOf(token))) definitions.set(labelOf(token), content)
    } else if (token.type === "footnote_close") open.pop()
    else (open.at(-1) ?? text).push(token)
  }
  return { text, definitions }
}

function numberReferences(tokens: readonly Token[], notes: Map<string, Note>, make: (html: string) => Token): readonly Token[] {
  for (const token of tokens)
    token.children =
      token.children?.map((child) => {
        if (child.type !== "footnote_ref") return child
        const label = labelOf(child)
        const note = notes.get(label) ?? { label, number: notes.size + 1, references: 0 }
        notes.set(label, note)
        note.references += 1
        const id = `user-content-fnref-${note.number}${note.references > 1 ? `-${note.references}` : ""}`
        return make(`<sup class="footnote-ref"><a id="${id}" href="#user-content-fn-${note.number}">${note.number}</a></sup>`)
      }) ?? null
  return tokens
}

/** The most links back from a note to where it is referred to. */
const MOST_BACK_REFERENCES = 20

const backReferences = ({ number, references }: Note): string =>
  Array.from({ length: Math.min(references, MOST_BACK_REFERENCES) }, (_, index) => {
    const id = `user-content-fnref-${number}${index > 0 ? `-${index + 1}` : ""}`
    return ` <a class="footnote-backref" href="#${id}">\u21a9\ufe0e</a>`
  }).join("")
