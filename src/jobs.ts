import { abortUploads } from "./core/blobs/sweep.ts"
import type { Config } from "./core/config.ts"
import { pruneEvents } from "./core/events/log.ts"
import { pruneSentForms } from "./core/forms/once.ts"
import { removeEndedJobs } from "./core/jobs/cleanup.ts"
import type { JobDefinition, Task } from "./core/jobs/jobs.ts"
import { sweepPacks } from "./core/repositories/sweep.ts"
import { cleanUpActions } from "./features/actions/artifacts/clean-up.ts"
import { cleanUpResults } from "./features/actions/cache/clean-up.ts"
import { removeActionFilesJob, removeActionFolderJob } from "./features/actions/files/files.ts"
import { sweepActionFiles } from "./features/actions/files/sweep.ts"
import { cancelAbandonedJobs, stopEndlessTasks, stopZombieTasks } from "./features/actions/runs/clock.ts"
import { packLogs } from "./features/actions/runs/pack-logs.ts"
import { closeLogJob } from "./features/actions/runs/stop.ts"
import { startForEventJob } from "./features/actions/triggers/on-event.ts"
import { startForPullJob } from "./features/actions/triggers/on-pull.ts"
import { readSchedulesJob, startScheduled } from "./features/actions/triggers/schedules.ts"
import { cancelTrialRunsJob } from "./features/actions/triggers/trial-runs.ts"
import { contributionsJob } from "./features/code/activity/contributions.ts"
import { removeArchives, sweepArchives } from "./features/code/archives/sweep.ts"
import { removeFilesJob as removeAttachedFilesJob, sweepAttachments } from "./features/code/attachments/files.ts"
import { forgetUnboundFiles } from "./features/code/attachments/unbound.ts"
import { renameJob } from "./features/code/branches/rename.ts"
import { compareBranchesJob, treeHistoriesJob } from "./features/code/history/jobs.ts"
import { surveyJob } from "./features/code/languages/survey.ts"
import { syncLicenses } from "./features/code/languages/sync-licenses.ts"
import { sweepLfs } from "./features/code/lfs/sweep.ts"
import { deleteOwnedJob } from "./features/code/lifecycle/delete.ts"
import { checkRepositories, maintainJob, maintainRepositories, pruneRepositories } from "./features/code/lifecycle/maintenance.ts"
import { deleteMissing, reinitMissing } from "./features/code/lifecycle/missing.ts"
import { deleteRemainsJob, removeFilesJob } from "./features/code/lifecycle/remains.ts"
import { sweepStoredRepositories } from "./features/code/lifecycle/stored.ts"
import { pushJob, syncJob, updateMirrors } from "./features/code/mirrors/jobs.ts"
import { alignHeadJob } from "./features/code/pushes/head.ts"
import { settleJob } from "./features/code/pushes/journal.ts"
import { indexCode, indexJob, rebuildCodeIndex } from "./features/code/search/index-repository.ts"
import { alignTagsJob } from "./features/code/tags/on-push.ts"
import { forgetStagedFiles } from "./features/code/uploads/staged.ts"
import { settleWikiJob } from "./features/code/wiki/journal.ts"
import { forgetOldActivities } from "./features/events/feed/rules.ts"
import {
  accountMailJob,
  invitationMailJob,
  requiredFactorMailJob,
  requiredFactorMailsJob,
  teamInvitationMailJob,
  tokenExpiryMailJob,
} from "./features/events/mail/accounts.ts"
import { failedRunJob } from "./features/events/mail/failed-runs.ts"
import { fanOutJob, sendJob } from "./features/events/mail/jobs.ts"
import { cleanUpDeliveries, deliveries } from "./features/events/webhooks/jobs.ts"
import { cleanUpPackages } from "./features/packages/packages/sweep.ts"
import { sweepAvatars } from "./features/people/avatars/pictures.ts"
import { forgetOAuth2Tokens } from "./features/people/oauth2/jobs.ts"
import { expireTokens } from "./features/people/sign-in/credentials/expiry.ts"
import { forgetTickets } from "./features/people/sign-in/credentials/tickets.ts"
import { forgetGuesses } from "./features/people/sign-in/guesses/guesses.ts"
import { forgetInvitations } from "./features/people/sign-in/registration/registration.ts"
import { requireSecondFactors } from "./features/people/sign-in/second-factor/jobs.ts"
import { forgetSessions } from "./features/people/sign-in/sessions/sessions.ts"
import { cleanUpHeldRequests } from "./features/planning/newcomers/clean-up.ts"
import { detectManualMergesJob, retryScheduledMerges, scheduledMergeJob } from "./features/review/merging/jobs.ts"
import { pullJobs } from "./features/review/pulls/jobs.ts"
import { advanceMergeQueues, forgetTrials, queueJobs } from "./features/review/queue/jobs.ts"
import { followMerge } from "./features/review/stacks/jobs.ts"
import { forgetAuditEntries } from "./features/site/administration/audit.ts"
import { recountCounters } from "./features/site/administration/counters.ts"
import { deleteInactive } from "./features/site/administration/delete-inactive.ts"
import { settledTasks } from "./features/site/administration/settled-tasks.ts"
import { removeAdoptedJob } from "./features/site/adoption/adopt.ts"
import { forgetAuditOfOrganizations } from "./features/site/audit/jobs.ts"
import { alertJob } from "./features/site/backups/alert.ts"
import { scheduledBackup } from "./features/site/backups/scheduled.ts"
import { archiveJob } from "./features/site/migration/archives/jobs.ts"
import { importDefinition, takeOverJob } from "./features/site/migration/jobs.ts"
import { pruneKeptAnswers } from "./features/site/repeats/jobs.ts"
import { countChanges } from "./features/site/takeover/count-changes.ts"
import { endDeletions } from "./features/site/undo/jobs.ts"

/** All kinds of jobs: work outside the database that follows a write. */
export const jobs: readonly JobDefinition[] = [
  settleJob,
  settleWikiJob,
  renameJob,
  alignHeadJob,
  removeFilesJob,
  deleteOwnedJob,
  deleteRemainsJob,
  maintainJob,
  removeAttachedFilesJob,
  removeActionFilesJob,
  removeActionFolderJob,
  readSchedulesJob,
  closeLogJob,
  startForEventJob,
  startForPullJob,
  cancelTrialRunsJob,
  fanOutJob,
  sendJob,
  accountMailJob,
  invitationMailJob,
  teamInvitationMailJob,
  tokenExpiryMailJob,
  requiredFactorMailsJob,
  requiredFactorMailJob,
  failedRunJob,
  alertJob,
  alignTagsJob,
  surveyJob,
  treeHistoriesJob,
  compareBranchesJob,
  contributionsJob,
  indexJob,
  ...pullJobs,
  followMerge,
  scheduledMergeJob,
  detectManualMergesJob,
  ...queueJobs,
  deliveries,
  syncJob,
  pushJob,
  archiveJob,
  importDefinition,
  takeOverJob,
  removeAdoptedJob,
  countChanges,
]

const sweepRepositories: Task = {
  name: "sweep_repositories",
  cron: "17 4 * * *",
  run: async ({ git }) => {
    await git.repositories.sweep()
    return undefined
  },
}

/** All scheduled tasks. When a backup is taken is a setting. */
export const scheduleOf = (config: Pick<Config, "backup">): readonly Task[] => [...tasks, scheduledBackup(config)]

const tasks: readonly Task[] = [
  removeEndedJobs,
  pruneEvents,
  endDeletions,
  forgetAuditOfOrganizations,
  pruneSentForms,
  sweepRepositories,
  sweepStoredRepositories,
  sweepPacks,
  sweepAttachments,
  forgetUnboundFiles,
  forgetStagedFiles,
  sweepActionFiles,
  sweepArchives,
  removeArchives,
  sweepAvatars,
  sweepLfs,
  abortUploads,
  cleanUpPackages,
  cleanUpHeldRequests,
  maintainRepositories,
  pruneRepositories,
  checkRepositories,
  reinitMissing,
  deleteMissing,
  syncLicenses,
  indexCode,
  rebuildCodeIndex,
  recountCounters,
  deleteInactive,
  forgetAuditEntries,
  forgetOldActivities,
  forgetGuesses,
  forgetSessions,
  forgetTickets,
  expireTokens,
  requireSecondFactors,
  forgetInvitations,
  forgetOAuth2Tokens,
  retryScheduledMerges,
  advanceMergeQueues,
  forgetTrials,
  cleanUpDeliveries,
  stopZombieTasks,
  stopEndlessTasks,
  cancelAbandonedJobs,
  startScheduled,
  cleanUpActions,
  packLogs,
  cleanUpResults,
  updateMirrors,
  pruneKeptAnswers,
  ...settledTasks,
]
