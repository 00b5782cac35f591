import type { Selectable } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { SavedRepliesTable } from "../../../core/database/tables/texts.ts"

/** Replies that someone has saved. Every query is about those of one person: no one else sees them. */

export type SavedReply = Selectable<SavedRepliesTable>

type One = { readonly userId: number; readonly id: number }
type Written = { readonly name: string; readonly content: string }

/** All of them by name, with their texts. */
export const findReplies = query("replies.find", (db, p: Params<{ userId: number; limit: number; offset: number }>) =>
  db.selectFrom("saved_replies").selectAll().where("user_id", "=", p.userId).orderBy("name").orderBy("id").limit(p.limit).offset(p.offset),
)

/** All of them by name, without their texts. */
export const findReplyNames = query("replies.findNames", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("saved_replies").select(["id", "name"]).where("user_id", "=", p.userId).orderBy("name").orderBy("id"),
)

export const countReplies = query("replies.count", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("saved_replies")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("user_id", "=", p.userId),
)

export const findReply = query("replies.findOne", (db, p: Params<One>) =>
  db.selectFrom("saved_replies").selectAll().where("user_id", "=", p.userId).where("id", "=", p.id),
)

export const insertReply = query("replies.insert", (db, p: Params<Written & { readonly userId: number }>) =>
  db.insertInto("saved_replies").values({ user_id: p.userId, name: p.name, content: p.content }),
)

export const updateReply = query("replies.update", (db, p: Params<One & Written>) =>
  db.updateTable("saved_replies").set({ name: p.name, content: p.content }).where("user_id", "=", p.userId).where("id", "=", p.id),
)

export const deleteReply = query("replies.delete", (db, p: Params<One>) =>
  db.deleteFrom("saved_replies").where("user_id", "=", p.userId).where("id", "=", p.id),
)
