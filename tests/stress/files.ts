/**
 * The test files that `npm run test:stress` plays: all that do several things at once, end a process or break a connection in the middle of one, or
 * depend on what is done after a commit. A file is left out where it tells what a moment costs (statements, milliseconds), for pauses change that.
 */

/** The tests of these stand for themselves, and are played in any order. */
export const inAnyOrder: readonly string[] = [
  "src/core/database/database.test.ts",
  "src/core/database/migrate.test.ts",
  "src/core/jobs/jobs.test.ts",
  "src/core/jobs/schedule.test.ts",
  "src/core/secrets.test.ts",
  "src/features/archives/archives.test.ts",
  "src/features/dependencies/dependencies.test.ts",
  "src/features/issues/issues.test.ts",
  "src/features/organizations/members.test.ts",
  "src/git/objects.test.ts",
  "src/git/receive.test.ts",
  "src/git/references.test.ts",
  "src/git/repository.test.ts",
  "src/servers/lfs/locks.test.ts",
]

/** The tests of these go on from each other. */
const inOrder: readonly string[] = [
  "src/features/actions/artifacts.test.ts",
  "src/features/actions/logs.test.ts",
  "src/features/actions/news.test.ts",
  "src/features/actions/on-pull.test.ts",
  "src/features/actions/runners.test.ts",
  "src/features/actions/runs.test.ts",
  "src/features/attachments/attachments.test.ts",
  "src/features/branches/branches.test.ts",
  "src/features/contents/contents.test.ts",
  "src/features/keys/deploy-keys.test.ts",
  "src/features/keys/public-keys.test.ts",
  "src/features/labels/labels.test.ts",
  "src/features/mail/mail.test.ts",
  "src/features/mirrors/crash.test.ts",
  "src/features/mirrors/import.test.ts",
  "src/features/mirrors/lfs.test.ts",
  "src/features/notifications/receivers.test.ts",
  "src/features/notifications/threads.test.ts",
  "src/features/projects/issue-projects.test.ts",
  "src/features/projects/order.test.ts",
  "src/features/pulls/merge/crash.test.ts",
  "src/features/pulls/merge/rules.test.ts",
  "src/features/pulls/pulls.test.ts",
  "src/features/pulls/push.test.ts",
  "src/features/statuses/statuses.test.ts",
  "src/features/tracking/stopwatches.test.ts",
  "src/features/tracking/times.test.ts",
  "src/features/users/administration.test.ts",
  "src/features/users/following.test.ts",
  "src/features/webhooks/delivery.test.ts",
  "src/servers/git-http/access.test.ts",
  "src/servers/git-http/concurrency.test.ts",
  "src/servers/git-http/crash.test.ts",
  "src/servers/git-http/creation.test.ts",
  "src/servers/lfs/transfers.test.ts",
  "src/servers/web/accounts.test.ts",
  "tests/faults/concurrency.test.ts",
  "tests/faults/kill.test.ts",
  "tests/faults/once.test.ts",
  "tests/faults/webhooks.test.ts",
]

export const stressed: readonly string[] = [...inAnyOrder, ...inOrder]
