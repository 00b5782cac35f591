import { startWorkflows } from "./features/actions/triggers/on-push.ts"
import { describeHistory } from "./features/code/history/jobs.ts"
import { describeLanguages } from "./features/code/languages/on-push.ts"
import { maintainAfterPush } from "./features/code/lifecycle/maintenance.ts"
import { pushToMirrors } from "./features/code/mirrors/on-push.ts"
import { publishReferences } from "./features/code/pushes/publish-references.ts"
import { pushSteps, together } from "./features/code/pushes/step.ts"
import { publishTaggedRelease } from "./features/code/releases/on-push.ts"
import { indexAfterPush } from "./features/code/search/index-repository.ts"
import { keepTags } from "./features/code/tags/on-push.ts"
import { watchAfterPush } from "./features/code/watches/automatic.ts"
import { notifyWebhooks } from "./features/events/webhooks/on-push.ts"
import { applyCommitReferences } from "./features/planning/references/on-push.ts"
import { completeMerge, retryMerges } from "./features/review/merging/on-push.ts"
import { movePulls } from "./features/review/pulls/on-push.ts"
import { tellPusher } from "./features/review/pulls/tell-pusher.ts"
import { completeLanding } from "./features/review/queue/on-push.ts"

/** All post-receive steps, in their order; they write in the one transaction of the push. */
export const stepsAfterPush = pushSteps.with(
  publishReferences,
  applyCommitReferences,
  watchAfterPush,
  keepTags,
  publishTaggedRelease,
  notifyWebhooks,
  together(describeLanguages, describeHistory, indexAfterPush, maintainAfterPush, startWorkflows, pushToMirrors),
  completeMerge,
  completeLanding,
  movePulls,
  retryMerges,
  tellPusher,
)
