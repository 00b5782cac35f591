import type { Actor, User } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { type Operation, refusalStatus } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { forgetAudit, insertAuditEntry, setAuditStatus } from "./audit-store.ts"

/** The audit log: changes made by site administrators. Failed sign-ins are added by `people/sign-in/guesses/sign-ins.ts`. */

export interface NewAuditEntry {
  readonly administrator: User
  /** The user that the administrator acted as, if any. */
  readonly actingAs: User | undefined
  readonly operation: Operation
  /** The path of the request, without the query. */
  readonly path: string
  readonly ip: string
}

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
  const row = await database.write((tx) => insertAuditEntry.first(tx, begun))
  const end = async (status: number): Promise<void> => {
    log.info({ administrator: administrator.name, actingAs: actingAs?.name, operation: operation.id, path, status, ip }, "administration")
    try {
      await database.write((tx) => setAuditStatus(tx, { id: row?.id ?? 0, status }))
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

const YEAR = 365 * 86_400

/** Deletes entries older than a year. Runs only on demand: how long entries must be kept is for the operator to decide. */
export const forgetAuditEntries: Task = {
  name: "delete_old_system_notices",
  run: async ({ database, now }) => `${await database.write((tx) => forgetAudit.changes(tx, { before: now() - YEAR }))} removed`,
}
