import Type, { type Static } from "typebox"
import { dateTime, int64, nullable, oneOf, record, recordNamed } from "../../core/record.ts"
import { Repository } from "../repositories/records.ts"
import { User } from "../users/records.ts"
import { ACTIVITY_KINDS } from "./kinds.ts"

/** A comment as a feed shows it: without its author, who stands beside it. */
export interface FeedComment {
  readonly id: number
  readonly html_url: string
  readonly pull_request_url: string
  readonly issue_url: string
  readonly user: null
  readonly original_author: string
  readonly original_author_id: number
  readonly body: string
  readonly assets: readonly never[]
  readonly created_at: string
  readonly updated_at: string
}

export const Activity = record("Activity", {
  id: int64(),
  user_id: int64({ description: "whose feed it stands in" }),
  op_type: oneOf(ACTIVITY_KINDS),
  act_user_id: int64({ description: "who did it" }),
  act_user: nullable(User),
  repo_id: int64(),
  repo: Repository,
  comment_id: int64({ description: "0 where there is none" }),
  comment: nullable(recordNamed<FeedComment>("Comment")),
  ref_name: Type.String({ description: "the whole name of a branch or tag" }),
  is_private: Type.Boolean(),
  content: Type.String({ description: "depends on the kind; of pushes it is JSON" }),
  created: dateTime(),
})
export type Activity = Static<typeof Activity>
