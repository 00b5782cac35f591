import { pageRegistry } from "./core/page.ts"
import { announcementPages } from "./pages/administration/announcements.ts"
import { administrationDeletedPages } from "./pages/administration/deleted.ts"
import { importedPeoplePages } from "./pages/administration/imports.ts"
import { administrationPages } from "./pages/administration/page.ts"
import { myPages } from "./pages/dashboard/mine.ts"
import { dashboardPages } from "./pages/dashboard/page.ts"
import { codeSearchPages } from "./pages/explore/code.ts"
import { peoplePages } from "./pages/explore/people.ts"
import { explorePages } from "./pages/explore/repositories.ts"
import { devicePages } from "./pages/login/device.ts"
import { authorizePages } from "./pages/login/oauth/authorize.ts"
import { notificationPages } from "./pages/notifications/page.ts"
import { organizationAuditPages } from "./pages/organization/audit.ts"
import { organizationDeletedPages } from "./pages/organization/deleted.ts"
import { invitationPages } from "./pages/organization/invitation.ts"
import { organizationLabelPages } from "./pages/organization/labels.ts"
import { organizationPages } from "./pages/organization/members.ts"
import { organizationNewcomerPages } from "./pages/organization/newcomers.ts"
import { ownOrganizationPages } from "./pages/organization/settings.ts"
import { teamPages } from "./pages/organization/teams.ts"
import { appearancePages } from "./pages/parts/diffs/appearance.ts"
import { deedPages } from "./pages/parts/settings/deeds.ts"
import { runnerPages } from "./pages/parts/settings/runners.ts"
import { actionSettingPages } from "./pages/parts/settings/secrets.ts"
import { webhookPages } from "./pages/parts/settings/webhooks.ts"
import { feedPages } from "./pages/profile/feeds.ts"
import { packagePages } from "./pages/profile/packages/page.ts"
import { profilePages } from "./pages/profile/page.ts"
import { createPages } from "./pages/repo/create.ts"
import { importPages } from "./pages/repo/import.ts"
import { importListPages } from "./pages/repo/imports.ts"
import { migrationPages } from "./pages/repo/migrate.ts"
import { actionPages } from "./pages/repository/actions/page.ts"
import { activityPages } from "./pages/repository/activity/charts.ts"
import { activitySummaryPages } from "./pages/repository/activity/page.ts"
import { attachmentPages } from "./pages/repository/attachments.ts"
import { blamePages } from "./pages/repository/code/blame.ts"
import { branchPages } from "./pages/repository/code/branches/page.ts"
import { browsePages } from "./pages/repository/code/browse/page.ts"
import { diffPages } from "./pages/repository/code/commit/page.ts"
import { commitsPages } from "./pages/repository/code/commits.ts"
import { editorPages } from "./pages/repository/code/edit.ts"
import { findPages } from "./pages/repository/code/find.ts"
import { historyPages } from "./pages/repository/code/graph/page.ts"
import { pickPages } from "./pages/repository/code/picks.ts"
import { refPages } from "./pages/repository/code/refs.ts"
import { tagPages } from "./pages/repository/code/tags/page.ts"
import { uploadPages } from "./pages/repository/code/upload.ts"
import { comparePages } from "./pages/repository/compare/page.ts"
import { composerPages } from "./pages/repository/composer.ts"
import { deletedPages } from "./pages/repository/deleted.ts"
import { elsewherePages } from "./pages/repository/elsewhere.ts"
import { forkPages } from "./pages/repository/fork.ts"
import { forksPages } from "./pages/repository/forks.ts"
import { heldPages } from "./pages/repository/held.ts"
import { bulkPages } from "./pages/repository/issues/bulk.ts"
import { textHistoryPages } from "./pages/repository/issues/history.ts"
import { newIssuePages } from "./pages/repository/issues/new.ts"
import { issuePages } from "./pages/repository/issues/page.ts"
import { labelEditPages } from "./pages/repository/labels/edit.ts"
import { labelPages } from "./pages/repository/labels/page.ts"
import { milestoneEditPages } from "./pages/repository/milestones/edit.ts"
import { milestonePages } from "./pages/repository/milestones/page.ts"
import { anythingElse, withinRepository } from "./pages/repository/missing.ts"
import { projectPages } from "./pages/repository/projects/page.ts"
import { conflictPages } from "./pages/repository/pulls/conflicts.ts"
import { pullPages } from "./pages/repository/pulls/page.ts"
import { queuePages } from "./pages/repository/queue/page.ts"
import { releaseEditPages } from "./pages/repository/releases/edit.ts"
import { releasePages } from "./pages/repository/releases/page.ts"
import { repositorySearchPages } from "./pages/repository/search.ts"
import { branchRulePages } from "./pages/repository/settings/branches.ts"
import { collaboratorPages } from "./pages/repository/settings/collaboration.ts"
import { generalPages } from "./pages/repository/settings/general.ts"
import { deployKeyPages } from "./pages/repository/settings/keys.ts"
import { mirrorPages } from "./pages/repository/settings/mirrors.ts"
import { newcomerPages } from "./pages/repository/settings/newcomers.ts"
import { tagRulePages } from "./pages/repository/settings/tags.ts"
import { starPages } from "./pages/repository/stars.ts"
import { transferPages } from "./pages/repository/transfer.ts"
import { watchPages } from "./pages/repository/watchers.ts"
import { wikiEditPages } from "./pages/repository/wiki/edit.ts"
import { wikiPages } from "./pages/repository/wiki/page.ts"
import { searchPages } from "./pages/search/page.ts"
import { sitePages } from "./pages/site/page.ts"
import { rememberedPages } from "./pages/site/remembered.ts"
import { activatePages } from "./pages/user/activate.ts"
import { changePasswordPages } from "./pages/user/change-password.ts"
import { confirmPages } from "./pages/user/confirm.ts"
import { forgotPasswordPages } from "./pages/user/forgot-password.ts"
import { ownHeldPages } from "./pages/user/held.ts"
import { linkAccountPages } from "./pages/user/link-account.ts"
import { loginPages } from "./pages/user/login.ts"
import { providerPages } from "./pages/user/oauth2.ts"
import { recoverAccountPages } from "./pages/user/recover-account.ts"
import { secondFactorPages } from "./pages/user/second-factor.ts"
import { accountPages } from "./pages/user/settings/account.ts"
import { oauth2Pages } from "./pages/user/settings/applications.ts"
import { blockPages } from "./pages/user/settings/blocked.ts"
import { ownDeletedPages } from "./pages/user/settings/deleted.ts"
import { keyPages } from "./pages/user/settings/keys.ts"
import { notificationSettingsPages } from "./pages/user/settings/notifications.ts"
import { membershipPages } from "./pages/user/settings/organizations.ts"
import { profileSettingsPages } from "./pages/user/settings/profile.ts"
import { replyPages } from "./pages/user/settings/replies.ts"
import { ownRepositoryPages } from "./pages/user/settings/repositories.ts"
import { securityPages } from "./pages/user/settings/security.ts"
import { tokenPages } from "./pages/user/settings/tokens.ts"
import { signUpPages } from "./pages/user/sign-up.ts"
import { unsubscribePages } from "./pages/user/unsubscribe.ts"

const declared = pageRegistry(
  accountPages,
  actionPages,
  actionSettingPages,
  activatePages,
  activityPages,
  activitySummaryPages,
  administrationPages,
  announcementPages,
  administrationDeletedPages,
  appearancePages,
  attachmentPages,
  authorizePages,
  devicePages,
  blamePages,
  findPages,
  refPages,
  blockPages,
  branchPages,
  browsePages,
  bulkPages,
  changePasswordPages,
  codeSearchPages,
  commitsPages,
  comparePages,
  composerPages,
  confirmPages,
  conflictPages,
  createPages,
  dashboardPages,
  diffPages,
  editorPages,
  deletedPages,
  elsewherePages,
  uploadPages,
  explorePages,
  feedPages,
  forgotPasswordPages,
  forkPages,
  forksPages,
  historyPages,
  invitationPages,
  issuePages,
  keyPages,
  labelEditPages,
  labelPages,
  linkAccountPages,
  loginPages,
  secondFactorPages,
  membershipPages,
  migrationPages,
  importPages,
  importListPages,
  importedPeoplePages,
  milestoneEditPages,
  milestonePages,
  myPages,
  newIssuePages,
  notificationPages,
  notificationSettingsPages,
  oauth2Pages,
  organizationLabelPages,
  organizationDeletedPages,
  organizationAuditPages,
  organizationPages,
  ownOrganizationPages,
  ownRepositoryPages,
  ownDeletedPages,
  packagePages,
  peoplePages,
  pickPages,
  profilePages,
  profileSettingsPages,
  projectPages,
  providerPages,
  pullPages,
  queuePages,
  recoverAccountPages,
  releaseEditPages,
  releasePages,
  rememberedPages,
  replyPages,
  repositorySearchPages,
  runnerPages,
  searchPages,
  securityPages,
  generalPages,
  transferPages,
  collaboratorPages,
  branchRulePages,
  tagRulePages,
  deployKeyPages,
  mirrorPages,
  signUpPages,
  sitePages,
  starPages,
  tagPages,
  teamPages,
  organizationNewcomerPages,
  heldPages,
  newcomerPages,
  ownHeldPages,
  textHistoryPages,
  tokenPages,
  unsubscribePages,
  watchPages,
  webhookPages,
  deedPages,
  wikiEditPages,
  wikiPages,
)

/** All pages, by feature. */
export const pages = declared.map(withinRepository)

/** Answers for addresses that none of them has. */
export const otherwise = [anythingElse]
