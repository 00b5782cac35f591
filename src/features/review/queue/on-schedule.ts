import { findProtection } from "../../code/protections/rules.ts"
import type { ScheduledMerger } from "../merging/jobs.ts"

/** Where the base has a merge queue, a scheduled merge lines up once it may. */
export const lineUpScheduled: ScheduledMerger = async (services, found, { deleteBranch }) => {
  const protection = await findProtection(services.database.read, found.repository.id, found.pull.base_branch)
  if (protection?.enable_merge_queue !== 1) return false
  const { lineUp } = await import("./line-up.ts")
  await lineUp(services, found, { headId: "", deleteBranch })
  return true
}
