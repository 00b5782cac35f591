import type { Examples } from "./example.ts"
import { labelExamples } from "./labels.ts"
import { milestoneExamples } from "./milestones.ts"
import { organizationExamples } from "./organizations.ts"
import { peopleExamples } from "./people.ts"
import { repositoryExamples } from "./repositories.ts"
import { siteExamples } from "./site.ts"

export { addressOf, type Example, type MakeExample } from "./example.ts"

/** A valid call of every operation: what the tests of all operations at once are made from. */
export const examples: Examples = {
  ...siteExamples,
  ...peopleExamples,
  ...organizationExamples,
  ...repositoryExamples,
  ...labelExamples,
  ...milestoneExamples,
}
