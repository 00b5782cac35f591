import { rfc3339 } from "../../../core/record.ts"
import type { Milestone as MilestoneRecord } from "./records.ts"
import type { Milestone } from "./store.ts"

const orNull = (seconds: number): string | null => (seconds === 0 ? null : rfc3339(seconds))

/** A milestone as the API shows it. */
export const presentMilestone = (milestone: Milestone): MilestoneRecord => ({
  id: milestone.id,
  title: milestone.title,
  description: milestone.description,
  state: milestone.is_closed === 1 ? "closed" : "open",
  open_issues: milestone.open_issues_count,
  closed_issues: milestone.closed_issues_count,
  created_at: rfc3339(milestone.created_at),
  updated_at: rfc3339(milestone.updated_at),
  closed_at: orNull(milestone.closed_at),
  due_on: orNull(milestone.due_at),
})
