import type { Task } from "../../../core/jobs/schedule.ts"
import { forgetEntries } from "./store.ts"

const BATCH = 1_000

/** Deletes entries of organisations' audit logs after the configured time. */
export const forgetAuditOfOrganizations: Task = {
  name: "forget_organization_audit",
  cron: "50 3 * * *",
  run: async ({ config, database, now }, signal) => {
    const before = now() - config.audit.keepSeconds
    let removed = 0
    for (let batch = BATCH; batch === BATCH && !signal.aborted; removed += batch)
      batch = await database.write((tx) => forgetEntries.changes(tx, { before, limit: BATCH }))
    return `${removed} removed`
  },
}
