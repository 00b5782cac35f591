import { sql } from "kysely"
import { Mode } from "../../access/modes.ts"
import { type Params, query } from "../../core/database/query.ts"

/** The owners come first in every list of teams. */
export const ownersFirst = sql`case when teams.mode = ${sql.lit(Mode.owner)} then 0 else 1 end`

export const findUnits = query("teams.findUnits", (db, p: Params<{ teamIds: readonly number[] }>) =>
  db.selectFrom("team_units").selectAll().where("team_id", "in", p.teamIds),
)

export const findOrganizationsById = query("teams.findOrganizationsById", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("users").selectAll().where("id", "in", p.ids),
)

export const findTeamsOfRepository = query("teams.findTeamsOfRepository", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("teams")
    .innerJoin("team_repositories", "team_repositories.team_id", "teams.id")
    .selectAll("teams")
    .where("team_repositories.repository_id", "=", p.repositoryId)
    .orderBy(ownersFirst)
    .orderBy("teams.lower_name"),
)

export const findTeamByName = query("teams.findTeamByName", (db, p: Params<{ organizationId: number; lowerName: string }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("lower_name", "=", p.lowerName),
)

export const findMemberIds = query("teams.findMemberIds", (db, p: Params<{ teamId: number }>) =>
  db.selectFrom("team_members").select("user_id").where("team_id", "=", p.teamId),
)

export const findRepositoryIds = query("teams.findRepositoryIds", (db, p: Params<{ teamId: number }>) =>
  db.selectFrom("team_repositories").select("repository_id").where("team_id", "=", p.teamId),
)

export const findTeamRepository = query("teams.findTeamRepository", (db, p: Params<{ teamId: number; repositoryId: number }>) =>
  db.selectFrom("team_repositories").select("team_id").where("team_id", "=", p.teamId).where("repository_id", "=", p.repositoryId),
)

/** The teams of an organisation that a person belongs to. */
export const findOwnTeamIds = query("teams.findOwnTeamIds", (db, p: Params<{ organizationId: number; userId: number }>) =>
  db.selectFrom("team_members").select("team_id").where("organization_id", "=", p.organizationId).where("user_id", "=", p.userId),
)

export const findOwnersTeam = query("teams.findOwnersTeam", (db, p: Params<{ organizationId: number }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("mode", "=", Mode.owner),
)
