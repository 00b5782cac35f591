import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Attachment } from "../../code/attachments/records.ts"
import { Repository } from "../../code/repositories/records.ts"
import { User } from "../../people/users/records.ts"
import { ACTIVITY_KINDS } from "./kinds.ts"

/** A comment in a feed: without its author, who is the entry's actor, and without its attachments. */
export const ActivityComment = record("ActivityComment", {
  id: int64(),
  html_url: Type.String({ format: "uri" }),
  pull_request_url: Type.String({ description: "page of the pull request, empty on issues" }),
  issue_url: Type.String({ description: "page of the issue, empty on pull requests" }),
  user: nullable(User),
  original_author: Type.String(),
  original_author_id: int64(),
  body: Type.String(),
  assets: Type.Array(Attachment),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type ActivityComment = Static<typeof ActivityComment>

export const Activity = record("Activity", {
  id: int64(),
  user_id: int64({ description: "whose feed it stands in" }),
  op_type: oneOf(ACTIVITY_KINDS),
  act_user_id: int64({ description: "who did it" }),
  act_user: nullable(User),
  repo_id: int64(),
  repo: Repository,
  comment_id: int64({ description: "0 where there is none" }),
  comment: nullable(ActivityComment),
  ref_name: Type.String({ description: "the whole name of a branch or tag" }),
  is_private: Type.Boolean(),
  content: Type.String({ description: "depends on the kind; of pushes it is JSON" }),
  created: dateTime(),
})
export type Activity = Static<typeof Activity>
