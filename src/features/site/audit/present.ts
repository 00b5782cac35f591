import { rfc3339 } from "../../../core/record.ts"
import type { AuditEntry } from "./records.ts"
import type { AuditEntryRow } from "./store.ts"

export const presentEntry = (row: AuditEntryRow): AuditEntry => ({
  id: row.id,
  kind: row.kind,
  at: rfc3339(row.created_at),
  actor: row.actor_id === 0 ? null : { id: row.actor_id, login: row.actor_name },
  repository: row.repository_id === 0 ? null : { id: row.repository_id, name: row.repository_name },
  subject: row.subject,
  details: JSON.parse(row.details),
  ip: row.ip,
  credential: row.credential,
})

/** Entries as JSON Lines. */
export const linesOf = (rows: readonly AuditEntryRow[]): string => rows.map((row) => `${JSON.stringify(presentEntry(row))}\n`).join("")
