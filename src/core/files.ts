import { randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { hasCode } from "../git/model/errors.ts"
import { type FileStep, pause } from "../seams/pause.ts"
import { Refusal } from "./errors.ts"

/** For `.catch`: gives this value if the file or folder doesn't exist; rethrows any other error. */
export const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (hasCode(error, "ENOENT")) return value
    throw error
  }

/** The file, to be read and closed by the caller; undefined if it doesn't exist. */
export const openIfExists = (path: string): Promise<FileHandle | undefined> => open(path, "r").catch(ifMissing(undefined))

async function take<Value>(step: FileStep, work: () => Promise<Value>): Promise<Value> {
  if (pause) await pause(`file.${step}`)
  return work()
}

/** The suffix of files that are not complete yet. */
export const DRAFT = ".part"

/** A unique name for the draft of a file: several processes may be writing the same file. */
export const draftOf = (path: string): string => `${path}.${randomUUID()}${DRAFT}`

/**
 * Writes a file atomically: it is complete and flushed to disk, or not there. Reads the next chunk once the last is written. Rejects with the error of
 * `content` or of the file system, and leaves nothing. A killed process leaves its draft, whose name ends in `.part`; a sweep must remove it.
 */
export async function writeAtomically(
  path: string,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  draft = draftOf(path),
): Promise<void> {
  await take("folder", () => mkdir(dirname(path), { recursive: true, mode: 0o750 }))
  try {
    // Awaited: a draft opened after it was discarded would remain.
    const file = await take("open", () => open(draft, "wx", 0o640))
    try {
      await take("write", () => file.writeFile(content))
      await take("flush", () => file.sync())
    } finally {
      await file.close()
    }
    await take("rename", () => rename(draft, path))
  } catch (error) {
    // A draft that can't be removed is left to the sweep: the caller gets the first error.
    await take("discard", () => rm(draft, { force: true })).catch(() => {})
    throw error
  }
}

/**
 * Writes the row of a file that is in place; `discard` removes the file if the row is refused. After any other failure it is unknown whether the
 * transaction was committed: the file stays, and a sweep removes it after a day without a row.
 */
export async function writeRow<Value>(write: () => Promise<Value>, discard: () => Promise<void>): Promise<Value> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Refusal) await discard().catch(() => {})
    throw error
  }
}
