import { type Insertable, sql, type Updateable } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { type Team, visibleTeams } from "../../../access/visibility.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains, containsLower, inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"

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

export const findRepositoryIds = query("teams.findRepositoryIds", (db, p: Params<{ teamId: number }>) =>
  db.selectFrom("team_repositories").select("repository_id").where("team_id", "=", p.teamId),
)

export const findTeamRepository = query("teams.findTeamRepository", (db, p: Params<{ teamId: number; repositoryId: number }>) =>
  db.selectFrom("team_repositories").select("team_id").where("team_id", "=", p.teamId).where("repository_id", "=", p.repositoryId),
)

/** The teams of an organisation that a user belongs to. */
export const findOwnTeamIds = query("teams.findOwnTeamIds", (db, p: Params<{ organizationId: number; userId: number }>) =>
  db.selectFrom("team_members").select("team_id").where("organization_id", "=", p.organizationId).where("user_id", "=", p.userId),
)

/** A page of a list, and the length of the whole list. */
export interface Found<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** The criteria of a search for teams. */
export interface TeamSearch {
  /** "" finds every team. */
  readonly text: string
  readonly inDescriptions: boolean
}

/** The organisation's teams that the caller may see, owners first, then by name. */
export async function findTeams(
  db: Handle,
  organizationId: number,
  actor: SignedIn,
  { text, inDescriptions }: TeamSearch,
  page: Page,
): Promise<Found<Team>> {
  const matching = db
    .selectFrom("teams")
    .where("organization_id", "=", organizationId)
    .where(visibleTeams(actor))
    .$if(text !== "", (q) =>
      q.where((eb) =>
        eb.or([
          containsLower(eb.ref("teams.lower_name"), text.toLowerCase()),
          ...(inDescriptions ? [contains(eb.ref("teams.description"), text)] : []),
        ]),
      ),
    )
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await matching.selectAll().orderBy(ownersFirst).orderBy("lower_name").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

/** Of the teams of the organisation that the caller may see, those that these people belong to. */
export const findTeamsOfMembers = (db: Handle, organizationId: number, actor: SignedIn, userIds: readonly number[]) =>
  db
    .selectFrom("team_members")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .select(["team_members.user_id", "teams.name"])
    .where("teams.organization_id", "=", organizationId)
    .where(inList("team_members.user_id", userIds))
    .where(visibleTeams(actor))
    .orderBy(ownersFirst)
    .orderBy("teams.lower_name")
    .execute()

/** Names are unique only within an organisation, so the id breaks ties. */
export const findTeamsOfUser = query("teams.findTeamsOfUser", (db, p: Params<{ userId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("teams")
    .innerJoin("team_members", "team_members.team_id", "teams.id")
    .selectAll("teams")
    .where("team_members.user_id", "=", p.userId)
    .orderBy(ownersFirst)
    .orderBy("teams.lower_name")
    .orderBy("teams.id")
    .limit(p.limit)
    .offset(p.offset),
)

export const countTeamsOfUser = query("teams.countTeamsOfUser", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("team_members")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("user_id", "=", p.userId),
)

export const findTeamMembers = query("teams.findTeamMembers", (db, p: Params<{ teamId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("users")
    .innerJoin("team_members", "team_members.user_id", "users.id")
    .selectAll("users")
    .where("team_members.team_id", "=", p.teamId)
    .orderBy("users.full_name")
    .orderBy("users.lower_name")
    .limit(p.limit)
    .offset(p.offset),
)

export const countTeamMembers = query("teams.countTeamMembers", (db, p: Params<{ teamId: number }>) =>
  db
    .selectFrom("team_members")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("team_id", "=", p.teamId),
)

export const updateTeam = (
  tx: Transaction,
  { changes, teamId }: { readonly changes: Updateable<Tables["teams"]>; readonly teamId: number },
) => tx.updateTable("teams").set(changes).where("id", "=", teamId).returningAll().executeTakeFirstOrThrow()

export const deleteTeamById = (tx: Transaction, teamId: number) => tx.deleteFrom("teams").where("id", "=", teamId).execute()

export const deleteUnits = (tx: Transaction, teamId: number) =>
  tx.deleteFrom("team_units").where("team_id", "=", teamId).returning(["unit", "mode"]).execute()

export const insertUnits = (tx: Transaction, rows: readonly Insertable<Tables["team_units"]>[]) =>
  tx.insertInto("team_units").values(rows).execute()

/** The team has all repositories of its organization; gives those that are new to it. */
export const addAllRepositories = (tx: Transaction, teamId: number) =>
  tx
    .insertInto("team_repositories")
    .columns(["team_id", "repository_id", "organization_id"])
    .expression((eb) =>
      eb
        .selectFrom("teams")
        .innerJoin("repositories", "repositories.owner_id", "teams.organization_id")
        .select(["teams.id as team_id", "repositories.id as repository_id", "teams.organization_id"])
        .where("teams.id", "=", teamId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("repository_id")
    .execute()

/** A team that makes someone an administrator of a repository. */
export const findAdministeringTeam = (
  tx: Transaction,
  { repositoryId, userId }: { readonly repositoryId: number; readonly userId: number },
) =>
  tx
    .selectFrom("team_members")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .innerJoin("team_repositories", "team_repositories.team_id", "teams.id")
    .select("teams.id")
    .where("team_repositories.repository_id", "=", repositoryId)
    .where("team_members.user_id", "=", userId)
    .where("teams.mode", ">=", Mode.admin)
    .limit(1)
    .executeTakeFirst()

/** The teams of an organization that have all its repositories, and those of these. */
export const findTeamsToAttach = (
  tx: Transaction,
  { organizationId, teamIds }: { readonly organizationId: number; readonly teamIds: readonly number[] },
) =>
  tx
    .selectFrom("teams")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where((eb) => eb.or([eb("includes_all_repositories", "=", 1), inList("teams.id", teamIds)]))
    .execute()

/** Gives a row for each that is new. */
export const addToTeams = (tx: Transaction, rows: readonly Insertable<Tables["team_repositories"]>[]) =>
  tx
    .insertInto("team_repositories")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning("repository_id")
    .execute()

/** The members of the teams that have a repository. */
export const findMembersThrough = (tx: Transaction, repositoryId: number) =>
  tx
    .selectFrom("team_members")
    .innerJoin("team_repositories", "team_repositories.team_id", "team_members.team_id")
    .select("team_members.user_id")
    .distinct()
    .where("team_repositories.repository_id", "=", repositoryId)
    .execute()

/** Takes a repository from all teams. */
export const deleteFromTeams = (tx: Transaction, repositoryId: number) =>
  tx.deleteFrom("team_repositories").where("repository_id", "=", repositoryId).execute()

export const deleteFromTeam = (tx: Transaction, { teamId, repositoryId }: { readonly teamId: number; readonly repositoryId: number }) =>
  tx.deleteFrom("team_repositories").where("team_id", "=", teamId).where("repository_id", "=", repositoryId).execute()
