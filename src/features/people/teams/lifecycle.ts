import { Mode } from "../../../access/modes.ts"
import type { Team } from "../../../access/visibility.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { changedColumns } from "../../../core/events/changed.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { findMemberIds, insertTeam } from "../organizations/members-store.ts"
import { lockTeam, onTeam, publishLost, removeMembersWithoutTeam } from "./membership.ts"
import type { CreateTeamOption, EditTeamOption } from "./records.ts"
import { addAllRepositories, deleteTeamById, deleteUnits, findRepositoryIds, findTeamByName, insertUnits, updateTeam } from "./store.ts"
import { type UnitModes, wantedUnits } from "./units.ts"

/** Creating, changing and deleting teams. Each locks the organisation's row, so that concurrent changes can't act on outdated data. */

const RESERVED_NAME = "new"
const NO_UNITS: UnitModes = new Map()

/**
 * Creates a team without members. Refuses as `invalid` a name that is taken or reserved, a team that would own the organisation, and one
 * without units.
 */
export async function createTeam(
  tx: Transaction,
  actor: Pick<User, "id">,
  organization: Pick<User, "id">,
  wanted: CreateTeamOption,
  now: Seconds,
): Promise<Team> {
  await lockRow(tx, "users", organization.id)
  await requireTeamName(tx, organization.id, wanted.name)
  requireNotOwning(wanted.permission)
  const isAdmin = wanted.permission === "admin"
  const units = isAdmin ? undefined : wantedUnits(wanted)
  if (!isAdmin && !units) throw refuse.invalid("units_map", "must give the team at least one unit, unless permission is admin")
  const team = await insertTeam(tx, {
    organization_id: organization.id,
    name: wanted.name,
    lower_name: wanted.name.toLowerCase(),
    description: wanted.description ?? "",
    mode: isAdmin ? Mode.admin : Mode.none,
    includes_all_repositories: flag(wanted.includes_all_repositories ?? false),
    can_create_repositories: flag(wanted.can_create_org_repo ?? false),
    visibility: wanted.visibility || "private",
    created_at: now,
  })
  if (units) await replaceUnits(tx, team.id, units)
  publish(tx, { kind: "team.created", ...onTeam(team, actor), at: now })
  if (wanted.includes_all_repositories) await attachAll(tx, team)
  return team
}

/**
 * Changes the members that are given. Including all repositories adds the existing ones; no longer including them removes none.
 * Refuses as `notFound` a deleted team; as `invalid` anything that `createTeam` refuses, a change of the owners' team's essential properties,
 * and a change from administration to units without naming the units.
 */
export async function editTeam(tx: Transaction, actor: Pick<User, "id">, teamId: number, wanted: EditTeamOption): Promise<Team> {
  const team = await lockTeam(tx, teamId)
  if (team.mode === Mode.owner) requireStillOwners(team, wanted)
  const rename = wanted.name !== undefined && wanted.name !== "" && wanted.name !== team.name ? wanted.name : undefined
  if (rename !== undefined) await requireTeamName(tx, team.organization_id, rename, team.id)
  const mode = wantedMode(team, wanted.permission)
  const units = mode >= Mode.admin ? undefined : wantedUnits(wanted)
  if (mode < Mode.admin && team.mode >= Mode.admin && !units)
    throw refuse.invalid("units_map", "must give the team at least one unit where it no longer administers")
  const edited = await updateTeam(tx, {
    changes: {
      mode,
      ...(rename === undefined ? {} : { name: rename, lower_name: rename.toLowerCase() }),
      ...(wanted.description === undefined ? {} : { description: wanted.description }),
      ...(wanted.visibility ? { visibility: wanted.visibility } : {}),
      ...(wanted.can_create_org_repo === undefined ? {} : { can_create_repositories: flag(wanted.can_create_org_repo) }),
      ...(wanted.includes_all_repositories === undefined ? {} : { includes_all_repositories: flag(wanted.includes_all_repositories) }),
    },
    teamId: team.id,
  })
  const replacing = units ?? (mode >= Mode.admin && team.mode < Mode.admin ? NO_UNITS : undefined)
  const isReplaced = replacing !== undefined && (await replaceUnits(tx, team.id, replacing))
  const changed = [...changedColumns(team, edited), ...(isReplaced ? ["units"] : [])]
  if (changed.length > 0) publish(tx, { kind: "team.edited", ...onTeam(edited, actor), changed })
  if (wanted.includes_all_repositories) await attachAll(tx, edited)
  // With fewer units, some members may no longer reach any.
  if (units && isReplaced) publishLost(tx, await memberIds(tx, team.id), await repositoryIds(tx, team.id))
  return edited
}

/**
 * Deletes the team. Members without another team leave the organisation.
 * Refuses as `notFound` a deleted team, as `invalid` the owners' team.
 */
export async function deleteTeam(tx: Transaction, actor: Pick<User, "id">, teamId: number): Promise<void> {
  const team = await lockTeam(tx, teamId)
  if (team.mode === Mode.owner) throw refuse.invalid("id", "the owners' team can't be deleted")
  const members = await memberIds(tx, team.id)
  const repositories = await repositoryIds(tx, team.id)
  await deleteTeamById(tx, team.id)
  publish(tx, { kind: "team.deleted", ...onTeam(team, actor) })
  await removeMembersWithoutTeam(tx, team.organization_id, members, actor)
  publishLost(tx, members, repositories)
}

// --- parts -----------------------------------------------------------------------------------------------------------------------

const memberIds = async (tx: Transaction, teamId: number): Promise<readonly number[]> =>
  (await findMemberIds(tx, { teamId })).map((row) => row.user_id)

const repositoryIds = async (tx: Transaction, teamId: number): Promise<readonly number[]> =>
  (await findRepositoryIds(tx, { teamId })).map((row) => row.repository_id)

/** Returns whether they are others than before. */
async function replaceUnits(tx: Transaction, teamId: number, units: UnitModes): Promise<boolean> {
  const former = await deleteUnits(tx, teamId)
  if (units.size > 0)
    await insertUnits(
      tx,
      [...units].map(([unit, mode]) => ({ team_id: teamId, unit, mode })),
    )
  const modes = new Map<string, number>(units)
  return former.length !== modes.size || former.some(({ unit, mode }) => modes.get(unit) !== mode)
}

async function attachAll(tx: Transaction, team: Team): Promise<void> {
  const attached = await addAllRepositories(tx, team.id)
  if (attached.length > 0)
    publish(tx, { kind: "access.granted", teamIds: [team.id], repositoryIds: attached.map((row) => row.repository_id) })
}

async function requireTeamName(tx: Transaction, organizationId: number, name: string, ownId?: number): Promise<void> {
  const lowerName = name.toLowerCase()
  if (lowerName === RESERVED_NAME) throw refuse.invalid("name", t`${name} is reserved; choose another name`)
  const holder = await findTeamByName.first(tx, { organizationId, lowerName })
  if (holder && holder.id !== ownId) throw refuse.invalid("name", t`the organisation has a team ${holder.name} already`)
}

function requireNotOwning(permission: string | undefined): void {
  if (permission === "owner") throw refuse.invalid("permission", "must be none, read, write or admin; only the owners' team owns")
}

function wantedMode(team: Team, permission: EditTeamOption["permission"]): number {
  if (permission === undefined || permission === "" || team.mode === Mode.owner) return team.mode
  requireNotOwning(permission)
  return permission === "admin" ? Mode.admin : Mode.none
}

/** The owners' team keeps its name, visibility and rights. Sending the current values is no change. */
function requireStillOwners(team: Team, wanted: EditTeamOption): void {
  const refuseChange = (field: string) => refuse.invalid(field, "can't be changed for the owners' team")
  if (wanted.name !== undefined && wanted.name !== "" && wanted.name !== team.name) throw refuseChange("name")
  if (wanted.permission !== undefined && wanted.permission !== "" && wanted.permission !== "owner") throw refuseChange("permission")
  if (wanted.visibility && wanted.visibility !== team.visibility) throw refuseChange("visibility")
  if (wanted.includes_all_repositories === false) throw refuseChange("includes_all_repositories")
  if (wanted.can_create_org_repo === false) throw refuseChange("can_create_org_repo")
  if (Object.values(wanted.units_map ?? {}).some((mode) => mode !== "owner")) throw refuseChange("units_map")
}
