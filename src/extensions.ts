import type { Filling } from "./core/extensions.ts"
import { onFirstUse } from "./core/memoize.ts"
import { deedKeepers, operationIds } from "./core/task-token.ts"
import { tokensOfJobs } from "./features/actions/tasks/bearer.ts"
import { commitsOfDeletions } from "./features/code/deletions/commits.ts"
import { repositoriesGone } from "./features/code/lifecycle/delete.ts"
import { commitsOfReleases, commitsToKeep } from "./features/code/lifecycle/maintenance.ts"
import { branchRule, tagRule } from "./features/code/protections/checks.ts"
import { referenceRules } from "./features/code/pushes/checks.ts"
import { offerTakers } from "./features/code/pushes/offers.ts"
import { readThreadOf } from "./features/events/notifications/marking.ts"
import { packagesGone } from "./features/packages/packages/change.ts"
import { deletionRules } from "./features/people/organizations/rules.ts"
import { dependencyRule } from "./features/planning/dependencies/rules.ts"
import { stateRules } from "./features/planning/issues/state.ts"
import { scheduledMergers } from "./features/review/merging/jobs.ts"
import { mergeAttempts } from "./features/review/merging/operations.ts"
import { commitsOfPulls } from "./features/review/pulls/kept-commits.ts"
import { pullOffers } from "./features/review/pulls/offers/offers.ts"
import { seriesTakers } from "./features/review/pulls/offers/series.ts"
import { pullStateRule } from "./features/review/pulls/state.ts"
import { lineUpScheduled } from "./features/review/queue/on-schedule.ts"
import { commitsOfVersions, stackedSeries } from "./features/review/stacks/extensions.ts"
import { operationCalls } from "./features/site/batch/calls.ts"
import { explainers } from "./features/site/explain/explainer.ts"
import { operations } from "./operations.ts"
import { stepsAfterPush } from "./push-steps.ts"

/** Explains requests from all that is declared; loaded when somebody asks. */
const explainer = onFirstUse(async () => {
  const [{ openExplain }, { pages }, { files }] = await Promise.all([
    import("./servers/explain/explain.ts"),
    import("./pages.ts"),
    import("./files.ts"),
  ])
  return openExplain({ operations, pages, files })
})

/** What higher features register for lower ones, by extension point. */
export const extensions: readonly Filling[] = [
  stepsAfterPush,
  referenceRules.with(branchRule, tagRule),
  offerTakers.with(pullOffers),
  seriesTakers.with(stackedSeries),
  commitsToKeep.with(commitsOfReleases, commitsOfPulls, commitsOfVersions, commitsOfDeletions),
  stateRules.with(dependencyRule, pullStateRule),
  deletionRules.with(repositoriesGone, packagesGone),
  mergeAttempts.with(readThreadOf),
  scheduledMergers.with(lineUpScheduled),
  tokensOfJobs,
  operationCalls.with(async () => {
    const { answerThrown, answerTo, callOperation, operationAt } = await import("./servers/api/call.ts")
    return {
      at: (method, address) => operationAt(operations, method, address),
      call: callOperation,
      answerOf: answerTo,
      answerThrown,
    }
  }),
  // Loaded with the first change that such a token makes.
  deedKeepers.with({ keep: async (...deed) => (await import("./features/people/sign-in/credentials/deeds.ts")).keepDeed(...deed) }),
  operationIds.with(() => operations.map(({ id }) => id)),
  explainers.with(async (asked, question) => (await explainer())(asked, question)),
]
