import { Mode } from "../../../access/modes.ts"
import { type Params, query } from "../../../core/database/query.ts"

export const findPeople = query("protections.findPeople", (db, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("users").selectAll().where("lower_name", "in", p.names).where("kind", "=", "person"),
)

export const findTeams = query("protections.findTeams", (db, p: Params<{ organizationId: number; names: readonly string[] }>) =>
  db
    .selectFrom("teams")
    .select(["id", "lower_name", "mode"])
    .where("organization_id", "=", p.organizationId)
    .where("lower_name", "in", p.names),
)

/** Those of the teams that have access to the code or the pull requests of a repository. */
export const findReaching = query("protections.findReaching", (db, p: Params<{ repositoryId: number; teamIds: readonly number[] }>) =>
  db
    .selectFrom("team_repositories")
    .innerJoin("teams", "teams.id", "team_repositories.team_id")
    .leftJoin("team_units", (join) =>
      join.onRef("team_units.team_id", "=", "teams.id").on("team_units.unit", "in", ["repo.code", "repo.pulls"]),
    )
    .select("teams.id")
    .distinct()
    .where("team_repositories.repository_id", "=", p.repositoryId)
    .where("teams.id", "in", p.teamIds)
    .where((eb) => eb.or([eb("teams.mode", ">=", Mode.admin), eb("team_units.mode", ">=", Mode.read)])),
)

export const findNames = query("protections.findNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("users").select(["id", "name"]).where("id", "in", p.ids).orderBy("lower_name"),
)

export const findTeamNames = query("protections.findTeamNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("teams").select(["id", "name"]).where("id", "in", p.ids).orderBy("lower_name"),
)
