import { type Actor, jobOf, type User } from "../../../../core/actor.ts"
import type { Config } from "../../../../core/config.ts"
import { onFirstUseOf } from "../../../../core/memoize.ts"
import type { Services } from "../../../../core/services.ts"
import { dropValue, findValue, putValue } from "../../../../core/values/store.ts"
import { findRequiringOrganizations } from "../../users/factors-store.ts"

/*
 * Who needs a second factor, an authenticator app or a passkey. The site requires it of everyone or of its administrators (`security.secondFactor`), and an
 * organisation of its members. Who has none at the end of the grace period can do nothing but set one up, or reaches nothing of that organisation
 * (`access/rules.ts`).
 */

/** Whether the site requires a second factor of the person, whether or not they have one. */
export const isRequiredBySite = ({ security }: Pick<Config, "security">, user: Pick<User, "kind" | "is_admin">): boolean =>
  user.kind === "person" && (security.secondFactor === "everyone" || (security.secondFactor === "administrators" && user.is_admin === 1))

/** The name of the site's value that says since when which people need one. */
const SINCE = "second factor"

/** Since when the site requires it, as one of its processes noted first. With another setting, the grace period begins anew. */
const sinceOf = onFirstUseOf((services: Services) => {
  const { config, database, now } = services
  const load = () =>
    database.write(async (tx) => {
      const [policy, at] = (await findValue.first(tx, { name: SINCE }))?.value.split(" ") ?? []
      if (policy === config.security.secondFactor) return Number(at)
      const since = now()
      await putValue(tx, { name: SINCE, value: `${config.security.secondFactor} ${since}` })
      return since
    })
  let known: Promise<number> | undefined
  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
})

/** Where the site requires nothing, forgets since when it did. */
export const forgetRequirement = async ({ config, database }: Pick<Services, "config" | "database">): Promise<void> => {
  if (config.security.secondFactor === "optional") await database.write((tx) => dropValue.changes(tx, { name: SINCE }))
}

/**
 * From when on, in seconds since 1970, the person can do nothing without the second factor that the site requires and that they don't have; undefined for
 * those who have one, or need none. The operator may have given a person longer than others.
 */
export async function siteDueAt(services: Services, user: User): Promise<number | undefined> {
  if (user.has_second_factor === 1 || !isRequiredBySite(services.config, user)) return undefined
  const since = await sinceOf(services)()
  return Math.max(Math.max(since, user.created_at) + services.config.security.secondFactorGraceSeconds, user.second_factor_due_at)
}

/** Whether the caller can do nothing now but set up a second factor. The token of a job acts for no person. */
export async function isFactorOverdue(services: Services, actor: Actor): Promise<boolean> {
  if (actor.kind === "anonymous" || jobOf(actor)) return false
  const due = await siteDueAt(services, actor.user)
  return due !== undefined && due <= services.now()
}

export interface Requirement {
  /** The organisation that requires it; undefined for the site. */
  readonly organization?: string
  readonly dueAt: number
}

/** Whoever requires a second factor of a person who has none: the site, then organisations by name. */
export async function requirementsOn(services: Services, user: User): Promise<readonly Requirement[]> {
  if (user.has_second_factor === 1) return []
  const dueAt = await siteDueAt(services, user)
  const organizations = await findRequiringOrganizations(services.database.read, { userId: user.id })
  return [
    ...(dueAt === undefined ? [] : [{ dueAt }]),
    ...organizations.map(({ name, second_factor_due_at }) => ({ organization: name, dueAt: second_factor_due_at })),
  ]
}

/** Whether the site, or an organisation of theirs, requires a second factor of the person, who may have one. */
export const isRequiredOf = async (services: Pick<Services, "config" | "database">, user: User): Promise<boolean> =>
  isRequiredBySite(services.config, user) || (await findRequiringOrganizations(services.database.read, { userId: user.id })).length > 0
