import { actionExamples } from "./actions.ts"
import { attentionExamples } from "./attention.ts"
import { branchExamples } from "./branches.ts"
import { commentExamples } from "./comments.ts"
import { commitExamples } from "./commits.ts"
import { contentsExamples } from "./contents.ts"
import { dependencyExamples } from "./dependencies.ts"
import type { Examples } from "./example.ts"
import { issueExamples } from "./issues.ts"
import { keyExamples } from "./keys.ts"
import { labelExamples } from "./labels.ts"
import { mergeExamples } from "./merges.ts"
import { milestoneExamples } from "./milestones.ts"
import { mirrorExamples } from "./mirrors.ts"
import { newcomerExamples } from "./newcomers.ts"
import { oauth2Examples } from "./oauth2.ts"
import { organizationExamples } from "./organizations.ts"
import { packageExamples } from "./packages.ts"
import { peopleExamples } from "./people.ts"
import { projectExamples } from "./projects.ts"
import { pullExamples } from "./pulls.ts"
import { releaseExamples } from "./releases.ts"
import { repositoryExamples } from "./repositories.ts"
import { reviewExamples } from "./reviews.ts"
import { siteExamples } from "./site.ts"
import { stackExamples } from "./stacks.ts"
import { trackingExamples } from "./tracking.ts"
import { undoExamples } from "./undo.ts"
import { webhookExamples } from "./webhooks.ts"
import { wikiExamples } from "./wiki.ts"

export { addressOf, type Example, type MakeExample } from "./example.ts"

/** A valid call of every operation: for tests that cover all operations. */
export const examples: Examples = {
  ...siteExamples,
  ...peopleExamples,
  ...keyExamples,
  ...newcomerExamples,
  ...oauth2Examples,
  ...organizationExamples,
  ...repositoryExamples,
  ...contentsExamples,
  ...wikiExamples,
  ...packageExamples,
  ...commitExamples,
  ...releaseExamples,
  ...branchExamples,
  ...issueExamples,
  ...labelExamples,
  ...milestoneExamples,
  ...pullExamples,
  ...mergeExamples,
  ...stackExamples,
  ...dependencyExamples,
  ...commentExamples,
  ...projectExamples,
  ...trackingExamples,
  ...attentionExamples,
  ...reviewExamples,
  ...undoExamples,
  ...webhookExamples,
  ...mirrorExamples,
  ...actionExamples,
}
