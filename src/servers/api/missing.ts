import type { Config } from "../../core/config.ts"

/*
 * Whether a 404 has a body. The specification of the API says of its 41 operations that it has none. Servers with this API send one everywhere else, which
 * their clients read.
 */

export type NotFoundBody = Config["api"]["notFoundBody"]

/** The operations of the specification. */
export const SPECIFIED: ReadonlySet<string> = new Set([
  "adminCreateHook",
  "adminCreatePublicKey",
  "adminCreateRunnerRegistrationToken",
  "adminCronList",
  "adminCronRun",
  "adminGetAllEmails",
  "adminListHooks",
  "adminSearchEmails",
  "createOrgRepoDeprecated",
  "deleteAdminRunner",
  "getAdminRunner",
  "getAdminRunners",
  "issueAddTime",
  "issueCreateIssue",
  "issueCreateIssueDependencies",
  "issueRemoveIssueDependencies",
  "issueSubscriptions",
  "issueTrackedTimes",
  "listAdminWorkflowJobs",
  "listAdminWorkflowRuns",
  "notifyGetRepoList",
  "orgEditProjectColumn",
  "orgGetProject",
  "orgListActivityFeeds",
  "orgListProjectColumnIssues",
  "orgListTeamMember",
  "repoCreatePullReview",
  "repoCreatePullReviewCommentReply",
  "repoCreatePullReviewRequests",
  "repoEdit",
  "repoListProjectColumnIssues",
  "repoListPullRequests",
  "repoSubmitPullReview",
  "updateAdminRunner",
  "userCurrentCreateProject",
  "userCurrentEditProject",
  "userCurrentGetGPGKey",
  "userCurrentGetProjectColumn",
  "userCurrentListSubscriptions",
  "userListFollowers",
  "userListSubscriptions",
])

/** Whether a 404 of this operation has no body; `operation` is undefined for what is no operation of the API. */
export const isMissingEmpty = (setting: NotFoundBody, operation: string | undefined): boolean =>
  setting === "none" || (setting === "specified" && operation !== undefined && SPECIFIED.has(operation))
