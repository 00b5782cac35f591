import type { Selectable } from "kysely"
import { type Actor, actorId, isPublicOnlyIn, jobOf, type User } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import type { RepositoriesTable } from "../core/database/tables/repositories.ts"
import { evaluate, type Known, meets, type Relation } from "./condition.ts"
import {
  findMemberOrganizations,
  findMembersAmong,
  findOwnersAmong,
  findOwnersTeamGrants,
  findTransferOffers,
  GRANTS_OF_CALLER,
  GRANTS_OF_PEOPLE,
  type Grant,
} from "./grants.ts"
import { isExternalUnit, Mode, UNITS, type Unit } from "./modes.ts"
import {
  BELONGS_TO_ACCOUNT,
  type Entitlement,
  entitlementOf,
  IS_WITHHELD,
  knownOf,
  MEMBERSHIP,
  OF_PEOPLE,
  OWNERSHIP,
  OWNS_ACCOUNT,
  PUBLIC,
  PUBLIC_OWNER,
  packagesEntitlementOf,
  projectsEntitlementOf,
  TEAM_OF_OWNER,
  UNIT_IS_ON,
} from "./rules.ts"
import { findRepositoryById } from "./store.ts"

export type Repository = Selectable<RepositoriesTable>

/** A repository and its owner; decisions need both. */
export interface Owned {
  readonly repository: Repository
  readonly owner: User
}

/** The permission of one caller on one repository. */
export interface Permission {
  /** The overall mode. */
  readonly mode: number
  /** The modes of single units that teams grant; they count in addition to the overall mode. */
  readonly units: ReadonlyMap<string, number>
}

const NO_UNITS: ReadonlyMap<string, number> = new Map()
const NOTHING: Permission = { mode: Mode.none, units: NO_UNITS }

/** Whether a unit is enabled in the repository; an external tracker or wiki replaces Hearth's own unit, which is then disabled. */
export const unitEnabled = (repository: Repository, unit: Unit): boolean => meets(UNIT_IS_ON[unit], { repository })

/** The caller's mode in a unit. A disabled unit gives none. */
export function unitMode(permission: Permission, repository: Repository, unit: Unit): number {
  if (!unitEnabled(repository, unit)) return Mode.none
  const mode = permission.mode >= Mode.admin ? permission.mode : Math.max(permission.mode, permission.units.get(unit) ?? Mode.none)
  return isExternalUnit(unit) ? Math.min(mode, Mode.read) : mode
}

/** Like `unitMode`, but administrators of the repository have access to disabled units too. */
export const unitModeOrAdmin = (permission: Permission, repository: Repository, unit: Unit): number =>
  permission.mode >= Mode.admin ? permission.mode : unitMode(permission, repository, unit)

/** Whether the caller has access to any part of the repository; otherwise it is treated as missing. */
export const reaches = (permission: Permission): boolean =>
  permission.mode > Mode.none || UNITS.some((unit) => (permission.units.get(unit) ?? Mode.none) > Mode.none)

/** Whether the relation can have rows for this owner's repositories. */
const appliesTo = (relation: Relation, owner: User): boolean => !relation.ofOrganizations || owner.kind === "organization"

/**
 * The one decision about repositories, for a whole list at a time: at most four queries, whatever its length.
 * `visibleRepositories` says the same in SQL, from the same rules; tests compare both on generated worlds. For one who belongs, the offer of a transfer doesn't
 * count.
 */
export async function permissionsOn(
  db: Handle,
  actor: Actor,
  owned: readonly Owned[],
  as: "anyone" | "one who belongs" = "anyone",
): Promise<ReadonlyMap<number, Permission>> {
  const entitlement = entitlementOf(actor)
  const ofCaller = knownOf(actor)
  const decided = new Map<number, Permission>()
  const open: Owned[] = []
  for (const item of owned) {
    const known = decideWithoutQuery(entitlement, { ...ofCaller, ...item })
    if (known) decided.set(item.repository.id, known)
    else open.push(item)
  }
  if (open.length === 0 || actor.kind === "anonymous") return decided

  const userId = actor.user.id
  const rows: Granted[] = []
  for (const { relation, find } of GRANTS_OF_CALLER) {
    const subjectIds = open.filter(({ owner }) => appliesTo(relation, owner)).map(({ repository }) => repository.id)
    if (subjectIds.length > 0) rows.push({ relation, rows: Map.groupBy(await find(db, { userId, subjectIds }), ({ id }) => id) })
  }
  const hidden = open.filter((item) => dependsOnMembership(entitlement, { ...ofCaller, ...item })).map(({ owner }) => owner.id)
  const organizations = hidden.length > 0 ? await findMemberOrganizations(db, { userId, subjectIds: [...new Set(hidden)] }) : []
  const memberOf = new Set(organizations.map(({ id }) => id))

  const unreached: number[] = []
  for (const { repository, owner } of open) {
    const related = (relation: Relation): boolean => relation === MEMBERSHIP && memberOf.has(owner.id)
    const known: Known = { ...ofCaller, repository, owner, related }
    const permission = decide(entitlement, known, rows, repository.id)
    decided.set(repository.id, permission)
    if (!reaches(permission)) unreached.push(repository.id)
  }
  // Offers of transfers are looked up only for repositories that are out of reach otherwise.
  if (unreached.length > 0 && entitlement.lastResort && as === "anyone")
    for (const { id } of await findTransferOffers(db, { userId, subjectIds: unreached }))
      decided.set(id, { mode: Mode.read, units: NO_UNITS })
  return decided
}

export async function permissionOn(db: Handle, actor: Actor, owned: Owned): Promise<Permission> {
  const { caller, key } = knownOf(actor)
  const known = decideWithoutQuery(entitlementOf(actor), { repository: owned.repository, owner: owned.owner, caller, key })
  return known ?? (await permissionsOn(db, actor, [owned])).get(owned.repository.id) ?? NOTHING
}

/**
 * The permissions of these people on one repository, as themselves: at most three queries for any number of people. The offer of a transfer
 * doesn't count here: its recipient does not belong to the repository yet.
 */
export async function permissionsOf(db: Handle, owned: Owned, people: readonly User[]): Promise<ReadonlyMap<number, Permission>> {
  const ones = people.map((caller) => ({ entitlement: OF_PEOPLE, known: { caller }, id: caller.id }))
  const decided = await permissionsOfMany(db, owned, ones)
  return new Map(people.map(({ id }, index) => [id, decided[index] ?? NOTHING]))
}

/**
 * The permissions of these callers on one repository, each by their credential, in their order: at most three queries for any number of callers. The offer of a
 * transfer doesn't count.
 */
export const permissionsOfCallers = (db: Handle, owned: Owned, actors: readonly Actor[]): Promise<readonly Permission[]> =>
  permissionsOfMany(
    db,
    owned,
    actors.map((actor) => ({ entitlement: entitlementOf(actor), known: knownOf(actor), id: actorId(actor) })),
  )

/** One of many who are asked about: what they are entitled to, and as whom. */
interface One {
  readonly entitlement: Entitlement
  readonly known: Pick<Known, "caller" | "key">
  readonly id: number
}

async function permissionsOfMany(db: Handle, { repository, owner }: Owned, ones: readonly One[]): Promise<readonly Permission[]> {
  const decided = ones.map(({ entitlement, known }) => decideWithoutQuery(entitlement, { ...known, repository, owner }))
  const open = ones.filter((_, index) => decided[index] === undefined)
  if (open.length === 0) return decided.map((permission) => permission ?? NOTHING)
  const on = { subjectId: repository.id, userIds: [...new Set(open.map(({ id }) => id))] }
  const rows: Granted[] = []
  for (const { relation, find } of GRANTS_OF_PEOPLE)
    if (appliesTo(relation, owner)) rows.push({ relation, rows: Map.groupBy(await find(db, on), ({ id }) => id) })
  const hidden = open.filter(({ entitlement, known }) => dependsOnMembership(entitlement, { ...known, repository, owner }))
  const userIds = [...new Set(hidden.map(({ id }) => id))]
  const members = new Set(userIds.length > 0 ? (await findMembersAmong(db, { subjectId: owner.id, userIds })).map(({ id }) => id) : [])
  return ones.map(({ entitlement, known, id }, index) => {
    const related = (relation: Relation): boolean => relation === MEMBERSHIP && members.has(id)
    return decided[index] ?? decide(entitlement, { ...known, repository, owner, related }, rows, id)
  })
}

/** How a caller stands to an account: they own it (their own, an organisation's, or as administrators of the site), belong to it, or neither. */
export type Standing = "owns" | "belongs" | "apart"

/** How these callers stand to an account, in their order: at most two queries for any number of callers. A token that is limited to others gives no standing. */
export async function standingsOf(db: Handle, owner: User, actors: readonly Actor[]): Promise<readonly Standing[]> {
  const able = actors.map((actor) => actor.kind === "user" && !isPublicOnlyIn(actor, owner) && !jobOf(actor))
  const userIds = owner.kind === "organization" ? [...new Set(actors.flatMap((actor, index) => (able[index] ? actorId(actor) : [])))] : []
  const [members, owners] = await Promise.all(
    [findMembersAmong, findOwnersAmong].map(async (find) =>
      userIds.length === 0 ? new Set<number>() : new Set((await find(db, { subjectId: owner.id, userIds })).flatMap(idOfGrant)),
    ),
  )
  return actors.map((actor, index) => {
    if (!able[index]) return "apart"
    const related = (relation: Relation): boolean =>
      (relation === MEMBERSHIP && members?.has(actorId(actor)) === true) || (relation === OWNERSHIP && owners?.has(actorId(actor)) === true)
    const known: Known = { ...knownOf(actor), owner, related }
    return meets(OWNS_ACCOUNT, known) ? "owns" : meets(BELONGS_TO_ACCOUNT, known) ? "belongs" : "apart"
  })
}

const idOfGrant = ({ id, mode = Mode.owner }: Grant): readonly number[] => (mode >= Mode.owner ? [id] : [])

/** Whether everyone may see the account. */
export const isPublicAccount = (owner: User): boolean => meets(PUBLIC_OWNER, { owner })

/** Whether everyone may see the repository. */
export const isPublicRepository = (owned: Owned): boolean => meets(PUBLIC, owned)

/** Those of the people who may read the unit, in their order. Public repositories need no query. */
export async function readersAmong(db: Handle, owned: Owned, unit: Unit, people: readonly User[]): Promise<readonly User[]> {
  const { repository, owner } = owned
  if (people.length === 0 || !unitEnabled(repository, unit)) return []
  if (meets(PUBLIC, { repository, owner })) return people
  const permissions = await permissionsOf(db, owned, people)
  return people.filter(({ id }) => unitMode(permissions.get(id) ?? NOTHING, repository, unit) >= Mode.read)
}

/** The caller's mode in a unit of an account itself: at most two queries. */
async function accountMode(db: Handle, actor: Actor, owner: User, entitlement: Entitlement, unit: Unit): Promise<number> {
  const known = { ...knownOf(actor), owner }
  let permission = decideWithoutQuery(entitlement, known)
  if (!permission) {
    const grants = appliesTo(TEAM_OF_OWNER, owner) ? await findOwnersTeamGrants(db, { userId: actorId(actor), subjectIds: [owner.id] }) : []
    const isMember = dependsOnMembership(entitlement, known) && (await belongsTo(db, actor, owner))
    const rows = [{ relation: TEAM_OF_OWNER, rows: new Map([[owner.id, grants]]) }]
    permission = decide(entitlement, { ...known, related: (relation) => relation === MEMBERSHIP && isMember }, rows, owner.id)
  }
  return Math.max(permission.mode, permission.units.get(unit) ?? Mode.none)
}

/** Whether what the caller was granted in this organisation waits until they have a second factor. */
export const isWithheld = (actor: Actor, owner: User): boolean => meets(IS_WITHHELD, { ...knownOf(actor), owner })

/** Whether the caller is a member of the organisation. */
const belongsTo = async (db: Handle, actor: Actor, owner: User): Promise<boolean> =>
  actor.kind === "user" &&
  appliesTo(MEMBERSHIP, owner) &&
  !isWithheld(actor, owner) &&
  (await findMemberOrganizations(db, { userId: actor.user.id, subjectIds: [owner.id] })).length > 0

/** The caller's mode in the projects of an account itself. `readableProjects` says the same in SQL, from the same rules. */
export const projectsMode = (db: Handle, actor: Actor, owner: User): Promise<number> =>
  accountMode(db, actor, owner, projectsEntitlementOf(actor), "repo.projects")

/** What a caller may do with the packages of a person or organisation. */
export interface PackageRights {
  readonly mode: number
  /** Whether the caller belongs to the owner, and so sees restricted packages; never for tokens that are limited to what is public. */
  readonly isInsider: boolean
}

/** The token of a job has in addition what its permissions say for the owner of its repository. At most three queries. */
export async function packageRights(db: Handle, actor: Actor, owner: User): Promise<PackageRights> {
  const mode = await accountMode(db, actor, owner, packagesEntitlementOf(actor), "repo.packages")
  const job = jobOf(actor)
  if (job && (await findRepositoryById.first(db, { id: job.repositoryId }))?.owner_id === owner.id)
    return { mode: Math.max(mode, job.units["repo.packages"] ?? Mode.none), isInsider: false }
  if (isPublicOnlyIn(actor, owner)) return { mode, isInsider: false }
  return { mode, isInsider: mode >= Mode.owner || (mode >= Mode.read && (await belongsTo(db, actor, owner))) }
}

// --- from the rules --------------------------------------------------------------------------------------------------------------

/** The rows of a relation, by repository (for one caller) or by caller (for one repository). */
interface Granted {
  readonly relation: Relation
  readonly rows: ReadonlyMap<number, readonly Grant[]>
}

/** The decision, if it needs no query. */
function decideWithoutQuery(entitlement: Entitlement, known: Known): Permission | undefined {
  if (!meets(entitlement.within, known)) return NOTHING
  const permission = decide(entitlement, known, [], 0)
  return entitlement.grants.length === 0 || permission.mode === Mode.owner ? permission : undefined
}

/** Whether a rule depends on the caller being a member of the organization that owns the repository. */
const dependsOnMembership = ({ rules }: Entitlement, known: Known & { readonly owner: User }): boolean =>
  appliesTo(MEMBERSHIP, known.owner) && rules.some(({ when }) => typeof evaluate(when, known) !== "boolean")

/** The highest modes that rules and rows grant. */
function decide({ rules, granted: on = true }: Entitlement, known: Known, granted: readonly Granted[], id: number): Permission {
  let units: Map<string, number> | undefined
  let mode: number = Mode.none
  const give = (given: number, unit?: string): void => {
    if (unit === undefined) mode = Math.max(mode, given)
    else {
      units ??= new Map()
      units.set(unit, Math.max(units.get(unit) ?? Mode.none, given))
    }
  }
  for (const rule of rules) {
    if (meets(rule.when, known)) give(rule.mode, rule.unit)
    if (mode === Mode.owner) break
  }
  if (!meets(on, known)) return { mode, units: units === undefined || mode === Mode.owner ? NO_UNITS : units }
  for (const { relation, rows } of granted)
    for (const { mode: own = Mode.none, unit, unit_mode } of rows.get(id) ?? []) {
      const { whole, part } = relation
      if (whole && own >= (whole.least ?? Mode.none)) give(whole.gives ?? own)
      if (part && unit && unit_mode) give(unit_mode, unit)
    }
  return { mode, units: units === undefined || mode === Mode.owner ? NO_UNITS : units }
}
