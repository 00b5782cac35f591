import { rowsById } from "../../../core/database/rows-by-id.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { dropAvatar } from "../../people/avatars/pictures.ts"
import { deletePerson } from "./delete-person.ts"
import { findNeverActivated } from "./store.ts"

/** Deletes an account, unless it was activated meanwhile or something belongs to it. */
async function deleteOne(services: Services, id: number, before: number): Promise<boolean> {
  const user = await services.database.write(async (tx) => {
    const found = await findNeverActivated.first(tx, { after: id - 1, before, limit: 1 })
    if (found?.id !== id) return undefined
    await deletePerson(tx, services, found, false)
    return found
  })
  if (user) await dropAvatar(services, user.avatar)
  return user !== undefined
}

/** Deletes accounts that were never activated, once the link in the mail for that has ended. Those that own something stay. */
export const deleteInactive: Task = {
  name: "delete_inactive_accounts",
  run: async (services, signal) => {
    const { config, database, log, now } = services
    const before = now() - config.users.confirmationSeconds
    let [deleted, kept] = [0, 0]
    for await (const { id, name } of rowsById((range) => findNeverActivated(database.read, { ...range, before }))) {
      signal.throwIfAborted()
      try {
        if (await deleteOne(services, id, before)) deleted++
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        kept++
        log.info({ user: id, name, reason: error.message }, "an account that was never activated stays")
      }
    }
    return kept === 0 ? `${deleted} deleted` : `${deleted} deleted, ${kept} that own something kept`
  },
}
