import type { Seconds } from "../database/tables/index.ts"
import type { Task } from "../jobs/jobs.ts"
import type { Blobs } from "./blobs.ts"

/** Seconds before a blob without a row is removed, or an upload in parts taken back: it may be under way. */
const GRACE = 86_400
/** Blobs whose rows are looked up in one query. */
const BATCH = 500

export interface Sweep {
  readonly now: Seconds
  readonly signal: AbortSignal
  /** Which of these names, the last parts of keys, have a row. */
  readonly findKept: (names: readonly string[]) => Promise<readonly string[]>
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

/**
 * Removes the blobs below a folder that no row names and that were not written to for a day: the remains of processes that were killed while writing one,
 * or before its row. Returns how many.
 */
export async function sweepBlobs(blobs: Pick<Blobs, "list" | "remove">, folder: string, { now, signal, findKept }: Sweep): Promise<number> {
  let removed = 0
  let batch: string[] = []
  const removeUnnamed = async (): Promise<void> => {
    const kept = new Set(await findKept(batch.map(nameOf)))
    for (const key of batch) {
      if (kept.has(nameOf(key))) continue
      await blobs.remove(key)
      removed += 1
    }
    batch = []
  }
  for await (const { key, modifiedAt } of blobs.list(folder, signal)) {
    if (modifiedAt <= (now - GRACE) * 1000) batch.push(key)
    if (batch.length >= BATCH) await removeUnnamed()
  }
  if (batch.length > 0 && !signal.aborted) await removeUnnamed()
  return removed
}

/** Takes back what was sent to the object store of blobs that were never completed. */
export const abortUploads: Task = {
  name: "abort_uploads",
  cron: "27 4 * * *",
  run: async ({ store, now }, signal) => {
    const count = (await store?.abortOldUploads((now() - GRACE) * 1000, signal)) ?? 0
    return count === 0 ? undefined : `aborted ${count} uploads`
  },
}
