import { type Operation, registry } from "./core/operation.ts"
import { artifactOperations } from "./features/actions/artifacts/operations.ts"
import { runnerOperations } from "./features/actions/runners/operations.ts"
import { jobOperations } from "./features/actions/runs/job-operations.ts"
import { runOperations } from "./features/actions/runs/operations.ts"
import { rerunOperations } from "./features/actions/runs/rerun-operations.ts"
import { settingOperations } from "./features/actions/settings/operations.ts"
import { workflowOperations } from "./features/actions/workflows/operations.ts"
import { archiveOperations } from "./features/code/archives/operations.ts"
import { branchOperations } from "./features/code/branches/operations.ts"
import { collaboratorOperations } from "./features/code/collaborators/operations.ts"
import { repositoryTeamOperations, teamRepositoryOperations } from "./features/code/collaborators/team-operations.ts"
import { commitOperations } from "./features/code/commits/operations.ts"
import { contentsReadOperations } from "./features/code/contents/read-operations.ts"
import { contentsWriteOperations } from "./features/code/contents/write-operations.ts"
import { deployKeyOperations } from "./features/code/deploy-keys/operations.ts"
import { editorConfigOperations } from "./features/code/editorconfig/operations.ts"
import { languageOperations } from "./features/code/languages/operations.ts"
import { lifecycleOperations } from "./features/code/lifecycle/operations.ts"
import { mirrorOperations } from "./features/code/mirrors/operations.ts"
import { protectionOperations } from "./features/code/protections/operations.ts"
import { releaseOperations } from "./features/code/releases/operations.ts"
import { repositoryOperations } from "./features/code/repositories/operations.ts"
import { signingKeyOperations } from "./features/code/signatures/operations.ts"
import { starOperations } from "./features/code/stars/operations.ts"
import { statusOperations } from "./features/code/statuses/operations.ts"
import { tagOperations } from "./features/code/tags/operations.ts"
import { topicOperations } from "./features/code/topics/operations.ts"
import { watchOperations } from "./features/code/watches/operations.ts"
import { wikiOperations } from "./features/code/wiki/operations.ts"
import { activityOperations } from "./features/events/feed/operations.ts"
import { notificationOperations } from "./features/events/notifications/operations.ts"
import { notificationSettingOperations } from "./features/events/notifications/settings-operations.ts"
import { eventOperations } from "./features/events/stream/operations.ts"
import { webhookOperations } from "./features/events/webhooks/operations.ts"
import { packageOperations } from "./features/packages/packages/operations.ts"
import { blockOperations } from "./features/people/blocks/operations.ts"
import { followOperations } from "./features/people/follows/operations.ts"
import { keyOperations } from "./features/people/keys/operations.ts"
import { oauth2Operations } from "./features/people/oauth2/operations.ts"
import { organizationBlockOperations } from "./features/people/organizations/block-operations.ts"
import { organizationMemberOperations } from "./features/people/organizations/member-operations.ts"
import { organizationOperations } from "./features/people/organizations/operations.ts"
import { tokenAdministrationOperations } from "./features/people/sign-in/credentials/administration-operations.ts"
import { deedOperations } from "./features/people/sign-in/credentials/deeds-operations.ts"
import { authenticationOperations } from "./features/people/sign-in/credentials/operations.ts"
import { teamInvitationOperations } from "./features/people/teams/invitation-operations.ts"
import { teamMemberOperations } from "./features/people/teams/member-operations.ts"
import { teamOperations } from "./features/people/teams/operations.ts"
import { userOperations } from "./features/people/users/operations.ts"
import { attachmentOperations } from "./features/planning/attachments/operations.ts"
import { projectCardOperations } from "./features/planning/boards/operations.ts"
import { commentOperations } from "./features/planning/comments/operations.ts"
import { dependencyOperations } from "./features/planning/dependencies/operations.ts"
import { issueTemplateOperations } from "./features/planning/issue-templates/operations.ts"
import { assigneeOperations } from "./features/planning/issues/assignee-operations.ts"
import { issueLabelOperations } from "./features/planning/issues/label-operations.ts"
import { issueListOperations } from "./features/planning/issues/list-operations.ts"
import { issueOperations } from "./features/planning/issues/operations.ts"
import { labelOperations } from "./features/planning/labels/operations.ts"
import { markupOperations } from "./features/planning/markup/operations.ts"
import { milestoneOperations } from "./features/planning/milestones/operations.ts"
import { projectColumnOperations } from "./features/planning/projects/column-operations.ts"
import { projectOperations } from "./features/planning/projects/project-operations.ts"
import { reactionOperations } from "./features/planning/reactions/operations.ts"
import { issueSubscriptionOperations } from "./features/planning/subscriptions/operations.ts"
import { taskOperations } from "./features/planning/tasks/operations.ts"
import { trackingOperations } from "./features/planning/tracking/operations.ts"
import { mergeOperations } from "./features/review/merging/operations.ts"
import { newcomerOperations } from "./features/review/newcomers/operations.ts"
import { commitPullOperations } from "./features/review/pulls/commit-operations.ts"
import { pullContentOperations } from "./features/review/pulls/content-operations.ts"
import { pullOperations } from "./features/review/pulls/operations.ts"
import { queueOperations } from "./features/review/queue/operations.ts"
import { reviewCommentOperations } from "./features/review/reviews/comment-operations.ts"
import { reviewOperations } from "./features/review/reviews/operations.ts"
import { reviewRequestOperations } from "./features/review/reviews/request-operations.ts"
import { stackOperations } from "./features/review/stacks/operations.ts"
import { administrationOperations } from "./features/site/administration/operations.ts"
import { adoptionOperations } from "./features/site/adoption/operations.ts"
import { announcementOperations } from "./features/site/announcements/operations.ts"
import { auditOperations } from "./features/site/audit/operations.ts"
import { batchOperations } from "./features/site/batch/operations.ts"
import { explainOperations } from "./features/site/explain/operations.ts"
import { siteOperations } from "./features/site/information/operations.ts"
import { sentArchiveOperations } from "./features/site/migration/archives/operations.ts"
import { migrationOperations } from "./features/site/migration/operations.ts"
import { undoOperations } from "./features/site/undo/operations.ts"

/** Every operation that the service can do. */
export const operations: readonly Operation[] = registry(
  authenticationOperations,
  deedOperations,
  tokenAdministrationOperations,
  oauth2Operations,
  userOperations,
  followOperations,
  keyOperations,
  deployKeyOperations,
  blockOperations,
  organizationOperations,
  organizationMemberOperations,
  organizationBlockOperations,
  teamOperations,
  teamMemberOperations,
  teamInvitationOperations,
  teamRepositoryOperations,
  repositoryTeamOperations,
  mirrorOperations,
  sentArchiveOperations,
  migrationOperations,
  repositoryOperations,
  lifecycleOperations,
  contentsReadOperations,
  contentsWriteOperations,
  commitOperations,
  branchOperations,
  protectionOperations,
  statusOperations,
  tagOperations,
  releaseOperations,
  archiveOperations,
  languageOperations,
  editorConfigOperations,
  issueTemplateOperations,
  signingKeyOperations,
  collaboratorOperations,
  topicOperations,
  starOperations,
  watchOperations,
  labelOperations,
  issueLabelOperations,
  milestoneOperations,
  pullOperations,
  pullContentOperations,
  commitPullOperations,
  wikiOperations,
  reviewOperations,
  reviewRequestOperations,
  stackOperations,
  reviewCommentOperations,
  mergeOperations,
  queueOperations,
  dependencyOperations,
  packageOperations,
  notificationOperations,
  notificationSettingOperations,
  activityOperations,
  eventOperations,
  trackingOperations,
  issueSubscriptionOperations,
  issueListOperations,
  newcomerOperations,
  issueOperations,
  assigneeOperations,
  commentOperations,
  taskOperations,
  reactionOperations,
  attachmentOperations,
  projectOperations,
  projectColumnOperations,
  projectCardOperations,
  webhookOperations,
  runnerOperations,
  runOperations,
  rerunOperations,
  jobOperations,
  artifactOperations,
  workflowOperations,
  settingOperations,
  administrationOperations,
  announcementOperations,
  adoptionOperations,
  siteOperations,
  batchOperations,
  undoOperations,
  auditOperations,
  explainOperations,
  markupOperations,
)
