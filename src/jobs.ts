import { removeEndedJobs } from "./core/jobs/cleanup.ts"
import type { JobDefinition, Task } from "./core/jobs/jobs.ts"
import { actionTasks } from "./features/actions/clock.ts"
import { removeActionFilesJob } from "./features/actions/files.ts"
import { startForPullJob } from "./features/actions/on-pull.ts"
import { sweepActionFiles } from "./features/actions/sweep.ts"
import { forgetDeeds } from "./features/administration/audit.ts"
import { countAnew } from "./features/administration/counters.ts"
import { sweepArchives } from "./features/archives/sweep.ts"
import { removeFilesJob as removeAttachedFilesJob } from "./features/attachments/files.ts"
import { sweepAttachments } from "./features/attachments/sweep.ts"
import { sweepAvatars } from "./features/avatars/pictures.ts"
import { renameJob } from "./features/branches/rename.ts"
import { surveyJob } from "./features/composition/survey.ts"
import { sweepLfs } from "./features/lfs/sweep.ts"
import { accountMailJob } from "./features/mail/accounts.ts"
import { sendJob, spreadJob } from "./features/mail/jobs.ts"
import { mirrorJobs, updateMirrors } from "./features/mirrors/jobs.ts"
import { pullJobs } from "./features/pulls/jobs.ts"
import { detectManualMergesJob, retryScheduledMerges, scheduledMergeJob } from "./features/pulls/merge/jobs.ts"
import { removeFilesJob } from "./features/repositories/delete.ts"
import { alignHeadJob, deleteOwnedJob } from "./features/repositories/jobs.ts"
import { checkRepositories, maintainJob, maintainRepositories } from "./features/repositories/maintenance.ts"
import { alignTagsJob } from "./features/tags/on-push.ts"
import { settleJob } from "./features/transport/journal.ts"
import { cleanUpDeliveries, deliveries } from "./features/webhooks/deliver.ts"

/** Everything that is done after a write, outside the database. */
export const jobs: readonly JobDefinition<never>[] = [
  settleJob,
  renameJob,
  alignHeadJob,
  removeFilesJob,
  deleteOwnedJob,
  maintainJob,
  removeAttachedFilesJob,
  removeActionFilesJob,
  startForPullJob,
  spreadJob,
  sendJob,
  accountMailJob,
  alignTagsJob,
  surveyJob,
  ...pullJobs,
  scheduledMergeJob,
  detectManualMergesJob,
  deliveries,
  ...mirrorJobs,
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
export const schedule: readonly Task[] = [
  removeEndedJobs,
  sweepRepositories,
  sweepAttachments,
  sweepActionFiles,
  sweepArchives,
  sweepAvatars,
  sweepLfs,
  maintainRepositories,
  checkRepositories,
  countAnew,
  forgetDeeds,
  retryScheduledMerges,
  cleanUpDeliveries,
  ...actionTasks,
  updateMirrors,
]
