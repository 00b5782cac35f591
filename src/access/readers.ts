import { type RawBuilder, type SqlBool, sql } from "kysely"
import { Mode } from "./modes.ts"
import { unitEnabledIn } from "./visibility.ts"

/**
 * Whether the person of the row `users` may read a unit of the row `repositories`, whose owner is the row `owner`: `permissionsOn` for many
 * people and one repository. With the unit '' it is enough to know of the repository. Offers of a transfer don't count: whoever may only
 * look before taking over is not told what happens there.
 */
export const mayRead = (unit: RawBuilder<string>): RawBuilder<SqlBool> => sql<SqlBool>`(${unitEnabledIn(unit)} and (
  users.is_admin = 1 or users.id = owner.id
  or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited'
    or exists (
      select 1 from organization_members where organization_members.organization_id = owner.id and organization_members.user_id = users.id)))))
  or exists (select 1 from collaborations where collaborations.repository_id = repositories.id and collaborations.user_id = users.id)
  or exists (
    select 1 from team_repositories
    join team_members on team_members.team_id = team_repositories.team_id
    join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id and team_members.user_id = users.id
      and (teams.mode >= ${sql.lit(Mode.admin)} or (team_units.mode > ${sql.lit(Mode.none)} and (${unit} = '' or team_units.unit = ${unit}))))))`
