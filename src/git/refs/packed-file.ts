import { createHash } from "node:crypto"
import { closeSync, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { LRUCache } from "lru-cache"
import { hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isObjectId, isRefName, type ObjectFormat, type ObjectId, type RefName } from "../model/names.ts"
import { spliced, startsAt } from "./sorted-lines.ts"

/*
 * The packed references are remembered as they are in their file, and searched in halves: a look-up costs as much among 100,000 as among ten. That is safe because
 * the file is never written in place. Each look-up asks the file system for its status, and reads it again where another file has come to its place.
 */

/** The packed references of one moment. */
export interface PackedFile {
  readonly format: ObjectFormat
  /** The lines, sorted by name: an id, a space and a name; `^` and the id that a tag leads to may follow. */
  readonly lines: Buffer
}

interface Known extends PackedFile {
  readonly status: Stats
  /** Whether the file was old enough when it was read: clocks of files are coarse, and two files of one tick may have the same number. */
  readonly isSettled: boolean
}

/** The most bytes of all files that are remembered, with what is made of them. */
const MOST_BYTES = 96 * 1024 * 1024
/** How many times its bytes a file may take with what is made of it, and what it takes besides. */
const [TIMES, BESIDES] = [2.5, 1_000]
const SETTLED_MS = 1_000

const known = new LRUCache<string, Known>({
  maxSize: MOST_BYTES,
  sizeCalculation: ({ lines }) => Math.ceil(lines.length * TIMES) + BESIDES,
})

const NONE = Buffer.alloc(0)

/** The packed references as they are now. Read synchronously: mostly it is one status. */
export function readPackedFile({ directory, format }: Repository): PackedFile {
  const path = join(directory, "packed-refs")
  const there = known.get(path)
  if (there?.isSettled === true && isSame(there.status, statSync(path, { throwIfNoEntry: false }))) return there
  const read = readKnown(path, format)
  if (read === undefined) known.delete(path)
  else known.set(path, read)
  return read ?? { format, lines: NONE }
}

/** Undefined where there is no such file. */
function readKnown(path: string, format: ObjectFormat): Known | undefined {
  let file: number
  try {
    file = openSync(path, "r")
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  }
  try {
    const status = fstatSync(file)
    const isSettled = Date.now() - Math.max(status.mtimeMs, status.ctimeMs) > SETTLED_MS
    return { status, isSettled, format, lines: linesOf(readFileSync(file)) }
  } finally {
    closeSync(file)
  }
}

const isSame = (a: Stats, b: Stats | undefined): boolean =>
  a.ino === b?.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs

/** The lines of a file without its header, which says whether they are sorted; git before 2.16 did not sort them. */
function linesOf(bytes: Buffer): Buffer {
  const end = bytes[0] === HASH ? bytes.indexOf(NEWLINE) + 1 : 0
  const isSorted = / sorted( |$)/m.test(bytes.toString("latin1", 0, end))
  const lines = bytes.subarray(end)
  if (isSorted || lines.length === 0) return lines
  const all = lines.toString("latin1").match(/^[^\n^].*\n(?:\^.*\n)?/gm) ?? []
  const nameOf = (line: string): string => line.slice(line.indexOf(" ") + 1, line.indexOf("\n"))
  return Buffer.from(all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).join(""), "latin1")
}

const [HASH, NEWLINE] = [35, 10]

/** How many bytes of a line come before the name. */
const before = (format: ObjectFormat): number => (format === "sha1" ? 41 : 65)

/** The object that a packed reference names. */
export function packedId({ lines, format }: PackedFile, name: string): ObjectId | undefined {
  const width = before(format)
  const own = Buffer.from(name)
  const { start, end } = startsAt(lines, width, own)
  if (end - start !== width + own.length || lines.compare(own, 0, own.length, start + width, end) !== 0) return undefined
  const id = lines.toString("latin1", start, start + width - 1)
  return isObjectId(id, format) ? id : undefined
}

const digests = new WeakMap<Buffer, Buffer>()

/** A digest of the packed references. */
export function digestOf({ lines }: PackedFile): Buffer {
  const digest = digests.get(lines) ?? createHash("sha256").update(lines).digest()
  digests.set(lines, digest)
  return digest
}

/** The packed references that name an object. */
export function* packedNamesOf({ lines }: PackedFile, id: ObjectId): Generator<RefName> {
  const own = Buffer.from(`${id} `)
  for (let start = lines.indexOf(own); start !== -1; start = lines.indexOf(own, start + own.length)) {
    const end = lines.indexOf(NEWLINE, start)
    const name = end === -1 ? "" : lines.toString("utf8", start + own.length, end)
    if (isRefName(name)) yield name
  }
}

/** Whether some packed reference has a name that begins so. */
export function hasPackedBelow({ lines, format }: PackedFile, prefix: string): boolean {
  const own = Buffer.from(prefix)
  const { start } = startsAt(lines, before(format), own)
  return beginsAt(lines, start + before(format), own)
}

/** The packed references whose names begin so, by name. */
export function* packedBelow({ lines, format }: PackedFile, prefix: string): Generator<readonly [RefName, ObjectId]> {
  const width = before(format)
  const own = Buffer.from(prefix)
  for (let { start } = startsAt(lines, width, own); start < lines.length; ) {
    const end = lines.indexOf(NEWLINE, start)
    if (end === -1) return
    if (lines[start] !== CARET) {
      if (!beginsAt(lines, start + width, own)) return
      const [id, name] = [lines.toString("latin1", start, start + width - 1), lines.toString("utf8", start + width, end)]
      if (isObjectId(id, format) && isRefName(name)) yield [name, id]
    }
    start = end + 1
  }
}

const CARET = 94

const beginsAt = (lines: Buffer, at: number, own: Buffer): boolean =>
  at + own.length <= lines.length && lines.compare(own, 0, own.length, at, at + own.length) === 0

/** The text of a file with these references instead: null for those that are gone. Git finds out itself what tags lead to. */
export const packedTextWith = ({ lines, format }: PackedFile, changes: ReadonlyMap<RefName, ObjectId | null>): Buffer =>
  Buffer.concat([Buffer.from("# pack-refs with: sorted \n"), spliced(lines, before(format), changes, (name, id) => `${id} ${name}\n`)])
