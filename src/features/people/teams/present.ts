import { Mode, modeName, UNITS } from "../../../access/modes.ts"
import type { Team } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Shape } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentOrganization } from "../organizations/present.ts"
import type { Team as TeamRecord } from "./records.ts"
import { findOrganizationsById, findUnits } from "./store.ts"

type UnitModes = readonly (readonly [unit: string, mode: number])[]

/** Teams as signed-in readers see them, or their organisations as `viewer` does; at most two queries, for any number of teams. */
export async function presentTeams(
  db: Handle,
  site: Site,
  teams: readonly Team[],
  { withOrganization, viewer }: { readonly withOrganization: boolean; readonly viewer?: Actor },
): Promise<Shape<typeof TeamRecord>[]> {
  const granular = teams.filter((team) => team.mode < Mode.admin).map(({ id }) => id)
  const units = Map.groupBy(granular.length === 0 ? [] : await findUnits(db, { teamIds: granular }), (row) => row.team_id)
  const organizationIds = withOrganization ? [...new Set(teams.map((team) => team.organization_id))] : []
  const organizations = new Map<number, User>()
  if (organizationIds.length > 0)
    for (const row of await findOrganizationsById(db, { ids: organizationIds })) organizations.set(row.id, row)
  return teams.map((team) => {
    const own = units.get(team.id) ?? []
    const organization = organizations.get(team.organization_id)
    return presentTeam(team, modesOf(team, own), organization && presentOrganization(site, organization, viewer))
  })
}

/** The units in their fixed order; administrators and owners reach every one. */
function modesOf(team: Team, rows: readonly { readonly unit: string; readonly mode: number }[]): UnitModes {
  if (team.mode >= Mode.admin) return UNITS.map((unit) => [unit, team.mode] as const)
  return UNITS.flatMap((unit) => rows.filter((row) => row.unit === unit).map((row) => [unit, row.mode] as const))
}

const presentTeam = (
  team: Team,
  modes: UnitModes,
  organization: ReturnType<typeof presentOrganization> | undefined,
): Shape<typeof TeamRecord> => ({
  id: team.id,
  name: team.name,
  description: team.description,
  organization: organization ?? null,
  includes_all_repositories: team.includes_all_repositories === 1,
  permission: modeName(team.mode),
  units: modes.map(([unit]) => unit),
  units_map: Object.fromEntries(modes.map(([unit, mode]) => [unit, modeName(mode)])),
  can_create_org_repo: team.can_create_repositories === 1,
  visibility: team.visibility,
})
