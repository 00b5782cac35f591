import type { Selectable } from "kysely"
import { currentToken } from "../../../core/caller.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { CommentsTable } from "../../../core/database/tables/issues.ts"
import { refuse } from "../../../core/errors.ts"
import { insertTimelineEntries, insertTimelineEntry } from "./timeline-store.ts"

/** An entry of an issue's timeline; comments are one kind. */
export type TimelineEntry = Selectable<CommentsTable>

/** The kinds of entries, as the API names them. Parts of a review that is not submitted yet are drafts, which no timeline shows. */
export type TimelineKind =
  | "comment"
  | "reopen"
  | "close"
  | "issue_ref"
  | "commit_ref"
  | "comment_ref"
  | "pull_ref"
  | "label"
  | "milestone"
  | "assignees"
  | "change_title"
  | "delete_branch"
  | "start_tracking"
  | "stop_tracking"
  | "add_time_manual"
  | "cancel_tracking"
  | "added_deadline"
  | "modified_deadline"
  | "removed_deadline"
  | "add_dependency"
  | "remove_dependency"
  | "code"
  | "code_draft"
  | "review"
  | "review_draft"
  | "lock"
  | "unlock"
  | "change_target_branch"
  | "delete_time_manual"
  | "review_request"
  | "merge_pull"
  | "pull_push"
  | "project"
  | "project_board"
  | "dismiss_review"
  | "change_issue_ref"
  | "pull_scheduled_merge"
  | "pull_cancel_scheduled_merge"
  | "pull_queued"
  | "pull_unqueued"
  | "pull_queue_priority"
  | "pin"
  | "unpin"
  | "change_time_estimate"
  | "transfer"

/** The kinds of timeline entries that are written texts, which can be edited, reacted to and have attachments. */
const TEXTS: readonly TimelineKind[] = ["comment", "code", "code_draft", "review", "review_draft", "dismiss_review"]

export const isText = ({ kind }: { readonly kind: string }): boolean => TEXTS.some((text) => text === kind)

/** Refuses `notFound` for entries that are no written text. */
export function requireText(entry: { readonly kind: string }): void {
  if (!isText(entry)) throw refuse.notFound()
}

type Columns = Partial<Omit<TimelineEntry, "id" | "issue_id" | "kind" | "author_id" | "made_with" | "created_at" | "updated_at">>

/** A new entry: its issue, kind and author, and the columns of `comments` that its kind uses. */
export interface NewTimelineEntry extends Columns {
  readonly issueId: number
  readonly kind: TimelineKind
  readonly authorId: number
  readonly now: Seconds
}

/** Writes an entry of an issue's timeline and returns its row. The caller updates the issue's `updated_at` (`touchIssue`). */
export async function addTimelineEntry(tx: Transaction, entry: NewTimelineEntry): Promise<TimelineEntry> {
  const { issueId, kind, authorId, now, ...columns } = entry
  const entered = { ...NOTHING, ...columns, issue_id: issueId, kind, author_id: authorId, made_with: currentToken(), now }
  const [row] = await insertTimelineEntry(tx, entered)
  if (!row) throw new TypeError("an insert gives its row")
  return row
}

/** Writes several entries, in their order, in one statement, and returns their rows in that order. */
export async function addTimelineEntries(
  tx: Transaction,
  entries: readonly NewTimelineEntry[],
): Promise<readonly Pick<TimelineEntry, "id">[]> {
  const [only] = entries
  if (only && entries.length === 1) return [await addTimelineEntry(tx, only)]
  const values = entries.map(({ issueId, kind, authorId, now, ...columns }) => ({
    ...NOTHING,
    ...columns,
    issue_id: issueId,
    kind,
    author_id: authorId,
    made_with: currentToken(),
    created_at: now,
    updated_at: now,
  }))
  const added: Pick<TimelineEntry, "id">[] = []
  for (const slice of slicesOf(values)) added.push(...(await insertTimelineEntries(tx, slice)))
  // Ids are assigned in the order of the rows.
  return added.toSorted((one, other) => one.id - other.id)
}

/** The columns of an entry without details. */
const NOTHING = {
  content: "",
  content_version: 0,
  label_id: null,
  milestone_id: null,
  old_milestone_id: null,
  project_id: null,
  old_project_id: null,
  assignee_id: null,
  assignee_team_id: null,
  removed_assignee: 0,
  old_title: "",
  new_title: "",
  old_ref: "",
  new_ref: "",
  ref_repository_id: null,
  ref_issue_id: null,
  ref_comment_id: null,
  ref_action: "none",
  commit_id: "",
  dependent_issue_id: null,
  tracked_time_id: null,
  review_id: null,
  resolver_id: null,
  close_reason: "",
  duplicate_of_id: null,
} as const
