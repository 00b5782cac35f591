import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

/** The primary address of a user, if it is confirmed. */
export const findConfirmedAddress = query("mail.findConfirmedAddress", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("emails").select("email").where("user_id", "=", p.userId).where("is_primary", "=", 1).where("is_activated", "=", 1),
)

export const findComment = query("mail.findComment", (db, p: Params<{ id: number }>) =>
  db.selectFrom("comments").select(["id", "content", "review_id"]).where("id", "=", p.id),
)

export const findVerdict = query("mail.findVerdict", (db, p: Params<{ id: number }>) =>
  db.selectFrom("reviews").select("state").where("id", "=", p.id),
)

/** A review's comments on lines, without replies by others. */
export const findRemarks = query("mail.findRemarks", (db, p: Params<{ reviewId: number; authorId: number }>) =>
  db
    .selectFrom("review_comments")
    .innerJoin("comments", "comments.id", "review_comments.comment_id")
    .select(["review_comments.path", "review_comments.line", "comments.content"])
    .where("review_comments.review_id", "=", p.reviewId)
    .where("comments.author_id", "=", p.authorId)
    .orderBy("comments.id"),
)

/** The user where they want mails about their own failed runs, and something of the repository. */
export const findRunMailReceiver = query("mail.findRunReceiver", (db, p: Params<{ repositoryId: number; receiverId: number }>) =>
  db
    .selectFrom("users")
    .select("id")
    .where("id", "=", p.receiverId)
    .where(sql<SqlBool>`not exists (select 1 from notification_choices where user_id = users.id and cause = 'run' and by_mail = 0)`)
    .where(
      sql<SqlBool>`not exists (select 1 from notification_levels
        where user_id = users.id and repository_id = ${p.repositoryId} and level = 'ignored')`,
    ),
)
