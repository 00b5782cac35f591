import type { Selectable } from "kysely"
import { type Actor, type DeployKeyCredential, deployKeyOf, inPerson, isPublicOnly, type User } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import type { RepositoriesTable } from "../core/database/tables.ts"
import { isExternalUnit, Mode, UNITS, type Unit } from "./modes.ts"
import {
  findCollaborations,
  findCollaborationsOn,
  findMemberOrganizations,
  findMembersAmong,
  findTeamGrants,
  findTeamGrantsOn,
  findTransferOffers,
} from "./store.ts"

export type Repository = Selectable<RepositoriesTable>

/** A repository together with who owns it; decisions need both. */
export interface Owned {
  readonly repository: Repository
  readonly owner: User
}

/** What one caller may do on one repository. */
export interface Permission {
  /** The overall mode. */
  readonly mode: number
  /** The modes of single units where teams gave them one by one; they count beside the overall mode. */
  readonly units: ReadonlyMap<string, number>
}

const NO_UNITS: ReadonlyMap<string, number> = new Map()
const plain = (mode: number): Permission => ({ mode, units: NO_UNITS })
const NOTHING = plain(Mode.none)

/** Whether a unit is switched on in the repository; an external one stands in for ours. */
export function unitEnabled(repository: Repository, unit: Unit): boolean {
  switch (unit) {
    case "repo.code":
      return repository.has_code === 1
    case "repo.issues":
      return repository.has_issues === 1 && repository.external_tracker_url === ""
    case "repo.ext_issues":
      return repository.has_issues === 1 && repository.external_tracker_url !== ""
    case "repo.pulls":
      return repository.has_pull_requests === 1
    case "repo.releases":
      return repository.has_releases === 1
    case "repo.wiki":
      return repository.has_wiki === 1 && repository.external_wiki_url === ""
    case "repo.ext_wiki":
      return repository.has_wiki === 1 && repository.external_wiki_url !== ""
    case "repo.projects":
      return repository.has_projects === 1
    case "repo.packages":
      return repository.has_packages === 1
    case "repo.actions":
      return repository.has_actions === 1
  }
}

/** What the caller may do in a unit. A unit that is switched off gives nothing to anybody. */
export function unitMode(permission: Permission, repository: Repository, unit: Unit): number {
  if (!unitEnabled(repository, unit)) return Mode.none
  const mode = permission.mode >= Mode.admin ? permission.mode : Math.max(permission.mode, permission.units.get(unit) ?? Mode.none)
  return isExternalUnit(unit) ? Math.min(mode, Mode.read) : mode
}

/** Whether the caller can reach anything of the repository; otherwise it is as good as missing. */
export const reaches = (permission: Permission): boolean =>
  permission.mode > Mode.none || UNITS.some((unit) => (permission.units.get(unit) ?? Mode.none) > Mode.none)

/**
 * The one decision about repositories, for a whole list at a time: at most four queries, whatever its length.
 * `visibleRepositories` says the same in SQL; tests compare both on generated worlds.
 */
export async function permissionsOn(db: Handle, actor: Actor, owned: readonly Owned[]): Promise<ReadonlyMap<number, Permission>> {
  const decided = new Map<number, Permission>()
  const open: Owned[] = []
  for (const item of owned) {
    const known = withoutLooking(actor, item)
    if (known) decided.set(item.repository.id, known)
    else open.push(item)
  }
  if (open.length === 0 || actor.kind === "anonymous") return decided

  const userId = actor.user.id
  const ids = open.map(({ repository }) => repository.id)
  const ofOrganizations = open.filter(({ owner }) => owner.kind === "organization")
  const collaborations = new Map((await findCollaborations(db, { userId, repositoryIds: ids })).map((row) => [row.repository_id, row.mode]))
  const grants =
    ofOrganizations.length === 0
      ? []
      : await findTeamGrants(db, { userId, repositoryIds: ofOrganizations.map(({ repository }) => repository.id) })
  const hidden = ofOrganizations.filter(({ owner }) => owner.visibility !== "public")
  const memberships =
    hidden.length === 0
      ? []
      : await findMemberOrganizations(db, { userId, organizationIds: [...new Set(hidden.map(({ owner }) => owner.id))] })
  const memberOf = new Set(memberships.map((row) => row.organization_id))

  const unreached: number[] = []
  for (const { repository, owner } of open) {
    const collaboration = collaborations.get(repository.id) ?? Mode.none
    const teams = grants.filter((row) => row.repository_id === repository.id)
    const permission = decide(actor.user, repository, owner, collaboration, teams, memberOf.has(owner.id))
    decided.set(repository.id, permission)
    if (!reaches(permission)) unreached.push(repository.id)
  }
  // Whoever was offered a repository may look at it before taking it over. Only what is out of reach otherwise needs the question.
  if (unreached.length > 0)
    for (const { repository_id } of await findTransferOffers(db, { userId, repositoryIds: unreached }))
      decided.set(repository_id, plain(Mode.read))
  return decided
}

export async function permissionOn(db: Handle, actor: Actor, owned: Owned): Promise<Permission> {
  return withoutLooking(actor, owned) ?? (await permissionsOn(db, actor, [owned])).get(owned.repository.id) ?? NOTHING
}

/**
 * What each of these people may do on one repository, as themselves: at most three queries, however many they are. The offer of a transfer
 * counts for nothing here: who was offered a repository does not belong to it yet.
 */
export async function permissionsOf(
  db: Handle,
  { repository, owner }: Owned,
  people: readonly User[],
): Promise<ReadonlyMap<number, Permission>> {
  const decided = new Map<number, Permission>()
  const open: User[] = []
  for (const user of people) {
    const known = withoutLooking(inPerson(user), { repository, owner })
    if (known) decided.set(user.id, known)
    else open.push(user)
  }
  if (open.length === 0) return decided
  const userIds = open.map(({ id }) => id)
  const on = { repositoryId: repository.id, userIds }
  const collaborations = new Map((await findCollaborationsOn(db, on)).map((row) => [row.user_id, row.mode]))
  const grants = Map.groupBy(owner.kind === "organization" ? await findTeamGrantsOn(db, on) : [], (row) => row.user_id)
  const asksMembers = owner.kind === "organization" && owner.visibility !== "public"
  const members = new Set(asksMembers ? (await findMembersAmong(db, { organizationId: owner.id, userIds })).map((row) => row.user_id) : [])
  for (const user of open) {
    const collaboration = collaborations.get(user.id) ?? Mode.none
    decided.set(user.id, decide(user, repository, owner, collaboration, grants.get(user.id) ?? [], members.has(user.id)))
  }
  return decided
}

/** Those of the people who may read the unit, in their order. What is open to everybody costs no query. */
export async function readersAmong(db: Handle, owned: Owned, unit: Unit, people: readonly User[]): Promise<readonly User[]> {
  const { repository, owner } = owned
  if (people.length === 0 || !unitEnabled(repository, unit)) return []
  if (repository.is_private === 0 && owner.visibility === "public") return people
  const permissions = await permissionsOf(db, owned, people)
  return people.filter(({ id }) => unitMode(permissions.get(id) ?? NOTHING, repository, unit) >= Mode.read)
}

/** The answers that need no query. */
function withoutLooking(actor: Actor, { repository, owner }: Owned): Permission | undefined {
  const publicly = repository.is_private === 0 && owner.visibility === "public"
  if (actor.kind === "anonymous") return publicly ? plain(Mode.read) : NOTHING
  if (isPublicOnly(actor) && !publicly) return NOTHING
  const key = deployKeyOf(actor)
  if (key) return ofDeployKey(key, repository)
  if (actor.user.is_admin === 1 || actor.user.id === owner.id) return plain(Mode.owner)
  return undefined
}

/** A key gives the code of its own repository, whoever that belongs to, and not even what everybody sees of others. */
function ofDeployKey({ repositoryId, isReadOnly }: DeployKeyCredential, { id }: Repository): Permission {
  if (id !== repositoryId) return NOTHING
  return { mode: Mode.none, units: new Map([["repo.code", isReadOnly ? Mode.read : Mode.write]]) }
}

interface Grant {
  readonly team_mode: number
  readonly unit: string | null
  readonly unit_mode: number | null
}

function decide(
  user: User,
  repository: Repository,
  owner: User,
  collaboration: number,
  teams: readonly Grant[],
  isMember: boolean,
): Permission {
  const ownerVisible = owner.visibility === "public" || (owner.visibility === "limited" && user.is_restricted === 0) || isMember
  if (!ownerVisible && collaboration === Mode.none && teams.length === 0) return NOTHING
  // A restricted person gets nothing for free but what belongs to fully public owners.
  const free =
    repository.is_private === 0 && ownerVisible && (user.is_restricted === 0 || owner.visibility === "public") ? Mode.read : Mode.none
  const mode = Math.max(collaboration, free)
  if (teams.length === 0) return plain(mode)
  if (teams.some((grant) => grant.team_mode >= Mode.admin)) return plain(Mode.owner)
  const units = new Map<string, number>()
  for (const { unit, unit_mode } of teams) if (unit !== null) units.set(unit, Math.max(units.get(unit) ?? mode, unit_mode ?? Mode.none))
  return { mode, units }
}
