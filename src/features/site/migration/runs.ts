import { Mode } from "../../../access/modes.ts"
import { findReachable, requireUnarchived } from "../../../access/policies/repositories.ts"
import { isSiteAdministrator, type SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { findMirror, type Import } from "../../code/mirrors/store.ts"
import { importJob } from "./import-job.ts"
import { findImport, startImport, stopImport } from "./imports-store.ts"
import { readPeople } from "./mapping.ts"
import { requireImports } from "./options.ts"
import { requireRoom } from "./queue.ts"
import type { StartImportOptions } from "./records.ts"
import { importSecretContext } from "./secret.ts"
import { dropFaults } from "./writers/items-store.ts"

/** Stops an import; stopping it again does nothing. Its batch that is being written is rolled back or whole. Refuses `conflict` where it has ended. */
export async function stopRun(services: Services, { id }: Import): Promise<Import> {
  return services.database.write(async (tx) => {
    await stopImport.changes(tx, { id, now: services.now() })
    const row = await findImport.first(tx, { id })
    if (!row) throw refuse.notFound()
    if (row.phase !== "stopped") throw refuse.conflict("the import has ended already")
    return row
  })
}

/**
 * Continues an import that was stopped or failed where it was, or repeats one that is done: then what has changed since comes. It goes on in the name of who
 * starts it. Refuses `conflict` where it goes on already, and like a new import.
 */
export async function startRun(services: Services, actor: SignedIn, { id }: Import, options: StartImportOptions): Promise<Import> {
  const { database, jobs, now, secrets } = services
  requireImports(services)
  const people = options.people === undefined ? undefined : await readPeople(database.read, actor, options.people)
  return database.write(async (tx) => {
    const row = await findImport.first(tx, { id })
    if (!row) throw refuse.notFound()
    if (row.phase !== "stopped" && row.phase !== "failed" && row.phase !== "done") throw refuse.conflict("the import goes on already")
    if (row.repository_id !== 0 && (await findMirror.first(tx, { repositoryId: row.repository_id })))
      throw refuse.conflict("a mirror follows the other repository by itself; synchronize it instead")
    if (row.remote_url === "") throw refuse.conflict("it came from an archive: `hearth import` brings the archive's other records")
    await requireRoom(tx, actor.user.id, 1)
    const secret = options.auth_token || options.auth_password || ""
    const isAnew = row.phase === "done"
    const credentials =
      secret === "" && options.auth_username === undefined
        ? {}
        : {
            remote_username: options.auth_username ?? "",
            sealed_secret: secret === "" ? "" : secrets.seal(secret, importSecretContext(id)),
          }
    // Whom texts belong to was said by an administrator of the site, for an import in their own name.
    const mapping = people !== undefined ? { people } : isSiteAdministrator(actor) || row.doer_id === actor.user.id ? {} : { people: "{}" }
    const hasBegun = !isAnew && row.cursor !== "{}"
    const phase = row.repository_id === 0 ? ("queued" as const) : hasBegun ? ("records" as const) : ("git" as const)
    const anew = isAnew ? { cursor: "{}", progress: "{}", begun_at: now() } : {}
    const start = { ...credentials, ...mapping, ...anew, phase, doer_id: actor.user.id }
    if (!(await startImport(tx, id, start, now()))) throw refuse.conflict("the import goes on already")
    if (isAnew) await dropFaults(tx, id)
    await jobs.enqueue(tx, importJob, { importId: id })
    return (await findImport.first(tx, { id })) ?? row
  })
}

/**
 * The same for one's own import, which may have no repository yet. Refuses `notFound` where the caller may not administer the repository any more, `archived` where
 * it is archived.
 */
export async function startOwnRun(services: Services, actor: SignedIn, row: Import, options: StartImportOptions): Promise<Import> {
  if (row.repository_id !== 0) {
    const found = await findReachable(services.database.read, actor, row.repository_id)
    if (!found || found.permission.mode < Mode.admin) throw refuse.notFound()
    requireUnarchived(found)
  }
  return startRun(services, actor, row, options)
}
