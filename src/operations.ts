import { type Operation, registry } from "./core/operation.ts"
import { actionOperations } from "./features/actions/operations.ts"
import { activityOperations } from "./features/activity/operations.ts"
import { administrationOperations } from "./features/administration/operations.ts"
import { archiveOperations } from "./features/archives/operations.ts"
import { attachmentOperations } from "./features/attachments/operations.ts"
import { authenticationOperations } from "./features/authentication/operations.ts"
import { blockOperations } from "./features/blocks/operations.ts"
import { branchOperations } from "./features/branches/operations.ts"
import { collaboratorOperations } from "./features/collaborators/operations.ts"
import { commentOperations } from "./features/comments/operations.ts"
import { commitOperations } from "./features/commits/operations.ts"
import { licenseOperations } from "./features/composition/operations.ts"
import { contentsOperations } from "./features/contents/operations.ts"
import { dependencyOperations } from "./features/dependencies/operations.ts"
import { editorConfigOperations } from "./features/editorconfig/operations.ts"
import { issueSubscriptionOperations } from "./features/issue-subscriptions/operations.ts"
import { issueTemplateOperations } from "./features/issue-templates/operations.ts"
import { assigneeOperations } from "./features/issues/assignee-operations.ts"
import { issueListOperations } from "./features/issues/list-operations.ts"
import { issueOperations } from "./features/issues/operations.ts"
import { keyOperations } from "./features/keys/operations.ts"
import { labelOperations } from "./features/labels/operations.ts"
import { milestoneOperations } from "./features/milestones/operations.ts"
import { mirrorOperations } from "./features/mirrors/operations.ts"
import { notificationOperations } from "./features/notifications/operations.ts"
import { organizationBlockOperations } from "./features/organizations/block-operations.ts"
import { organizationMemberOperations } from "./features/organizations/member-operations.ts"
import { organizationOperations } from "./features/organizations/operations.ts"
import { projectCardOperations } from "./features/projects/card-operations.ts"
import { projectColumnOperations } from "./features/projects/column-operations.ts"
import { projectOperations } from "./features/projects/project-operations.ts"
import { protectionOperations } from "./features/protections/operations.ts"
import { pullContentOperations } from "./features/pulls/content-operations.ts"
import { mergeOperations } from "./features/pulls/merge/operations.ts"
import { pullOperations } from "./features/pulls/operations.ts"
import { reactionOperations } from "./features/reactions/operations.ts"
import { releaseOperations } from "./features/releases/operations.ts"
import { repositoryOperations } from "./features/repositories/operations.ts"
import { reviewCommentOperations } from "./features/reviews/comment-operations.ts"
import { reviewOperations } from "./features/reviews/operations.ts"
import { reviewRequestOperations } from "./features/reviews/request-operations.ts"
import { signingKeyOperations } from "./features/signing-keys/operations.ts"
import { siteOperations } from "./features/site/operations.ts"
import { starOperations } from "./features/stars/operations.ts"
import { statusOperations } from "./features/statuses/operations.ts"
import { tagOperations } from "./features/tags/operations.ts"
import { teamMemberOperations } from "./features/teams/member-operations.ts"
import { teamOperations } from "./features/teams/operations.ts"
import { repositoryTeamOperations, teamRepositoryOperations } from "./features/teams/repository-operations.ts"
import { topicOperations } from "./features/topics/operations.ts"
import { trackingOperations } from "./features/tracking/operations.ts"
import { userOperations } from "./features/users/operations.ts"
import { watchOperations } from "./features/watches/operations.ts"
import { webhookOperations } from "./features/webhooks/operations.ts"

/** Every operation that the service can do. */
export const operations: readonly Operation[] = registry(
  authenticationOperations,
  userOperations,
  keyOperations,
  blockOperations,
  organizationOperations,
  organizationMemberOperations,
  organizationBlockOperations,
  teamOperations,
  teamMemberOperations,
  teamRepositoryOperations,
  repositoryTeamOperations,
  mirrorOperations,
  repositoryOperations,
  contentsOperations,
  commitOperations,
  branchOperations,
  protectionOperations,
  statusOperations,
  tagOperations,
  releaseOperations,
  archiveOperations,
  licenseOperations,
  editorConfigOperations,
  issueTemplateOperations,
  signingKeyOperations,
  collaboratorOperations,
  topicOperations,
  starOperations,
  watchOperations,
  labelOperations,
  milestoneOperations,
  pullOperations,
  pullContentOperations,
  reviewOperations,
  reviewRequestOperations,
  reviewCommentOperations,
  mergeOperations,
  dependencyOperations,
  notificationOperations,
  activityOperations,
  trackingOperations,
  issueSubscriptionOperations,
  issueListOperations,
  issueOperations,
  assigneeOperations,
  commentOperations,
  reactionOperations,
  attachmentOperations,
  projectOperations,
  projectColumnOperations,
  projectCardOperations,
  webhookOperations,
  actionOperations,
  administrationOperations,
  siteOperations,
)
