import type { Filling } from "./core/extensions.ts"
import { onFirstUse } from "./core/memoize.ts"
import { tokensOfJobs } from "./features/actions/tasks/bearer.ts"
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
import { mergeAttempts } from "./features/review/merging/operations.ts"
import { commitsOfPulls } from "./features/review/pulls/kept-commits.ts"
import { pullOffers } from "./features/review/pulls/offers/offers.ts"
import { pullStateRule } from "./features/review/pulls/state.ts"
import { explainers } from "./features/site/explain/explainer.ts"
import { stepsAfterPush } from "./push-steps.ts"

/** Explains requests from all that is declared; loaded when somebody asks. */
const explainer = onFirstUse(async () => {
  const { openExplain } = await import("./servers/explain/explain.ts")
  return openExplain(async () => {
    const [{ operations }, { pages }, { files }] = await Promise.all([
      import("./operations.ts"),
      import("./pages.ts"),
      import("./files.ts"),
    ])
    return { operations, pages, files }
  })
})

/** What higher features register for lower ones, by extension point. */
export const extensions: readonly Filling[] = [
  stepsAfterPush,
  referenceRules.with(branchRule, tagRule),
  offerTakers.with(pullOffers),
  commitsToKeep.with(commitsOfReleases, commitsOfPulls),
  stateRules.with(dependencyRule, pullStateRule),
  deletionRules.with(repositoriesGone, packagesGone),
  mergeAttempts.with(readThreadOf),
  tokensOfJobs,
  explainers.with(async (asked, question) => (await explainer())(asked, question)),
]
