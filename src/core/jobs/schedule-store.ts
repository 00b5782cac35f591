import type { Transaction } from "../database/database.ts"
import { type Params, query } from "../database/query.ts"
import type { Seconds } from "../database/tables/index.ts"

/** The state of the clock: one row for each task that was ever known. */
export const listScheduled = query("schedule.list", (db) => db.selectFrom("schedule").selectAll().orderBy("name"))

export const findTask = query("schedule.find", (db, p: Params<{ name: string }>) =>
  db.selectFrom("schedule").select("last_status").where("name", "=", p.name),
)

/** Stores when a task is due next; inserts its row if there is none. */
export const putNextRun = query("schedule.putNext", (db, p: Params<{ name: string; next: Seconds }>) =>
  db
    .insertInto("schedule")
    .values({ name: p.name, next_run_at: p.next, last_run_at: 0, held_until: 0, runs: 0, last_status: "", last_message: "" })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ next_run_at: p.next })),
)

/** Writes down that the database takes writes. The row is no task's. */
export const writeHealth = query("schedule.writeHealth", (db, p: Params<{ now: Seconds }>) =>
  db
    .insertInto("schedule")
    .values({ name: "health", next_run_at: 0, last_run_at: p.now, held_until: 0, runs: 0, last_status: "", last_message: "" })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_run_at: p.now })),
)

/** Who claims a task, and until when. */
interface Claim {
  readonly name: string
  readonly by: string
  readonly now: Seconds
  readonly until: Seconds
}

const claimDue = query("schedule.claimDue", (db, p: Params<Claim & { readonly next: Seconds }>) =>
  db
    .updateTable("schedule")
    .set({ held_until: p.until, held_by: p.by, last_run_at: p.now, next_run_at: p.next, last_status: "running", last_message: "" })
    .where("name", "=", p.name)
    .where("held_until", "<=", p.now)
    .where("next_run_at", "<=", p.now),
)

/** Makes a task due, unless it runs. */
export const putDue = query("schedule.putDue", (db, p: Params<{ name: string; now: Seconds }>) =>
  db.updateTable("schedule").set({ next_run_at: p.now }).where("name", "=", p.name).where("held_until", "<=", p.now),
)

const claimNow = query("schedule.claimNow", (db, p: Params<Claim>) =>
  db
    .updateTable("schedule")
    .set({ held_until: p.until, held_by: p.by, last_run_at: p.now, last_status: "running", last_message: "" })
    .where("name", "=", p.name)
    .where("held_until", "<=", p.now),
)

/**
 * Claims a task that is due, and stores when it is due again. False when it is no longer due or already runs, here or on another machine: of
 * several that try, one succeeds.
 */
export const claimDueTask = async (tx: Transaction, claim: Claim & { readonly next: Seconds }): Promise<boolean> =>
  (await claimDue.changes(tx, claim)) === 1

/** Claims a task whether it is due or not. False when it already runs. */
export const claimTaskNow = async (tx: Transaction, claim: Claim): Promise<boolean> => (await claimNow.changes(tx, claim)) === 1

const renew = query("schedule.renew", (db, p: Params<{ name: string; claimedAt: Seconds; until: Seconds }>) =>
  db
    .updateTable("schedule")
    .set({ held_until: p.until })
    .where("name", "=", p.name)
    .where("last_run_at", "=", p.claimedAt)
    .where("last_status", "=", "running"),
)

/** Extends a claim. False when it is no longer the caller's. */
export const renewTask = async (
  tx: Transaction,
  claim: { readonly name: string; readonly claimedAt: Seconds; readonly until: Seconds },
): Promise<boolean> => (await renew.changes(tx, claim)) === 1

/** Ends all claims: the tasks are shown as interrupted and can be run again. Only for the first process of a server that is alone on the database. */
export const releaseTasks = query("schedule.release", (db) =>
  db.updateTable("schedule").set({ held_until: 0 }).where("last_status", "=", "running"),
)

/** The same for the claims of a process that has died. */
export const releaseTasksOf = query("schedule.releaseOf", (db, p: Params<{ by: string }>) =>
  db.updateTable("schedule").set({ held_until: 0 }).where("last_status", "=", "running").where("held_by", "=", p.by),
)

/** Stores how a run ended, unless another machine has claimed the task since. */
export const endTask = query("schedule.end", (db, p: Params<{ name: string; claimedAt: Seconds; status: string; message: string }>) =>
  db
    .updateTable("schedule")
    .set((eb) => ({ held_until: 0, runs: eb("runs", "+", 1), last_status: p.status, last_message: p.message }))
    .where("name", "=", p.name)
    .where("last_run_at", "=", p.claimedAt)
    .where("last_status", "=", "running"),
)
