import { type Operation, registry } from "./core/operation.ts"
import { activityOperations } from "./features/activity/operations.ts"
import { attachmentOperations } from "./features/attachments/operations.ts"
import { authenticationOperations } from "./features/authentication/operations.ts"
import { blockOperations } from "./features/blocks/operations.ts"
import { collaboratorOperations } from "./features/collaborators/operations.ts"
import { commentOperations } from "./features/comments/operations.ts"
import { contentsOperations } from "./features/contents/operations.ts"
import { dependencyOperations } from "./features/dependencies/operations.ts"
import { issueSubscriptionOperations } from "./features/issue-subscriptions/operations.ts"
import { assigneeOperations } from "./features/issues/assignee-operations.ts"
import { issueListOperations } from "./features/issues/list-operations.ts"
import { issueOperations } from "./features/issues/operations.ts"
import { labelOperations } from "./features/labels/operations.ts"
import { milestoneOperations } from "./features/milestones/operations.ts"
import { notificationOperations } from "./features/notifications/operations.ts"
import { organizationBlockOperations } from "./features/organizations/block-operations.ts"
import { organizationMemberOperations } from "./features/organizations/member-operations.ts"
import { organizationOperations } from "./features/organizations/operations.ts"
import { reactionOperations } from "./features/reactions/operations.ts"
import { repositoryOperations } from "./features/repositories/operations.ts"
import { siteOperations } from "./features/site/operations.ts"
import { starOperations } from "./features/stars/operations.ts"
import { teamMemberOperations } from "./features/teams/member-operations.ts"
import { teamOperations } from "./features/teams/operations.ts"
import { repositoryTeamOperations, teamRepositoryOperations } from "./features/teams/repository-operations.ts"
import { topicOperations } from "./features/topics/operations.ts"
import { trackingOperations } from "./features/tracking/operations.ts"
import { userOperations } from "./features/users/operations.ts"
import { watchOperations } from "./features/watches/operations.ts"

/** Every operation that the service can do. */
export const operations: readonly Operation[] = registry(
  authenticationOperations,
  userOperations,
  blockOperations,
  organizationOperations,
  organizationMemberOperations,
  organizationBlockOperations,
  teamOperations,
  teamMemberOperations,
  teamRepositoryOperations,
  repositoryTeamOperations,
  repositoryOperations,
  contentsOperations,
  collaboratorOperations,
  topicOperations,
  starOperations,
  watchOperations,
  labelOperations,
  milestoneOperations,
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
  siteOperations,
)
