import { rowsOf } from "../text/csv.ts"
import { escapeHtml } from "../text/html.ts"

/** The values as a table; the first row is its head. */
export function tableToHtml(text: string, separator: string): string {
  const [head = [], ...rows] = [...rowsOf(text, separator)]
  const line = (cell: "th" | "td", values: readonly string[]) =>
    `<tr>${values.map((value) => `<${cell}>${escapeHtml(value)}</${cell}>`).join("")}</tr>\n`
  return `<table>\n<thead>\n${line("th", head)}</thead>\n<tbody>\n${rows.map((row) => line("td", row)).join("")}</tbody>\n</table>\n`
}
