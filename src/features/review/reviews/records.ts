import { dateTime, int64, nonBlank, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Team } from "../../people/teams/records.ts"
import { User } from "../../people/users/records.ts"
import { madeWith } from "../../planning/issues/records.ts"

/** The states of a review. The last is a request for one. */
export const REVIEW_STATES = ["APPROVED", "PENDING", "COMMENT", "REQUEST_CHANGES", "REQUEST_REVIEW"] as const

// --- what is answered --------------------------------------------------------------------------------------------------------------

export const PullReview = record("PullReview", {
  id: int64(),
  user: nullable(User),
  team: nullable(Team),
  state: oneOf(REVIEW_STATES),
  body: Type.String(),
  commit_id: Type.String({ description: "head that was reviewed; empty for a request" }),
  stale: Type.Boolean({ description: "the head changes something else by now" }),
  official: Type.Boolean({ description: "counts where approvals are required" }),
  dismissed: Type.Boolean(),
  comments_count: int64({ description: "number of its comments on lines, with the replies" }),
  submitted_at: dateTime({ description: "when it was begun" }),
  updated_at: dateTime(),
  html_url: Type.String({ description: "empty for a request" }),
  pull_request_url: Type.String({ description: "address of the pull request’s page" }),
  made_with: madeWith(),
})
export type PullReview = Static<typeof PullReview>

const uint64 = (description: string) => Type.Integer({ format: "uint64", minimum: 0, description })

export const PullReviewComment = record("PullReviewComment", {
  id: int64(),
  body: Type.String(),
  user: User,
  resolver: nullable(User),
  pull_request_review_id: int64(),
  created_at: dateTime(),
  updated_at: dateTime(),
  path: Type.String(),
  commit_id: Type.String({ description: "commit that touched the line last when the comment was written; of the old side, the head" }),
  original_commit_id: Type.String(),
  diff_hunk: Type.String({ description: "the lines of the diff that lead to it" }),
  position: uint64("line in the new file, where it has moved to; 0 for a comment on the old file"),
  original_position: uint64("line in the old file; 0 for a comment on the new file"),
  lines: int64({ description: "how many lines it is about, that of the position being the last" }),
  html_url: Type.String(),
  pull_request_url: Type.String({ description: "address of the pull request’s page" }),
  made_with: madeWith(),
})
export type PullReviewComment = Static<typeof PullReviewComment>

// --- what is sent ------------------------------------------------------------------------------------------------------------------

const body = Type.Optional(Type.String())

/** Clients send an empty word for a review that is not submitted yet. */
const event = Type.Optional(
  oneOf([...REVIEW_STATES, ""], {
    description: "APPROVED, REQUEST_CHANGES or COMMENT; PENDING or nothing for a review to be submitted later",
  }),
)

const line = (side: string) => Type.Optional(int64({ description: `line in the ${side} file, or 0`, minimum: 0 }))

export const CreatePullReviewComment = record("CreatePullReviewComment", {
  path: Type.Optional(Type.String({ description: "path of the file" })),
  body: Type.Optional(Type.String({ description: "a text that is not blank" })),
  old_position: line("old"),
  new_position: line("new"),
  lines: Type.Optional(
    int64({ description: "how many lines it is about, that of the position being the last; 1 unless told otherwise", minimum: 1 }),
  ),
})
export type CreatePullReviewComment = Static<typeof CreatePullReviewComment>

/** The most comments of one call. */
const MOST_COMMENTS = 500

export const CreatePullReviewOptions = record("CreatePullReviewOptions", {
  event,
  body,
  commit_id: Type.Optional(Type.String({ description: "commit that was reviewed; without it the head" })),
  comments: Type.Optional(Type.Array(CreatePullReviewComment, { maxItems: MOST_COMMENTS })),
})
export type CreatePullReviewOptions = Static<typeof CreatePullReviewOptions>

export const SubmitPullReviewOptions = record("SubmitPullReviewOptions", { event, body })
export type SubmitPullReviewOptions = Static<typeof SubmitPullReviewOptions>

export const DismissPullReviewOptions = record("DismissPullReviewOptions", {
  message: Type.Optional(Type.String()),
  priors: Type.Optional(Type.Boolean({ description: "the reviewer’s earlier reviews too" })),
})
export type DismissPullReviewOptions = Static<typeof DismissPullReviewOptions>

const names = (description: string) => Type.Optional(Type.Array(Type.String(), { maxItems: 100, description }))

export const PullReviewRequestOptions = record("PullReviewRequestOptions", {
  reviewers: names("names or e-mail addresses of people"),
  team_reviewers: names("names of teams of the organisation that owns the repository"),
})
export type PullReviewRequestOptions = Static<typeof PullReviewRequestOptions>

export const CreatePullReviewCommentReplyOptions = record("CreatePullReviewCommentReplyOptions", { body: nonBlank() })
export type CreatePullReviewCommentReplyOptions = Static<typeof CreatePullReviewCommentReplyOptions>
