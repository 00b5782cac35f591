import type { Git, ObjectId, Repository } from "../../../git/index.ts"
import { openProperties } from "./properties.ts"

/** What .editorconfig files say about writing a file; what they say nothing about is absent. */
export interface WritingStyle {
  /** One step: a tab, or spaces. */
  readonly indent?: string
  readonly tabWidth?: number
  readonly trims?: boolean
  readonly endsWithNewline?: boolean
  readonly ends?: "lf" | "crlf"
}

/** Characters of patterns times those of the path. */
const MOST_STEPS = 5_000_000
const WIDEST = 16

/** How the file of this path is written, which need not exist. */
export async function styleFor(git: Git, repository: Repository, tree: ObjectId, parts: readonly string[]): Promise<WritingStyle> {
  const said = (await openProperties(git, repository, tree, MOST_STEPS)(parts)) ?? new Map<string, string>()
  const width = numberIn(said.get("tab_width")) ?? numberIn(said.get("indent_size"))
  const indent = indentOf(said, width)
  const [trims, endsWithNewline] = [booleanIn(said.get("trim_trailing_whitespace")), booleanIn(said.get("insert_final_newline"))]
  const ends = said.get("end_of_line")
  return {
    ...(indent !== undefined && { indent }),
    ...(width !== undefined && { tabWidth: width }),
    ...(trims !== undefined && { trims }),
    ...(endsWithNewline !== undefined && { endsWithNewline }),
    ...((ends === "lf" || ends === "crlf") && { ends }),
  }
}

function indentOf(said: ReadonlyMap<string, string>, width: number | undefined): string | undefined {
  const kind = said.get("indent_style")
  if (kind === "tab") return "\t"
  const size = said.get("indent_size") === "tab" ? width : numberIn(said.get("indent_size"))
  return size === undefined || (kind !== undefined && kind !== "space") ? undefined : " ".repeat(size)
}

function numberIn(text: string | undefined): number | undefined {
  const number = /^\d{1,2}$/.test(text ?? "") ? Number(text) : 0
  return number >= 1 && number <= WIDEST ? number : undefined
}

const booleanIn = (text: string | undefined): boolean | undefined => (text === "true" ? true : text === "false" ? false : undefined)
