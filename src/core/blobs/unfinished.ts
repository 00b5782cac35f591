import type { Task } from "../jobs/jobs.ts"

/** Seconds before an upload in parts counts as left by a process that ended. */
const GRACE = 86_400

/** Takes back what was sent to the object store of blobs that were never completed. */
export const abortUploads: Task = {
  name: "abort_uploads",
  cron: "27 4 * * *",
  run: async ({ store, now }, signal) => {
    const count = (await store?.abortOldUploads((now() - GRACE) * 1000, signal)) ?? 0
    return count === 0 ? undefined : `aborted ${count} uploads`
  },
}
