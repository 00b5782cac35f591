import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { AccountMailsTable } from "../../../core/database/tables.ts"
import type { DomainEvent, EventOf } from "../../../core/events/catalogue.ts"
import type { Listener } from "../../../core/events/events.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { isUsable, makeCode, type Purpose } from "../../people/users/codes.ts"
import { findAddressesOf } from "../../people/users/store.ts"
import { composeAccountMail } from "./compose-account.ts"

/** Mails to people about their own accounts. */

const AccountMail = Type.Object({
  about: oneOf(["welcome", "activation", "confirmation", "recovery"]),
  userId: int64(),
  /** In lower case. What it is good for now is looked up when the mail is sent. */
  address: Type.String(),
})
type AccountMail = Static<typeof AccountMail>

/** What the link of a mail is for; a welcome has none. */
const PURPOSES = { activation: "activate", confirmation: "confirm", recovery: "recover" } as const satisfies Readonly<
  Partial<Record<AccountMailsTable["about"], Purpose>>
>

/** How soon a person is written to again about the same thing at the same address. */
const PAUSE_SECONDS = 180

/**
 * Keeps a mail in the transaction of what it is about; how its link is signed is left to when it is sent, so that nothing that lets anybody
 * in is stored. Does nothing where no mail server is set up, nor within three minutes of the same mail.
 */
async function writeToAccount(
  tx: Transaction,
  { config, jobs, now }: Pick<Services, "config" | "jobs" | "now">,
  mail: AccountMail,
): Promise<void> {
  if (config.mail.host === "") return
  const moment = now()
  const noted = await tx
    .insertInto("account_mails")
    .values({ user_id: mail.userId, about: mail.about, lower_address: mail.address, sent_at: moment, wrong_codes: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "about", "lower_address"])
        .doUpdateSet({ sent_at: moment, wrong_codes: 0 })
        .where("account_mails.sent_at", "<=", moment - PAUSE_SECONDS),
    )
    .executeTakeFirst()
  if ((noted.numInsertedOrUpdatedRows ?? 0n) > 0n) await jobs.enqueue(tx, accountMailJob, mail)
}

/** What people are written to about, by what happened. */
const ABOUT = {
  "account.created": "welcome",
  "account.activationNeeded": "activation",
  "account.addressAdded": "confirmation",
  "account.recoveryAsked": "recovery",
} as const

type AccountEvent = EventOf<keyof typeof ABOUT>
const isAccountEvent = (event: DomainEvent): event is AccountEvent => Object.hasOwn(ABOUT, event.kind)

/** People are written to about their own accounts. Mail about issues goes with notifications. */
export const accountMails: Listener = {
  name: "account mails",
  async hear({ tx, services, events }) {
    for (const event of events.filter(isAccountEvent))
      await writeToAccount(tx, services, { about: ABOUT[event.kind], userId: event.user.id, address: event.to.address })
  },
}

/** Sends a mail about an account, if what it is about is still so. */
export const accountMailJob = defineJob({
  kind: "mail.account",
  payload: AccountMail,
  timeoutSeconds: 120,
  run: async ({ about, userId, address: wanted }, { context, id, signal }) => {
    const { config, database, mailer, now, secrets, site } = context
    const user = await findUserById.first(database.read, { id: userId })
    const address = user && (await findAddressesOf(database.read, { userId })).find(({ lower_email }) => lower_email === wanted)
    if (!user || !address) return
    const told = { about, user, address: address.email, id }
    if (about === "welcome") {
      if (user.is_active === 1) await mailer.send(composeAccountMail(site, told), signal)
      return
    }
    const holder = { purpose: PURPOSES[about], user, address }
    if (!isUsable(holder)) return
    const seconds = about === "recovery" ? config.security.recoverySeconds : config.users.confirmationSeconds
    const link = { code: makeCode(secrets, holder, now() + seconds), seconds }
    await mailer.send(composeAccountMail(site, { ...told, link }), signal)
  },
})
