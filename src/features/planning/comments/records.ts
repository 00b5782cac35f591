import { dateTime, int64, nonBlank, nullable, oneOf, record, secondsOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Attachment } from "../../code/attachments/records.ts"
import { Team } from "../../people/teams/records.ts"
import { User } from "../../people/users/records.ts"
import { Issue, madeWith } from "../issues/records.ts"
import { Label } from "../labels/records.ts"
import { Milestone } from "../milestones/records.ts"
import { TrackedTime } from "../tracking/records.ts"

// --- what is answered --------------------------------------------------------------------------------------------------------------

const addresses = {
  html_url: Type.String({ format: "uri" }),
  pull_request_url: Type.String({ description: "page of the pull request, empty on issues" }),
  issue_url: Type.String({ description: "page of the issue, empty on pull requests" }),
}

export const Comment = record("Comment", {
  id: int64(),
  ...addresses,
  user: User,
  original_author: Type.String(),
  original_author_id: int64(),
  body: Type.String(),
  assets: Type.Array(Attachment),
  created_at: dateTime(),
  updated_at: dateTime(),
  made_with: madeWith(),
})
export type Comment = Static<typeof Comment>

export const TimelineComment = record("TimelineComment", {
  id: int64(),
  type: Type.String({ description: "what happened; the other members say to what, as far as they have to do with it" }),
  ...addresses,
  user: User,
  body: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
  old_project_id: int64(),
  project_id: int64(),
  old_milestone: nullable(Milestone),
  milestone: nullable(Milestone),
  tracked_time: nullable(TrackedTime),
  old_title: Type.String(),
  new_title: Type.String(),
  old_ref: Type.String(),
  new_ref: Type.String(),
  ref_issue: nullable(Issue),
  ref_comment: nullable(Comment),
  ref_action: oneOf(["none", "closes", "reopens", "neutered"], {
    description: "what the reference does once its pull request is merged; neutered where the text no longer refers",
  }),
  ref_commit_sha: Type.String(),
  review_id: int64(),
  label: nullable(Label),
  assignee: nullable(User),
  assignee_team: nullable(Team),
  removed_assignee: Type.Boolean(),
  resolve_doer: nullable(User),
  dependent_issue: nullable(Issue),
  made_with: madeWith(),
})
export type TimelineComment = Static<typeof TimelineComment>

// --- what is sent ------------------------------------------------------------------------------------------------------------------

export const CreateIssueCommentOption = record("CreateIssueCommentOption", { body: nonBlank() })
export type CreateIssueCommentOption = Static<typeof CreateIssueCommentOption>

export const EditIssueCommentOption = record("EditIssueCommentOption", { body: nonBlank() })
export type EditIssueCommentOption = Static<typeof EditIssueCommentOption>

export const commentsQuery = {
  since: Type.Optional(dateTime({ description: "only what changed at this moment or later" })),
  before: Type.Optional(dateTime({ description: "only what changed at this moment or earlier" })),
}

/** Whole seconds, both ends included. */
export interface Period {
  readonly since: number
  readonly before: number
}

/** The period that a list is limited to. A bound that is left out doesn't limit it. */
export function periodOf({ since, before }: { readonly since?: string; readonly before?: string }): Period {
  return { since: secondsOf(since) ?? 0, before: secondsOf(before) ?? Number.MAX_SAFE_INTEGER }
}
