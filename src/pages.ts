import { pageRegistry } from "./core/page.ts"
import { actionPages } from "./features/actions/pages/pages.ts"
import { runnerPages } from "./features/actions/runners/pages.ts"
import { actionSettingPages } from "./features/actions/settings/pages.ts"
import { activityPages } from "./features/code/activity/pages.ts"
import { blamePages } from "./features/code/browse/blame-pages.ts"
import { commitsPages } from "./features/code/browse/commits-pages.ts"
import { browsePages } from "./features/code/browse/pages.ts"
import { appearancePages } from "./features/code/diffs/appearance-pages.ts"
import { diffPages } from "./features/code/diffs/pages.ts"
import { branchPages } from "./features/code/editor/branch-pages.ts"
import { editorPages } from "./features/code/editor/pages.ts"
import { historyPages } from "./features/code/history/pages.ts"
import { createPages } from "./features/code/lifecycle/create-pages.ts"
import { forkPages } from "./features/code/lifecycle/fork-pages.ts"
import { pickPages } from "./features/code/picks/pages.ts"
import { releaseEditPages } from "./features/code/releases/edit-pages.ts"
import { releasePages } from "./features/code/releases/pages.ts"
import { repositoryPages } from "./features/code/repositories/pages.ts"
import { codeSearchPages } from "./features/code/search/pages.ts"
import { ownRepositoryPages } from "./features/code/settings/own-pages.ts"
import { settingsPages } from "./features/code/settings/pages.ts"
import { starPages } from "./features/code/stars/pages.ts"
import { tagPages } from "./features/code/tags/pages.ts"
import { watchPages } from "./features/code/watches/pages.ts"
import { wikiEditPages } from "./features/code/wiki/edit-pages.ts"
import { wikiPages } from "./features/code/wiki/pages.ts"
import { feedPages } from "./features/events/feed/pages.ts"
import { notificationPages } from "./features/events/notifications/pages.ts"
import { notificationSettingsPages } from "./features/events/notifications/settings-pages.ts"
import { webhookPages } from "./features/events/webhooks/pages.ts"
import { packagePages } from "./features/packages/pages/pages.ts"
import { blockPages } from "./features/people/blocks/pages.ts"
import { keyPages } from "./features/people/keys/pages.ts"
import { oauth2Pages } from "./features/people/oauth2/pages.ts"
import { ownOrganizationPages } from "./features/people/organizations/pages.ts"
import { membershipPages } from "./features/people/organizations/settings-pages.ts"
import { replyPages } from "./features/people/replies/pages.ts"
import { securityPages } from "./features/people/sign-in/pages.ts"
import { tokenPages } from "./features/people/tokens/pages.ts"
import { peoplePages } from "./features/people/users/pages.ts"
import { profileSettingsPages } from "./features/people/users/settings-pages.ts"
import { attachmentPages } from "./features/planning/attachments/pages.ts"
import { composerPages } from "./features/planning/composer/pages.ts"
import { textHistoryPages } from "./features/planning/conversations/history-pages.ts"
import { milestonePages } from "./features/planning/conversations/milestone-pages.ts"
import { newIssuePages } from "./features/planning/conversations/new-issue.ts"
import { issuePages } from "./features/planning/conversations/pages.ts"
import { projectPages } from "./features/planning/conversations/project-pages.ts"
import { bulkPages } from "./features/planning/issues/bulk-pages.ts"
import { labelEditPages } from "./features/planning/labels/edit-pages.ts"
import { organizationLabelPages } from "./features/planning/labels/organization-pages.ts"
import { labelPages } from "./features/planning/labels/pages.ts"
import { milestoneEditPages } from "./features/planning/milestones/edit-pages.ts"
import { repositorySearchPages } from "./features/planning/search/pages.ts"
import { activitySummaryPages } from "./features/review/activity/pages.ts"
import { comparePages } from "./features/review/compare/pages.ts"
import { conflictPages } from "./features/review/conflicts/pages.ts"
import { pullPages } from "./features/review/pages/pages.ts"
import { accountPages } from "./features/site/accounts/pages.ts"
import { administrationPages } from "./features/site/administration/pages.ts"
import { announcementPages } from "./features/site/announcements/pages.ts"
import { myPages } from "./features/site/dashboard/my-pages.ts"
import { dashboardPages } from "./features/site/dashboard/pages.ts"
import { migrationPages } from "./features/site/migration/pages.ts"
import { sitePages } from "./features/site/pages/pages.ts"
import { invitationPages } from "./features/site/profiles/invitation-pages.ts"
import { profilePages } from "./features/site/profiles/pages.ts"
import { searchPages } from "./features/site/search/pages.ts"

/** All pages, by feature. */
export const pages = pageRegistry(
  accountPages,
  actionPages,
  actionSettingPages,
  activityPages,
  activitySummaryPages,
  administrationPages,
  announcementPages,
  appearancePages,
  attachmentPages,
  blamePages,
  blockPages,
  branchPages,
  browsePages,
  bulkPages,
  codeSearchPages,
  commitsPages,
  comparePages,
  composerPages,
  conflictPages,
  createPages,
  dashboardPages,
  diffPages,
  editorPages,
  feedPages,
  forkPages,
  historyPages,
  invitationPages,
  issuePages,
  keyPages,
  labelEditPages,
  labelPages,
  membershipPages,
  migrationPages,
  milestoneEditPages,
  milestonePages,
  myPages,
  newIssuePages,
  notificationPages,
  notificationSettingsPages,
  oauth2Pages,
  organizationLabelPages,
  ownOrganizationPages,
  ownRepositoryPages,
  packagePages,
  peoplePages,
  pickPages,
  profilePages,
  profileSettingsPages,
  projectPages,
  pullPages,
  releaseEditPages,
  releasePages,
  replyPages,
  repositoryPages,
  repositorySearchPages,
  runnerPages,
  searchPages,
  securityPages,
  settingsPages,
  sitePages,
  starPages,
  tagPages,
  textHistoryPages,
  tokenPages,
  watchPages,
  webhookPages,
  wikiEditPages,
  wikiPages,
)
