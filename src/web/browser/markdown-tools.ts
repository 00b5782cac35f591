/** The buttons above a text in Markdown, and the keys for them, as changes of a text with a selection: for the composer and for the editor of files. */

export interface Selected {
  readonly value: string
  readonly from: number
  readonly to: number
}

/** Replaces a part of the text; then a part of it is selected. */
export interface Change {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly selectFrom: number
  readonly selectTo: number
}

/** Puts signs around what is selected, or takes them away. */
function surround({ value, from, to }: Selected, sign: string): Change {
  const selected = value.slice(from, to)
  const isAround = value.slice(from - sign.length, from) === sign && value.slice(to, to + sign.length) === sign
  const start = isAround ? from - sign.length : from
  const selectFrom = isAround ? start : from + sign.length
  const select = { selectFrom, selectTo: selectFrom + selected.length }
  return isAround ? { from: start, to: to + sign.length, text: selected, ...select } : { from, to, text: sign + selected + sign, ...select }
}

/** Begins each selected line in a way, or takes that away where all of them do. */
function begin({ value, from: selectionStart, to: selectionEnd }: Selected, sign: (line: number) => string): Change {
  const from = value.lastIndexOf("\n", selectionStart - 1) + 1
  const next = value.indexOf("\n", selectionEnd)
  const to = next < 0 ? value.length : next
  const lines = value.slice(from, to).split("\n")
  const isBegun = lines.every((line, at) => line.startsWith(sign(at)))
  const text = lines.map((line, at) => (isBegun ? line.slice(sign(at).length) : sign(at) + line)).join("\n")
  return { from, to, text, selectFrom: lines.length === 1 ? from + text.length : from, selectTo: from + text.length }
}

function link({ value, from, to }: Selected): Change {
  const selected = value.slice(from, to)
  const at = from + selected.length + 3
  return { from, to, text: `[${selected}](url)`, selectFrom: at, selectTo: at + 3 }
}

function code(selected: Selected): Change {
  const { value, from, to } = selected
  const inside = value.slice(from, to)
  if (!inside.includes("\n")) return surround(selected, "`")
  const text = `\`\`\`\n${inside}\n\`\`\``
  return { from, to, text, selectFrom: from + text.length, selectTo: from + text.length }
}

export const TOOLS: Readonly<Record<string, (selected: Selected) => Change>> = {
  heading: (selected) => begin(selected, () => "### "),
  bold: (selected) => surround(selected, "**"),
  italic: (selected) => surround(selected, "_"),
  quote: (selected) => begin(selected, () => "> "),
  code,
  link,
  bullets: (selected) => begin(selected, () => "- "),
  numbers: (selected) => begin(selected, (line) => `${line + 1}. `),
  tasks: (selected) => begin(selected, () => "- [ ] "),
}

/** A letter that a key stands for with Ctrl. */
export const KEYS: Readonly<Record<string, string>> = { b: "bold", i: "italic", e: "code", k: "link" }
