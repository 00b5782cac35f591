import { createHash } from "node:crypto"
import type { Readable } from "node:stream"
import { type Diff, parseDiff } from "../../../core/text/hunks.ts"
import type { ChangedFile, Git, ObjectId, PatchOptions, Repository } from "../../../git/index.ts"

/** The differences that reviews need. Each function costs at most one or two git processes; none is for inside of a transaction. */

/** Characters of a diff that are read; of the rest only the files are known. */
const MOST_TEXT = 16 * 1024 * 1024

/** A difference as data, up to the limit. */
export async function readDiff(
  git: Git,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId,
  options: PatchOptions = {},
): Promise<Diff> {
  if (from === to) return { files: [], incomplete: false }
  const text = await readPrefix(git.diffs.patch(repository, from, to, options))
  return parseDiff(text, { files: 10_000, lines: 100_000 })
}

async function readPrefix(stream: Readable): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream) {
    const bytes = Buffer.from(part)
    parts.push(bytes)
    size += bytes.length
    // Leaving the loop ends the stream, and with it the process.
    if (size > MOST_TEXT) break
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Bytes of a difference that enter its digest line by line; of a larger one the ids of its files enter. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * A digest of the changes of a head. It stays the same when the head is rebased or merges its base, as long as it changes the same lines in the same
 * context. Without a merge base, every head has its own.
 */
export async function patchIdOf(git: Git, repository: Repository, mergeBase: ObjectId | undefined, head: ObjectId): Promise<string> {
  const digest = createHash("sha256")
  if (mergeBase === undefined) return digest.update(`unrelated ${head}`).digest("hex")
  const files = await git.diffs.files(repository, mergeBase, head)
  // Binary files have no lines to compare.
  for (const file of files) if (file.binary) digest.update(fileIds(file))
  if (files.some(({ binary }) => !binary) && !(await digestLines(git.diffs.patch(repository, mergeBase, head), digest)))
    for (const file of files) digest.update(fileIds(file))
  return digest.digest("hex")
}

const fileIds = ({ path, previousPath = "", oldMode, newMode, oldId, newId }: ChangedFile): string =>
  `${[path, previousPath, oldMode, newMode, oldId, newId].join("\0")}\0`

/** Adds a patch to the digest, without positions; false where it is too large. */
async function digestLines(stream: Readable, digest: ReturnType<typeof createHash>): Promise<boolean> {
  let size = 0
  let rest = ""
  for await (const part of stream) {
    const text = rest + Buffer.from(part).toString("latin1")
    size += text.length - rest.length
    const end = text.lastIndexOf("\n") + 1
    rest = text.slice(end)
    digest.update(withoutPositions(text.slice(0, end)), "latin1")
    if (size > MOST_BYTES || rest.length > MOST_BYTES) return false
  }
  digest.update(withoutPositions(rest), "latin1")
  return true
}

/** Lines of files begin with a blank, + or -; all others are git's own. */
const withoutPositions = (lines: string): string => lines.replace(/^index .*\n/gm, "").replace(/^@@ .*$/gm, "@@")
