import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { DRAFT, ifMissing } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { folderOf } from "./cache.ts"

/** Milliseconds after which an incomplete file counts as abandoned. */
const ABANDONED = 86_400_000

interface CachedFile {
  readonly path: string
  readonly size: number
  /** Milliseconds. */
  readonly usedAt: number
}

/** Removes archives not used lately, incomplete files of killed processes, and the least recently used ones beyond the cache's limit. */
export const sweepArchives: Task = {
  name: "archive_cleanup",
  cron: "47 * * * *",
  run: async (services) => {
    const removed = await trim(services)
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}

/** Removes all archives; they are made again when they are asked for. Runs only on demand. */
export const removeArchives: Task = {
  name: "delete_repo_archives",
  run: async (services) => {
    const files = (await filesIn(folderOf(services))).filter(({ path }) => !path.endsWith(DRAFT))
    for (const { path } of files) await rm(path, { force: true })
    return `removed ${files.length} files`
  },
}

/** Shrinks the cache to its limits; returns how many files were removed. */
export async function trim(services: Services): Promise<number> {
  const { archives } = services.config
  const now = services.now() * 1000
  const files = await filesIn(folderOf(services))
  const whole = files.filter(({ path }) => !path.endsWith(DRAFT)).sort((a, b) => b.usedAt - a.usedAt)
  let total = 0
  const surplus = whole.filter(({ size, usedAt }) => {
    total += size
    return total > archives.cacheBytes || usedAt < now - archives.keepSeconds * 1000
  })
  const abandoned = files.filter(({ path, usedAt }) => path.endsWith(DRAFT) && usedAt < now - ABANDONED)
  for (const { path } of [...surplus, ...abandoned]) await rm(path, { force: true })
  return surplus.length + abandoned.length
}

async function filesIn(folder: string): Promise<readonly CachedFile[]> {
  const names = await readdir(folder, { recursive: true }).catch(ifMissing([]))
  const files: CachedFile[] = []
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(ifMissing(undefined))
    if (found?.isFile()) files.push({ path, size: found.size, usedAt: found.mtimeMs })
  }
  return files
}
