import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { GuessesTable } from "../../../core/database/tables/guesses.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"

/**
 * Tries of passwords and second-factor codes, counted in the database, so that several processes count together. A try is counted before it is
 * checked, so that concurrent ones can't get around the count; a right one ends the count. After a few tries each further one has to wait, twice as
 * long each time.
 */

type Kind = GuessesTable["kind"]

/** Whose secret is tried. */
export interface Guessed {
  readonly kind: Kind
  /** The id of the account, or a negative number for names without one. */
  readonly subject: number
}

const findGuesses = query("authentication.findGuesses", (db, p: Params<Guessed>) =>
  db.selectFrom("guesses").select(["tried_at", "wait_seconds"]).where("kind", "=", p.kind).where("subject", "=", p.subject),
)

/** One statement decides whether a try may be made, and counts it. It changes no row while the last try's wait lasts. */
const countTry = query(
  "authentication.countTry",
  (db, p: Params<Guessed & { now: number; free: number; initialWait: number; firstWait: number; longestWait: number }>) =>
    db
      .insertInto("guesses")
      .values({ kind: p.kind, subject: p.subject, tries: 1, wait_seconds: p.initialWait, tried_at: p.now })
      .onConflict((conflict) =>
        conflict
          .columns(["kind", "subject"])
          .doUpdateSet((eb) => ({
            tries: eb("guesses.tries", "+", 1),
            tried_at: p.now,
            wait_seconds: eb
              .case()
              .when(eb(eb("guesses.tries", "+", 1), "<", p.free))
              .then(0)
              .when("guesses.wait_seconds", "=", 0)
              .then(p.firstWait)
              .when(eb(eb("guesses.wait_seconds", "*", 2), ">", p.longestWait))
              .then(p.longestWait)
              .else(eb("guesses.wait_seconds", "*", 2))
              .end(),
          }))
          // Clocks of several processes may differ by a little: without a wait they are not compared.
          .where((eb) =>
            eb.or([eb("guesses.wait_seconds", "=", 0), eb(eb("guesses.tried_at", "+", eb.ref("guesses.wait_seconds")), "<=", p.now)]),
          ),
      )
      .returning("wait_seconds"),
)

const deleteGuesses = query("authentication.deleteGuesses", (db, p: Params<Guessed>) =>
  db.deleteFrom("guesses").where("kind", "=", p.kind).where("subject", "=", p.subject),
)

type Counting = Pick<Services, "config" | "database" | "now" | "signIns">

/** How many seconds no try is taken; at most 0 where one may be made. */
async function waitOf({ database, now }: Counting, guessed: Guessed): Promise<number> {
  const found = await findGuesses.first(database.read, guessed)
  return found === undefined || found.wait_seconds === 0 ? 0 : found.tried_at + found.wait_seconds - now()
}

/** Refuses `tooMany` while the wait of an earlier wrong try lasts; writes nothing. */
export async function requireNoWait(services: Counting, guessed: Guessed): Promise<void> {
  const seconds = await waitOf(services, guessed)
  if (seconds > 0) throw refused(services, guessed, seconds)
}

/**
 * Counts a try, to be called before the check and outside of any transaction. Gives how many seconds no other is taken, unless this one is right.
 * Refuses `tooMany`, without having written anything, while the wait of an earlier one lasts.
 */
export async function requireTry(services: Counting, guessed: Guessed): Promise<number> {
  const { config, database, now } = services
  const { perAccount, firstWaitSeconds, longestWaitSeconds } = config.security.guesses
  const limits = {
    free: perAccount,
    initialWait: perAccount === 1 ? firstWaitSeconds : 0,
    firstWait: firstWaitSeconds,
    longestWait: longestWaitSeconds,
  }
  await requireNoWait(services, guessed)
  const counted = await database.write((tx) => countTry.first(tx, { ...guessed, ...limits, now: now() }))
  if (counted) return counted.wait_seconds
  // Another one was faster.
  throw refused(services, guessed, Math.max(1, await waitOf(services, guessed)))
}

function refused({ signIns }: Counting, { kind }: Guessed, seconds: number): Refusal {
  signIns.count(kind, "refused")
  return tooManyTries(kind, seconds)
}

/** Ends the count, after a right one. */
export const forgetTries = (tx: Transaction, guessed: Guessed): Promise<number> => deleteGuesses.changes(tx, guessed)

const SENTENCES = {
  password: "There were too many wrong passwords. Access tokens and SSH keys go on; try the password again in",
  secondFactor: "There were too many wrong codes, and even a right one is not accepted now. Try again in",
  clientSecret: "There were too many wrong client secrets from this network. Try again in",
} as const satisfies Record<Kind, string>

export const tooManyTries = (kind: Kind, seconds: number): Refusal =>
  refuse.tooSoon(`${SENTENCES[kind]} ${seconds === 1 ? "a second" : `${seconds} seconds`}.`, seconds)

const DAY = 86_400
/** How long it is remembered from where an account was signed in to. */
export const ADDRESS_SECONDS = 90 * DAY

const deleteResting = query("authentication.deleteRestingGuesses", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("guesses").where("tried_at", "<", p.before),
)

const deleteOldAddresses = query("authentication.deleteOldSignInAddresses", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("sign_in_addresses").where("seen_at", "<", p.before),
)

const deleteFailures = query("authentication.deleteFailures", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("deeds").where("failure_key", "is not", null).where("created_at", "<", p.before),
)

/** Forgets tries after a day of rest, and what else is old. */
export const forgetGuesses: Task = {
  name: "forget_guesses",
  cron: "35 * * * *",
  run: async ({ config, database, now }) => {
    const moment = now()
    const { keepSeconds, longestWaitSeconds } = config.security.guesses
    await database.write((tx) => deleteResting(tx, { before: moment - longestWaitSeconds - DAY }))
    await database.write((tx) => deleteOldAddresses(tx, { before: moment - ADDRESS_SECONDS }))
    await database.write((tx) => deleteFailures(tx, { before: moment - keepSeconds }))
    return undefined
  },
}
