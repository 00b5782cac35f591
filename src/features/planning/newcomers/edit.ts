import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { updateRepository } from "../../code/repositories/store.ts"
import { lockOrganization } from "../../people/organizations/rules.ts"
import { updateUser } from "../../people/users/accounts-store.ts"
import type { EditNewcomerRulesOption } from "./records.ts"

/** Changes what happens to first issues and pull requests of newcomers. */

type Wanted = Static<typeof EditNewcomerRulesOption>

interface Columns {
  readonly newcomers: User["newcomers"] | undefined
  readonly newcomer_days: number | undefined
  readonly newcomers_per_day: number | undefined
}

/** The columns that an edit gives. */
const columnsOf = ({ mode, days, per_day }: Wanted): Columns => ({
  newcomers: mode === undefined ? undefined : (mode ?? ""),
  newcomer_days: days === undefined ? undefined : (days ?? -1),
  newcomers_per_day: per_day === undefined ? undefined : (per_day ?? -1),
})

/** In one repository; gives it as it is then. */
export const editRepositoryRules = ({ database, now }: Services, id: number, actor: User, wanted: Wanted): Promise<Repository> =>
  database.write(async (tx) => {
    const repository = await lockRow(tx, "repositories", id)
    if (!repository) throw refuse.notFound()
    const changes = differencesFrom(repository, columnsOf(wanted))
    const changed = Object.keys(changes)
    if (changed.length === 0) return repository
    await updateRepository(tx, id, changes)
    publish(tx, { kind: "repository.edited", repository, actor, changed, at: now() })
    return { ...repository, ...changes }
  })

/** In those repositories of an organisation that say nothing else; gives it as it is then. */
export const editOrganizationRules = ({ database, now }: Services, id: number, actor: User, wanted: Wanted): Promise<User> =>
  database.write(async (tx) => {
    const organization = await lockOrganization(tx, id)
    const changes = differencesFrom(organization, columnsOf(wanted))
    const changed = Object.keys(changes)
    if (changed.length === 0) return organization
    await updateUser(tx, { id, changes, now: now() })
    publish(tx, { kind: "organization.edited", organization, actor, changed, at: now() })
    return { ...organization, ...changes }
  })
