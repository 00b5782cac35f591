import { oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { MERGE_STYLES } from "../../code/repositories/records.ts"

/** How a merge makes commits. */
export type MergeStyle = (typeof MERGE_STYLES)[number]

// Each has an older name, which older clients send.
export const MergePullRequestOption = record("MergePullRequestOption", {
  do: oneOf([...MERGE_STYLES, "manually-merged"], { description: "how to merge", formerly: "Do" }),
  merge_title_field: Type.Optional(Type.String({ description: "first line of the message", formerly: "MergeTitleField" })),
  merge_message_field: Type.Optional(Type.String({ description: "the rest of the message", formerly: "MergeMessageField" })),
  merge_commit_id: Type.Optional(
    Type.String({ description: "commit that merged it by hand, in full; for manually-merged", formerly: "MergeCommitID" }),
  ),
  head_commit_id: Type.Optional(
    Type.String({ description: "commit that the caller takes for the head; refused where it is another by now" }),
  ),
  force_merge: Type.Optional(Type.Boolean({ description: "in spite of the branch's rules, for those who may" })),
  merge_when_checks_succeed: Type.Optional(Type.Boolean({ description: "later, when all conditions are met any more" })),
  delete_branch_after_merge: Type.Optional(Type.Boolean({ description: "as the repository has it, unless told otherwise" })),
})
export type MergePullRequestOption = Static<typeof MergePullRequestOption>

export const MergeUpstreamRequest = record("MergeUpstreamRequest", {
  branch: Type.Optional(Type.String({ description: "branch of the fork" })),
  ff_only: Type.Optional(Type.Boolean({ description: "make no merge commit" })),
})

export const MergeUpstreamResponse = record("MergeUpstreamResponse", {
  merge_type: Type.String({ description: "merge, fast-forward, or up-to-date" }),
})
