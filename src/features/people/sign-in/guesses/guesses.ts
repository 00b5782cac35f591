import type { Transaction } from "../../../../core/database/database.ts"
import { type Refusal, refuse } from "../../../../core/errors.ts"
import type { Task } from "../../../../core/jobs/jobs.ts"
import { t, type Words } from "../../../../core/language/message.ts"
import type { Services } from "../../../../core/services.ts"
import {
  countTry,
  deleteFailures,
  deleteGuesses,
  deleteOldSignInAddresses,
  deleteRestingGuesses,
  findGuesses,
  type Guessed,
  type GuessKind,
} from "./guesses-store.ts"

/**
 * Tries of passwords and second-factor codes, counted in the database, so that several processes count together. A try is counted before it is
 * checked, so that concurrent ones can't get around the count; a right one ends the count. After a few tries each further one has to wait, twice as
 * long each time.
 */

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

const SENTENCES: Readonly<Record<GuessKind, (wait: Words) => Words>> = {
  password: (wait) => t`There were too many wrong passwords. Access tokens and SSH keys go on; try the password again in ${wait}.`,
  secondFactor: (wait) => t`There were too many wrong codes, and even a right one is not accepted now. Try again in ${wait}.`,
  clientSecret: (wait) => t`There were too many wrong client secrets from this network. Try again in ${wait}.`,
}

export const tooManyTries = (kind: GuessKind, seconds: number): Refusal =>
  refuse.tooSoon(SENTENCES[kind](seconds === 1 ? t("a second") : t`${seconds} seconds`), seconds)

const DAY = 86_400
/** How long it is remembered from where an account was signed in to. */
export const ADDRESS_SECONDS = 90 * DAY

/** Forgets tries after a day of rest, and what else is old. */
export const forgetGuesses: Task = {
  name: "forget_guesses",
  cron: "35 * * * *",
  run: async ({ config, database, now }) => {
    const moment = now()
    const { keepSeconds, longestWaitSeconds } = config.security.guesses
    await database.write((tx) => deleteRestingGuesses(tx, { before: moment - longestWaitSeconds - DAY }))
    await database.write((tx) => deleteOldSignInAddresses(tx, { before: moment - ADDRESS_SECONDS }))
    await database.write((tx) => deleteFailures(tx, { before: moment - keepSeconds }))
    return undefined
  },
}
