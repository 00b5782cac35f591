import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { type Operation, type Page, refusalStatus } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { AuditEntry } from "./records.ts"

/** The audit log: changes made by site administrators. Failed sign-ins are added by `people/authentication/sign-ins.ts`. */

export interface NewAuditEntry {
  readonly administrator: User
  /** The user that the administrator acted as, if any. */
  readonly actingAs: User | undefined
  readonly operation: Operation
  /** The path of the request, without the query. */
  readonly path: string
  readonly ip: string
}

const insert = query(
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

const setStatus = query("audit.setStatus", (db, p: Params<{ id: number; status: number }>) =>
  db.updateTable("deeds").set({ status: p.status }).where("id", "=", p.id),
)

/** Whether a call is recorded: it changes something, and requires an administrator. */
const isAudited = (operation: Operation, actingAs: boolean): boolean =>
  operation.method !== "GET" && (actingAs || operation.rule.needs === "siteAdministrator")

/** The entry for a call, by the path of its request; undefined where it is not recorded. `behind` is the administrator who acts as the caller. */
export function auditEntryOf(
  operation: Operation,
  { actor, behind, path, ip }: { readonly actor: Actor; readonly behind?: User | undefined; readonly path: string; readonly ip: string },
): NewAuditEntry | undefined {
  if (actor.kind !== "user" || !isAudited(operation, behind !== undefined)) return undefined
  return { administrator: behind ?? actor.user, actingAs: behind && actor.user, operation, path, ip }
}

/**
 * Runs a request of an administrator and records it: its beginning before anything happens, and its status afterwards, so that no change goes
 * unrecorded. The request body is not stored: it may contain secrets.
 */
export async function audited<Answer extends { readonly status: number }>(
  { database, log, now }: Services,
  { administrator, actingAs, operation, path, ip }: NewAuditEntry,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const begun = {
    id: administrator.id,
    name: administrator.name,
    actingAs: actingAs?.name ?? "",
    operation: operation.id,
    path,
    ip,
    now: now(),
  }
  const row = await database.write((tx) => insert.first(tx, begun))
  const end = async (status: number): Promise<void> => {
    log.info({ administrator: administrator.name, actingAs: actingAs?.name, operation: operation.id, path, status, ip }, "administration")
    try {
      await database.write((tx) => setStatus(tx, { id: row?.id ?? 0, status }))
    } catch (error) {
      log.error({ err: error, auditEntry: row?.id }, "the outcome of an administrator's change can't be recorded")
    }
  }
  try {
    const answer = await run()
    await end(answer.status)
    return answer
  } catch (error) {
    await end(error instanceof Refusal ? refusalStatus(error.kind) : 500)
    throw error
  }
}

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
): Promise<{ readonly rows: AuditEntry[]; readonly total: number }> {
  let found = db.selectFrom("deeds")
  if (filter.administrator) found = found.where("administrator_name", "=", filter.administrator)
  if (filter.operation) found = found.where("operation", "=", filter.operation)
  if (filter.account) found = found.where("account_name", "=", filter.account)
  if (filter.since !== undefined) found = found.where("created_at", ">=", filter.since)
  if (filter.before !== undefined) found = found.where("created_at", "<=", filter.before)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
  return {
    total,
    rows: rows.map((row) => ({
      id: row.id,
      administrator: row.administrator_name,
      acting_as: row.acting_as,
      operation: row.operation,
      path: row.path,
      status: row.status,
      ip: row.ip,
      account: row.account_name,
      times: row.times,
      created_at: rfc3339(row.created_at),
    })),
  }
}

const YEAR = 365 * 86_400

const forget = query("audit.forget", (db, p: Params<{ before: number }>) => db.deleteFrom("deeds").where("created_at", "<", p.before))

/** Deletes entries older than a year. Runs only on demand: how long entries must be kept is for the operator to decide. */
export const forgetAuditEntries: Task = {
  name: "delete_old_system_notices",
  run: async ({ database, now }) => `${await database.write((tx) => forget.changes(tx, { before: now() - YEAR }))} removed`,
}
