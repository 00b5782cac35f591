import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import type { Services } from "../../../core/services.ts"
import { takeOverKind } from "./import-job.ts"
import { findImportedPerson, findProof, putClaim } from "./writers/people-store.ts"

/** People take over what imports brought of them from other servers. */

/**
 * Somebody says that a person of another server is they. Refuses `notFound` unless one of their verified addresses is that person's, verified there too; nobody
 * learns of the others.
 */
export async function claimPerson(services: Services, id: number, me: User): Promise<void> {
  await services.database.write(async (tx) => {
    if (!(await findProof.first(tx, { personId: id, userId: me.id }))) throw refuse.notFound()
    await give(services, tx, id, me.id)
  })
}

/** An administrator of the site says who a person of another server is. Refuses `notFound` for one that no import has met. */
export const assignPerson = (services: Services, id: number, userId: number): Promise<void> =>
  services.database.write((tx) => give(services, tx, id, userId))

/** Refuses `conflict` where another has taken over their texts: those name their author no more. */
async function give(services: Services, tx: Transaction, id: number, userId: number): Promise<void> {
  const person = await findImportedPerson.first(tx, { id })
  if (!person) throw refuse.notFound()
  const isOthers = person.user_id !== 0 && person.user_id !== userId && (await findUserById.first(tx, { id: person.user_id })) !== undefined
  if (isOthers || (await putClaim.changes(tx, { id, before: person.user_id, userId })) === 0)
    throw refuse.conflict("another account has taken over the texts of this person")
  await enqueueOnce(tx, services.jobs, takeOverKind, { personId: id })
}
