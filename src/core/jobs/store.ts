import { type SqlBool, sql } from "kysely"
import type { Transaction } from "../database/database.ts"
import { portable } from "../database/dialect.ts"
import { type Params, query } from "../database/query.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { JobsTable } from "../database/tables/jobs.ts"

/** A job that a worker has claimed. `attempts` grows with every claim, so it also distinguishes this claim from a later one. */
export interface Claim {
  readonly id: number
  readonly attempts: number
}

/** Stores a job and returns its id. */
export const insertJob = query("jobs.insert", (db, p: Params<{ kind: string; payload: string; runAt: Seconds; now: Seconds }>) =>
  db
    .insertInto("jobs")
    .values({
      kind: p.kind,
      payload: p.payload,
      state: "waiting",
      run_at: p.runAt,
      created_at: p.now,
      attempts: 0,
      held_until: 0,
      last_error: "",
      finished_at: 0,
    })
    .returning("id"),
)

// Written out, because each index is partial and is only used for the exact condition that it was created with.
const unfinished = sql<SqlBool>`state in ('waiting', 'running')`
const running = sql<SqlBool>`state = 'running'`
const ended = sql<SqlBool>`state in ('done', 'failed')`

/** Jobs that are due, or whose claim has expired. On PostgreSQL it locks them, and skips those that another process is claiming. */
const findDue = query("jobs.findDue", (db, p: Params<{ now: Seconds; due: Seconds; limit: number }>) =>
  db
    .selectFrom("jobs")
    .select(["id", "kind", "payload", "attempts", "last_error"])
    .where(unfinished)
    .where("run_at", "<=", p.due)
    .where((eb) => eb.or([eb("state", "=", "waiting"), eb("held_until", "<=", p.now)]))
    .orderBy("run_at")
    .orderBy("id")
    .limit(p.limit)
    .modifyEnd(portable({ sqlite: sql``, postgres: sql`for update skip locked` })),
)

const claim = query("jobs.claim", (db, p: Params<{ ids: readonly number[]; by: string; until: Seconds }>) =>
  db
    .updateTable("jobs")
    .set((eb) => ({ state: "running", attempts: eb("attempts", "+", 1), held_until: p.until, held_by: p.by }))
    .where("id", "in", p.ids),
)

/** Claims up to `limit` jobs that are due at `due`, oldest first; they are the caller's until `until`. No other process gets the same ones. */
export async function claimJobs(
  tx: Transaction,
  { by, now, due, until, limit }: Readonly<{ by: string; now: Seconds; due: Seconds; until: Seconds; limit: number }>,
) {
  const found = await findDue(tx, { now, due, limit })
  if (found.length > 0) await claim(tx, { ids: found.map(({ id }) => id), by, until })
  return found.map((job) => ({ ...job, attempts: job.attempts + 1 }))
}

const renew = query("jobs.renew", (db, p: Params<Claim & { until: Seconds }>) =>
  db
    .updateTable("jobs")
    .set({ held_until: p.until })
    .where("id", "=", p.id)
    .where("attempts", "=", p.attempts)
    .where("state", "=", "running"),
)

/** Extends a claim. False when it is no longer the caller's. */
export const renewJob = async (tx: Transaction, claim: Claim, until: Seconds): Promise<boolean> =>
  (await renew.changes(tx, { id: claim.id, attempts: claim.attempts, until })) === 1

/** Ends all claims, so that jobs of dead processes are due again. Only for the first process of a server that is alone on the database. */
export const releaseJobs = query("jobs.release", (db, p: Params<{ now: Seconds }>) =>
  db.updateTable("jobs").set({ held_until: 0 }).where(running).where("held_until", ">", p.now),
)

/** Ends the claims of a process that has died. */
export const releaseJobsOf = query("jobs.releaseOf", (db, p: Params<{ by: string; now: Seconds }>) =>
  db.updateTable("jobs").set({ held_until: 0 }).where(running).where("held_until", ">", p.now).where("held_by", "=", p.by),
)

const end = query(
  "jobs.end",
  (db, p: Params<Claim & { state: JobsTable["state"]; left: number; runAt: Seconds; finishedAt: Seconds; lastError: string }>) =>
    db
      .updateTable("jobs")
      .set({ state: p.state, attempts: p.left, run_at: p.runAt, finished_at: p.finishedAt, last_error: p.lastError, held_until: 0 })
      .where("id", "=", p.id)
      .where("attempts", "=", p.attempts)
      .where("state", "=", "running"),
)

/** How a claim ended. */
export type Ending =
  | { readonly state: "done" }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "waiting"; readonly error: string; readonly runAt: Seconds }
  /** Interrupted, not failed: this attempt doesn't count. */
  | { readonly state: "returned"; readonly error: string; readonly runAt: Seconds }

/** Stores how a claim ended. False when it was no longer the caller's; then nothing is written. */
export async function endJob(tx: Transaction, { id, attempts }: Claim, ending: Ending, now: Seconds): Promise<boolean> {
  const changes = await end.changes(tx, {
    id,
    attempts,
    state: ending.state === "returned" ? "waiting" : ending.state,
    left: ending.state === "returned" ? attempts - 1 : attempts,
    runAt: "runAt" in ending ? ending.runAt : now,
    finishedAt: ending.state === "done" || ending.state === "failed" ? now : 0,
    lastError: ending.state === "done" ? "" : ending.error,
  })
  return changes === 1
}

/** When the next waiting job is due: one row, or none. */
export const findNextWaiting = query("jobs.findNextWaiting", (db) =>
  db.selectFrom("jobs").select("run_at as at").where(unfinished).where("state", "=", "waiting").orderBy("run_at").orderBy("id").limit(1),
)

/** When the next claim expires: one row, with null when nothing is claimed. */
export const findNextLapse = query("jobs.findNextLapse", (db) =>
  db
    .selectFrom("jobs")
    .select((eb) => eb.fn.min("held_until").as("at"))
    .where(running),
)

/** Jobs that are not done, counted by kind and state. */
export const countJobs = query("jobs.count", (db) => {
  const counted = db
    .selectFrom("jobs")
    .select((eb) => ["kind", "state", eb.fn.countAll<number>().as("count")])
    .groupBy(["kind", "state"])
  return counted.where(unfinished).unionAll(counted.where(ended).where("state", "=", "failed"))
})

/** Removes up to `limit` jobs that ended in this state before that time; its `changes` says how many. */
export const removeEnded = query("jobs.removeEnded", (db, p: Params<{ state: JobsTable["state"]; before: Seconds; limit: number }>) =>
  db
    .deleteFrom("jobs")
    .where("id", "in", (eb) =>
      eb.selectFrom("jobs").select("id").where(ended).where("state", "=", p.state).where("finished_at", "<", p.before).limit(p.limit),
    ),
)

/** On PostgreSQL it locks the job, so that none begins it before this transaction has ended, and sees what was there before. */
export const findWaiting = query("outbox.findWaiting", (db, p: Params<{ kind: string; payload: string }>) =>
  db
    .selectFrom("jobs")
    .select("id")
    .where("kind", "=", p.kind)
    .where("payload", "=", p.payload)
    .where("state", "=", "waiting")
    .limit(1)
    .modifyEnd(portable({ sqlite: sql``, postgres: sql`for share skip locked` })),
)

/** The payloads of the jobs of a kind that wait or run. */
export const findUnfinished = query("jobs.findUnfinished", (db, p: Params<{ kind: string }>) =>
  db.selectFrom("jobs").select("payload").where(unfinished).where("kind", "=", p.kind),
)

/** Gives a job another payload; its `changes` are none where it has that already. */
export const replacePayload = query("jobs.replacePayload", (db, p: Params<{ id: number; payload: string }>) =>
  db.updateTable("jobs").set({ payload: p.payload }).where("id", "=", p.id).where("payload", "!=", p.payload),
)

export const removeJob = query("jobs.remove", (db, p: Params<{ id: number }>) => db.deleteFrom("jobs").where("id", "=", p.id))

/** Postpones a job that does not run yet. */
export const postponeJob = query("jobs.postpone", (db, p: Params<{ id: number; runAt: Seconds }>) =>
  db.updateTable("jobs").set({ run_at: p.runAt }).where("id", "=", p.id).where("state", "=", "waiting"),
)
