import { randomBytes } from "node:crypto"
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { GitError, hasCode } from "../../model/errors.ts"

/** Holds the cache to its bound: what was used least recently goes, and is fetched again when it is asked for. */
export interface Trimming {
  /** Notes that a repository is used, and how many bytes it has. */
  readonly use: (folder: string, size: number) => void
  /** Makes room for bytes that are about to be fetched. Throws `busy` where all is in use. */
  readonly makeRoom: (bytes: number) => Promise<void>
}

export interface TrimSettings {
  /** The folder of all objects. */
  readonly folder: string
  /** Bytes. */
  readonly most: number
  /** What was used within so many milliseconds stays while the cache is within its bound, and what was used within `busyMs` always: git may be reading it. */
  readonly keptMs: number
  readonly busyMs: number
}

/** Milliseconds between two notes of the use of one repository. */
const NOTE_MS = 60_000
/** The most notes that are remembered. */
const MOST_NOTES = 20_000
/** Parts of the bound: down to which the cache is trimmed, beyond which what was used lately goes too, and beyond which nothing more is fetched. */
const ENOUGH = 0.9
const CLOSE = 1.25
const FULL = 2
/** A file beside the objects, with their size; its time is that of the last use by any worker. */
const USED = "used"

interface Used {
  readonly path: string
  readonly size: number
  readonly at: number
}

export function openTrimming({ folder, most, keptMs, busyMs }: TrimSettings): Trimming {
  const noted = new Map<string, number>()
  let total: number | undefined
  let trimming: Promise<void> | undefined

  function use(path: string, size: number): void {
    const now = performance.now()
    if (now - (noted.get(path) ?? Number.NEGATIVE_INFINITY) < NOTE_MS) return
    if (noted.size >= MOST_NOTES) noted.clear()
    noted.set(path, now)
    // The folder may be about to go; then it is noted again when it is there.
    note(join(path, USED), size).catch(() => noted.delete(path))
  }

  async function makeRoom(bytes: number): Promise<void> {
    total ??= await totalOf(folder)
    total += bytes
    if (total <= most) return
    trimming ??= trim(bytes).finally(() => {
      trimming = undefined
    })
    await trimming
  }

  async function trim(bytes: number): Promise<void> {
    const all = (await usedBelow(folder)).toSorted((a, b) => a.at - b.at)
    let left = all.reduce((sum, { size }) => sum + size, bytes)
    const now = Date.now()
    // A little more than needed, so that the next need not look again.
    for (const { path, size, at } of all) {
      const isKept = now - at < (left > most * CLOSE ? busyMs : keptMs)
      if (left <= most * ENOUGH || isKept) break
      await evict(path)
      left -= size
    }
    total = left
    if (left > most * FULL) throw new GitError("busy", "the cache of repositories is full of what is in use")
  }

  async function evict(path: string): Promise<void> {
    const aside = join(folder, "..", `${randomBytes(12).toString("hex")}.old`)
    try {
      await rename(path, aside)
    } catch (error) {
      if (hasCode(error, "ENOENT")) return
      throw error
    }
    noted.delete(path)
    await rm(aside, { recursive: true, force: true, maxRetries: 3 })
  }

  return { use, makeRoom }
}

async function note(path: string, size: number): Promise<void> {
  const text = String(size)
  const before = await readFile(path, "utf8").catch(() => "")
  if (before !== text) return writeFile(path, text)
  const now = new Date()
  return utimes(path, now, now)
}

const totalOf = async (folder: string): Promise<number> => (await usedBelow(folder)).reduce((sum, { size }) => sum + size, 0)

/** The repositories below a folder, with their sizes and last uses. */
async function usedBelow(folder: string): Promise<readonly Used[]> {
  const found: Used[] = []
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return []
    throw error
  })
  for (const entry of entries.filter((each) => each.isDirectory())) {
    const path = join(folder, entry.name)
    if (entry.name.endsWith(".git")) found.push(await usedAt(path))
    else found.push(...(await usedBelow(path)))
  }
  return found
}

async function usedAt(path: string): Promise<Used> {
  const text = await readFile(join(path, USED), "utf8").catch(() => "0")
  const found = await stat(join(path, USED)).catch(() => stat(path).catch(() => undefined))
  return { path, size: Number(text), at: found?.mtimeMs ?? 0 }
}
