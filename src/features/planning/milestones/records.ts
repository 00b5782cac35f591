import { dateTime, int64, nonBlankOrEmpty, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const MILESTONE_TITLE_LENGTH = 255
export const MILESTONE_STATES = ["open", "closed"] as const

export const Milestone = record("Milestone", {
  id: int64(),
  title: Type.String(),
  description: Type.String(),
  state: oneOf(MILESTONE_STATES),
  open_issues: int64({ description: "with pull requests" }),
  closed_issues: int64({ description: "with pull requests" }),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: nullable(dateTime()),
  due_on: nullable(dateTime({ description: "the end of a day" })),
})
export type Milestone = Static<typeof Milestone>

const description = Type.Optional(Type.String())
// Existing clients send an empty string for none.
const state = (description: string) => Type.Optional(oneOf(["", ...MILESTONE_STATES], { description }))

export const CreateMilestoneOption = record("CreateMilestoneOption", {
  title: Type.Optional(
    Type.String({ maxLength: MILESTONE_TITLE_LENGTH, description: "a text that is not blank; white space around it is cut off" }),
  ),
  description,
  state: state("empty is open"),
  due_on: Type.Optional(dateTime({ description: "only the day counts" })),
})
export type CreateMilestoneOption = Static<typeof CreateMilestoneOption>

/** Members that are left out don't change. */
export const EditMilestoneOption = record("EditMilestoneOption", {
  title: Type.Optional(nonBlankOrEmpty({ maxLength: MILESTONE_TITLE_LENGTH })),
  description,
  state: state("empty changes nothing"),
  due_on: Type.Optional(nullable(dateTime({ description: "only the day counts; null takes the date away" }))),
})
export type EditMilestoneOption = Static<typeof EditMilestoneOption>
