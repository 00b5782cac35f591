import type { AboutIssue, Happened, InTimeline, Mentioning, OnIssue, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/comments": CommentEvent
  }
}

type Comment = Row<"comments">

/** The columns that are needed to show a comment. */
export type Spoken = Pick<
  Comment,
  "id" | "issue_id" | "author_id" | "content" | "created_at" | "updated_at" | "original_author" | "original_author_id" | "made_with"
>

/** What happens to comments and reactions. */
type CommentEvent =
  | (Happened<"comment.created"> & OnIssue & Mentioning & { readonly comment: Comment })
  | (Happened<"comment.edited"> & AboutIssue & { readonly comment: Spoken; readonly from: string })
  /** Delivered while the comment is still there. */
  | (Happened<"comment.deleted"> & AboutIssue & { readonly comment: Spoken })
  /** A reaction to the body of an issue, or to one of its comments. */
  | (Undated<"reaction.added" | "reaction.removed"> & InTimeline & { readonly commentId: number | null })
