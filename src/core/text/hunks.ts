/** A unified diff as git writes it, read into data. */

export interface DiffLine {
  readonly kind: "context" | "added" | "deleted"
  /** Without the sign before it and the newline after it; cut at `lineLength`. */
  readonly text: string
  /** Its number on the side before the change; undefined for added lines. */
  readonly oldLine: number | undefined
  /** Its number on the side after the change; undefined for deleted lines. */
  readonly newLine: number | undefined
  /** The file ends here without a newline. */
  readonly noNewline: boolean
}

/** A hunk: changed lines with their context. */
export interface DiffHunk {
  /** The line with the four numbers, and what git shows after it. */
  readonly header: string
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  readonly lines: readonly DiffLine[]
}

export interface DiffFile {
  /** Undefined for a file that is new, or deleted. */
  readonly oldPath: string | undefined
  readonly newPath: string | undefined
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied"
  readonly oldMode: string | undefined
  readonly newMode: string | undefined
  readonly binary: boolean
  /** The count of all its lines, including those beyond the limit. */
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly DiffHunk[]
  /** There are more lines than the limit. */
  readonly incomplete: boolean
}

export interface Diff {
  readonly files: readonly DiffFile[]
  /** There are more files than the limit. */
  readonly incomplete: boolean
}

/** How much of a diff is kept. */
export interface DiffLimits {
  readonly files: number
  /** Lines of one file. */
  readonly lines: number
  /** Characters of one line. */
  readonly lineLength: number
}

export const DIFF_LIMITS: DiffLimits = { files: 1000, lines: 5000, lineLength: 5000 }

/**
 * Parses a diff. Other text, such as the headers of a mail, is skipped; a truncated diff is parsed as far as possible. Never throws.
 */
export function parseDiff(text: string, limits: Partial<DiffLimits> = {}): Diff {
  const most = { ...DIFF_LIMITS, ...limits }
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const files: DiffFile[] = []
  let at = 0
  while (at < lines.length) {
    if (!beginsFile(lines, at)) {
      at += 1
      continue
    }
    if (files.length === most.files) return { files, incomplete: true }
    const { file, next } = readFile(lines, at, most)
    files.push(file)
    at = next
  }
  return { files, incomplete: false }
}

const beginsFile = (lines: readonly string[], at: number): boolean =>
  lines[at]?.startsWith("diff --git ") === true || (lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true)

interface Head {
  readonly names: readonly [string | undefined, string | undefined]
  oldPath?: string | undefined
  newPath?: string | undefined
  oldMode?: string
  newMode?: string
  status: DiffFile["status"]
  binary: boolean
}

function readFile(lines: readonly string[], start: number, limits: DiffLimits): { readonly file: DiffFile; readonly next: number } {
  const first = lines[start] ?? ""
  const isGit = first.startsWith("diff --git ")
  const head: Head = {
    names: isGit ? bothNames(first.slice("diff --git ".length)) : [undefined, undefined],
    status: "modified",
    binary: false,
  }
  let at = isGit ? start + 1 : start
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (line.startsWith("@@ ") || line.startsWith("diff --git ") || !readHead(line, head)) break
  }
  const hunks: DiffHunk[] = []
  const count = { kept: 0, additions: 0, deletions: 0 }
  while (lines[at]?.startsWith("@@ ")) {
    const read = readHunk(lines, at, count, limits)
    if (!read) break
    if (read.hunk.lines.length > 0) hunks.push(read.hunk)
    at = read.next
  }
  // The encoded bytes of a binary file.
  while (head.binary && at < lines.length && !beginsFile(lines, at)) at += 1
  const { oldPath = head.names[0], newPath = head.names[1], oldMode, newMode, status, binary } = head
  const { kept, additions, deletions } = count
  const file: DiffFile = {
    oldPath: status === "added" ? undefined : oldPath,
    newPath: status === "deleted" ? undefined : newPath,
    status,
    oldMode,
    newMode,
    binary,
    additions,
    deletions,
    hunks,
    incomplete: kept > limits.lines,
  }
  return { file, next: Math.max(at, start + 1) }
}

/** Reads a line between a file's beginning and its first hunk; false where it is none. */
function readHead(line: string, head: Head): boolean {
  const [, word = "", rest = ""] =
    /^(---|\+\+\+|old mode|new mode|deleted file mode|new file mode|rename from|rename to|copy from|copy to|index|similarity index|dissimilarity index|Binary files|GIT binary patch)(?: (.*)|)$/.exec(
      line,
    ) ?? []
  switch (word) {
    case "":
      return false
    case "---":
      if (rest === "/dev/null") head.status = "added"
      else head.oldPath = withoutPrefix(pathAt(rest))
      return true
    case "+++":
      if (rest === "/dev/null") head.status = "deleted"
      else head.newPath = withoutPrefix(pathAt(rest))
      return true
    case "old mode":
      head.oldMode = rest
      return true
    case "new mode":
      head.newMode = rest
      return true
    case "deleted file mode":
      head.oldMode = rest
      head.status = "deleted"
      return true
    case "new file mode":
      head.newMode = rest
      head.status = "added"
      return true
    case "rename from":
    case "copy from":
      head.oldPath = pathAt(rest)
      head.status = word === "copy from" ? "copied" : "renamed"
      return true
    case "rename to":
    case "copy to":
      head.newPath = pathAt(rest)
      return true
    case "index": {
      const mode = / ([0-7]{6})$/.exec(rest)?.[1]
      if (mode !== undefined) {
        head.oldMode = mode
        head.newMode = mode
      }
      return true
    }
    case "Binary files":
    case "GIT binary patch":
      head.binary = true
      return true
    default:
      return true
  }
}

interface Count {
  /** Lines that were kept, and one more where there are more. */
  kept: number
  additions: number
  deletions: number
}

function readHunk(
  lines: readonly string[],
  start: number,
  count: Count,
  limits: DiffLimits,
): { readonly hunk: DiffHunk; readonly next: number } | undefined {
  const header = lines[start] ?? ""
  const numbers = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(header)
  if (!numbers) return undefined
  const [, oldText, oldCountText = "1", newText, newCountText = "1"] = numbers
  const [oldStart, oldCount, newStart, newCount] = [Number(oldText), Number(oldCountText), Number(newText), Number(newCountText)]
  const found: DiffLine[] = []
  let [oldLine, newLine, at] = [oldStart, newStart, start + 1]
  const [oldEnd, newEnd] = [oldStart + oldCount, newStart + newCount]
  for (; at < lines.length && (oldLine < oldEnd || newLine < newEnd); at++) {
    const line = lines[at] ?? ""
    // Some programs remove the space of an empty line.
    const sign = line === "" ? " " : line.charAt(0)
    const kind = sign === "+" ? "added" : sign === "-" ? "deleted" : sign === " " ? "context" : undefined
    if (kind === undefined && sign !== "\\") break
    if (kind === undefined) continue
    if (kind === "added") count.additions += 1
    if (kind === "deleted") count.deletions += 1
    if (count.kept <= limits.lines) count.kept += 1
    if (count.kept <= limits.lines)
      found.push({
        kind,
        text: line.slice(1, 1 + limits.lineLength),
        oldLine: kind === "added" ? undefined : oldLine,
        newLine: kind === "deleted" ? undefined : newLine,
        noNewline: lines[at + 1]?.startsWith("\\") === true,
      })
    if (kind !== "added") oldLine += 1
    if (kind !== "deleted") newLine += 1
  }
  if (lines[at]?.startsWith("\\")) at += 1
  return { hunk: { header: header.slice(0, limits.lineLength), oldStart, oldCount, newStart, newCount, lines: found }, next: at }
}

// --- names ---------------------------------------------------------------------------------------------------------------------------

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

/** A path as git writes it: quoted with special bytes escaped, or plain; a tab ends one that has spaces. */
function pathAt(text: string): string {
  if (!text.startsWith('"')) return text.split("\t", 1)[0] ?? ""
  const bytes: Buffer[] = []
  for (const [piece, octal, letter] of text.slice(1).matchAll(/\\([0-3][0-7]{2})|\\(.)|[^"\\]+|"/g)) {
    if (piece === '"') break
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]))
    else if (letter !== undefined) bytes.push(Buffer.from([ESCAPES[letter] ?? letter.charCodeAt(0)]))
    else bytes.push(Buffer.from(piece))
  }
  return Buffer.concat(bytes).toString("utf8")
}

const withoutPrefix = (path: string): string => path.replace(/^[ab]\//, "")

/** The two names of a `diff --git` line. Without quotes they can be separated only if they are equal, as they are wherever no other line names them. */
function bothNames(text: string): readonly [string | undefined, string | undefined] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text)
  if (quoted) return [withoutPrefix(pathAt(quoted[1] ?? "")), withoutPrefix(pathAt(quoted[2] ?? ""))]
  const half = (text.length - 1) / 2
  const [old, made] = [withoutPrefix(text.slice(0, half)), withoutPrefix(text.slice(half + 1))]
  return old === made ? [old, made] : [undefined, undefined]
}
