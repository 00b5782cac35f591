import { onPull, onPulls, onPullToChange } from "../../../access/policies/pulls.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { findProtection } from "../../code/protections/rules.ts"
import { EditMergeQueueEntryOption, EditMergeQueueOption, MergeQueue, MergeQueueEntry, QueuePullRequestOption } from "./records.ts"
import { findEntry } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"], since: "0.2.0" } as const

/** Merge queues: docs/merge-queue.md. */
export const queueOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoGetMergeQueue",
    route: "GET /repos/{owner}/{repo}/merge_queues/{branch}",
    summary: "Get the merge queue of a branch",
    description:
      "With a page of the pull requests that have lined up, and the trial that is tested. Where nothing has lined up yet it is empty.",
    access: onPulls,
    paged: true,
    answers: { 200: MergeQueue },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, db: _, path, page, ...on }) => {
      const { presentQueue } = await import("./present.ts")
      const { queue, total } = await presentQueue(services, on, path.branch, page)
      if (!queue.enabled && total === 0) throw refuse.notFound()
      return listed(queue, total)
    },
  }),

  operation({
    ...shared,
    id: "repoEditMergeQueue",
    route: "PATCH /repos/{owner}/{repo}/merge_queues/{branch}",
    summary: "Freeze a merge queue, or let it go on",
    description: "While it is frozen nothing lands; pull requests may line up, and what is tested is tested to its end.",
    access: onRepositoryAsAdministrator,
    archived: "refused",
    body: EditMergeQueueOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, db, path, repository, me, body }) => {
      const rule = await findProtection(db, repository.id, path.branch)
      if (rule?.enable_merge_queue !== 1) throw refuse.notFound()
      const { freeze } = await import("./line-up.ts")
      const reason = body.frozen_reason?.trim() ?? ""
      await freeze(services, { repositoryId: repository.id, branch: path.branch, isFrozen: body.frozen, reason, actor: me })
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoGetQueuedPullRequest",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/queue",
    summary: "Get a pull request's place in the merge queue",
    access: onPull,
    answers: { 200: MergeQueueEntry },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, db, pull, issue }) => {
      const entry = await findEntry.first(db, { pullId: pull.id })
      if (!entry) throw refuse.notFound()
      const { presentEntry } = await import("./present.ts")
      return ok(await presentEntry(db, services, issue, entry))
    },
  }),

  operation({
    ...shared,
    id: "repoQueuePullRequest",
    route: "POST /repos/{owner}/{repo}/pulls/{index}/queue",
    summary: "Line a pull request up in the merge queue",
    description:
      "For those who may merge into its base. It is merged in their name, with others or alone, once the required checks of the merge have succeeded.",
    access: onPullToChange,
    archived: "refused",
    body: QueuePullRequestOption,
    answers: { 201: MergeQueueEntry },
    refuses: ["forbidden", "methodNotAllowed", "conflict", "tooMany", "invalid"],
    handle: async ({ services, db, body, ...found }) => {
      const { lineUp } = await import("./line-up.ts")
      const { presentEntry } = await import("./present.ts")
      const wishes = { headId: body.head_commit_id ?? "", deleteBranch: body.delete_branch_after_merge }
      return created(await presentEntry(db, services, found.issue, await lineUp(services, found, wishes)))
    },
  }),

  operation({
    ...shared,
    id: "repoEditQueuedPullRequest",
    route: "PATCH /repos/{owner}/{repo}/pulls/{index}/queue",
    summary: "Change a pull request's priority in the merge queue",
    description: "For administrators of the repository. A trial that has begun goes on.",
    access: onPullToChange,
    archived: "refused",
    body: EditMergeQueueEntryOption,
    answers: { 200: MergeQueueEntry },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, db, body, ...found }) => {
      const { prioritise } = await import("./line-up.ts")
      const { presentEntry } = await import("./present.ts")
      return ok(await presentEntry(db, services, found.issue, await prioritise(services, found, body.priority)))
    },
  }),

  operation({
    ...shared,
    id: "repoUnqueuePullRequest",
    route: "DELETE /repos/{owner}/{repo}/pulls/{index}/queue",
    summary: "Take a pull request out of the merge queue",
    description: "For its author, for who lined it up, and for those who may merge.",
    access: onPullToChange,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict"],
    handle: async ({ services, db, ...found }) => {
      const { withdraw } = await import("./line-up.ts")
      await withdraw(services, found, await findProtection(db, found.repository.id, found.pull.base_branch))
      return noContent()
    },
  }),
]
