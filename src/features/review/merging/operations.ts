import type { Issue } from "../../../access/policies/issues.ts"
import { onPullSignedIn, onPullToChange } from "../../../access/policies/pulls.ts"
import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { taskOf, type User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { requireMovable } from "../../../core/task-token.ts"
import { branchRef } from "../../../git/index.ts"
import { findProtection, mayMerge } from "../../code/protections/rules.ts"
import { requireMerger, requireOpen } from "./checks.ts"
import { mergeByHand } from "./manual.ts"
import { mergeLater, mergePull } from "./merge.ts"
import { MergePullRequestOption, MergeUpstreamRequest, MergeUpstreamResponse } from "./records.ts"
import { cancelMerge } from "./schedule.ts"
import { updateHead } from "./update.ts"
import { mergeUpstream } from "./upstream.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

/** Called for every attempt to merge, also for one that is refused; the root lists them (src/extensions.ts). */
export const mergeAttempts =
  extensionPoint<(services: Services, me: Pick<User, "id">, issue: Pick<Issue, "id">) => Promise<void>>("attempts to merge")

export const mergeOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoMergePullRequest",
    route: "POST /repos/{owner}/{repo}/pulls/{index}/merge",
    summary: "Merge a pull request",
    description:
      "For those who may merge into its base: people with write access to the code, or those whom the branch's rule lists. 201 where the merge was only scheduled.",
    access: onPullToChange,
    archived: "refused",
    body: MergePullRequestOption,
    answers: { 200: null, 201: null },
    refuses: ["forbidden", "methodNotAllowed", "conflict", "tooLarge", "invalid"],
    handle: async ({ services, db, body, ...found }) => {
      await requireMovable(found.actor, branchRef(found.pull.base_branch))
      if (body.merge_when_checks_succeed && taskOf(found.actor)) throw refuse.forbidden("a token for one task can't merge later")
      for (const follow of mergeAttempts.of(services)) await follow(services, found.me, found.issue)
      if (body.do === "manually-merged") {
        requireOpen(found)
        await requireMerger(db, found)
        await mergeByHand(services, found, body.merge_commit_id?.trim().toLowerCase() ?? "")
        return ok(undefined)
      }
      const options = {
        style: body.do,
        message: { title: body.merge_title_field ?? "", body: body.merge_message_field ?? "" },
        headId: body.head_commit_id ?? "",
        force: body.force_merge ?? false,
        deleteBranch: body.delete_branch_after_merge,
        automatic: false,
      }
      if (body.merge_when_checks_succeed) {
        await mergeLater(services, found, options)
        return created(undefined)
      }
      await mergePull(services, found, options)
      return ok(undefined)
    },
  }),

  operation({
    ...shared,
    id: "repoCancelScheduledAutoMerge",
    route: "DELETE /repos/{owner}/{repo}/pulls/{index}/merge",
    summary: "Cancel the auto-merge of a pull request",
    description: "For who scheduled it, and for those who may merge.",
    access: onPullToChange,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "conflict"],
    handle: async ({ services, db, ...found }) => {
      const protection = await findProtection(db, found.repository.id, found.pull.base_branch)
      const allowed = await mayMerge(db, protection, found, found.me)
      await services.database.write((tx) => cancelMerge(tx, services, found, allowed))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoUpdatePullRequest",
    route: "POST /repos/{owner}/{repo}/pulls/{index}/update",
    summary: "Update a pull request's branch from its base",
    description: "For those who may push to the head branch; where the author lets maintainers, also for those who may merge.",
    access: onPullSignedIn,
    query: { style: Type.Optional(oneOf(["merge", "rebase"], { description: "merge unless told otherwise" })) },
    answers: { 200: null },
    refuses: ["forbidden", "conflict", "tooLarge", "invalid"],
    handle: async ({ services, db: _, query, ...found }) => {
      await updateHead(services, found, query.style ?? "merge")
      return ok(undefined)
    },
  }),

  operation({
    ...shared,
    id: "repoMergeUpstream",
    route: "POST /repos/{owner}/{repo}/merge-upstream",
    summary: "Update a branch of a fork from its parent repository",
    access: onRepositoryUnit("code", "write"),
    archived: "refused",
    body: MergeUpstreamRequest,
    answers: { 200: MergeUpstreamResponse },
    refuses: ["badRequest", "forbidden", "conflict", "invalid"],
    handle: async ({ services, db: _, body, ...on }) =>
      ok({ merge_type: await mergeUpstream(services, on, { branch: body.branch ?? "", forwardOnly: body.ff_only ?? false }) }),
  }),
]
