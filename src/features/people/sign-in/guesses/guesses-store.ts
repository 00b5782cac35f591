import { type Params, query } from "../../../../core/database/query.ts"
import type { GuessesTable } from "../../../../core/database/tables/guesses.ts"

export type GuessKind = GuessesTable["kind"]

/** Whose secret is tried. */
export interface Guessed {
  readonly kind: GuessKind
  /** The id of the account, or a negative number for names without one. */
  readonly subject: number
}

export const findGuesses = query("authentication.findGuesses", (db, p: Params<Guessed>) =>
  db.selectFrom("guesses").select(["tried_at", "wait_seconds"]).where("kind", "=", p.kind).where("subject", "=", p.subject),
)

/** One statement decides whether a try may be made, and counts it. It changes no row while the last try's wait lasts. */
export const countTry = query(
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

export const deleteGuesses = query("authentication.deleteGuesses", (db, p: Params<Guessed>) =>
  db.deleteFrom("guesses").where("kind", "=", p.kind).where("subject", "=", p.subject),
)

export const deleteRestingGuesses = query("authentication.deleteRestingGuesses", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("guesses").where("tried_at", "<", p.before),
)

export const deleteOldSignInAddresses = query("authentication.deleteOldSignInAddresses", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("sign_in_addresses").where("seen_at", "<", p.before),
)

export const deleteFailures = query("authentication.deleteFailures", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("deeds").where("failure_key", "is not", null).where("created_at", "<", p.before),
)

/** How many networks are remembered for an account. */
const MOST_ADDRESSES = 16

export const findSignInAddress = query("authentication.findSignInAddress", (db, p: Params<{ userId: number; digest: string }>) =>
  db.selectFrom("sign_in_addresses").select("seen_at").where("user_id", "=", p.userId).where("digest", "=", p.digest),
)

export const saveSignInAddress = query(
  "authentication.saveSignInAddress",
  (db, p: Params<{ userId: number; digest: string; now: number }>) =>
    db
      .insertInto("sign_in_addresses")
      .values({ user_id: p.userId, digest: p.digest, seen_at: p.now })
      .onConflict((conflict) => conflict.columns(["user_id", "digest"]).doUpdateSet({ seen_at: p.now })),
)

export const trimSignInAddresses = query("authentication.trimSignInAddresses", (db, p: Params<{ userId: number }>) =>
  db
    .deleteFrom("sign_in_addresses")
    .where("user_id", "=", p.userId)
    .where("digest", "not in", (eb) =>
      eb
        .selectFrom("sign_in_addresses as kept")
        .select("kept.digest")
        .where("kept.user_id", "=", p.userId)
        .orderBy("kept.seen_at", "desc")
        .orderBy("kept.digest")
        .limit(MOST_ADDRESSES),
    ),
)

export const noteFailure = query(
  "authentication.noteFailure",
  (db, p: Params<{ operation: string; account: string; network: string; key: string; now: number }>) =>
    db
      .insertInto("deeds")
      .values({
        administrator_id: 0,
        administrator_name: "",
        acting_as: "",
        operation: p.operation,
        path: "",
        status: 401,
        ip: p.network,
        created_at: p.now,
        account_name: p.account,
        times: 1,
        failure_key: p.key,
      })
      .onConflict((conflict) => conflict.column("failure_key").doUpdateSet((eb) => ({ times: eb("deeds.times", "+", 1) }))),
)
