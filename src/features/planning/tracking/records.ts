import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Issue } from "../issues/records.ts"

/** A hundred years: longer times are mistakes, and their sums could exceed exact integers. */
export const MAX_SECONDS = 100 * 365 * 86_400

export const TrackedTime = record("TrackedTime", {
  id: int64(),
  created: dateTime(),
  time: int64({ description: "seconds" }),
  user_id: Type.Integer({ format: "int64", deprecated: true, description: "use user_name" }),
  user_name: Type.String({ description: "Ghost where the account is gone" }),
  issue_id: Type.Integer({ format: "int64", deprecated: true, description: "use issue" }),
  issue: Issue,
})
export type TrackedTime = Static<typeof TrackedTime>

export const AddTimeOption = record("AddTimeOption", {
  time: int64({ minimum: 1, maximum: MAX_SECONDS, description: "seconds" }),
  user_name: Type.Optional(Type.String({ description: "who spent the time; the caller unless given" })),
  created: Type.Optional(dateTime({ description: "when it was spent; now unless given" })),
})
export type AddTimeOption = Static<typeof AddTimeOption>

export const StopWatch = record("StopWatch", {
  created: dateTime(),
  seconds: int64({ description: "how long it has been running" }),
  duration: Type.String({ description: "the same in words" }),
  issue_index: int64(),
  issue_title: Type.String(),
  repo_owner_name: Type.String(),
  repo_name: Type.String(),
})
export type StopWatch = Static<typeof StopWatch>

export const timesQuery = {
  since: Type.Optional(dateTime({ description: "only what was recorded after this moment" })),
  before: Type.Optional(dateTime({ description: "only what was recorded before this moment" })),
}
