import { dateTime, int64, nonBlank, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"

export const TEMPLATE_TYPES = ["none", "basic_kanban", "bug_triage"] as const
export const CARD_TYPES = ["text_only", "images_and_text"] as const
export const PROJECT_STATES = ["open", "closed"] as const

/** The range of a column's `sorting`. */
export const COLUMN_SORTING = { minimum: -128, maximum: 127 } as const

/**
 * The range of a card's `sorting`. Cards added after the last can still count up that far again before a number is no longer exact in JSON.
 */
const CARD_SORTING = { minimum: -(2 ** 52), maximum: 2 ** 52 } as const

// --- what is answered --------------------------------------------------------------------------------------------------------------

export const Project = record("Project", {
  id: int64(),
  title: Type.String(),
  description: Type.String(),
  owner_id: int64({ description: "0 where it belongs to a repository" }),
  repo_id: int64({ description: "0 where it belongs to a person or an organisation" }),
  creator: Type.Optional(User),
  creator_id: Type.Integer({ format: "int64", deprecated: true, description: "see creator" }),
  state: oneOf(PROJECT_STATES),
  is_closed: Type.Boolean({ deprecated: true, description: "see state" }),
  template_type: oneOf(TEMPLATE_TYPES),
  card_type: oneOf(CARD_TYPES),
  type: oneOf(["individual", "repository", "organization"]),
  num_open_issues: int64({ description: "issues and pull requests that the caller may see" }),
  num_closed_issues: int64({ description: "issues and pull requests that the caller may see" }),
  num_issues: int64({ description: "issues and pull requests that the caller may see" }),
  html_url: Type.String({ format: "uri" }),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: Type.Optional(dateTime({ description: "only while it is closed" })),
})
export type Project = Static<typeof Project>

export const ProjectColumn = record("ProjectColumn", {
  id: int64(),
  title: Type.String(),
  default: Type.Boolean({ description: "takes what is put into the project as a whole" }),
  sorting: int64({ description: "columns come by this, then by id" }),
  color: Type.Optional(Type.String({ description: "“#” and six hex digits" })),
  project_id: int64(),
  creator: Type.Optional(User),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type ProjectColumn = Static<typeof ProjectColumn>

// --- what is sent ------------------------------------------------------------------------------------------------------------------

const title = Type.Optional(nonBlank())
const color = Type.Optional(Type.String({ description: "“#” and six hex digits, or empty for none" }))

export const CreateProjectOption = record("CreateProjectOption", {
  title: nonBlank({ description: "a text that is not blank; cut off where it is too long to be shown" }),
  description: Type.Optional(Type.String()),
  template_type: Type.Optional(oneOf([...TEMPLATE_TYPES, ""], { description: "the columns that it begins with" })),
  card_type: Type.Optional(oneOf([...CARD_TYPES, ""])),
})
export type CreateProjectOption = Static<typeof CreateProjectOption>

/** Only members that are sent change. Their values are checked once the project is found. */
export const EditProjectOption = record("EditProjectOption", {
  title,
  description: Type.Optional(Type.String()),
  card_type: Type.Optional(Type.String({ description: CARD_TYPES.join(" or ") })),
  state: Type.Optional(Type.String({ description: PROJECT_STATES.join(" or ") })),
})
export type EditProjectOption = Static<typeof EditProjectOption>

const COLUMN_TITLE = 255

export const CreateProjectColumnOption = record("CreateProjectColumnOption", { title: nonBlank({ maxLength: COLUMN_TITLE }), color })
export type CreateProjectColumnOption = Static<typeof CreateProjectColumnOption>

/** Only members that are sent change. */
export const EditProjectColumnOption = record("EditProjectColumnOption", {
  title: Type.Optional(nonBlank({ maxLength: COLUMN_TITLE })),
  color,
  sorting: Type.Optional(
    int64({ description: `from ${COLUMN_SORTING.minimum} to ${COLUMN_SORTING.maximum}; columns come by this, then by id` }),
  ),
})
export type EditProjectColumnOption = Static<typeof EditProjectColumnOption>

export const MoveProjectColumnsOption = record("MoveProjectColumnsOption", {
  column_ids: Type.Array(int64(), { description: "every column of the project once, in the order that they are to have" }),
})
export type MoveProjectColumnsOption = Static<typeof MoveProjectColumnsOption>

export const MoveProjectIssueOption = record("MoveProjectIssueOption", {
  column_id: int64({ minimum: 1 }),
  sorting: Type.Optional(
    int64({ ...CARD_SORTING, description: "cards come by this, of equal ones the newer issue first; without it behind the last" }),
  ),
})
export type MoveProjectIssueOption = Static<typeof MoveProjectIssueOption>
