import { publish } from "../../../../core/events/publish.ts"
import type { Services } from "../../../../core/services.ts"
import { forgetDeeds } from "./deeds-store.ts"
import { findExpiringTokens, findLongExpiredTokens, noteExpiryTold } from "./expiry-store.ts"
import { deleteToken, EXPIRY_DAYS } from "./tokens.ts"

const BATCH = 200
const DAY = 86_400

/** For how long people see that a token has expired, before it is deleted. */
const KEPT_DAYS = 30

/** For how long what tokens for one task did is listed. */
const DEEDS_KEPT_DAYS = 365

/**
 * Has people told some days before their access tokens expire, once each, and deletes those that expired long ago. Where the server was off for some days,
 * only the latest of the mails is sent. What tokens for one task did is forgotten after a year.
 */
export async function expire({ database, now }: Pick<Services, "database" | "now">): Promise<void> {
  const moment = now()
  const tell = () =>
    database.write(async (tx) => {
      const tokens = await findExpiringTokens(tx, { now: moment, horizon: moment + EXPIRY_DAYS[0] * DAY, limit: BATCH })
      for (const token of tokens) {
        const told = EXPIRY_DAYS.filter((days) => token.expires_at - moment <= days * DAY).length
        await noteExpiryTold.changes(tx, { id: token.id, told })
        publish(tx, { kind: "token.expires", token, user: { id: token.user_id }, at: moment })
      }
      return tokens.length
    })
  const remove = () =>
    database.write(async (tx) => {
      const tokens = await findLongExpiredTokens(tx, { before: moment - KEPT_DAYS * DAY, limit: BATCH })
      for (const token of tokens) await deleteToken(tx, token)
      return tokens.length
    })
  const forget = () => database.write((tx) => forgetDeeds.changes(tx, { before: moment - DEEDS_KEPT_DAYS * DAY, limit: BATCH }))
  for (const work of [tell, remove, forget]) while ((await work()) === BATCH);
}
