import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { NotificationChoicesTable } from "../../../core/database/tables/attention.ts"

export const findChoices = query("notifications.findChoices", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("notification_choices").select(["cause", "in_list", "by_mail"]).where("user_id", "=", p.userId),
)

export const removeChoices = (tx: Transaction, userId: number) =>
  tx.deleteFrom("notification_choices").where("user_id", "=", userId).execute()

export const insertChoices = (tx: Transaction, rows: readonly Insertable<NotificationChoicesTable>[]) =>
  tx
    .insertInto("notification_choices")
    .values([...rows])
    .execute()
