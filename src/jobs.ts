import { pruneEvents } from "./core/events/log.ts"
import { removeEndedJobs } from "./core/jobs/cleanup.ts"
import type { JobDefinition, Task } from "./core/jobs/jobs.ts"
import { removeActionFilesJob, removeActionFolderJob } from "./features/actions/files/files.ts"
import { sweepActionFiles } from "./features/actions/files/sweep.ts"
import { cancelAbandonedJobs, cleanUpActions, stopEndlessTasks, stopZombieTasks } from "./features/actions/runs/clock.ts"
import { startForPullJob } from "./features/actions/triggers/on-pull.ts"
import { readSchedulesJob, startScheduled } from "./features/actions/triggers/schedules.ts"
import { sweepArchives } from "./features/code/archives/sweep.ts"
import { removeFilesJob as removeAttachedFilesJob } from "./features/code/attachments/files.ts"
import { sweepAttachments } from "./features/code/attachments/sweep.ts"
import { renameJob } from "./features/code/branches/rename.ts"
import { surveyJob } from "./features/code/languages/survey.ts"
import { sweepLfs } from "./features/code/lfs/sweep.ts"
import { deleteOwnedJob, removeFilesJob } from "./features/code/lifecycle/delete.ts"
import { checkRepositories, maintainJob, maintainRepositories } from "./features/code/lifecycle/maintenance.ts"
import { pushJob, syncJob, updateMirrors } from "./features/code/mirrors/jobs.ts"
import { alignHeadJob } from "./features/code/pushes/head.ts"
import { settleJob } from "./features/code/pushes/journal.ts"
import { alignTagsJob } from "./features/code/tags/on-push.ts"
import { accountMailJob } from "./features/events/mail/accounts.ts"
import { fanOutJob, sendJob } from "./features/events/mail/jobs.ts"
import { cleanUpDeliveries, deliveries } from "./features/events/webhooks/deliver.ts"
import { sweepAvatars } from "./features/people/avatars/pictures.ts"
import { detectManualMergesJob, retryScheduledMerges, scheduledMergeJob } from "./features/review/merging/jobs.ts"
import { pullJobs } from "./features/review/pulls/jobs.ts"
import { forgetAuditEntries } from "./features/site/administration/audit.ts"
import { recountCounters } from "./features/site/administration/counters.ts"
import { importJob } from "./features/site/migration/import.ts"

/** All kinds of jobs: work outside the database that follows a write. */
export const jobs: readonly JobDefinition[] = [
  settleJob,
  renameJob,
  alignHeadJob,
  removeFilesJob,
  deleteOwnedJob,
  maintainJob,
  removeAttachedFilesJob,
  removeActionFilesJob,
  removeActionFolderJob,
  readSchedulesJob,
  startForPullJob,
  fanOutJob,
  sendJob,
  accountMailJob,
  alignTagsJob,
  surveyJob,
  ...pullJobs,
  scheduledMergeJob,
  detectManualMergesJob,
  deliveries,
  syncJob,
  pushJob,
  importJob,
]

const sweepRepositories: Task = {
  name: "sweep_repositories",
  cron: "17 4 * * *",
  run: async ({ git }) => {
    await git.repositories.sweep()
    return undefined
  },
}

/** All scheduled tasks. */
export const schedule: readonly Task[] = [
  removeEndedJobs,
  pruneEvents,
  sweepRepositories,
  sweepAttachments,
  sweepActionFiles,
  sweepArchives,
  sweepAvatars,
  sweepLfs,
  maintainRepositories,
  checkRepositories,
  recountCounters,
  forgetAuditEntries,
  retryScheduledMerges,
  cleanUpDeliveries,
  stopZombieTasks,
  stopEndlessTasks,
  cancelAbandonedJobs,
  startScheduled,
  cleanUpActions,
  updateMirrors,
]
