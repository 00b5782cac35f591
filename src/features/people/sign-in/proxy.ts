import { findUserByName } from "../../../access/store.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { createPerson } from "../users/rules.ts"
import { requireUsableAccount } from "./authenticate.ts"

/** Who a trusted proxy says has signed in there. */
export interface ProxyPerson {
  readonly name: string
  /** "" where the proxy tells none. */
  readonly mail: string
  readonly fullName: string
}

/**
 * The account of who a proxy names, which is made where the site lets it. Undefined where there is none. Refuses `forbidden` for an account that can't be
 * used. A second factor is not asked for: the proxy vouches for all of the sign-in.
 */
export async function personOfProxy(services: Services, person: ProxyPerson): Promise<User | undefined> {
  const { config, database, log, now } = services
  const find = () => findUserByName.first(database.read, { lowerName: person.name.toLowerCase() })
  const found = await find()
  if (found) {
    if (found.kind !== "person") return undefined
    requireUsableAccount(services, signedInAs({ ...found, must_change_password: 0 }))
    return found
  }
  if (!config.signIn.proxy.registration || person.mail === "") return undefined
  try {
    return await database.write((tx) =>
      createPerson(tx, {
        name: person.name,
        email: person.mail,
        passwordHash: "",
        fullName: person.fullName.slice(0, 100),
        visibility: config.users.defaultVisibility,
        allowCreateOrganization: config.users.allowCreateOrganization,
        now: now(),
      }),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    log.warn({ name: person.name, reason: error.message }, "who a proxy names can't have an account")
    // Another request of the same page may have been faster.
    return find()
  }
}
