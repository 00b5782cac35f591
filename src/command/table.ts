import type { Terminal } from "./terminal.ts"

/** Rows of text as lines with aligned columns. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

/** Prints rows below their headings. Control characters in user input are removed. */
export function printTable({ out }: Terminal, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of columns([headings, ...rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, "\ufffd")))])) out(line)
}
