import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { QUEUE_STYLES } from "../../code/protections/records.ts"
import { User } from "../../people/users/records.ts"

/** The bounds of priorities. */
const MOST = 1000

export const MergeQueueEntry = record("MergeQueueEntry", {
  number: int64({ description: "of the pull request" }),
  title: Type.String(),
  head_sha: Type.String({ description: "the commit that lined up; no other is merged" }),
  user: User,
  priority: int64({ description: "higher ones come first, of the same in their order" }),
  position: int64({ description: "1 for the first of the queue" }),
  is_tested: Type.Boolean({ description: "part of the present trial" }),
  queued_at: dateTime(),
})
export type MergeQueueEntry = Static<typeof MergeQueueEntry>

export const TRIAL_STATES = ["building", "testing", "passed", "landed", "failed", "dropped"] as const

export const MergeQueueTrial = record("MergeQueueTrial", {
  id: int64(),
  state: oneOf(TRIAL_STATES, { description: "dropped: given up for something else than its checks" }),
  reason: Type.String({ description: "why it failed or was dropped" }),
  ref: Type.String({ description: "while it has not ended, the reference that names its commit" }),
  base_sha: Type.String({ description: "the commit of the branch that it is built on" }),
  head_sha: Type.String({ description: "the commit that is tested, and that the branch moves to" }),
  pull_requests: Type.Array(int64(), { description: "their numbers, in their order" }),
  created_at: dateTime(),
  ended_at: nullable(dateTime()),
})
export type MergeQueueTrial = Static<typeof MergeQueueTrial>

export const MergeQueue = record("MergeQueue", {
  branch: Type.String(),
  enabled: Type.Boolean({ description: "the branch's rule has a merge queue" }),
  frozen: Type.Boolean({ description: "nothing lands, and no trial is begun" }),
  frozen_reason: Type.String(),
  frozen_by: nullable(User),
  frozen_at: nullable(dateTime()),
  batch_size: int64(),
  merge_style: oneOf(QUEUE_STYLES),
  check_minutes: int64(),
  trial: nullable(MergeQueueTrial),
  entries: Type.Array(MergeQueueEntry, { description: "a page of them, in their order" }),
  waiting_for: Type.Array(Type.String(), { description: "the required checks that the trial still waits for" }),
  recent_trials: Type.Array(MergeQueueTrial, { description: "the last twenty that have ended, newest first" }),
})
export type MergeQueue = Static<typeof MergeQueue>

export const QueuePullRequestOption = record("QueuePullRequestOption", {
  head_commit_id: Type.Optional(
    Type.String({ description: "commit that the caller takes for the head; refused where it is another by now" }),
  ),
  delete_branch_after_merge: Type.Optional(Type.Boolean({ description: "as the repository has it, unless told otherwise" })),
})

export const EditMergeQueueEntryOption = record("EditMergeQueueEntryOption", {
  priority: int64({ minimum: -MOST, maximum: MOST, description: "0 to begin with" }),
})

export const EditMergeQueueOption = record("EditMergeQueueOption", {
  frozen: Type.Boolean({ description: "whether nothing lands" }),
  frozen_reason: Type.Optional(Type.String({ maxLength: 255, description: "shown to those who wait" })),
})
