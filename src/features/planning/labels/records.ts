import { int64, knownWord, nonBlank, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const LABEL_NAME_LENGTH = 255
/** Each issue in a list bears its labels with their descriptions. */
const LABEL_DESCRIPTION_LENGTH = 1000
/** Three or six hex digits; each of three is doubled. */
export const LABEL_COLOR_PATTERN = "^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"

export const Label = record("Label", {
  id: int64(),
  name: Type.String(),
  exclusive: Type.Boolean({ description: "an issue bears only one of those whose names are alike up to the last slash" }),
  is_archived: Type.Boolean({ description: "should not be given to issues any more" }),
  color: Type.String({ description: "six hex digits" }),
  description: Type.String(),
  url: Type.String({ format: "uri" }),
})
export type Label = Static<typeof Label>

const name = nonBlank({ maxLength: LABEL_NAME_LENGTH })
const color = Type.String({ pattern: LABEL_COLOR_PATTERN, description: "three or six hex digits, with # or without" })
const optional = {
  description: Type.Optional(Type.String({ maxLength: LABEL_DESCRIPTION_LENGTH })),
  exclusive: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
}

export const CreateLabelOption = record("CreateLabelOption", { name, color, ...optional })
export type CreateLabelOption = Static<typeof CreateLabelOption>

/** Members that are left out don't change. */
export const EditLabelOption = record("EditLabelOption", { name: Type.Optional(name), color: Type.Optional(color), ...optional })
export type EditLabelOption = Static<typeof EditLabelOption>

export const LABEL_SORTS = ["alphabetically", "reversealphabetically", "mostissues", "leastissues"] as const
export type LabelSort = (typeof LABEL_SORTS)[number]

export const labelQuery = {
  sort: Type.Optional(knownWord(LABEL_SORTS, { description: "by name unless told otherwise", default: "alphabetically" })),
}
