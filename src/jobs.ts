import { removeEndedJobs } from "./core/jobs/cleanup.ts"
import type { JobDefinition, Task } from "./core/jobs/jobs.ts"
import { removeFilesJob as removeAttachedFilesJob } from "./features/attachments/files.ts"
import { sweepAttachments } from "./features/attachments/sweep.ts"
import { sendJob, spreadJob } from "./features/mail/jobs.ts"
import { removeFilesJob } from "./features/repositories/delete.ts"
import { alignHeadJob, deleteOwnedJob } from "./features/repositories/jobs.ts"
import { settleJob } from "./features/transport/journal.ts"

/** Everything that is done after a write, outside the database. */
export const jobs: readonly JobDefinition<never>[] = [
  settleJob,
  alignHeadJob,
  removeFilesJob,
  deleteOwnedJob,
  removeAttachedFilesJob,
  spreadJob,
  sendJob,
]

const sweepRepositories: Task = {
  name: "sweep_repositories",
  cron: "17 4 * * *",
  run: async ({ git }) => {
    await git.repositories.sweep()
    return undefined
  },
}

/** Everything that the clock starts. */
export const schedule: readonly Task[] = [removeEndedJobs, sweepRepositories, sweepAttachments]
