import { renameSync, writeFileSync } from "node:fs"
import { copyFile, link, lstat, open, readdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { pause } from "../../seams/pause.ts"
import { hasCode } from "../model/errors.ts"
import type { Context } from "./context.ts"

/** A write of as many bytes that is not flushed goes to memory: it takes less time than handing it to a thread. */
const AT_ONCE = 32 * 1024

/** Writes a new file, flushed to disk if the context requires it. Throws the file system's `EEXIST` when it is there. */
export async function writeNewFile(context: Context, path: string, content: Uint8Array | string, mode = 0o644): Promise<void> {
  if (pause) await pause("file.open")
  if (!context.durable && content.length < AT_ONCE) {
    writeFileSync(path, content, { flag: "wx", mode })
    if (pause) await pause("file.flush")
    return
  }
  const file = await open(path, "wx", mode)
  try {
    await file.writeFile(content)
    if (pause) await pause("file.flush")
    if (context.durable) await file.sync()
  } finally {
    await file.close()
  }
}

/** Gives a file another name, in the place of what has it. */
export async function renameFile(context: Context, from: string, to: string): Promise<void> {
  if (context.durable) await rename(from, to)
  else renameSync(from, to)
}

/** Flushes files to disk concurrently, so that the file system can combine the work. */
export async function syncFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const file = await open(path, "r")
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    }),
  )
}

/** Hard-links a file that never changes, or copies it where the file system can't. An existing target is left. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (hasCode(error, "EEXIST")) return
    if (!hasCode(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP")) throw error
    await copyFile(from, to)
  }
}

/** The bytes of a directory's files, without those named by `skip`. Files that vanish meanwhile do not count. */
export async function directorySize(directory: string, skip: (name: string) => boolean = () => false): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return []
    throw error
  })
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      if (skip(entry.name)) return 0
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return directorySize(path, skip)
      const found = await lstat(path).catch(() => undefined)
      return found?.size ?? 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The names in a folder, sorted; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []
    throw error
  }
}
