import type { Html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"
import type { LargeFile } from "../../../features/code/lfs/pointers.ts"
import type { DiffTotals, ObjectId, Repository } from "../../../git/index.ts"
import type { Unseen } from "./unseen.ts"

/** Differences as pages show them: first the files with their counts, then file by file what changed. */

/** Which changes of spaces count: all, none, not those of their number, not those at the ends of lines. */
export type Whitespace = "show-all" | "ignore-all" | "ignore-change" | "ignore-eol"

/** A difference of two commits, with all its files and none of their lines. */
export interface DiffOverview {
  readonly repository: Repository
  /** Null is the empty tree. */
  readonly from: ObjectId | null
  readonly to: ObjectId
  readonly whitespace: Whitespace
  /** In the order of their paths. */
  readonly files: readonly FileChange[]
  readonly totals: DiffTotals
  /** There is too much to be shown at once: it is shown in parts. */
  readonly isTooMuch: boolean
}

export interface FileChange {
  /** The path now; of a deleted file the path that it had. */
  readonly path: string
  /** Of a renamed or copied file. */
  readonly oldPath: string | undefined
  /** The id of its element in a page, the same for every difference; those of its lines add `L` or `R` and the number. */
  readonly anchor: string
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied" | "typechanged"
  readonly content: "text" | "binary" | "submodule" | "symlink"
  /** The blobs, or of a submodule the commits; null where there is nothing. */
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
  /** Six octal digits; undefined where there is nothing. */
  readonly oldMode: string | undefined
  readonly newMode: string | undefined
  readonly additions: number
  readonly deletions: number
  /** `folded`: for a reason, shown when asked for. */
  readonly shown: "inline" | "folded"
  readonly reason: Unseen | "large" | undefined
}

/** One file with its lines. */
export interface FileDiff {
  readonly file: FileChange
  readonly hunks: readonly Hunk[]
  /** Lines were left out at the end: there were more than the limit. */
  readonly isCut: boolean
  /** What a pointer to a large file (LFS) was and is. */
  readonly largeFiles: { readonly old: LargeFile | undefined; readonly new: LargeFile | undefined } | undefined
  /** Characters that can't be seen are in these lines, and shown as their numbers. */
  readonly hasInvisible: boolean
  /** Whether the lines have colours. */
  readonly isHighlighted: boolean
  /** How many lines the new file has, so that the last hunk can be continued; undefined where the file wasn't read. */
  readonly newLines: number | undefined
}

export interface Hunk {
  /** What git shows behind the numbers, mostly the function around the hunk. Plain text. */
  readonly context: string
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  readonly lines: readonly Line[]
}

export interface Line {
  readonly kind: "context" | "added" | "deleted"
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
  /** Plain text without what ends the line, cut at 5,000 units. */
  readonly text: Text
  /** The text with colours, and with `<mark>` around changed words. */
  readonly html: Html
  /** The line that it was or became, by its place in the hunk. */
  readonly pair: number | undefined
  /** The file ends here without a newline. */
  readonly noNewline: boolean
  /** The line ends in CR LF. */
  readonly hasReturn: boolean
}

/** A row of both sides beside each other. */
export interface Row {
  readonly left: Line | undefined
  readonly right: Line | undefined
}

/**
 * The lines of a hunk as rows with the old side left and the new one right. Lines that became others stand beside each other; the lines between such pairs
 * fill up by their order.
 */
export function splitRows(lines: readonly Line[]): readonly Row[] {
  const rows: Row[] = []
  let [lefts, rights]: [Line[], Line[]] = [[], []]
  const fill = (left: readonly Line[], right: readonly Line[]): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push({ left: left[at], right: right[at] })
  }
  const flush = (): void => {
    let [l, r] = [0, 0]
    for (const [at, left] of lefts.entries()) {
      const partner = left.pair === undefined ? undefined : lines[left.pair]
      const place = partner ? rights.indexOf(partner, r) : -1
      if (place < 0) continue
      fill(lefts.slice(l, at), rights.slice(r, place))
      rows.push({ left, right: rights[place] })
      l = at + 1
      r = place + 1
    }
    fill(lefts.slice(l), rights.slice(r))
    ;[lefts, rights] = [[], []]
  }
  for (const line of lines) {
    if (line.kind === "deleted" && rights.length > 0) flush()
    if (line.kind === "deleted") lefts.push(line)
    else if (line.kind === "added") rights.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}
