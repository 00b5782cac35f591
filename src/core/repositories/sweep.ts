import { PACKS } from "../blobs/blobs.ts"
import { sweepBlobs } from "../blobs/sweep.ts"
import type { Transaction } from "../database/database.ts"
import type { Task } from "../jobs/jobs.ts"
import type { Services } from "../services.ts"
import { countPacks, findPackFiles, forgetPacks, noteUnusedPacks } from "./store.ts"

/** Seconds for which a pack that no repository has any more is kept: other servers may be fetching it. */
const GRACE = 86_400

/** Forgets packs that repacks and deleted repositories left, and removes files of packs that no row names. */
export const sweepPacks: Task = {
  name: "sweep_packs",
  cron: "7 5 * * *",
  run: async ({ blobs, database, now }, signal) => {
    const forgotten = await database.write(async (tx) => {
      await noteUnusedPacks(tx, { now: now() })
      return forgetPacks.changes(tx, { before: now() - GRACE })
    })
    const idOf = (name: string): string => name.slice(0, name.indexOf("."))
    const findKept = async (names: readonly string[]): Promise<readonly string[]> => {
      const files = await findPackFiles(database.read, { files: [...new Set(names.map(idOf))] })
      const ids = new Set(files.map(({ file }) => file))
      return names.filter((name) => ids.has(idOf(name)))
    }
    const removed = await sweepBlobs(blobs, PACKS, { now: now(), signal, findKept })
    return forgotten + removed === 0 ? undefined : `forgot ${forgotten} packs, removed ${removed} files`
  },
}

/** Removes all packs, where no repository is stored any more. */
export async function dropAllPacks({ blobs, database }: Pick<Services, "blobs" | "database">): Promise<void> {
  const left = await database.write((tx) => removeUnusedPacks(tx))
  if (left === 0) await blobs.removeBelow(PACKS)
}

async function removeUnusedPacks(tx: Transaction): Promise<number> {
  await noteUnusedPacks(tx, { now: 1 })
  await forgetPacks(tx, { before: Number.MAX_SAFE_INTEGER })
  return (await countPacks.first(tx))?.count ?? 0
}
