import { type Sketch, sketch, type Typed } from "../../../core/forms/form.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { reviewCommentOperations } from "../../../features/review/reviews/comment-operations.ts"
import { reviewOperations } from "../../../features/review/reviews/operations.ts"
import { reviewRequestOperations } from "../../../features/review/reviews/request-operations.ts"
import { anchorOf } from "../../parts/diffs/diffs.ts"

/** What reviewers send: comments on lines, replies, verdicts, and requests for reviews. */

const PULL = "POST /{owner}/{repo}/pulls/{index}"
type Path = Readonly<Record<"owner" | "repo" | "index", string>>
const pathOf = ({ owner, repo, index }: Path): string => `/${owner}/${repo}/pulls/${index}`

const first = (typed: Typed, name: string): string => typed[name]?.[0] ?? ""

/** A comment on one line or several: alone, or part of a review that is submitted later. */
export const lineComment = sketch({
  id: "pull.lineComment",
  once: true,
  address: `${PULL}/reviews/lines`,
  does: named(reviewOperations, "repoCreatePullReview"),
  also: ["path", "side", "first", "last", "text", "action"],
  body: (_, typed) => {
    const [from, to] = [Number(first(typed, "first")) || 0, Number(first(typed, "last")) || 0]
    const [start, end] = to === 0 ? [from, from] : [Math.min(from || to, to), Math.max(from, to)]
    const lines = end - start + 1
    const position = first(typed, "side") === "L" ? { old_position: end } : { new_position: end }
    const comment = {
      path: first(typed, "path"),
      body: unixLines(first(typed, "text")),
      ...position,
      ...(lines > 1 && { lines }),
    }
    // What the form does by itself, and after it the button that was pressed.
    return { event: typed["action"]?.at(-1) === "review" ? "" : "COMMENT", comments: [comment] }
  },
  to: ({ path, field }) =>
    `${pathOf(path)}/files#${anchorOf(field("path"))}${field("side") === "L" ? "L" : "R"}${field("last") || field("first")}`,
})

/** A review without one that is pending. */
export const newReview = sketch({
  id: "pull.review",
  once: true,
  address: `${PULL}/reviews`,
  does: named(reviewOperations, "repoCreatePullReview"),
  takes: ["event", "body"],
  done: t("Review submitted."),
  to: ({ path }) => pathOf(path),
})

export const submitPending = sketch({
  id: "pull.submitReview",
  once: true,
  address: `${PULL}/reviews/{id}`,
  does: named(reviewOperations, "repoSubmitPullReview"),
  takes: ["event", "body"],
  done: t("Review submitted."),
  to: ({ path }) => pathOf(path),
})

export const discardPending = sketch({
  id: "pull.discardReview",
  address: `${PULL}/reviews/{id}/discard`,
  does: named(reviewOperations, "repoDeletePullReview"),
  done: t("Pending comments discarded."),
})

/** Stands where the text of a review is edited. */
export const deleteReview = sketch({
  id: "pull.deleteReview",
  address: `${PULL}/reviews/{id}/delete`,
  does: named(reviewOperations, "repoDeletePullReview"),
  done: t("Review deleted."),
  to: ({ path }) => pathOf(path),
})

export const dismiss = sketch({
  id: "pull.dismissReview",
  address: `${PULL}/reviews/{id}/dismiss`,
  does: named(reviewOperations, "repoDismissPullReview"),
  takes: ["message"],
  done: t("Review dismissed."),
})

export const undismiss = sketch({
  id: "pull.undismissReview",
  address: `${PULL}/reviews/{id}/undismiss`,
  does: named(reviewOperations, "repoUnDismissPullReview"),
  done: t("Review restored."),
})

/** Where a form of a thread leads back to: threads stand on both pages. */
const back = ({ path, field }: { readonly path: Path; readonly field: (name: string) => string }): string =>
  `${pathOf(path)}${field("from") === "files" ? "/files" : ""}#issuecomment-${field("comment")}`

export const replyForm = sketch({
  id: "pull.reply",
  once: true,
  address: `${PULL}/comments/{id}/replies`,
  does: named(reviewCommentOperations, "repoCreatePullReviewCommentReply"),
  takes: ["body"],
  also: ["from", "comment"],
  to: back,
})

export const resolve = sketch({
  id: "pull.resolve",
  address: `${PULL}/comments/{id}/resolve`,
  does: named(reviewCommentOperations, "repoResolvePullReviewComment"),
  also: ["from", "comment"],
  done: t("Resolved."),
  to: back,
})

export const unresolve = sketch({
  id: "pull.unresolve",
  address: `${PULL}/comments/{id}/unresolve`,
  does: named(reviewCommentOperations, "repoUnresolvePullReviewComment"),
  also: ["from", "comment"],
  done: t("Unresolved."),
  to: back,
})

export const askReviewer = sketch({
  id: "pull.askReviewer",
  address: `${PULL}/reviewers`,
  does: named(reviewRequestOperations, "repoCreatePullReviewRequests"),
  takes: ["reviewers", "team_reviewers"],
  done: t("Review requested."),
})

export const unaskReviewer = sketch({
  id: "pull.unaskReviewer",
  address: `${PULL}/reviewers/remove`,
  does: named(reviewRequestOperations, "repoDeletePullReviewRequests"),
  takes: ["reviewers", "team_reviewers"],
  undo: {
    by: askReviewer,
    fields: ({ field }) => Object.fromEntries(["reviewers", "team_reviewers"].map((name) => [name, field(name) === "" ? [] : field(name)])),
  },
  done: t("Review request cancelled."),
})

/** Where suggestions are committed. */
export const suggestionsPlace = { id: "pull.suggestions", address: "/{owner}/{repo}/pulls/{index}/suggestions" } as const

/** Those on the page of all changes, and those on that of the conversation. */
export const filesForms: readonly Sketch[] = [lineComment, newReview, submitPending, discardPending]
export const reviewForms: readonly Sketch[] = [deleteReview, dismiss, undismiss, replyForm, resolve, unresolve, askReviewer, unaskReviewer]
