import type { Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ReactionsTable } from "../../../core/database/tables/issues.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

export type ReactionRow = Selectable<ReactionsTable>

/** The text that is reacted to: an issue's body (comment 0), or one of its comments. */
interface Subject {
  readonly issueId: number
  readonly commentId: number
}

/** All reactions to one text, oldest first. */
export const findReactions = query("reactions.find", (db, p: Params<Subject>) =>
  db.selectFrom("reactions").selectAll().where("issue_id", "=", p.issueId).where("comment_id", "=", p.commentId).orderBy("id"),
)

/** How often each reaction was given to an issue's body (comment 0) and to each of its comments, the first given first. */
export const countReactions = query("reactions.count", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("reactions")
    .select(["comment_id", "content", (eb) => eb.fn.countAll<number>().as("total")])
    .where("issue_id", "=", p.issueId)
    .groupBy(["comment_id", "content"])
    .orderBy((eb) => eb.fn.min("id")),
)

/** The reactions that someone gave to an issue's body and to its comments. */
export const findOwnReactions = query("reactions.findOwn", (db, p: Params<{ issueId: number; userId: number }>) =>
  db.selectFrom("reactions").select(["comment_id", "content"]).where("issue_id", "=", p.issueId).where("user_id", "=", p.userId),
)

/** A page of the reactions to an issue's body, and their total number. */
export async function findReactionsPage(db: Handle, issueId: number, page: Page): Promise<Found<ReactionRow>> {
  const found = db.selectFrom("reactions").where("issue_id", "=", issueId).where("comment_id", "=", 0)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

type ReactionKey = Subject & { readonly userId: number; readonly content: string }

export const findReaction = query("reactions.findOne", (db, p: Params<ReactionKey>) =>
  db
    .selectFrom("reactions")
    .selectAll()
    .where("issue_id", "=", p.issueId)
    .where("comment_id", "=", p.commentId)
    .where("user_id", "=", p.userId)
    .where("content", "=", p.content),
)

/** Returns no row where the reaction exists already. */
export const insertReaction = query("reactions.insert", (db, p: Params<ReactionKey & { now: number }>) =>
  db
    .insertInto("reactions")
    .values({ issue_id: p.issueId, comment_id: p.commentId, user_id: p.userId, content: p.content, created_at: p.now })
    .onConflict((conflict) => conflict.columns(["issue_id", "comment_id", "user_id", "content"]).doNothing())
    .returningAll(),
)

export const deleteReaction = query("reactions.deleteOne", (db, p: Params<ReactionKey>) =>
  db
    .deleteFrom("reactions")
    .where("issue_id", "=", p.issueId)
    .where("comment_id", "=", p.commentId)
    .where("user_id", "=", p.userId)
    .where("content", "=", p.content),
)

export const deleteOwnReactions = query("reactions.deleteOwn", (db, p: Params<Omit<ReactionKey, "content">>) =>
  db.deleteFrom("reactions").where("issue_id", "=", p.issueId).where("comment_id", "=", p.commentId).where("user_id", "=", p.userId),
)

export const deleteAllReactions = query("reactions.deleteAll", (db, p: Params<Subject>) =>
  db.deleteFrom("reactions").where("issue_id", "=", p.issueId).where("comment_id", "=", p.commentId),
)
