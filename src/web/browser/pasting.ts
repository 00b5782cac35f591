/** What is pasted into a text in Markdown: tables of spreadsheets and addresses become Markdown. For the composer, and for the editor of files and wikis. */

import { fragmentOf } from "./fragment.ts"
import type { Selected } from "./markdown-tools.ts"

type Row = readonly string[]

/** Rows as a table in Markdown; undefined for what is no table. */
function tableOf(rows: readonly Row[]): string | undefined {
  const width = Math.max(...rows.map((row) => row.length))
  if (rows.length < 2 || width < 2 || rows.length > 2_000 || width > 100) return undefined
  const cell = (text = ""): string =>
    text
      .trim()
      .replaceAll(/\s*\n\s*/g, " ")
      .replaceAll("\\", "\\\\")
      .replaceAll("|", "\\|")
  const line = (cells: Row): string => `| ${Array.from({ length: width }, (_, at) => cell(cells[at])).join(" | ")} |`
  const [head = [], ...others] = rows
  return [line(head), `|${" --- |".repeat(width)}`, ...others.map(line)].join("\n")
}

/** The rows of a copied table; undefined where more than a table was copied. */
function rowsInHtml(text: string): readonly Row[] | undefined {
  const content = fragmentOf(text)
  const tables = content.querySelectorAll("table")
  const [table] = tables
  if (!table || tables.length > 1) return undefined
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""))
  table.remove()
  for (const element of content.querySelectorAll("style, script, meta, title")) element.remove()
  return (content.textContent ?? "").trim() === "" ? rows : undefined
}

/** The rows of a text with tabs between its cells; undefined for code, whose lines begin with them. */
function rowsInText(text: string): readonly Row[] | undefined {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n")
  const rows = lines.map((each) => each.split("\t"))
  const [width = 0] = rows.map((row) => row.length)
  return rows.every((row) => row.length === width) && lines.every((each) => !each.startsWith("\t")) ? rows : undefined
}

const isInCode = (before: string): boolean => (before.match(/^ {0,3}(```|~~~)/gm)?.length ?? 0) % 2 === 1

/** Pressed with Ctrl-V, it pastes what is there as it is. */
let isPlain = false
document.addEventListener("keydown", (event) => {
  isPlain = event.shiftKey
})

/** Files alone: a program that copies words may add a picture of them. */
export const pastedFiles = (data: DataTransfer): readonly File[] => (data.getData("text/plain") === "" ? [...data.files] : [])

/** What takes the place of the selection; undefined where it is pasted as it is. */
export function pastedText(data: DataTransfer, { value, from, to }: Selected): string | undefined {
  const plain = data.getData("text/plain")
  const rows = isPlain || isInCode(value.slice(0, from)) ? undefined : (rowsInHtml(data.getData("text/html")) ?? rowsInText(plain))
  const table = rows && tableOf(rows)
  if (table !== undefined) {
    const before = from === 0 || value.slice(0, from).endsWith("\n\n") ? "" : value[from - 1] === "\n" ? "\n" : "\n\n"
    return `${before}${table}\n`
  }
  const address = plain.trim()
  return from === to || !/^https?:\/\/\S+$/.test(address) ? undefined : `[${value.slice(from, to)}](${address})`
}
