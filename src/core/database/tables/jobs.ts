import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

export interface JobsTable {
  id: Generated<number>
  kind: string
  /** JSON. */
  payload: string
  state: "waiting" | "running" | "done" | "failed"
  attempts: number
  run_at: Seconds
  /** While running: when the worker's claim expires; afterwards it may be claimed again. */
  held_until: Seconds
  /** The process that has claimed it last; "" for none. */
  held_by: Generated<string>
  last_error: string
  created_at: Seconds
  finished_at: Seconds
}

export interface ScheduleTable {
  name: string
  last_run_at: Seconds
  next_run_at: Seconds
  /** While it runs: when the machine's claim expires. */
  held_until: Seconds
  /** The process that has claimed it last; "" for none. */
  held_by: Generated<string>
  runs: number
  last_status: string
  last_message: string
}

export interface JobTables {
  jobs: JobsTable
  schedule: ScheduleTable
}
