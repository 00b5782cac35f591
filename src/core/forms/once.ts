import { createHash } from "node:crypto"
import { refuse } from "../errors.ts"
import type { Task } from "../jobs/jobs.ts"
import { type Moved, moved, type PageAnswer } from "../page.ts"
import type { Services } from "../services.ts"
import { claimForm, findSent, forgetOldSent, forgetSent, keepAnswer } from "./store.ts"

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

/** Answers a form, or leads to where the answer of the same form, sent just before, led. */
export async function once(
  services: Services,
  sent: { readonly userId: number; readonly url: string; readonly body: Buffer },
  answer: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { database, now } = services
  const digest = createHash("sha256").update(`${sent.userId} ${sent.url}\n`).update(sent.body).digest("base64url")
  const window = new URLSearchParams(sent.body.toString("utf8")).has(SENT_AS) ? WINDOW_OF_NAMED : WINDOW
  const claimed = await database.write((tx) => claimForm.first(tx, { digest, now: now(), before: now() - window }))
  if (!claimed) return asBefore(services, digest)
  try {
    const answered = await answer()
    // Only what was done counts: a form that was refused may be sent again.
    if (answered.kind === "moved")
      await database.write((tx) => keepAnswer(tx, { digest, ledTo: answered.to, flash: String(answered.flash ?? "") }))
    else await database.write((tx) => forgetSent(tx, { digest }))
    return answered
  } catch (error) {
    await database.write((tx) => forgetSent(tx, { digest }))
    throw error
  }
}

async function asBefore({ database }: Services, digest: string): Promise<Moved> {
  const until = Date.now() + WAIT_MS
  for (let row: Answered | undefined = await findSent.first(database.read, { digest }); row && Date.now() < until; ) {
    if (row.led_to !== "") return moved(row.led_to, row.flash === "" ? {} : { flash: row.flash })
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    row = await findSent.first(database.read, { digest })
  }
  throw refuse.conflict("this was sent just before, and has no answer yet; see whether it has come about before you send it again")
}

/** Removes forms that were sent long ago. */
export const pruneSentForms: Task = {
  name: "prune_sent_forms",
  cron: "@hourly",
  run: async ({ database, now }) =>
    `${await database.write((tx) => forgetOldSent.changes(tx, { before: now() - WINDOW_OF_NAMED }))} removed`,
}
