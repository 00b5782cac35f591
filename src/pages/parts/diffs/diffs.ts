import { createHash } from "node:crypto"
import { hasInvisible, plainCode } from "../../../core/highlight/invisible.ts"
import { HIGHLIGHT_LIMITS } from "../../../core/highlight/limits.ts"
import { withMarks } from "../../../core/highlight/marks.ts"
import type { Html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { type DiffFile, type DiffHunk, parseDiff } from "../../../core/text/hunks.ts"
import { pairLines, type Range, type Steps } from "../../../core/text/intraline.ts"
import { linesOf, withoutReturn } from "../../../core/text/lines.ts"
import { type LargeFile, POINTER_BYTES, readPointer } from "../../../features/code/lfs/pointers.ts"
import { type ChangedFile, type ObjectId, type PatchOptions, type Repository, sumOf } from "../../../git/index.ts"
import type { DiffOverview, FileChange, FileDiff, Hunk, Line, Whitespace } from "./model.ts"
import { sectionsOf } from "./read-ahead.ts"
import { unseenIn } from "./unseen.ts"

/** Differences for pages. Everything is bounded, and ends with the request that asked. */

/** What is shown at once. Beyond, it is shown in parts. */
export const DIFF_PAGE = { lines: 20_000, files: 1_000 } as const
/** What is shown at once of a difference that is shown in parts. */
const PART = { lines: 4_000, files: 60 } as const

/** Bytes that are read of a difference; the files after them are cut. */
const MOST_BYTES = 32 * 2 ** 20
/** Lines of one file, with their context, and units of a line. */
const MOST_LINES = 100_000
const LONGEST_LINE = 5_000
/** Bytes of paths that fit into the arguments of a process. */
const MOST_PATHS = 64 * 1024
/** What is waited for colours. */
const PATIENCE_MS = 500
/** For the changed words of a whole difference. */
const MOST_STEPS = 4_000_000

type Select = Pick<Services, "git" | "highlighter">

export interface DiffSubject {
  readonly repository: Repository
  /** A commit or tree; null is the empty tree. */
  readonly from: ObjectId | null
  /** A commit. */
  readonly to: ObjectId
  readonly whitespace?: Whitespace
}

const FLAGS = {
  "show-all": {},
  "ignore-all": { whitespace: "all" },
  "ignore-change": { whitespace: "change" },
  "ignore-eol": { whitespace: "eol" },
} as const

/**
 * The files of a difference with their counts, and how each is to be shown. One process, and none if git has been asked before. Throws `GitError`:
 * `failed` when a commit is missing, `busy`, `aborted`, `timeout`.
 */
export async function openDiff({ git }: Select, { repository, from, to, whitespace = "show-all" }: DiffSubject): Promise<DiffOverview> {
  const files = await git.diffs.files(repository, from, to, FLAGS[whitespace])
  const { tree } = await git.objects.readCommit(repository, to)
  const unseen = await unseenIn(
    git,
    repository,
    tree,
    files.map(({ path }) => path),
  )
  const found = files.map((file) => changeOf(file, unseen(file.path)))
  const inline = found.filter(({ shown }) => shown === "inline")
  const { additions, deletions } = sumOf(files.filter((_, at) => found[at]?.shown === "inline"))
  const isTooMuch =
    additions + deletions > DIFF_PAGE.lines ||
    inline.length > DIFF_PAGE.files ||
    (inline.length < found.length && pathsOf(inline).reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0) > MOST_PATHS)
  const shown = found.map(
    (file): FileChange =>
      isTooMuch && file.additions + file.deletions > DIFF_PAGE.lines ? { ...file, shown: "folded", reason: file.reason ?? "large" } : file,
  )
  return { repository, from, to, whitespace, files: shown, totals: sumOf(files), isTooMuch }
}

const linesIn = ({ shown, additions, deletions }: FileChange): number => (shown === "inline" ? additions + deletions : 0)

/** Files that are shown together: the place of the first one, and of the one after the last. */
export interface FilesPart {
  readonly from: number
  readonly to: number
  readonly lines: number
}

/** The parts of a difference that is too much to be shown at once. The same for every reader. */
export function partsOf(files: readonly FileChange[]): readonly FilesPart[] {
  const parts: FilesPart[] = []
  let part: FilesPart = { from: 0, to: 0, lines: 0 }
  for (const [at, file] of files.entries()) {
    const lines = part.lines + linesIn(file)
    const isFull = at > part.from && (lines > PART.lines || at - part.from >= PART.files)
    if (isFull) parts.push(part)
    part = isFull ? { from: at, to: at + 1, lines: linesIn(file) } : { ...part, to: at + 1, lines }
  }
  return part.to > part.from ? [...parts, part] : parts
}

const pathsOf = (files: readonly FileChange[]): readonly string[] =>
  files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]))

const NOTHING = "000000"

function changeOf(file: ChangedFile, reason: FileChange["reason"]): FileChange {
  const modes = [file.oldMode, file.newMode]
  return {
    path: file.path,
    oldPath: file.previousPath,
    anchor: anchorOf(file.path),
    status: file.status,
    content: modes.includes("160000") ? "submodule" : file.binary ? "binary" : modes.includes("120000") ? "symlink" : "text",
    oldId: file.oldId,
    newId: file.newId,
    oldMode: file.oldMode === NOTHING ? undefined : file.oldMode,
    newMode: file.newMode === NOTHING ? undefined : file.newMode,
    additions: file.additions,
    deletions: file.deletions,
    shown: reason === undefined ? "inline" : "folded",
    reason,
  }
}

/** The id of a file's element. Paths themselves may be anything. */
export const anchorOf = (path: string): string => `diff-${createHash("sha1").update(path).digest("hex")}`

export interface FileDiffOptions {
  /**
   * How many milliseconds, over all files, are waited for colours; 500 by default. What takes longer comes without, and has them for the next reader.
   * With 0 only those that are kept are taken.
   */
  readonly patienceMs?: number
  /** Lines of context around each change; git's default is 3. */
  readonly context?: number
  /** Only these files of the difference. */
  readonly files?: readonly FileChange[]
}

/**
 * The files of a difference that are shown inline, with their lines, in order, each as soon as it is known. One process for all; its output is read at once,
 * so that a slow reader holds none. Ending the iteration ends the process. Throws as `openDiff` does.
 */
export async function* diffFiles(services: Select, diff: DiffOverview, options: FileDiffOptions = {}): AsyncGenerator<FileDiff> {
  const wanted = (options.files ?? diff.files).filter(({ shown }) => shown === "inline")
  if (wanted.length > 0) yield* read(services, diff, wanted, wanted.length === diff.files.length ? undefined : pathsOf(wanted), options)
}

/** One file of a difference with its lines, however it is shown; undefined for a path that didn't change. One process. Throws as `openDiff` does. */
export async function fileDiff(
  services: Select,
  diff: DiffOverview,
  path: string,
  options: FileDiffOptions = {},
): Promise<FileDiff | undefined> {
  const file = diff.files.find((each) => each.path === path)
  if (!file) return undefined
  for await (const found of read(services, diff, [file], pathsOf([file]), options)) return found
  return undefined
}

async function* read(
  { git, highlighter }: Select,
  { repository, from, to, whitespace }: DiffOverview,
  wanted: readonly FileChange[],
  path: readonly string[] | undefined,
  { patienceMs = PATIENCE_MS, context }: FileDiffOptions,
): AsyncGenerator<FileDiff> {
  const patch: PatchOptions = { ...FLAGS[whitespace], ...(path && { path }), ...(context !== undefined && { context }) }
  const left: Left = { steps: { left: MOST_STEPS }, patienceMs }
  const places = new Map(wanted.map((file, at) => [file.path, at]))
  const finish = (file: FileChange, sections: readonly DiffFile[]) => completed({ git, highlighter }, repository, file, sections, left)
  /** The place of the next file, and what has come of it: a file whose type changed comes as two. */
  let next = 0
  let sections: DiffFile[] = []
  for await (const text of sectionsOf(git.diffs.patch(repository, from, to, patch), MOST_BYTES)) {
    const [section] = parseDiff(text, { files: 1, lines: MOST_LINES, lineLength: LONGEST_LINE + 1 }).files
    const place = section && places.get(section.newPath ?? section.oldPath ?? "")
    if (section === undefined || place === undefined || place < next) continue
    for (; next < place; next++) {
      const file = wanted[next]
      if (file) yield await finish(file, sections)
      sections = []
    }
    sections.push(section)
  }
  for (; next < wanted.length; next++) {
    const file = wanted[next]
    if (file) yield await finish(file, sections)
    sections = []
  }
}

/** What is left for all files together. */
interface Left {
  readonly steps: Steps
  patienceMs: number
}

async function completed(
  services: Select,
  repository: Repository,
  file: FileChange,
  sections: readonly DiffFile[],
  left: Left,
): Promise<FileDiff> {
  const hunks = sections.flatMap((section) => section.hunks)
  const all = hunks.flatMap(({ lines }) => lines)
  const isText = file.content === "text"
  const begun = performance.now()
  const [old, made] = await Promise.all([
    isText && all.some(({ kind }) => kind === "deleted")
      ? highlighted(services, repository, file.oldPath ?? file.path, file.oldId, left.patienceMs)
      : undefined,
    isText && all.length > 0 ? highlighted(services, repository, file.path, file.newId, left.patienceMs) : undefined,
  ])
  left.patienceMs = Math.max(0, left.patienceMs - (performance.now() - begun))
  const changes = all.filter(({ kind }) => kind !== "context").length
  return {
    file,
    hunks: file.content === "submodule" ? [] : hunks.map((hunk) => hunkOf(hunk, old?.lines, made?.lines, left.steps)),
    isCut: sections.some(({ incomplete }) => incomplete) || (file.content !== "submodule" && changes < file.additions + file.deletions),
    largeFiles: isText && all.some(({ text }) => text.startsWith("oid sha256:")) ? await pointersOf(services, repository, file) : undefined,
    hasInvisible: all.some(({ text }) => hasInvisible(text)),
    isHighlighted: old?.grammar !== undefined || made?.grammar !== undefined,
    newLines: made?.lines.length,
  }
}

async function pointersOf(services: Select, repository: Repository, file: FileChange): Promise<FileDiff["largeFiles"]> {
  const [old, made] = await Promise.all([pointerOf(services, repository, file.oldId), pointerOf(services, repository, file.newId)])
  return old || made ? { old, new: made } : undefined
}

async function pointerOf({ git }: Select, repository: Repository, id: ObjectId | null): Promise<LargeFile | undefined> {
  const content = await smallBlob({ git }, repository, id, POINTER_BYTES)
  return content && readPointer(content)
}

async function smallBlob(
  { git }: Pick<Select, "git">,
  repository: Repository,
  id: ObjectId | null,
  most: number,
): Promise<Buffer | undefined> {
  const info = id === null ? undefined : await git.objects.info(repository, id)
  return id !== null && info?.type === "blob" && info.size <= most ? git.objects.readBlob(repository, id) : undefined
}

/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const MOST_HIGHLIGHTED = 3 * HIGHLIGHT_LIMITS.length

async function highlighted({ git, highlighter }: Select, repository: Repository, name: string, id: ObjectId | null, patienceMs: number) {
  const content = await smallBlob({ git }, repository, id, MOST_HIGHLIGHTED)
  return content && id !== null ? highlighter.lines({ name, text: content.toString("utf8"), id, patienceMs }) : undefined
}

type Coloured = readonly Html[] | undefined

function hunkOf(hunk: DiffHunk, old: Coloured, made: Coloured, steps: Steps): Hunk {
  const pairs = pairsIn(hunk, steps)
  const lines = hunk.lines.map((line, at): Line => {
    const text = withoutReturn(line.text).slice(0, LONGEST_LINE)
    const coloured = line.newLine === undefined ? old?.[(line.oldLine ?? 0) - 1] : made?.[line.newLine - 1]
    const { pair, ranges = [] } = pairs.get(at) ?? {}
    return {
      kind: line.kind,
      oldLine: line.oldLine,
      newLine: line.newLine,
      text,
      html: withMarks(line.text.length > LONGEST_LINE ? plainCode(text) : (coloured ?? plainCode(text)), ranges),
      pair,
      noNewline: line.noNewline,
      hasReturn: line.text.endsWith("\r"),
    }
  })
  const { oldStart, oldCount, newStart, newCount } = hunk
  return { context: hunk.header.replace(/^@@[^@]*@@ ?/, ""), oldStart, oldCount, newStart, newCount, lines }
}

interface Paired {
  readonly pair: number
  readonly ranges: readonly Range[]
}

/** The pairs of lines in all blocks of a hunk, by their places in it. */
function pairsIn({ lines }: DiffHunk, steps: Steps): ReadonlyMap<number, Paired> {
  const pairs = new Map<number, Paired>()
  let at = 0
  while (at < lines.length) {
    const start = at
    while (lines[at]?.kind === "deleted") at++
    const middle = at
    while (lines[at]?.kind === "added") at++
    if (at === start) at++
    else if (start < middle && middle < at) {
      const textsOf = (from: number, to: number) => lines.slice(from, to).map(({ text }) => withoutReturn(text))
      for (const { removedAt, addedAt, removed, added } of pairLines(textsOf(start, middle), textsOf(middle, at), steps)) {
        pairs.set(start + removedAt, { pair: middle + addedAt, ranges: removed })
        pairs.set(middle + addedAt, { pair: start + removedAt, ranges: added })
      }
    }
  }
  return pairs
}

export interface ExcerptLine {
  readonly line: number
  readonly text: Text
  readonly html: Html
}

export interface Excerpt {
  readonly lines: readonly ExcerptLine[]
  /** How many lines the file has. */
  readonly total: number
}

/** The most lines of an excerpt, and the largest file that one is read of. */
const LONGEST_EXCERPT = 1_000
const MOST_READ = 8 * 2 ** 20

/**
 * Lines of a file, from the first up to the last, both counted from 1 and part of it: for context beyond that of a hunk, and for quoted code. At most 1,000;
 * undefined for a file that is missing, larger than 8 MiB, or binary. No process but a reader. Throws `GitError`: `busy`, `aborted`.
 */
export async function excerpt(
  services: Select,
  {
    repository,
    id,
    name,
    from,
    to,
  }: { readonly repository: Repository; readonly id: ObjectId; readonly name: string; readonly from: number; readonly to: number },
): Promise<Excerpt | undefined> {
  const content = await smallBlob(services, repository, id, MOST_READ)
  if (!content || content.subarray(0, 8_000).includes(0)) return undefined
  const text = content.toString("utf8")
  const lines = linesOf(text)
  const start = Math.max(1, Math.trunc(from))
  const end = Math.min(lines.length, Math.trunc(to), start + LONGEST_EXCERPT - 1)
  const coloured = text.length <= HIGHLIGHT_LIMITS.length ? (await services.highlighter.lines({ name, text, id })).lines : undefined
  const found: ExcerptLine[] = []
  for (let line = start; line <= end; line++) {
    const plain = (lines[line - 1] ?? "").slice(0, LONGEST_LINE)
    const whole = (lines[line - 1]?.length ?? 0) <= LONGEST_LINE
    found.push({ line, text: plain, html: (whole ? coloured?.[line - 1] : undefined) ?? plainCode(plain) })
  }
  return { lines: found, total: lines.length }
}
