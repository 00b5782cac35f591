import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const Cron = record("Cron", {
  name: Type.String(),
  schedule: Type.String({ description: 'a cron expression in UTC; "-" where it only runs when asked for' }),
  next: dateTime(),
  prev: dateTime({ description: "when it was started last" }),
  exec_times: int64({ description: "how often it has run" }),
})
export type Cron = Static<typeof Cron>

export const AuditEntry = record("Deed", {
  id: int64(),
  administrator: Type.String(),
  acting_as: Type.String({ description: "in whose name it was done, where that was somebody else's" }),
  operation: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  ip: Type.String(),
  created_at: dateTime(),
})
export type AuditEntry = Static<typeof AuditEntry>
