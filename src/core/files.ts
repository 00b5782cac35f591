import { randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { hasCode } from "../git/model/errors.ts"
import { type FileStep, pause } from "../seams/pause.ts"
import type { Seconds } from "./database/tables/index.ts"
import { Refusal } from "./errors.ts"

/** For `.catch`: gives this value if the file or folder doesn't exist; rethrows any other error. */
export const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (hasCode(error, "ENOENT")) return value
    throw error
  }

/** The names in a folder; none if it doesn't exist. */
export const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(ifMissing([]))

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
 * Writes bytes that come from outside as they arrive, and gives how many they were. Fails with what `tooLarge` makes at the first byte over the limit, and
 * else as `writeAtomically` does.
 */
export async function writeBounded(path: string, content: Readable, most: number, tooLarge: () => Error): Promise<number> {
  let size = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      const bytes: Buffer = chunk
      size += bytes.length
      if (size > most) throw tooLarge()
      yield bytes
    }
  }
  await writeAtomically(path, counted())
  return size
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

/** Seconds before a file without a row is removed: its upload or its transaction may be under way. */
const GRACE = 86_400
/** Files whose rows are looked up in one query. */
const BATCH = 500

export interface Sweep {
  readonly now: Seconds
  readonly signal: AbortSignal
  /** Which of these names have a row. */
  readonly findKept: (names: readonly string[]) => Promise<readonly string[]>
}

/**
 * Removes the files of a folder that no row names and that were not modified for a day: the remains of processes that were killed while writing a
 * file, or before its row. Returns how many.
 */
export async function sweepFolder(folder: string, { now, signal, findKept }: Sweep): Promise<number> {
  const names = await namesIn(folder)
  let removed = 0
  for (let at = 0; at < names.length && !signal.aborted; at += BATCH) {
    const batch = names.slice(at, at + BATCH)
    const kept = new Set(await findKept(batch))
    for (const path of batch.filter((name) => !kept.has(name)).map((name) => join(folder, name))) {
      const found = await stat(path).catch(ifMissing(undefined))
      if (!found || found.mtimeMs > (now - GRACE) * 1000) continue
      await rm(path, { force: true })
      removed += 1
    }
  }
  return removed
}
