import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { namesIn } from "../../process/files.ts"
import type { CacheFolders } from "./folders.ts"

/** Milliseconds after which what a worker has not touched is of one that has died. */
const DEAD_MS = 24 * 3_600_000

/**
 * Puts all of the cache aside after the machine was started anew: its files are not flushed, so that a power cut may have left some that are cut. Synchronously, before anything is read.
 */
export function distrustAfterBoot({ root }: CacheFolders): void {
  mkdirSync(root, { recursive: true })
  const marker = join(root, "boot")
  const boot = bootOf()
  const before = readIfThere(marker)
  if (before === boot && boot !== "") return
  if (before !== undefined) setAside(join(root, "objects"))
  writeFileSync(`${marker}.new`, boot)
  renameSync(`${marker}.new`, marker)
}

/** Removes what dead workers left in the cache, and what was put aside. */
export async function sweepCache({ root, workers, ownWorker, packing }: CacheFolders): Promise<void> {
  for (const folder of [workers, packing])
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      if (path !== ownWorker && found && Date.now() - found.mtimeMs > DEAD_MS) await rm(path, { recursive: true, force: true })
    }
  for (const name of (await readdir(root)).filter((each) => each.endsWith(".old")))
    await rm(join(root, name), { recursive: true, force: true })
}

/** Names the run of this machine; "" where the system does not tell, and then each start is taken for the first. */
const bootOf = (): string => readIfThere("/proc/sys/kernel/random/boot_id")?.trim() ?? ""

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** Others see it gone in one step. */
function setAside(path: string): void {
  const aside = `${path}.${randomBytes(6).toString("hex")}.old`
  try {
    renameSync(path, aside)
  } catch {
    // There is none.
    rmSync(path, { recursive: true, force: true })
  }
}
