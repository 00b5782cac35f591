import type { Task } from "../../../../core/jobs/jobs.ts"

/** Has organisations enforce the second factor that they require, once their grace period is over. */
export const requireSecondFactors: Task = {
  name: "require_second_factors",
  cron: "*/10 * * * *",
  run: async (services) => {
    const { database, now } = services
    const { enforceDue, lockWhoLacks, noteAllFactors, noteWhoLacks } = await import("../../users/factors-store.ts")
    await database.write(async (tx) => {
      await noteAllFactors.changes(tx)
      await enforceDue.changes(tx, { now: now() })
      await lockWhoLacks(tx)
      await noteWhoLacks.changes(tx)
    })
    const { forgetRequirement } = await import("./required.ts")
    await forgetRequirement(services)
    return undefined
  },
}
