import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { AccountMailsTable } from "../../../core/database/tables/people.ts"

/** When a user last had a mail about a subject sent to an address, as far as that is remembered. */
export const findAccountMail = (
  tx: Transaction,
  { about, userId, lowerAddress }: { readonly about: AccountMailsTable["about"]; readonly userId: number; readonly lowerAddress: string },
) =>
  tx
    .selectFrom("account_mails")
    .select("sent_at")
    .where("user_id", "=", userId)
    .where("about", "=", about)
    .where("lower_address", "=", lowerAddress)
    .executeTakeFirst()

/** Notes that a mail is sent now. Changes nothing where the same one was sent since `before`. */
export const noteAccountMail = (
  tx: Transaction,
  mail: Pick<AccountMailsTable, "about"> & {
    readonly userId: number
    readonly lowerAddress: string
    readonly now: Seconds
    readonly before: Seconds
  },
) =>
  tx
    .insertInto("account_mails")
    .values({ user_id: mail.userId, about: mail.about, lower_address: mail.lowerAddress, sent_at: mail.now })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "about", "lower_address"])
        .doUpdateSet({ sent_at: mail.now })
        .where("account_mails.sent_at", "<=", mail.before),
    )
    .executeTakeFirst()

/** At how many addresses a user was sent mail about a subject, as far as that is remembered. */
export const countAccountMails = query("mail.countAccountMails", (db, p: Params<Pick<AccountMailsTable, "about"> & { userId: number }>) =>
  db
    .selectFrom("account_mails")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("user_id", "=", p.userId)
    .where("about", "=", p.about),
)

export const forgetAccountMails = query(
  "mail.forgetAccountMails",
  (db, p: Params<Pick<AccountMailsTable, "about"> & { userId: number; before: Seconds }>) =>
    db.deleteFrom("account_mails").where("user_id", "=", p.userId).where("about", "=", p.about).where("sent_at", "<", p.before),
)
