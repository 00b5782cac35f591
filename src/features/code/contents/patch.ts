import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { type DiffFile, type DiffHunk, parseDiff } from "../../../core/text/hunks.ts"
import { beginWork, type Work } from "../../../core/work.ts"
import { partsToWrite } from "./paths.ts"
import type { Leaf, WorkingTree } from "./working-tree.ts"

/*
 * Patches are applied here and not by git, so that there is no index, no work tree and no process that a crafted patch could exploit. All that a
 * patch can do is write bytes into a tree in memory.
 */

/** The most files that a patch changes. */
const MOST_FILES = 1000
/** The largest file that is patched, and the total size of all patched files, in bytes. */
const LARGEST_FILE = 32 * 1024 * 1024
const MOST_BYTES = 128 * 1024 * 1024
/** The most lines compared to locate displaced hunks; far more than a legitimate patch needs. */
const MOST_COMPARED = 20_000_000

/** Lines that are compared before others have their turn. */
const COMPARED_AT_ONCE = 20_000

const FIELD = "content"

/** A change to one file, validated as far as possible without reading the tree. */
interface FilePatch {
  readonly from: readonly string[] | undefined
  readonly to: readonly string[] | undefined
  readonly keepsOld: boolean
  /** Set if the patch specifies the file's mode. */
  readonly mode: "100644" | "100755" | undefined
  readonly hunks: readonly DiffHunk[]
}

/** The remaining work allowed for one patch. */
interface Budget {
  bytes: number
  readonly work: Work
}

/** Parses a unified diff. Refuses `invalid` for `content` if it is malformed or makes a forbidden change. */
export function readPatch(text: string): readonly FilePatch[] {
  const { files, incomplete } = parseDiff(text, {
    files: MOST_FILES,
    lines: Number.POSITIVE_INFINITY,
    lineLength: Number.POSITIVE_INFINITY,
  })
  if (incomplete) throw refuse.invalid(FIELD, `must change no more than ${MOST_FILES} files`)
  if (files.length === 0) throw refuse.invalid(FIELD, "must be a unified diff, such as git diff writes it")
  return files.map(readFilePatch)
}

function readFilePatch({ status, oldPath, newPath, oldMode, newMode, binary, hunks }: DiffFile): FilePatch {
  const name = newPath ?? oldPath ?? ""
  if (binary) throw refuse.invalid(FIELD, `${name} is binary; send such files whole`)
  if ((oldPath === undefined && status !== "added") || (newPath === undefined && status !== "deleted"))
    throw refuse.invalid(FIELD, "names a change without its file")
  if (status === "modified" && oldPath !== newPath) throw refuse.invalid(FIELD, `names both ${oldPath} and ${newPath} in one change`)
  for (const mode of [oldMode, newMode])
    if (mode !== undefined && !isRegular(mode))
      throw refuse.invalid(FIELD, `${name} must be an ordinary file, not one of mode ${mode.slice(0, 10)}`)
  for (const hunk of hunks) requireWhole(hunk, name)
  return {
    from: oldPath === undefined ? undefined : partsToWrite(oldPath, FIELD),
    to: newPath === undefined ? undefined : partsToWrite(newPath, FIELD),
    keepsOld: status === "copied",
    mode: newMode !== undefined && newMode !== oldMode && isRegular(newMode) ? newMode : undefined,
    hunks,
  }
}

const isRegular = (mode: string): mode is "100644" | "100755" => mode === "100644" || mode === "100755"

function requireWhole({ lines, oldCount, newCount, header }: DiffHunk, name: string): void {
  const count = (kind: "added" | "deleted") => lines.filter((line) => line.kind !== kind).length
  if (count("added") !== oldCount || count("deleted") !== newCount)
    throw refuse.invalid(FIELD, `${name}: ${header.slice(0, 60)} does not have the lines that it promises`)
}

/**
 * Applies a patch to the tree, one file after the other. Refuses `invalid` if it doesn't apply, and `tooLarge` for files that
 * are too large to be patched.
 */
export async function applyPatch(tree: WorkingTree, patches: readonly FilePatch[]): Promise<void> {
  const budget = { bytes: MOST_BYTES, work: beginWork({ what: t("find the lines of the patch"), steps: MOST_COMPARED }) }
  for (const patch of patches) await applyFile(tree, patch, budget)
}

async function applyFile(tree: WorkingTree, { from, to, keepsOld, mode, hunks }: FilePatch, budget: Budget): Promise<void> {
  const old = from && (await present(tree, from))
  const isSame = from !== undefined && to !== undefined && nameOf(from) === nameOf(to)
  if (from !== undefined && !keepsOld && !isSame) await tree.remove(from)
  if (to !== undefined && !isSame && (await tree.get(to)) !== undefined) throw refuse.invalid(FIELD, `${nameOf(to)} exists already`)
  if (hunks.length === 0 && old !== undefined && to !== undefined) return tree.put(to, { ...old, ...(mode && { mode }) })
  const bytes = old === undefined ? Buffer.alloc(0) : await tree.read(old)
  if (bytes.length > LARGEST_FILE) throw refuse.tooLarge(`${nameOf(from ?? [])} is too large to be patched`)
  const result = await patched(bytes, hunks, nameOf(to ?? from ?? []), budget)
  budget.bytes -= result.length
  if (budget.bytes < 0) throw refuse.tooLarge("the files of the patch are too large together")
  if (to !== undefined) return tree.put(to, { mode: mode ?? old?.mode ?? "100644", content: result })
  if (result.length > 0) throw refuse.invalid(FIELD, `${nameOf(from ?? [])} holds more than the patch deletes`)
}

const nameOf = (parts: readonly string[]): string => parts.join("/")

/** The regular file at a path. */
async function present(tree: WorkingTree, parts: readonly string[]): Promise<Leaf> {
  const there = await tree.get(parts)
  if (there === undefined) throw refuse.invalid(FIELD, `${nameOf(parts)} does not exist`)
  if (there === "directory" || !isRegular(there.mode)) throw refuse.invalid(FIELD, `${nameOf(parts)} is no ordinary file`)
  return there
}

// --- lines ------------------------------------------------------------------------------------------------------------------------

/** A file as a string with one character per byte, and the offsets of its lines; the last offset is its end. */
interface Lines {
  readonly text: string
  readonly starts: Uint32Array
}

function linesOf(bytes: Buffer): Lines {
  const text = bytes.toString("latin1")
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1
  const endsOpen = text !== "" && !text.endsWith("\n")
  const starts = new Uint32Array(count + (endsOpen ? 1 : 0) + 1)
  let line = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts[++line] = at + 1
  if (endsOpen) starts[line + 1] = text.length
  return { text, starts }
}

/** The bytes of a file after all hunks. Refuses `invalid` if a hunk's lines can't be found. */
async function patched(bytes: Buffer, hunks: readonly DiffHunk[], name: string, { work }: Budget): Promise<Buffer> {
  const file = linesOf(bytes)
  const startOf = (line: number): number => file.starts[line] ?? file.text.length
  const pieces: string[] = []
  let [done, shift] = [0, 0]
  for (const hunk of hunks) {
    const before = hunk.lines.filter(({ kind }) => kind !== "added").map(asBytes)
    const after = hunk.lines.filter(({ kind }) => kind !== "deleted").map(asBytes)
    const expected = (hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1) + shift
    const found = await findHunk(file, hunk, before, { least: done, expected }, work)
    if (found === undefined) throw refuse.invalid(FIELD, `${name}: the lines of ${hunk.header.slice(0, 60)} are not there`)
    pieces.push(file.text.slice(startOf(done), startOf(found)), ...after)
    shift += found - expected
    done = found + before.length
  }
  pieces.push(file.text.slice(startOf(done)))
  return Buffer.from(pieces.join(""), "latin1")
}

const asBytes = ({ text, noNewline }: DiffHunk["lines"][number]): string => Buffer.from(text).toString("latin1") + (noNewline ? "" : "\n")

/**
 * The line where a hunk applies, found within the work's limit: the one in its header, or else the nearest match. As in git, a hunk that starts at the first line applies only at the
 * start of the file, and one without trailing context only at its end.
 */
async function findHunk(
  file: Lines,
  { oldStart, lines }: DiffHunk,
  before: readonly string[],
  { least, expected }: { readonly least: number; readonly expected: number },
  work: Work,
): Promise<number | undefined> {
  const most = file.starts.length - 1 - before.length
  const [first, last] = [oldStart <= 1 ? 0 : undefined, lines.at(-1)?.kind === "context" ? undefined : most]
  const low = Math.max(least, last ?? least)
  const high = Math.min(first ?? most, most)
  if (low > high) return undefined
  const nearest = Math.min(Math.max(expected, low), high)
  let compared = 0
  for (let distance = 0; nearest - distance >= low || nearest + distance <= high; distance++) {
    for (const place of distance === 0 ? [nearest] : [nearest - distance, nearest + distance]) {
      if (place < low || place > high) continue
      const alike = linesAlike(file, before, place)
      compared += alike + 1
      if (alike < before.length) continue
      await work.step(compared)
      return place
    }
    if (compared < COMPARED_AT_ONCE) continue
    await work.step(compared)
    compared = 0
  }
  await work.step(compared)
  return undefined
}

/** How many of these lines, from the first one on, the file has at this position. */
function linesAlike({ text, starts }: Lines, lines: readonly string[], place: number): number {
  const different = lines.findIndex((line, index) => {
    const [start = 0, end = 0] = [starts[place + index], starts[place + index + 1]]
    return end - start !== line.length || !text.startsWith(line, start)
  })
  return different < 0 ? lines.length : different
}
