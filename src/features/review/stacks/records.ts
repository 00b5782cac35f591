import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { MERGE_STYLES } from "../../code/repositories/records.ts"
import { User } from "../../people/users/records.ts"
import { ChangedFile } from "../pulls/records.ts"

export const StackedPullRequest = record("StackedPullRequest", {
  number: int64(),
  title: Type.String(),
  state: oneOf(["open", "closed", "merged"]),
  draft: Type.Boolean(),
  html_url: Type.String(),
  change_id: Type.String({ description: 'identity that the commits of this change keep; "" for a pull request from a branch' }),
  head: Type.String({ description: "commit" }),
  base: Type.String({ description: "commit that it is compared with: the head of the one below, or the tip of its base branch" }),
  base_branch: Type.String({ description: "branch that it is to be merged into" }),
  stands_on: nullable(int64({ description: "number of the pull request below it; null for the lowest" })),
  outdated: Type.Boolean({ description: "it stands on an earlier version of the one below" }),
  current: Type.Boolean({ description: "the pull request that was asked for" }),
  note: Type.String({ description: 'why the server could not rebase it when the one below was merged; "" where nothing is wrong' }),
})
export type StackedPullRequest = Static<typeof StackedPullRequest>

export const PullRequestStack = record("PullRequestStack", {
  base: Type.String({ description: "branch that the lowest is to be merged into" }),
  pulls: Type.Array(StackedPullRequest, { description: "the lowest first; empty where the pull request stands alone. At most 200" }),
})

export const PullRequestVersion = record("PullRequestVersion", {
  number: int64({ description: "from 1" }),
  head: Type.String({ description: "commit" }),
  base: Type.String({ description: 'commit at which its changes begin; "" where it had none in common with its base' }),
  pusher: nullable(User),
  created_at: dateTime(),
})

export const ComparedCommit = record("ComparedCommit", {
  state: oneOf(["same", "changed", "removed", "added"]),
  before: nullable(Type.String({ description: "commit of the earlier version" })),
  after: nullable(Type.String({ description: "commit of the later version" })),
  subject: Type.String(),
})

export const PullRequestInterdiff = record("PullRequestInterdiff", {
  from: int64({ description: "number of the earlier version" }),
  to: int64({ description: "number of the later version" }),
  clean: Type.Boolean({
    description:
      "files are what the author changed between the versions, without what came from the base; false where the earlier version is in conflict with the later base: then all that differs between both heads",
  }),
  files: Type.Array(ChangedFile, { description: "at most 3000" }),
  commits: Type.Array(ComparedCommit, { description: "which commit took the place of which; the order of the later version" }),
  range_diff: Type.String({ description: "the differences between their patches, as git range-diff writes them" }),
})

export const MergeStackOption = record("MergeStackOption", {
  do: oneOf(MERGE_STYLES, { description: "how to merge each" }),
  head_commit_id: Type.Optional(
    Type.String({ description: "commit that the caller takes for the head of this pull request; refused where it is another by now" }),
  ),
  delete_branch_after_merge: Type.Optional(Type.Boolean({ description: "as the repository has it, unless told otherwise" })),
})

export const MergedStack = record("MergedStack", {
  merged: Type.Array(int64(), { description: "numbers of the pull requests that were merged, the lowest first" }),
  stopped_at: nullable(int64({ description: "the one that could not be merged after those; null where all were" })),
  message: Type.String({ description: 'why; "" where all were merged' }),
})
export type MergedStack = Static<typeof MergedStack>
