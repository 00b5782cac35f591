import type { User } from "../../../core/actor.ts"
import type { AboutIssue, Happened, Id, InTimeline, Mentioning, OnIssue, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "review/reviews": ReviewEvent
  }
}

type Comment = Row<"comments">
type Review = Row<"reviews">

/** What happens to reviews. */
type ReviewEvent =
  /** `header` is the comment of the review itself, `lines` are its comments on lines. */
  | (Happened<"review.submitted"> &
      OnIssue &
      Mentioning & { readonly review: Review; readonly header: Comment; readonly lines: readonly Comment[] })
  | (Happened<"review.dismissed"> & OnIssue & { readonly review: Pick<Review, "id" | "reviewer_id">; readonly message: string })
  /** `told`: the people who were asked, individually or as members of teams. */
  | (Happened<"review.requested"> & OnIssue & { readonly requests: readonly Review[]; readonly told: readonly Id<User>[] })
  | (Happened<"review.requestRemoved"> & AboutIssue & { readonly requests: readonly Review[] })
  /** A dismissal was taken back. */
  | (Undated<"review.undismissed"> & InTimeline & { readonly review: Id<Review> })
  /** With its comments on lines and the replies to them. Not published for reviews that were not submitted. */
  | (Undated<"review.deleted"> & InTimeline & { readonly review: Id<Review> })
  /** A conversation about a line of code. */
  | (Undated<"conversation.resolved" | "conversation.reopened"> & InTimeline & { readonly commentId: number })
