import type { Insertable, Selectable } from "kysely"
import { type Actor, actorId, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { ReviewCommentsTable, ReviewsTable } from "../../../core/database/tables/pulls.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"
import type { TimelineEntry } from "../../planning/issues/timeline.ts"

export type Review = Selectable<ReviewsTable>
export type ReviewState = Review["state"]

/** A review with its text, and the number of its comments on lines. */
export type ReviewWithText = Review & {
  /** Its timeline entry; null for a request, and where the entry was deleted. */
  readonly header_id: number | null
  readonly content: string | null
  readonly made_with: string | null
  readonly comments_count: number
}

// --- reading -----------------------------------------------------------------------------------------------------------------------

const withText = (db: Handle) =>
  db
    .selectFrom("reviews")
    .leftJoin("comments as header", (join) =>
      join.onRef("header.review_id", "=", "reviews.id").on("header.kind", "in", ["review", "review_draft"]),
    )
    .selectAll("reviews")
    .select(["header.id as header_id", "header.content", "header.made_with"])
    .select((eb) => {
      const all = eb
        .selectFrom("review_comments")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("review_comments.review_id", "=", "reviews.id")
      return eb.fn.coalesce(all, eb.lit(0)).as("comments_count")
    })

export const findReviewsWithText = query("reviews.findSpoken", (db, p: Params<{ ids: readonly number[] }>) =>
  withText(db).where("reviews.id", "in", p.ids).orderBy("reviews.created_at").orderBy("reviews.id"),
)

/** A page of a pull request's reviews that the caller may see, oldest first: pending ones only for their author. */
export async function findReviews(db: Handle, actor: Actor, issueId: number, page: Page): Promise<Found<ReviewWithText>> {
  const shown = db
    .selectFrom("reviews")
    .where("issue_id", "=", issueId)
    .$if(!isSiteAdministrator(actor), (reviews) =>
      reviews.where((eb) => eb.or([eb("state", "!=", "PENDING"), eb("reviewer_id", "=", actorId(actor))])),
    )
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const ids = shown.select("reviews.id").orderBy("created_at").orderBy("id").limit(page.limit).offset(page.offset)
  const rows = await withText(db).where("reviews.id", "in", ids).orderBy("reviews.created_at").orderBy("reviews.id").execute()
  return { rows, total }
}

/** The reviews and requests that decide about merging: official and not dismissed. */
export const findOfficial = query("reviews.findOfficial", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("reviews")
    .select(["state", "is_stale"])
    .where("issue_id", "=", p.issueId)
    .where("is_official", "=", 1)
    .where("is_dismissed", "=", 0),
)

/** All reviews of one reviewer on a pull request, newest first. */
export const findReviewsBy = query("reviews.findBy", (db, p: Params<{ issueId: number; reviewerId: number }>) =>
  db
    .selectFrom("reviews")
    .selectAll()
    .where("issue_id", "=", p.issueId)
    .where("reviewer_id", "=", p.reviewerId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc"),
)

/** The open requests to people and teams. */
export const findRequests = query("reviews.findRequests", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db.selectFrom("reviews").selectAll().where("issue_id", "in", p.issueIds).where("state", "=", "REQUEST_REVIEW").orderBy("id"),
)

/** The last review of each reviewer, or the last request to them, by time. */
export const findLatest = query("reviews.findLatest", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("reviews")
    .select(["issue_id", "reviewer_id"])
    .where("id", "in", (eb) =>
      eb
        .selectFrom("reviews as each")
        .select((all) => all.fn.max("each.id").as("id"))
        .where("each.issue_id", "in", p.issueIds)
        .where("each.reviewer_id", ">", 0)
        .where("each.state", "!=", "PENDING")
        .where("each.is_dismissed", "=", 0)
        .groupBy(["each.issue_id", "each.reviewer_id"]),
    )
    .orderBy("updated_at")
    .orderBy("id"),
)

/** Each person's last verdict on a pull request that was not dismissed, or the later request for one. */
export const findLastVerdicts = query("reviews.findHeard", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("reviews")
    .select(["id", "reviewer_id", "is_official"])
    .where("id", "in", (eb) =>
      eb
        .selectFrom("reviews as each")
        .select((all) => all.fn.max("each.id").as("id"))
        .where("each.issue_id", "=", p.issueId)
        .where("each.reviewer_id", ">", 0)
        .where("each.state", "in", ["APPROVED", "REQUEST_CHANGES", "REQUEST_REVIEW"])
        .where("each.is_dismissed", "=", 0)
        .groupBy("each.reviewer_id"),
    )
    .orderBy("id"),
)

/** Each person's last verdict on these pull requests, as far as it was not dismissed. */
export const findVerdicts = query("reviews.findVerdicts", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("reviews")
    .select(["issue_id", "reviewer_id", "state", "is_stale", "is_official"])
    .where("id", "in", (eb) =>
      eb
        .selectFrom("reviews as each")
        .select((all) => all.fn.max("each.id").as("id"))
        .where("each.issue_id", "in", p.issueIds)
        .where("each.reviewer_id", ">", 0)
        .where("each.state", "in", ["APPROVED", "REQUEST_CHANGES"])
        .where("each.is_dismissed", "=", 0)
        .groupBy(["each.issue_id", "each.reviewer_id"]),
    )
    .orderBy("id"),
)

// --- comments on lines -------------------------------------------------------------------------------------------------------------

export type LineComment = Pick<
  TimelineEntry,
  "id" | "issue_id" | "kind" | "author_id" | "content" | "resolver_id" | "made_with" | "created_at" | "updated_at"
> &
  Omit<Selectable<ReviewCommentsTable>, "comment_id">

const LINE_COMMENT = [
  "comments.id",
  "comments.issue_id",
  "comments.kind",
  "comments.author_id",
  "comments.content",
  "comments.resolver_id",
  "comments.made_with",
  "comments.created_at",
  "comments.updated_at",
  "review_comments.review_id",
  "review_comments.path",
  "review_comments.line",
  "review_comments.lines",
  "review_comments.hunk",
  "review_comments.commit_id",
  "review_comments.is_outdated",
] as const

/** A review's comments on lines with their replies, file by file, line by line. */
export const findLineComments = query("reviews.findLineComments", (db, p: Params<{ reviewId: number }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("comments", "comments.id", "review_comments.comment_id")
    .select(LINE_COMMENT)
    .where("review_comments.review_id", "=", p.reviewId)
    .orderBy("review_comments.path")
    .orderBy("review_comments.line")
    .orderBy("comments.id"),
)

/** The submitted comments on lines of several reviews with their replies, file by file, line by line. */
export const findLineCommentsOf = query("reviews.findLineCommentsOf", (db, p: Params<{ reviewIds: readonly number[] }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("comments", "comments.id", "review_comments.comment_id")
    .select(LINE_COMMENT)
    .where("review_comments.review_id", "in", p.reviewIds)
    .where("comments.kind", "=", "code")
    .orderBy("review_comments.path")
    .orderBy("review_comments.line")
    .orderBy("comments.id"),
)

/** The comments on lines that the head still has, with the reader's own drafts, file by file, line by line. */
export const findPlacedComments = query("reviews.findPlaced", (db, p: Params<{ issueId: number; readerId: number }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("comments", "comments.id", "review_comments.comment_id")
    .select(LINE_COMMENT)
    .where("comments.issue_id", "=", p.issueId)
    .where("review_comments.is_outdated", "=", 0)
    .where((eb) =>
      eb.or([
        eb("comments.kind", "=", "code"),
        eb.and([eb("comments.kind", "=", "code_draft"), eb("comments.author_id", "=", p.readerId)]),
      ]),
    )
    .orderBy("review_comments.path")
    .orderBy("review_comments.line")
    .orderBy("comments.id"),
)

export const findLineComment = query("reviews.findLineComment", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("comments", "comments.id", "review_comments.comment_id")
    .select(LINE_COMMENT)
    .where("review_comments.comment_id", "=", p.id),
)

export const insertLineComment = query("reviews.insertLineComment", (db, p: Params<Selectable<ReviewCommentsTable>>) =>
  db.insertInto("review_comments").values({
    comment_id: p.comment_id,
    review_id: p.review_id,
    path: p.path,
    line: p.line,
    lines: p.lines,
    hunk: p.hunk,
    commit_id: p.commit_id,
    is_outdated: p.is_outdated,
  }),
)

/** The first user to resolve it remains its resolver. */
export const resolveLineComment = query("reviews.resolveLineComment", (db, p: Params<{ id: number; resolverId: number }>) =>
  db.updateTable("comments").set({ resolver_id: p.resolverId }).where("id", "=", p.id).where("resolver_id", "is", null),
)

export const unresolveLineComment = query("reviews.unresolveLineComment", (db, p: Params<{ id: number }>) =>
  db.updateTable("comments").set({ resolver_id: null }).where("id", "=", p.id).where("resolver_id", "is not", null),
)

/** The positions of a pull request's comments on lines that are not outdated. */
export const findCurrentLineComments = query("reviews.findPlacedComments", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("reviews", "reviews.id", "review_comments.review_id")
    .select(["review_comments.comment_id", "review_comments.path", "review_comments.line", "review_comments.lines"])
    .where("reviews.issue_id", "=", p.issueId)
    .where("review_comments.is_outdated", "=", 0),
)

export const moveLineComment = query(
  "reviews.moveLineComment",
  (db, p: Params<{ id: number; path: string; line: number; isOutdated: Flag }>) =>
    db.updateTable("review_comments").set({ path: p.path, line: p.line, is_outdated: p.isOutdated }).where("comment_id", "=", p.id),
)

// --- changing ----------------------------------------------------------------------------------------------------------------------

interface NewReview {
  readonly issueId: number
  readonly reviewerId: number
  readonly teamId: number | null
  readonly state: ReviewState
  readonly commitId: string
  readonly patchId: string
  readonly isOfficial: Flag
  readonly isStale: Flag
  readonly now: number
}

export const insertReview = query("reviews.insert", (db, p: Params<NewReview>) =>
  db
    .insertInto("reviews")
    .values({
      issue_id: p.issueId,
      reviewer_id: p.reviewerId,
      reviewer_team_id: p.teamId,
      state: p.state,
      commit_id: p.commitId,
      patch_id: p.patchId,
      is_official: p.isOfficial,
      is_stale: p.isStale,
      is_dismissed: 0,
      created_at: p.now,
      updated_at: p.now,
    })
    .returningAll(),
)

type SubmittedReview = Pick<NewReview, "state" | "commitId" | "patchId" | "isOfficial" | "isStale" | "now"> & { readonly id: number }

/** Submits or changes a pending review. */
export const updateReview = query("reviews.update", (db, p: Params<SubmittedReview>) =>
  db
    .updateTable("reviews")
    .set({
      state: p.state,
      commit_id: p.commitId,
      patch_id: p.patchId,
      is_official: p.isOfficial,
      is_stale: p.isStale,
      updated_at: p.now,
    })
    .where("id", "=", p.id)
    .returningAll(),
)

export const setDismissed = query("reviews.setDismissed", (db, p: Params<{ ids: readonly number[]; isDismissed: Flag; now: number }>) =>
  db.updateTable("reviews").set({ is_dismissed: p.isDismissed, updated_at: p.now }).where("id", "in", p.ids),
)

export const setOfficial = query("reviews.setOfficial", (db, p: Params<{ id: number; isOfficial: Flag }>) =>
  db.updateTable("reviews").set({ is_official: p.isOfficial }).where("id", "=", p.id),
)

/** Only one of a reviewer's reviews is official. */
export const clearOfficial = query("reviews.clearOfficial", (db, p: Params<{ issueId: number; reviewerId: number; exceptId: number }>) =>
  db
    .updateTable("reviews")
    .set({ is_official: 0 })
    .where("issue_id", "=", p.issueId)
    .where("reviewer_id", "=", p.reviewerId)
    .where("id", "!=", p.exceptId)
    .where("is_official", "=", 1),
)

export const deleteReviews = query("reviews.delete", (db, p: Params<{ ids: readonly number[] }>) =>
  db.deleteFrom("reviews").where("id", "in", p.ids),
)

/** The timeline entries of a review. */
export const findEntriesOfReview = query("reviews.findEntries", (db, p: Params<{ reviewId: number }>) =>
  db
    .selectFrom("comments")
    .selectAll()
    .where("review_id", "=", p.reviewId)
    .where("kind", "in", ["review", "review_draft", "code", "code_draft"])
    .orderBy("id"),
)

/** Publishes pending entries: the header as written now. */
export const publishEntry = query(
  "reviews.publishEntry",
  (db, p: Params<{ id: number; kind: string; createdAt: number; updatedAt: number }>) =>
    db.updateTable("comments").set({ kind: p.kind, created_at: p.createdAt, updated_at: p.updatedAt }).where("id", "=", p.id),
)

export const writeHeader = query("reviews.writeHeader", (db, p: Params<{ id: number; content: string; madeWith: string; now: number }>) =>
  db.updateTable("comments").set({ content: p.content, made_with: p.madeWith, updated_at: p.now }).where("id", "=", p.id),
)

/** Timeline entries that mention a review stay without it. */
export const detachReview = query("reviews.forget", (db, p: Params<{ reviewId: number }>) =>
  db.updateTable("comments").set({ review_id: null }).where("review_id", "=", p.reviewId),
)

/** Adds a review that came from elsewhere. */
export const insertOldReview = (tx: Transaction, row: Insertable<Tables["reviews"]>) =>
  tx.insertInto("reviews").values(row).returning("id").executeTakeFirstOrThrow()

/** Makes somebody the reviewer of reviews that came from elsewhere, of those that have none. */
export const giveReviews = (
  tx: Transaction,
  ids: readonly number[],
  { nobodyId, userId }: { readonly nobodyId: number; readonly userId: number },
) => tx.updateTable("reviews").set({ reviewer_id: userId }).where(inList("reviews.id", ids)).where("reviewer_id", "=", nobodyId).execute()
