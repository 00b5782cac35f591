import { oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const FIELD_TYPES = ["markdown", "textarea", "input", "dropdown", "checkboxes"] as const
export const VISIBLE_IN = ["form", "content"] as const

export const IssueFormField = record("IssueFormField", {
  type: oneOf(FIELD_TYPES),
  id: Type.String(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  validations: Type.Record(Type.String(), Type.Unknown()),
  visible: Type.Array(oneOf(VISIBLE_IN), { description: "whether it is shown while the form is filled in, and in the issue" }),
})
export type IssueFormField = Static<typeof IssueFormField>

export const IssueTemplate = record("IssueTemplate", {
  name: Type.String(),
  title: Type.String({ description: "what the issue's title begins with" }),
  about: Type.String(),
  labels: Type.Array(Type.String()),
  assignees: Type.Array(Type.String()),
  ref: Type.String({ description: "the whole reference that the issue is about, or nothing" }),
  content: Type.String({ description: "the text to begin with; empty for a form" }),
  body: Type.Array(IssueFormField, { description: "the fields of a form" }),
  file_name: Type.String({ description: "its path in the repository" }),
})
export type IssueTemplate = Static<typeof IssueTemplate>

export const IssueConfigContactLink = record("IssueConfigContactLink", { name: Type.String(), url: Type.String(), about: Type.String() })
export type IssueConfigContactLink = Static<typeof IssueConfigContactLink>

export const IssueConfig = record("IssueConfig", {
  blank_issues_enabled: Type.Boolean({ description: "issues can be written without a template" }),
  contact_links: Type.Array(IssueConfigContactLink, { description: "where else people can turn to" }),
})
export type IssueConfig = Static<typeof IssueConfig>

export const IssueConfigValidation = record("IssueConfigValidation", {
  valid: Type.Boolean(),
  message: Type.String({ description: "what is wrong with it; empty where nothing is" }),
})
