import { type Params, query } from "../database/query.ts"

export const claimForm = query("forms.claim", (db, p: Params<{ digest: string; now: number; before: number }>) =>
  db
    .insertInto("sent_forms")
    .values({ digest: p.digest, created_at: p.now })
    .onConflict((conflict) =>
      conflict.column("digest").doUpdateSet({ created_at: p.now, led_to: "", flash: "" }).where("sent_forms.created_at", "<", p.before),
    )
    .returning("digest"),
)

export const findSent = query("forms.find", (db, p: Params<{ digest: string }>) =>
  db.selectFrom("sent_forms").select(["led_to", "flash"]).where("digest", "=", p.digest),
)

export const keepAnswer = query("forms.keep", (db, p: Params<{ digest: string; ledTo: string; flash: string }>) =>
  db.updateTable("sent_forms").set({ led_to: p.ledTo, flash: p.flash }).where("digest", "=", p.digest),
)

export const forgetSent = query("forms.forget", (db, p: Params<{ digest: string }>) =>
  db.deleteFrom("sent_forms").where("digest", "=", p.digest),
)

export const forgetOldSent = query("forms.forgetOld", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("sent_forms").where("created_at", "<", p.before),
)
