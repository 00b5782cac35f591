import { onPull, onPullToChange } from "../../../access/policies/pulls.ts"
import { listedWithPage, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { MergedStack, MergeStackOption, PullRequestInterdiff, PullRequestStack, PullRequestVersion } from "./records.ts"

const shared = { tag: "repository", scope: ["repository"], since: "0.2.0" } as const
const reads = { ...shared, access: onPull } as const
const number = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description }))

export const stackOperations: readonly Operation[] = [
  operation({
    ...reads,
    id: "repoGetPullRequestStack",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/stack",
    summary: "Get the stack that a pull request is part of",
    description:
      "What it stands on and what stands on it: changes of a series that was pushed to refs/for/BRANCH, or pull requests into the head branch of another. Merged ones below are among them.",
    answers: { 200: PullRequestStack },
    refuses: ["forbidden"],
    handle: async (call) => ok(await (await import("./first-use.ts")).presentStack(call)),
  }),

  operation({
    ...shared,
    id: "repoMergePullRequestStack",
    route: "POST /repos/{owner}/{repo}/pulls/{index}/stack/merge",
    summary: "Merge a stack up to a pull request",
    description:
      "The open ones below it and then itself, from the lowest on, each as by its own merge: for those who may merge. What stands on them is rebased. It ends at the first that can't be merged; those before it stay merged.",
    access: onPullToChange,
    archived: "refused",
    body: MergeStackOption,
    answers: { 200: MergedStack },
    refuses: ["forbidden", "methodNotAllowed", "conflict", "tooLarge", "invalid"],
    handle: async ({ services, db, body, ...found }) => ok(await (await import("./first-use.ts")).mergeStack(services, db, found, body)),
  }),

  operation({
    ...reads,
    id: "repoListPullRequestVersions",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/versions",
    summary: "List the versions of a pull request",
    description: "Each push to it made one. Newest first.",
    paged: true,
    answers: { 200: Type.Array(PullRequestVersion) },
    refuses: ["forbidden"],
    handle: async (call) => {
      const { versions, total } = await (await import("./first-use.ts")).presentVersions(call)
      return listedWithPage(versions, total, call.page)
    },
  }),

  operation({
    ...reads,
    id: "repoComparePullRequestVersions",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/interdiff",
    summary: "Compare two versions of a pull request",
    description:
      "What its author changed between them: the earlier version is put onto the base of the later one first, so that what others did in the meantime is not among it. For versions of up to 100 commits each.",
    query: {
      from: number("number of the earlier version; the one before the later unless told otherwise"),
      to: number("number of the later version; the last unless told otherwise"),
    },
    answers: { 200: PullRequestInterdiff },
    refuses: ["forbidden", "tooLarge"],
    handle: async (call) => ok(await (await import("./first-use.ts")).presentInterdiff(call)),
  }),
]
