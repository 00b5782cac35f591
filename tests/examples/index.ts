import { attentionExamples } from "./attention.ts"
import { commentExamples } from "./comments.ts"
import { contentsExamples } from "./contents.ts"
import { dependencyExamples } from "./dependencies.ts"
import type { Examples } from "./example.ts"
import { issueExamples } from "./issues.ts"
import { labelExamples } from "./labels.ts"
import { milestoneExamples } from "./milestones.ts"
import { organizationExamples } from "./organizations.ts"
import { peopleExamples } from "./people.ts"
import { repositoryExamples } from "./repositories.ts"
import { siteExamples } from "./site.ts"
import { trackingExamples } from "./tracking.ts"

export { addressOf, type Example, type MakeExample } from "./example.ts"

/** A valid call of every operation: what the tests of all operations at once are made from. */
export const examples: Examples = {
  ...siteExamples,
  ...peopleExamples,
  ...organizationExamples,
  ...repositoryExamples,
  ...contentsExamples,
  ...issueExamples,
  ...labelExamples,
  ...milestoneExamples,
  ...dependencyExamples,
  ...commentExamples,
  ...trackingExamples,
  ...attentionExamples,
}
