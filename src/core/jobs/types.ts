/** The interface of the outbox and the clock for the rest of the service. Jobs and tasks are defined in definition.ts and schedule.ts. */
import type { Transaction } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Static, TSchema } from "../schema.ts"

/** What is needed to enqueue a job of a kind. `S` is the schema of its payload. */
export interface JobKind<S extends TSchema = TSchema> {
  /** Stored with every job: it must not change while jobs wait. */
  readonly kind: string
  readonly payload: S
}

/** A task and its state. Times are 0 for never. */
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

/** The result of a manual run; "busy" when the task was running already. */
export type TaskResult = "ok" | "failed" | "busy" | "unknown"

/** What the clock runs. */
export interface Tasks {
  /** The tasks in the order of their declaration. */
  readonly list: () => Promise<readonly ScheduledTask[]>
  /** Runs a task now and waits until it has ended; its next scheduled run is unchanged. */
  readonly run: (name: string) => Promise<TaskResult>
  /**
   * Makes a task due now, and returns once it is: it is run even if this process ends. Where it runs already, nothing happens. False where there
   * is no task of that name. Where nothing happens by itself (`halted`), it has ended then.
   */
  readonly request: (name: string) => Promise<boolean>
}

/** How many unfinished or failed jobs there are of a kind in a state. */
export interface JobCount {
  readonly kind: string
  readonly state: string
  readonly count: number
}

/** The outbox: work outside the database, stored in the transaction of a write, done by workers after the commit, retried, never lost. */
export interface Jobs {
  /** Stores a job in the caller's transaction, to be run after the commit, at `runAt` at the earliest. Returns its id. */
  readonly enqueue: <S extends TSchema>(
    tx: Transaction,
    job: JobKind<S>,
    payload: Static<S>,
    options?: { readonly runAt?: Seconds },
  ) => Promise<number>
  /** Runs all jobs that are due or being gathered, and those that they enqueue, and waits until they have ended. For tests and for a clean stop. */
  readonly drain: () => Promise<void>
  readonly counts: () => Promise<readonly JobCount[]>
  /** What the clock runs. */
  readonly tasks: Tasks
}
