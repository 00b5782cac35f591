import type { Selectable } from "kysely"
import { query } from "../../../core/database/query.ts"
import type { AnnouncementsTable } from "../../../core/database/tables/attention.ts"

export type AnnouncementRow = Selectable<AnnouncementsTable>

/** Newest first. There can be but a few, so that they need no pages. */
export const findAnnouncements = query("announcements.find", (db) => db.selectFrom("announcements").selectAll().orderBy("id", "desc"))
