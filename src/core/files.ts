import { randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type FileStep, pause } from "../seams/pause.ts"
import type { Seconds } from "./database/tables.ts"
import { Refusal } from "./errors.ts"

/** For `.catch`: a file or folder that isn't there stands for this value; any other failure stays one. */
export const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return value
    throw error
  }

/** The names in a folder; none where there is no such folder. */
export const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(ifMissing([]))

/** The file, to be read and closed by the caller; undefined where there is none. */
export const openIfExists = (path: string): Promise<FileHandle | undefined> => open(path, "r").catch(ifMissing(undefined))

/** Called before every step with the path that it acts on. Tests put in what waits or fails. */
export const fileSteps: { before: (step: FileStep, path: string) => Promise<void> | void } = { before: () => {} }

async function take<Value>(step: FileStep, path: string, work: () => Promise<Value>): Promise<Value> {
  if (pause) await pause(`file.${step}`)
  await fileSteps.before(step, path)
  return work()
}

/** How the names end of files that are not whole yet. */
export const DRAFT = ".part"

/** A name for the draft of a file, another one each time: several processes may be making the same file. */
export const draftOf = (path: string): string => `${path}.${randomUUID()}${DRAFT}`

/**
 * Makes a file that is there whole, and on the disk, or not at all. Takes the next chunk once the last is written. Fails as `content` does, or the disk;
 * nothing is left then. Only a process that ends meanwhile leaves its draft, whose name ends in `.part`; a sweep must remove it.
 */
export async function writeAtomically(
  path: string,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  draft = draftOf(path),
): Promise<void> {
  await take("folder", dirname(path), () => mkdir(dirname(path), { recursive: true, mode: 0o750 }))
  try {
    // Awaited: a draft that were opened later than it is discarded would stay.
    const file = await take("open", draft, () => open(draft, "wx", 0o640))
    try {
      await take("write", draft, () => file.writeFile(content))
      await take("flush", draft, () => file.sync())
    } finally {
      await file.close()
    }
    await take("rename", path, () => rename(draft, path))
  } catch (error) {
    // What can't be removed now is left to the sweep, too: what went wrong first is what the caller hears.
    await take("discard", draft, () => rm(draft, { force: true })).catch(() => {})
    throw error
  }
}

/**
 * Writes the row of a file that is in place; `discard` takes the file away again where the row is refused. Of any other failure it isn't known whether the
 * transaction was committed: the file stays then, and a sweep removes it once a day has passed without a row.
 */
export async function writeRow<Value>(write: () => Promise<Value>, discard: () => Promise<void>): Promise<Value> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Refusal) await discard().catch(() => {})
    throw error
  }
}

/** Seconds that an unknown file is left alone: it may belong to an upload that is under way, or wait for its row. */
const GRACE = 86_400
/** Files whose rows are asked for at once. */
const BATCH = 500

export interface Sweep {
  readonly now: Seconds
  readonly signal: AbortSignal
  /** Which of these names stand in a row. */
  readonly findKept: (names: readonly string[]) => Promise<readonly string[]>
}

/**
 * Removes the files of a folder that no row names and that nothing has written to for a day: what processes left that ended in the middle of a file, or
 * between a file and its row. Gives how many.
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
