/** What several tests of jobs share. */
import type { FreshDatabase } from "../../../tests/support/database.ts"
import { openLog } from "../log.ts"
import Type from "../schema.ts"
import { defineJob } from "./jobs.ts"

/** What jobs of tests act on. */
export interface World {
  readonly did: string[]
}

export const silent = openLog({ log: { level: "silent", format: "json" } })

export const named = Type.Object({ name: Type.String() })

/** Notes its name. */
export const note = defineJob<typeof named, World>({
  kind: "note",
  payload: named,
  async run({ name }, { context }) {
    context.did.push(name)
  },
})

/** Removes all jobs and tasks. */
export const emptyJobs = ({ database }: FreshDatabase): Promise<void> =>
  database.write(async (tx) => {
    await tx.deleteFrom("jobs").execute()
    await tx.deleteFrom("schedule").execute()
  })
