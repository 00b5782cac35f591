import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Git, openGit } from "../../git/index.ts"
import { sharedStore } from "../../git/shared.ts"
import type { Blobs } from "../blobs/blobs.ts"
import { type Config, repositoryFolder } from "../config.ts"
import type { Database } from "../database/database.ts"
import type { Place } from "./move.ts"
import { openPackFiles, openRecords } from "./records.ts"

/** Milliseconds that the copy of one repository may take: it may be many gibibytes. */
const COPY_MS = 6 * 3_600_000
/** Milliseconds after which what a process has left that was killed is removed. */
const LEFT_MS = 24 * 3_600_000

type Settings = Pick<Config, "dataDir" | "git">

/** Repositories in the data folder. */
export function openFolderPlace(config: Settings): Place & { readonly close: () => Promise<void> } {
  const git = openGit({ root: repositoryFolder(config), program: config.git.path, limits: { transferMs: COPY_MS } })
  return {
    async look(key, format) {
      const repository = git.at(key, format)
      if (!(await git.repositories.exists(repository))) return undefined
      const references = await git.references.list(repository)
      return { head: await git.references.head(repository), references: new Map(references.map(({ name, id }) => [name, id])) }
    },
    use: (work) => work(git),
    close: git.close,
  }
}

/** Repositories in the database and an object store. Each is worked on in a cache of its own, which is removed then, so that the disk need not hold them all. */
export function openStorePlace(config: Settings, database: Database, blobs: Blobs): Place {
  const records = openRecords(database, () => Math.floor(Date.now() / 1000))
  const files = openPackFiles(blobs)
  const folder = join(config.dataDir, "cache", "visits")

  const openVisit = (root: string): Git =>
    openGit({
      root,
      program: config.git.path,
      durable: false,
      openStore: sharedStore({ records, files, cacheBytes: Number.MAX_SAFE_INTEGER }),
      limits: { transferMs: COPY_MS },
    })

  return {
    async look(key) {
      const stored = await records.find(key)
      if (!stored) return undefined
      const references = await records.references(stored.id, 0)
      return { head: stored.head, references: new Map(references.map(({ name, id }) => [name, id])) }
    },
    async use(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await removeLeft(folder)
      const root = await mkdtemp(join(folder, "visit-"))
      const git = openVisit(root)
      try {
        return await work(git)
      } finally {
        await git.close()
        await rm(root, { recursive: true, force: true, maxRetries: 3 })
      }
    },
  }
}

async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LEFT_MS) await rm(path, { recursive: true, force: true })
  }
}
