import type { Listener } from "./core/events/events.ts"
import { runners } from "./features/actions/tasks/listener.ts"
import { workflows } from "./features/actions/triggers/listener.ts"
import { repositoryCleanup } from "./features/code/lifecycle/cleanup.ts"
import { watching } from "./features/code/watches/automatic.ts"
import { feed } from "./features/events/feed/listener.ts"
import { accountMails } from "./features/events/mail/accounts.ts"
import { runMails } from "./features/events/mail/failed-runs.ts"
import { notifications } from "./features/events/notifications/listener.ts"
import { timeline } from "./features/events/timeline/listener.ts"
import { webhooks } from "./features/events/webhooks/listener.ts"
import { packageLinks } from "./features/packages/packages/links.ts"
import { following } from "./features/people/follows/listener.ts"
import { attachedFiles } from "./features/planning/attachments/listener.ts"
import { edits } from "./features/planning/edits/listener.ts"
import { issueCleanup } from "./features/planning/issues/cleanup.ts"
import { planning } from "./features/planning/issues/listener.ts"
import { tracking } from "./features/planning/tracking/listener.ts"
import { merging } from "./features/review/merging/listener.ts"
import { pulls } from "./features/review/pulls/listener.ts"
import { queues } from "./features/review/queue/listener.ts"
import { reviewCleanup } from "./features/review/reviews/cleanup.ts"
import { stacks } from "./features/review/stacks/listener.ts"
import { audit } from "./features/site/audit/listener.ts"
import { undo } from "./features/site/undo/listener.ts"

/**
 * All listeners to domain events, in their order: first those that update the data itself, then those that notify people and programs. The
 * timeline comes before listeners that refer to its entries.
 */
export const listeners: readonly Listener[] = [
  undo,
  following,
  repositoryCleanup,
  packageLinks,
  watching,
  planning,
  edits,
  tracking,
  attachedFiles,
  issueCleanup,
  reviewCleanup,
  pulls,
  stacks,
  merging,
  queues,
  timeline,
  feed,
  notifications,
  accountMails,
  runMails,
  webhooks,
  audit,
  workflows,
  runners,
]
