import type { CloseReason } from "../../../core/database/tables/issues.ts"
import { dateTime, int64, nonBlank, nonBlankOrEmpty, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Attachment } from "../../code/attachments/records.ts"
import { User } from "../../people/users/records.ts"
import { Label } from "../labels/records.ts"
import { Milestone } from "../milestones/records.ts"
import { Project } from "../projects/records.ts"

// --- what is answered --------------------------------------------------------------------------------------------------------------

export const RepositoryMeta = record("RepositoryMeta", {
  id: int64(),
  name: Type.String(),
  owner: Type.String({ description: "name of the owner" }),
  full_name: Type.String(),
})
export type RepositoryMeta = Static<typeof RepositoryMeta>

export const PullRequestMeta = record("PullRequestMeta", {
  merged: Type.Boolean(),
  merged_at: nullable(dateTime()),
  draft: Type.Boolean({ description: "the title begins with a mark of work in progress" }),
  html_url: Type.String({ format: "uri" }),
  ref: Type.String({ description: "the repository's reference that names its last commit" }),
})
export type PullRequestMeta = Static<typeof PullRequestMeta>

/** The member of what a token for one task made. It is there for these alone: clients that are stricter know no such member. */
export const madeWith = () =>
  Type.Optional(
    Type.String({ description: "the name of the access token for one task that made it; a member of what such tokens made only" }),
  )
export const AT =
  "With `at` as it was then: title, body, state, labels, assignees, milestone, due date, and in `as_of` the comments, the reviewers, and what can't be known. Who may read it now may read how it was; what was deleted isn't shown."
export const atQuery = {
  at: Type.Optional(
    Type.String({
      description: "a time such as 2026-01-31T12:00:00Z, or a position of the log of events, which is the second of that event",
    }),
  ),
}

/** What a record says beside itself where it was asked for as of a moment. */
export const AsOf = record("AsOf", {
  at: dateTime(),
  comments: Type.Array(
    Type.Object({
      id: int64(),
      html_url: Type.String({ format: "uri" }),
      user: User,
      original_author: Type.String(),
      body: Type.String({ description: "as it was then; empty where that isn't known" }),
      is_known: Type.Boolean(),
      created_at: dateTime(),
    }),
    { description: "those that are still there, the first 200, oldest first" },
  ),
  reviewers: Type.Array(User, { description: "who had been asked for a review" }),
  merged: Type.Boolean(),
  base: Type.String({ description: "the branch that it was to be merged into, where that was another one; empty otherwise" }),
  is_body_known: Type.Boolean(),
  unknown: Type.Array(Type.String(), { description: "what can't be known any more, in words" }),
})
export type AsOf = Static<typeof AsOf>

export const Issue = record("Issue", {
  id: int64(),
  url: Type.String({ format: "uri" }),
  html_url: Type.String({ format: "uri" }),
  number: int64({ description: "number inside the repository, shared by issues and pull requests" }),
  user: User,
  original_author: Type.String(),
  original_author_id: int64(),
  title: Type.String(),
  body: Type.String(),
  ref: Type.String({ description: "branch or tag that the issue is about" }),
  assets: Type.Array(Attachment),
  labels: Type.Array(Label),
  milestone: nullable(Milestone),
  projects: Type.Array(Project),
  assignee: nullable(User),
  assignees: Type.Array(User),
  state: oneOf(["open", "closed"]),
  is_locked: Type.Boolean(),
  comments: int64(),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: nullable(dateTime()),
  due_date: nullable(dateTime()),
  time_estimate: int64({ description: "seconds" }),
  pull_request: nullable(PullRequestMeta),
  repository: RepositoryMeta,
  pin_order: int64({ description: "0 where it is not pinned" }),
  content_version: int64({ description: "moves with every write of the body" }),
  made_with: madeWith(),
  as_of: Type.Optional(AsOf),
})
/** Why an issue was closed, for pages. The API's record has no such member: symbols are no part of JSON. */
export const CLOSED_AS = Symbol("closed as")
export type Issue = Static<typeof Issue> & { readonly [CLOSED_AS]?: Exclude<CloseReason, ""> }

export const IssueMeta = record("IssueMeta", {
  index: Type.Optional(int64({ description: "number inside the repository" })),
  owner: Type.Optional(Type.String()),
  repo: Type.Optional(Type.String()),
})
export type IssueMeta = Static<typeof IssueMeta>

export const IssueDeadline = record("IssueDeadline", { due_date: dateTime({ description: "1970 where there is none" }) })
export type IssueDeadline = Static<typeof IssueDeadline>

export const NewIssuePinsAllowed = record("NewIssuePinsAllowed", { issues: Type.Boolean(), pull_requests: Type.Boolean() })
export type NewIssuePinsAllowed = Static<typeof NewIssuePinsAllowed>

// --- what is sent ------------------------------------------------------------------------------------------------------------------

const optional = {
  text: Type.Optional(Type.String()),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  names: Type.Optional(Type.Array(Type.String())),
  ids: Type.Optional(Type.Array(int64())),
  flag: Type.Optional(Type.Boolean()),
} as const
const assignee = Type.Optional(Type.String({ deprecated: true, description: "one more of the assignees" }))
const dueDate = Type.Optional(dateTime({ description: "only the date counts" }))

export const CreateIssueOption = record("CreateIssueOption", {
  title: nonBlank(),
  body: optional.text,
  ref: optional.name,
  assignee,
  assignees: optional.names,
  due_date: dueDate,
  milestone: Type.Optional(int64()),
  labels: optional.ids,
  projects: optional.ids,
  closed: optional.flag,
})
export type CreateIssueOption = Static<typeof CreateIssueOption>

/** Only members that are sent change. */
export const EditIssueOption = record("EditIssueOption", {
  title: Type.Optional(nonBlankOrEmpty()),
  body: optional.text,
  ref: optional.name,
  assignee,
  assignees: optional.names,
  milestone: Type.Optional(int64({ description: "0 takes it away" })),
  projects: optional.ids,
  state: Type.Optional(Type.String({ description: "open or closed" })),
  due_date: dueDate,
  unset_due_date: optional.flag,
  content_version: Type.Optional(
    int64({ description: "the version that the caller has seen; the whole edit is refused where there is a newer one" }),
  ),
})
export type EditIssueOption = Static<typeof EditIssueOption>

export const EditDeadlineOption = record("EditDeadlineOption", {
  due_date: nullable(dateTime({ description: "only the date counts; null takes it away" })),
})
export type EditDeadlineOption = Static<typeof EditDeadlineOption>

export const IssueAssigneesOption = record("IssueAssigneesOption", { assignees: optional.names })
export type IssueAssigneesOption = Static<typeof IssueAssigneesOption>

/** The labels of an issue, as a client names them. */
export const IssueLabelsOption = record("IssueLabelsOption", {
  labels: Type.Array(Type.Unknown(), { description: "ids, or names; all of one kind" }),
})
export type IssueLabelsOption = Static<typeof IssueLabelsOption>

export const LockIssueOption = record("LockIssueOption", { lock_reason: optional.text })
export type LockIssueOption = Static<typeof LockIssueOption>
