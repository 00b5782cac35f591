import { dateTime, int64, nonBlank, nonBlankOrEmpty, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Repository } from "../../code/repositories/records.ts"
import { Team } from "../../people/teams/records.ts"
import { User } from "../../people/users/records.ts"
import { AsOf, madeWith } from "../../planning/issues/records.ts"
import { Label } from "../../planning/labels/records.ts"
import { Milestone } from "../../planning/milestones/records.ts"

// --- what is answered --------------------------------------------------------------------------------------------------------------

export const PRBranchInfo = record("PRBranchInfo", {
  label: Type.String({ description: 'name of the branch; "" for a head without one, which was pushed to refs/for/…' }),
  ref: Type.String({ description: "name of the branch while there is one, then the reference that keeps its last commit" }),
  sha: Type.String({ description: "commit at its tip" }),
  repo_id: int64({ description: "-1 where the repository is gone or hidden" }),
  repo: nullable(Repository),
})
export type PRBranchInfo = Static<typeof PRBranchInfo>

export const PullRequest = record("PullRequest", {
  id: int64({ description: "not the id of the issue that it is" }),
  url: Type.String({ description: "address of its page" }),
  number: int64({ description: "number inside the repository, shared by issues and pull requests" }),
  user: User,
  title: Type.String(),
  body: Type.String(),
  labels: Type.Array(Label),
  milestone: nullable(Milestone),
  assignee: nullable(User),
  assignees: Type.Array(User),
  requested_reviewers: Type.Array(User),
  requested_reviewers_teams: Type.Array(Team),
  state: oneOf(["open", "closed"]),
  draft: Type.Boolean({ description: "the title begins with a mark of work in progress" }),
  is_locked: Type.Boolean(),
  comments: int64(),
  review_comments: int64({ description: "number of reviews that were submitted" }),
  additions: int64({ description: "lines" }),
  deletions: int64({ description: "lines" }),
  changed_files: int64(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  mergeable: Type.Boolean({ description: "neither in conflict with its base nor a draft" }),
  merged: Type.Boolean(),
  merged_at: nullable(dateTime()),
  merge_commit_sha: nullable(Type.String()),
  merged_by: nullable(User),
  allow_maintainer_edit: Type.Boolean({ description: "people who may merge it may push to its head branch" }),
  base: PRBranchInfo,
  head: PRBranchInfo,
  merge_base: Type.String(),
  due_date: nullable(dateTime()),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: nullable(dateTime()),
  pin_order: int64({ description: "0 where it is not pinned" }),
  content_version: int64({ description: "moves with every write of the body" }),
  made_with: madeWith(),
  flow: int64({ description: "0: from a branch; 1: from a push to refs/for/…" }),
  as_of: Type.Optional(AsOf),
})
export type PullRequest = Static<typeof PullRequest>

export const ChangedFile = record("ChangedFile", {
  filename: Type.String(),
  previous_filename: Type.Optional(Type.String({ description: "of renamed and copied files" })),
  status: Type.String({ description: "added, deleted, renamed, copied, changed or unchanged" }),
  additions: int64(),
  deletions: int64(),
  changes: int64(),
  html_url: Type.String(),
  contents_url: Type.String(),
  raw_url: Type.String(),
})
export type ChangedFile = Static<typeof ChangedFile>

// --- what is sent ------------------------------------------------------------------------------------------------------------------

const text = Type.Optional(Type.String())
const names = Type.Optional(Type.Array(Type.String()))
const assignee = Type.Optional(Type.String({ deprecated: true, description: "one more of the assignees" }))

const draft = Type.Optional(
  Type.Boolean({ description: 'an extension: true puts "WIP: " before the title unless it has such a mark, false takes the marks away' }),
)

export const CreatePullRequestOption = record("CreatePullRequestOption", {
  title: nonBlank(),
  head: Type.String({ minLength: 1, description: "branch, or user:branch, or user/repository:branch" }),
  base: Type.String({ minLength: 1, description: "branch that it is to be merged into" }),
  body: text,
  assignee,
  assignees: names,
  milestone: Type.Optional(int64()),
  labels: Type.Optional(Type.Array(int64())),
  due_date: Type.Optional(dateTime()),
  reviewers: names,
  team_reviewers: names,
  allow_maintainer_edit: Type.Optional(Type.Boolean({ description: "as the repository has it, unless told otherwise" })),
  draft,
})
export type CreatePullRequestOption = Static<typeof CreatePullRequestOption>

/** Only members that are sent change. */
export const EditPullRequestOption = record("EditPullRequestOption", {
  title: Type.Optional(nonBlankOrEmpty()),
  body: text,
  base: text,
  assignee,
  assignees: names,
  milestone: Type.Optional(int64()),
  labels: Type.Optional(Type.Array(int64())),
  state: Type.Optional(Type.String({ description: "open or closed" })),
  due_date: Type.Optional(dateTime({ description: "only the date counts" })),
  unset_due_date: Type.Optional(Type.Boolean()),
  allow_maintainer_edit: Type.Optional(Type.Boolean({ description: "for those who may write to the head's repository" })),
  draft,
  content_version: Type.Optional(
    int64({ description: "the version that the caller has seen; the whole edit is refused where there is a newer one" }),
  ),
})
export type EditPullRequestOption = Static<typeof EditPullRequestOption>
