import { type RawBuilder, type SqlBool, sql } from "kysely"
import { type Actor, actorId, isPublicOnly, type User } from "../core/actor.ts"
import { all, any, type Condition, evaluate, impliedBy, type Known, meets, related, toSql } from "./condition.ts"
import type { Unit } from "./modes.ts"
import {
  ACCOUNT_IS_LISTED,
  type AccountRule,
  ASKED_UNIT_IS_ON,
  COLLABORATION,
  type Entitlement,
  entitlementOf,
  knownCaller,
  MEMBERSHIP,
  OF_PEOPLE,
  OFFER,
  ORGANIZATION_IS_SHOWN,
  PERSON_IS_SHOWN,
  TEAM,
} from "./rules.ts"

/** The rules in SQL, for the `where` of lists, counts and searches: a page and its total come from the same set. */

type Sql = RawBuilder<SqlBool>
/** A unit, or an expression that says which, so that it may differ from row to row; '' stands for any. */
type AskedUnit = Unit | RawBuilder<string>

// --- repositories ----------------------------------------------------------------------------------------------------------------

/** Which rows of `repositories` the caller may know of: what `permissionsOn` decides. */
export function visibleRepositories(actor: Actor): Sql {
  const known = { caller: knownCaller(actor), asked: { unit: "" } }
  return toSql(allowed(entitlementOf(actor), known), { callerId: callerId(actor) })
}

/** Which rows of `repositories` the caller may read a unit of: issues of the list, pull requests of the list. */
export const readableRepositories = (actor: Actor, unit: AskedUnit): Sql =>
  inUnit(entitlementOf(actor), unit, { caller: knownCaller(actor) }, { callerId: callerId(actor) })

/**
 * Whether the person of the row `users` may read a unit of the row `repositories`, whose owner is the row `owner`: what `permissionsOf`
 * decides.
 */
export const readableByUsers = (unit: AskedUnit): Sql => inUnit(OF_PEOPLE, unit, {}, { caller: "users", owner: "owner" })

/** Repositories that somebody was let in to: as a collaborator, through a team, or by the offer of a transfer. */
export const grantedRepositories = (userId: number): Sql =>
  toSql(evaluate(any(related(COLLABORATION), related(TEAM), related(OFFER)), { asked: { unit: "" } }), { callerId: sql`${userId}` })

function inUnit(entitlement: Entitlement, unit: AskedUnit, caller: Known, places: Parameters<typeof toSql>[1]): Sql {
  if (typeof unit !== "string") return toSql(all(ASKED_UNIT_IS_ON, allowed(entitlement, caller)), { ...places, unit })
  const known = { ...caller, asked: { unit } }
  return toSql(evaluate(all(ASKED_UNIT_IS_ON, allowed(entitlement, known)), known), places)
}

/** What is left of an entitlement once the caller is known. What it is confined to need not be asked again. */
function allowed({ within, reading }: Entitlement, known: Known): Condition {
  return evaluate(all(within, evaluate(reading, { ...known, ...impliedBy(within) })), {})
}

const callerId = (actor: Actor): RawBuilder<unknown> => sql`${actorId(actor)}`

// --- accounts --------------------------------------------------------------------------------------------------------------------

/** Which organisations (rows of `users`) the caller may know of. */
export const visibleOrganizations = (actor: Actor): Sql => accounts(actor, ORGANIZATION_IS_SHOWN)

/** Which people and organisations (rows of `users`) are shown to the caller in lists of people. */
export const listedUsers = (actor: Actor): Sql => accounts(actor, ACCOUNT_IS_LISTED)

const accounts = (actor: Actor, rule: AccountRule): Sql =>
  toSql(evaluate(ruleFor(actor, rule), { caller: knownCaller(actor) }), { owner: "users", callerId: callerId(actor) })

const ruleFor = (actor: Actor, { narrow, full }: AccountRule): Condition =>
  actor.kind === "anonymous" || isPublicOnly(actor) ? narrow : full

/** Whether the caller may know of this person. Organisations go by `organizationVisible`, which needs the membership. */
export const personVisible = (actor: Actor, user: User): boolean =>
  meets(ruleFor(actor, PERSON_IS_SHOWN), { owner: user, caller: knownCaller(actor) })

/** Whether the caller may know of this organisation. */
export const organizationVisible = (actor: Actor, organization: User, isMember: boolean): boolean =>
  meets(ruleFor(actor, ORGANIZATION_IS_SHOWN), {
    owner: organization,
    caller: knownCaller(actor),
    related: (relation) => relation === MEMBERSHIP && isMember,
  })
