import { randomBytes } from "node:crypto"
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { namesIn } from "../../process/files.ts"
import { bootOf, type CacheFolders } from "./folders.ts"

/** Milliseconds after which what a worker has not touched is of one that has died. */
const DEAD_MS = 24 * 3_600_000

/**
 * Removes what dead workers left in the cache, and all of the cache after the machine was started anew: its files are not flushed, so that a power cut may
 * have left some that are cut.
 */
export async function sweepCache({ root, workers, ownWorker, packing }: CacheFolders): Promise<void> {
  const marker = join(root, "boot")
  const boot = await bootOf()
  const before = await readFile(marker, "utf8").catch(() => undefined)
  if (before !== undefined && (boot === undefined || before !== boot)) await removeAside(join(root, "objects"))
  if (boot !== undefined && before !== boot) {
    await writeFile(`${marker}.new`, boot)
    await rename(`${marker}.new`, marker)
  }
  for (const folder of [workers, packing])
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      if (path !== ownWorker && found && Date.now() - found.mtimeMs > DEAD_MS) await rm(path, { recursive: true, force: true })
    }
  for (const name of (await readdir(root)).filter((each) => each.endsWith(".old")))
    await rm(join(root, name), { recursive: true, force: true })
}

/** Others see it gone in one step. */
async function removeAside(path: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString("hex")}.old`
  await rename(path, aside).catch(() => undefined)
  await rm(aside, { recursive: true, force: true })
}
