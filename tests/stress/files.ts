/**
 * The test files that `npm run test:stress` runs: all with concurrent work, with killed processes or broken connections, or that depend on effects
 * after a commit. Files that measure (statements, milliseconds) are excluded, because pauses change the result.
 */

/** The tests of these are independent, and are run in any order. */
export const inAnyOrder: readonly string[] = [
  "src/core/database/database.test.ts",
  "src/core/database/migrate.test.ts",
  "src/core/jobs/jobs.test.ts",
  "src/core/jobs/schedule.test.ts",
  "src/core/secrets.test.ts",
  "src/features/code/archives/archives.test.ts",
  "src/features/planning/dependencies/dependencies.test.ts",
  "src/features/planning/issues/issues.test.ts",
  "src/features/people/organizations/members.test.ts",
  "src/git/objects.test.ts",
  "src/git/receive.test.ts",
  "src/git/references.test.ts",
  "src/git/repository.test.ts",
  "src/servers/lfs/locks.test.ts",
]

/** The tests of these build on each other. */
const inOrder: readonly string[] = [
  "src/features/actions/artifacts/artifacts.test.ts",
  "src/features/actions/artifacts/logs.test.ts",
  "src/features/actions/runs/publish.test.ts",
  "src/features/actions/triggers/on-pull.test.ts",
  "src/features/actions/runners/runners.test.ts",
  "src/features/actions/runs/runs.test.ts",
  "src/features/planning/attachments/attachments.test.ts",
  "src/features/code/branches/branches.test.ts",
  "src/features/code/contents/contents.test.ts",
  "src/features/code/deploy-keys/deploy-keys.test.ts",
  "src/features/people/keys/public-keys.test.ts",
  "src/features/planning/labels/labels.test.ts",
  "src/features/events/mail/mail.test.ts",
  "src/features/code/mirrors/crash.test.ts",
  "src/features/site/migration/import.test.ts",
  "src/features/code/mirrors/lfs.test.ts",
  "src/features/events/notifications/receivers.test.ts",
  "src/features/events/notifications/threads.test.ts",
  "src/features/planning/issues/projects.test.ts",
  "src/features/planning/boards/order.test.ts",
  "src/features/review/merging/crash.test.ts",
  "src/features/review/merging/rules.test.ts",
  "src/features/review/pulls/pulls.test.ts",
  "src/features/review/pulls/push.test.ts",
  "src/features/code/statuses/statuses.test.ts",
  "src/features/planning/tracking/stopwatches.test.ts",
  "src/features/planning/tracking/times.test.ts",
  "src/features/people/users/administration.test.ts",
  "src/features/people/follows/follows.test.ts",
  "src/features/events/webhooks/delivery.test.ts",
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
