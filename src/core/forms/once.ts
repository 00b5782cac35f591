import { createHash } from "node:crypto"
import { type Params, query } from "../database/query.ts"
import { refuse } from "../errors.ts"
import type { Task } from "../jobs/jobs.ts"
import { type Moved, moved, type PageAnswer } from "../page.ts"
import type { Services } from "../services.ts"

/** A form that a person sends twice by accident, by a double click or by loading again, is done once: the second is answered as the first was. */

/** Seconds in which the same person sending the same to the same address counts as an accident. */
const WINDOW = 20
/** The same where the form says by this field which sending it is: a script tries again when the connection is back. */
const SENT_AS = "sent_as"
const WINDOW_OF_NAMED = 86_400
const WAIT_MS = 10_000
const LOOK_MS = 100

interface Answered {
  readonly led_to: string
  readonly flash: string
}

const claim = query("forms.claim", (db, p: Params<{ digest: string; now: number; before: number }>) =>
  db
    .insertInto("sent_forms")
    .values({ digest: p.digest, created_at: p.now })
    .onConflict((conflict) =>
      conflict.column("digest").doUpdateSet({ created_at: p.now, led_to: "", flash: "" }).where("sent_forms.created_at", "<", p.before),
    )
    .returning("digest"),
)

const find = query("forms.find", (db, p: Params<{ digest: string }>) =>
  db.selectFrom("sent_forms").select(["led_to", "flash"]).where("digest", "=", p.digest),
)

const keep = query("forms.keep", (db, p: Params<{ digest: string; ledTo: string; flash: string }>) =>
  db.updateTable("sent_forms").set({ led_to: p.ledTo, flash: p.flash }).where("digest", "=", p.digest),
)

const forget = query("forms.forget", (db, p: Params<{ digest: string }>) => db.deleteFrom("sent_forms").where("digest", "=", p.digest))

const forgetOld = query("forms.forgetOld", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("sent_forms").where("created_at", "<", p.before),
)

/** Answers a form, or leads to where the answer of the same form, sent just before, led. */
export async function once(
  services: Services,
  sent: { readonly userId: number; readonly url: string; readonly body: Buffer },
  answer: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { database, now } = services
  const digest = createHash("sha256").update(`${sent.userId} ${sent.url}\n`).update(sent.body).digest("base64url")
  const window = new URLSearchParams(sent.body.toString("utf8")).has(SENT_AS) ? WINDOW_OF_NAMED : WINDOW
  const claimed = await database.write((tx) => claim.first(tx, { digest, now: now(), before: now() - window }))
  if (!claimed) return asBefore(services, digest)
  try {
    const answered = await answer()
    // Only what was done counts: a form that was refused may be sent again.
    if (answered.kind === "moved") await database.write((tx) => keep(tx, { digest, ledTo: answered.to, flash: answered.flash ?? "" }))
    else await database.write((tx) => forget(tx, { digest }))
    return answered
  } catch (error) {
    await database.write((tx) => forget(tx, { digest }))
    throw error
  }
}

async function asBefore({ database }: Services, digest: string): Promise<Moved> {
  const until = Date.now() + WAIT_MS
  for (let row: Answered | undefined = await find.first(database.read, { digest }); row && Date.now() < until; ) {
    if (row.led_to !== "") return moved(row.led_to, row.flash === "" ? {} : { flash: row.flash })
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    row = await find.first(database.read, { digest })
  }
  throw refuse.conflict("this was sent just before, and has no answer yet; see whether it has come about before you send it again")
}

/** Removes forms that were sent long ago. */
export const pruneSentForms: Task = {
  name: "prune_sent_forms",
  cron: "@hourly",
  run: async ({ database, now }) => `${await database.write((tx) => forgetOld.changes(tx, { before: now() - WINDOW_OF_NAMED }))} removed`,
}
