import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Repository } from "../../code/repositories/records.ts"
import { User } from "../../people/users/records.ts"
import { Comment } from "../../planning/comments/records.ts"
import { ACTIVITY_KINDS } from "./kinds.ts"

export const Activity = record("Activity", {
  id: int64(),
  user_id: int64({ description: "whose feed it stands in" }),
  op_type: oneOf(ACTIVITY_KINDS),
  act_user_id: int64({ description: "who did it" }),
  act_user: nullable(User),
  repo_id: int64(),
  repo: Repository,
  comment_id: int64({ description: "0 where there is none" }),
  comment: nullable(Comment),
  ref_name: Type.String({ description: "the whole name of a branch or tag" }),
  is_private: Type.Boolean(),
  content: Type.String({ description: "depends on the kind; of pushes it is JSON" }),
  created: dateTime(),
})
export type Activity = Static<typeof Activity>
