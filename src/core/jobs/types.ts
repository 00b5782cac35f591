/** What the rest of the service sees of the outbox and the clock. What they run, and in what, stands in definition.ts and schedule.ts. */
import type { Transaction } from "../database/database.ts"
import type { Seconds } from "../database/tables.ts"
import type { Static, TSchema } from "../schema.ts"

/** What it takes to store a job of a kind. `S` describes what it is enqueued with. */
export interface JobKind<S extends TSchema = TSchema> {
  /** Stored with every job: it may not change while jobs wait. */
  readonly kind: string
  readonly payload: S
}

/** A task with what the clock remembers of it. Times are 0 for never. */
export interface ScheduledTask {
  readonly name: string
  readonly cron: string | undefined
  readonly nextRunAt: Seconds
  readonly lastRunAt: Seconds
  readonly runs: number
  /** "" before the first run, then "running", "ok", "failed", or "interrupted" when its process ended. */
  readonly lastStatus: string
  readonly lastMessage: string
}

/** How a run that was asked for went; "busy" when it was running already. */
export type TaskResult = "ok" | "failed" | "busy" | "unknown"

/** What the clock runs. */
export interface Tasks {
  /** The tasks in the order in which they were given. */
  readonly list: () => Promise<readonly ScheduledTask[]>
  /** Runs a task now and waits for its end; its next run by the clock stays where it was. */
  readonly run: (name: string) => Promise<TaskResult>
}

/** How many unfinished or failed jobs there are of a kind in a state. */
export interface JobCount {
  readonly kind: string
  readonly state: string
  readonly count: number
}

/** What leaves the house after a write: rows of the same transaction, done by workers after the commit, tried again, never lost. */
export interface Jobs {
  /** Stores a job in the caller's transaction, to be done once that is committed, at `runAt` at the earliest. Gives its id. */
  readonly enqueue: <S extends TSchema>(
    tx: Transaction,
    job: JobKind<S>,
    payload: Static<S>,
    options?: { readonly runAt?: Seconds },
  ) => Promise<number>
  /** Runs everything that is due now, with what follows from it, and waits for its end. For tests and for a tidy stop. */
  readonly drain: () => Promise<void>
  readonly counts: () => Promise<readonly JobCount[]>
  /** What the clock runs. */
  readonly tasks: Tasks
}
