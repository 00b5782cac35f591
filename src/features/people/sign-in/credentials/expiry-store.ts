import { type Params, query } from "../../../../core/database/query.ts"
import { EXPIRY_DAYS } from "./tokens.ts"

/** Tokens that will expire, until `horizon`, the first of these days from now, and whose owners were not told so many days before. */
export const findExpiringTokens = query(
  "authentication.findExpiringTokens",
  (db, p: Params<{ now: number; horizon: number; limit: number }>) =>
    db
      .selectFrom("access_tokens")
      .selectAll()
      .where((eb) => eb("expires_at", ">", eb.lit(0)))
      .where("expires_at", ">", p.now)
      .where("expires_at", "<=", p.horizon)
      .where((eb) =>
        eb.or(
          EXPIRY_DAYS.map((days, index) =>
            eb.and([eb(eb("expires_at", "-", eb.lit(days * 86_400)), "<=", p.now), eb("expiry_told", "<=", eb.lit(index))]),
          ),
        ),
      )
      .orderBy("id")
      .limit(p.limit),
)

export const noteExpiryTold = query("authentication.noteExpiryTold", (db, p: Params<{ id: number; told: number }>) =>
  db.updateTable("access_tokens").set({ expiry_told: p.told }).where("id", "=", p.id),
)

export const findLongExpiredTokens = query("authentication.findLongExpiredTokens", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .selectFrom("access_tokens")
    .select(["id", "user_id"])
    .where((eb) => eb("expires_at", ">", eb.lit(0)))
    .where("expires_at", "<=", p.before)
    .orderBy("id")
    .limit(p.limit),
)
