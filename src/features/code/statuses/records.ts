import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"
import { Repository } from "../repositories/records.ts"

export const STATES = ["pending", "success", "error", "failure", "warning", "skipped"] as const
export type State = (typeof STATES)[number]
/** The states that a list can be filtered by. */
export const LISTED_STATES = ["pending", "success", "error", "failure", "warning"] as const
export const STATUS_SORTS = ["newest", "oldest", "recentupdate", "leastupdate", "leastindex", "highestindex"] as const
export type StatusSort = (typeof STATUS_SORTS)[number]

export const CommitStatus = record("CommitStatus", {
  id: int64({ description: "1, 2, … for each commit" }),
  status: oneOf(STATES),
  target_url: Type.String(),
  description: Type.String(),
  url: Type.String(),
  context: Type.String(),
  creator: User,
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type CommitStatus = Static<typeof CommitStatus>

export const CombinedStatus = record("CombinedStatus", {
  state: oneOf(STATES, { description: "failure where one failed, success where all succeeded or were skipped, pending otherwise" }),
  sha: Type.String(),
  total_count: int64({ description: "the contexts on this page" }),
  statuses: nullable(Type.Array(CommitStatus, { description: "the newest of each context; null where there are none" })),
  repository: Repository,
  commit_url: Type.String(),
  url: Type.String(),
})

export const CreateStatusOption = record("CreateStatusOption", {
  state: oneOf(STATES),
  target_url: Type.Optional(Type.String({ maxLength: 2048, description: "where the check tells more; http or https" })),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  context: Type.Optional(
    Type.String({ maxLength: 255, description: "what was checked; a newer status of the same context takes its place" }),
  ),
})
export type CreateStatusOption = Static<typeof CreateStatusOption>
