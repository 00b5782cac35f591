import type { Transaction } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { removeStored } from "../../../core/repositories/store.ts"
import { findOrphans } from "./stored-store.ts"

/** Seconds for which a stored repository may be without its row: it is stored first. */
export const MAKING_SECONDS = 86_400

/** Removes stored repositories that belong to no repository and no wiki: a process has died between making them and their row, or before it removed them. Gives their keys. */
export async function removeOrphans(tx: Transaction, now: number): Promise<readonly string[]> {
  const orphans = (await findOrphans(tx, { before: now - MAKING_SECONDS })).map(({ key }) => key)
  for (const key of orphans) await removeStored(tx, { key })
  return orphans
}

/** Their packs are forgotten by the sweep of packs. */
export const sweepStoredRepositories: Task = {
  name: "sweep_stored_repositories",
  cron: "47 4 * * *",
  run: async ({ database, log, now }) => {
    if ((await findOrphans(database.read, { before: now() - MAKING_SECONDS })).length === 0) return undefined
    const removed = await database.write((tx) => removeOrphans(tx, now()))
    if (removed.length === 0) return undefined
    log.warn({ keys: removed }, "stored repositories without a repository or a wiki were removed")
    return `${removed.length} removed`
  },
}
