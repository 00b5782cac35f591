import { readdir, stat } from "node:fs/promises"

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
