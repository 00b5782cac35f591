import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { DIFF_LIMITS, type Diff, type DiffFile } from "../../../core/text/hunks.ts"
import { beginWork, type Work } from "../../../core/work.ts"
import { type Git, isGitError, isTreeEntryName, type ObjectId, type Repository } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { readDiff } from "./diffs.ts"
import { hunkUpTo, lineAfter, linesShown, linesUpTo } from "./hunk.ts"
import type { CreatePullReviewComment } from "./records.ts"

/** The two sides of a review. */
export interface Sides {
  readonly repository: Repository
  /** The merge base; undefined where there is none. */
  readonly mergeBase: ObjectId | undefined
  /** The reviewed commit. */
  readonly commit: ObjectId
  /** The current head of the pull request. */
  readonly head: ObjectId
}

/** A comment that is to be written, with what git knows about its line. */
export interface LocatedComment {
  readonly text: string
  readonly path: string
  /** In the head; positive on the new side, negative on the old. */
  readonly line: number
  /** How many lines it is about; `line` is the last. */
  readonly lines: number
  readonly hunk: string
  readonly commitId: ObjectId
  readonly isOutdated: boolean
}

/**
 * Finds the lines of comments: their context in the diff, the commits that last changed them, and their positions in the head, should that have moved
 * on. A few git processes, however many comments. Refuses as invalid a blank text, and a file or line that does not exist on its side.
 */
export async function locateComments(
  { git, config }: Pick<Services, "git" | "config">,
  sides: Sides,
  wanted: readonly CreatePullReviewComment[],
): Promise<readonly LocatedComment[]> {
  if (wanted.length === 0) return []
  const { repository, mergeBase, commit, head } = sides
  const asked = wanted.map(parseWanted)
  const diff = mergeBase === undefined ? EMPTY : await readDiff(git, repository, mergeBase, commit)
  const since = await readDiff(git, repository, commit, head, { context: 0 })
  const unshown = asked.flatMap((one) => {
    const file = fileOf(diff, one.path, one.line)
    return file && hunkUpTo(file, one.line, one.lines) !== "" ? [] : [excerptOf(file, one)]
  })
  const work = beginWork({ what: t("find the lines that the comments are about"), steps: config.limits.workSteps })
  const read = fileReader(git, sides, unshown, work)
  const found: Omit<LocatedComment, "commitId">[] = []
  for (const { text, path, line, lines: many } of asked) {
    const file = fileOf(diff, path, line)
    // Only lines that the diff doesn't show need the files.
    const hunk = (file && hunkUpTo(file, line, many)) || (await unchangedLines(read, diff, { text, path, line, lines: many }))
    if (hunk === undefined)
      throw refuse.invalid(
        "comments",
        line > 0 ? t`there is no line ${line} of ${path} on the new side` : t`there is no line ${-line} of ${path} on the old side`,
      )
    const position = line > 0 ? positionAfter(since, { path, line, lines: many }) : { path, line, isOutdated: false }
    found.push({ text, hunk, lines: many, ...position })
  }
  const blamed = await blameLines(git, sides, asked)
  return found.map((comment, at) => ({ ...comment, commitId: blamed(asked[at]) ?? head }))
}

const EMPTY: Diff = { files: [], incomplete: false }

interface WantedComment {
  readonly text: string
  readonly path: string
  readonly line: number
  readonly lines: number
}

/** The most lines that one comment is about. */
const MOST_LINES = 500

function parseWanted({ body = "", path = "", old_position = 0, new_position = 0, lines = 1 }: CreatePullReviewComment): WantedComment {
  if (body.trim() === "") throw refuse.invalid("comments", "body must be a text that is not blank")
  if (!path.split("/").every(isTreeEntryName)) throw refuse.invalid("comments", "path must name a file of the pull request")
  if (old_position === 0 && new_position === 0)
    throw refuse.invalid("comments", "new_position or old_position must be the number of a line")
  const line = old_position > 0 ? -old_position : new_position
  if (lines > Math.min(Math.abs(line), MOST_LINES))
    throw refuse.invalid("comments", t`lines must be between 1 and ${MOST_LINES}, and begin in the file`)
  return { text: body, path, line, lines }
}

const fileOf = ({ files }: Diff, path: string, line: number): DiffFile | undefined =>
  files.find(({ newPath }) => newPath === path) ?? (line < 0 ? files.find(({ oldPath }) => oldPath === path) : undefined)

export interface LinePosition {
  readonly path: string
  readonly line: number
}

/** Lines, of which `line` is the last. */
export interface LineRange extends LinePosition {
  readonly lines: number
}

/** The position of lines after a change, which was read without context lines: outdated unless all of them are as they were. */
export function positionAfter({ files }: Diff, { path, line, lines }: LineRange): LinePosition & { readonly isOutdated: boolean } {
  const file = files.find(({ oldPath, status }) => oldPath === path && status !== "copied")
  if (!file) return { path, line, isOutdated: false }
  const moved = file.newPath === undefined || file.binary || file.incomplete ? undefined : linesAfter(file, line, lines)
  return moved === undefined || file.newPath === undefined
    ? { path, line, isOutdated: true }
    : { path: file.newPath, line: moved, isOutdated: false }
}

/** The number of the last of several lines, as long as none of them has changed and none has come between. */
function linesAfter(file: DiffFile, last: number, many: number): number | undefined {
  const moved = lineAfter(file, last)
  for (let before = 1; before < many; before++)
    if (moved === undefined || lineAfter(file, last - before) !== moved - before) return undefined
  return moved
}

/** Lines of a file that a diff does not show, the last of which is commented on. */
interface Excerpt {
  readonly path: string
  readonly side: "old" | "new"
  readonly first: number
  readonly last: number
}

const excerptOf = (file: DiffFile | undefined, { path, line, lines }: WantedComment): Excerpt => ({
  ...linesShown(file ?? UNCHANGED, line, lines),
  ...(line > 0 ? { path, side: "new" } : { path: file?.oldPath ?? path, side: "old" }),
})

const UNCHANGED = { hunks: [] } as const

/** An excerpt as a hunk; "" where it isn't known to be unchanged, and undefined where there is no such line. */
async function unchangedLines(read: FileReader, diff: Diff, asked: WantedComment): Promise<string | undefined> {
  const file = fileOf(diff, asked.path, asked.line)
  const excerpt = excerptOf(file, asked)
  const texts = await read(excerpt)
  if (!texts) return undefined
  const isUnchanged = file ? !file.incomplete && !file.binary : !diff.incomplete
  const isText = !texts.some((text) => text.includes("\0"))
  return isUnchanged && isText ? linesUpTo(file ?? UNCHANGED, asked.line, excerpt.first, texts) : ""
}

/** The lines of an excerpt; undefined where the last does not exist. */
type FileReader = (excerpt: Excerpt) => Promise<readonly string[] | undefined>

/** Reads files on either side, each once for all its excerpts. */
function fileReader(git: Git, { repository, mergeBase, commit }: Sides, excerpts: readonly Excerpt[], work: Work): FileReader {
  const load = async ({ path, side }: Excerpt): Promise<Buffer> => {
    const at = side === "new" ? commit : mergeBase
    const root = at && (await git.objects.readCommit(repository, at)).tree
    const entry = root && (await findEntry(git, repository, root, path.split("/")))
    if (!entry || entry.mode === "40000" || entry.mode === "160000") return NOTHING
    try {
      return await git.objects.readBlob(repository, entry.id)
    } catch (error) {
      if (isGitError(error, "tooLarge")) throw refuse.invalid("comments", t`${path} is too large to be commented on line by line`)
      throw error
    }
  }
  const fileAt = ({ path, side }: Excerpt): string => `${side} ${path}`
  const ofFiles = Map.groupBy(excerpts, fileAt)
  const read = new Map<string, ReadonlyMap<number, string>>()
  return async (excerpt) => {
    const file = fileAt(excerpt)
    const lines = read.get(file) ?? (await pickLines(await load(excerpt), ofFiles.get(file) ?? [], work))
    read.set(file, lines)
    const numbers = Array.from({ length: excerpt.last - excerpt.first + 1 }, (_, at) => excerpt.first + at)
    return lines.has(excerpt.last) ? numbers.map((number) => lines.get(number) ?? "") : undefined
  }
}

const NOTHING = Buffer.alloc(0)

/** Lines between calls of `work.step`. */
const LINES_IN_A_STEP = 4096

/** The lines of these excerpts that a file has, by number, cut at the length at which a diff's are. */
async function pickLines(content: Buffer, excerpts: readonly Excerpt[], work: Work): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(excerpts.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at)))
  const lines = new Map<number, string>()
  let from = 0
  for (let number = 1; from < content.length && lines.size < wanted.size; number++) {
    const end = content.indexOf(10, from)
    const to = end === -1 ? content.length : end
    if (wanted.has(number)) lines.set(number, content.toString("utf8", from, to).slice(0, DIFF_LIMITS.lineLength))
    from = to + 1
    if (number % LINES_IN_A_STEP === 0) await work.step(LINES_IN_A_STEP)
  }
  return lines
}

/** The most files of one review that are blamed. */
const MOST_BLAMED = 20

/** Finds the commit that last changed each line of the new side: one git process for each file. */
async function blameLines(
  git: Git,
  { repository, commit }: Sides,
  asked: readonly WantedComment[],
): Promise<(asked: WantedComment | undefined) => ObjectId | undefined> {
  const found = new Map<string, ReadonlyMap<number, ObjectId>>()
  const files = Map.groupBy(
    asked.filter(({ line }) => line > 0),
    ({ path }) => path,
  )
  try {
    for (const [path, comments] of [...files].slice(0, MOST_BLAMED)) {
      const lines = comments.map(({ line }) => line)
      found.set(path, await git.history.lineCommits(repository, commit, path, lines))
    }
  } catch (error) {
    // A long history is not worth the wait: then the comments refer to the head.
    if (!isGitError(error, "timeout")) throw error
  }
  return (comment) => comment && found.get(comment.path)?.get(comment.line)
}
