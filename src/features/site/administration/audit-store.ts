import type { Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { AuditTable } from "../../../core/database/tables/audit.ts"
import type { Page } from "../../../core/operation.ts"

export const insertAuditEntry = query(
  "audit.insert",
  (db, p: Params<{ id: number; name: string; actingAs: string; operation: string; path: string; ip: string; now: number }>) =>
    db
      .insertInto("deeds")
      .values({
        administrator_id: p.id,
        administrator_name: p.name,
        acting_as: p.actingAs,
        operation: p.operation,
        path: p.path,
        status: 0,
        ip: p.ip,
        created_at: p.now,
      })
      .returning("id"),
)

export const setAuditStatus = query("audit.setStatus", (db, p: Params<{ id: number; status: number }>) =>
  db.updateTable("deeds").set({ status: p.status }).where("id", "=", p.id),
)

export type AuditRow = Selectable<AuditTable>

export interface AuditFilter {
  readonly administrator?: string | undefined
  readonly operation?: string | undefined
  readonly account?: string | undefined
  readonly since?: number | undefined
  readonly before?: number | undefined
}

/** A page of the audit log, newest first, and how many entries there are. */
export async function findAuditEntries(
  db: Handle,
  filter: AuditFilter,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly AuditRow[]; readonly total: number }> {
  let found = db.selectFrom("deeds")
  if (filter.administrator) found = found.where("administrator_name", "=", filter.administrator)
  if (filter.operation) found = found.where("operation", "=", filter.operation)
  if (filter.account) found = found.where("account_name", "=", filter.account)
  if (filter.since !== undefined) found = found.where("created_at", ">=", filter.since)
  if (filter.before !== undefined) found = found.where("created_at", "<=", filter.before)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { total, rows }
}

export const forgetAudit = query("audit.forget", (db, p: Params<{ before: number }>) =>
  db.deleteFrom("deeds").where("created_at", "<", p.before),
)
