import { sketch } from "../../../core/forms/form.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { queueOperations } from "../../../features/review/queue/operations.ts"

/** What is done about a pull request in the merge queue of its base. */

const QUEUE = "POST /{owner}/{repo}/pulls/{index}/queue"

export const lineUp = sketch({
  id: "pull.lineUp",
  address: QUEUE,
  does: named(queueOperations, "repoQueuePullRequest"),
  takes: ["head_commit_id", "delete_branch_after_merge"],
  done: t("Lined up in the merge queue."),
})

export const withdraw = sketch({
  id: "pull.withdraw",
  address: `${QUEUE}/remove`,
  does: named(queueOperations, "repoUnqueuePullRequest"),
  done: t("Taken out of the merge queue."),
})

export const prioritise = sketch({
  id: "pull.prioritise",
  address: `${QUEUE}/priority`,
  does: named(queueOperations, "repoEditQueuedPullRequest"),
  takes: ["priority"],
  done: t("Priority changed."),
})

export const queueForms = [lineUp, withdraw, prioritise] as const
