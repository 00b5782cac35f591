import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { namesIn } from "../../process/files.ts"

/** Milliseconds after which an object that no transaction has taken is removed: longer than any change takes. */
const KEPT_MS = 3 * 3_600_000
/** Milliseconds between two looks at one folder. */
const REST_MS = 10 * 60_000
/** The most folders whose last look is remembered. */
const MOST = 10_000

const looked = new Map<string, number>()

/** Removes old objects of a staging directory in the background, now and then. */
export function dropOldStaging(staging: string): void {
  const now = performance.now()
  if (now - (looked.get(staging) ?? Number.NEGATIVE_INFINITY) < REST_MS) return
  if (looked.size >= MOST) looked.clear()
  looked.set(staging, now)
  // What fails is tried again: the folder may be about to go.
  removeOld(staging).catch(() => undefined)
}

async function removeOld(staging: string): Promise<void> {
  for (const folder of (await readdir(staging)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await namesIn(join(staging, folder))) {
      const path = join(staging, folder, name)
      const { mtimeMs } = await stat(path)
      if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { force: true })
    }
  }
}
