import type { Insertable, Selectable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { query } from "../../../core/database/query.ts"
import type { AnnouncementsTable } from "../../../core/database/tables/attention.ts"

export type AnnouncementRow = Selectable<AnnouncementsTable>

/** Newest first. There can be but a few, so that they need no pages. */
export const findAnnouncements = query("announcements.find", (db) => db.selectFrom("announcements").selectAll().orderBy("id", "desc"))

export const insertAnnouncement = (tx: Transaction, row: Insertable<AnnouncementsTable>) =>
  tx.insertInto("announcements").values(row).returningAll().executeTakeFirstOrThrow()

export const findAnnouncement = (db: Handle, id: number) =>
  db.selectFrom("announcements").selectAll().where("id", "=", id).executeTakeFirst()

export const changeAnnouncement = (tx: Transaction, id: number, changes: Partial<AnnouncementRow>) =>
  tx.updateTable("announcements").set(changes).where("id", "=", id).returningAll().executeTakeFirst()

export const removeAnnouncement = (tx: Transaction, id: number) => tx.deleteFrom("announcements").where("id", "=", id).executeTakeFirst()
