import Type, { type Static } from "typebox"
import { dateTime, int64, nullable, oneOf, record } from "../../core/record.ts"
import { User } from "../users/records.ts"

export const Project = record("Project", {
  id: int64(),
  title: Type.String(),
  description: Type.String(),
  owner_id: int64({ description: "0 where it belongs to a repository" }),
  repo_id: int64({ description: "0 where it belongs to a person or an organization" }),
  creator: nullable(User),
  creator_id: int64(),
  state: oneOf(["open", "closed"]),
  is_closed: Type.Boolean(),
  template_type: oneOf(["none", "basic_kanban", "bug_triage"]),
  card_type: oneOf(["text_only", "images_and_text"]),
  type: oneOf(["individual", "repository", "organization"]),
  num_open_issues: int64(),
  num_closed_issues: int64(),
  num_issues: int64(),
  html_url: Type.String({ format: "uri" }),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: nullable(dateTime()),
})
export type Project = Static<typeof Project>
