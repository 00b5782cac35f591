import { removeEndedJobs } from "./core/jobs/cleanup.ts"
import type { JobDefinition, Task } from "./core/jobs/jobs.ts"
import { settleJob } from "./features/transport/journal.ts"

/** Everything that is done after a write, outside the database. */
export const jobs: readonly JobDefinition<never>[] = [settleJob]

/** Everything that the clock starts. */
export const schedule: readonly Task[] = [removeEndedJobs]
