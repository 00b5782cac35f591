import { createWriteStream, type WriteStream } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { pause } from "./pausePoint.ts"

/** For `.catch`: a file or folder that isn't there stands for this value; any other failure stays one. */
export const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return value
    throw error
  }

/** The names in a folder; none where there is no such folder. */
export const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(ifMissing([]))

/** When a file was changed last, in milliseconds since 1970; one that is gone meanwhile counts as one of the future. */
export const changedAt = (path: string): Promise<number> => stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Number.POSITIVE_INFINITY))

/** The file, to be read and closed by the caller; undefined where there is none. */
export const openIfThere = (path: string): Promise<FileHandle | undefined> => open(path, "r").catch(ifMissing(undefined))

/**
 * Makes a file that is there whole, and on the disk, or not at all: `write` ends the stream that it is given. Fails as `write` does, and nothing is left
 * then but what a process leaves that ends meanwhile, under the name with `.part` behind it.
 */
export async function writeWhole(path: string, write: (draft: WriteStream) => Promise<void>): Promise<void> {
  const draft = `${path}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  try {
    if (pause) await pause("file.open")
    await write(createWriteStream(draft, { flags: "wx", mode: 0o640, flush: true }))
    if (pause) await pause("file.rename")
    await rename(draft, path)
  } catch (error) {
    if (pause) await pause("file.remove")
    await rm(draft, { force: true })
    throw error
  }
}
