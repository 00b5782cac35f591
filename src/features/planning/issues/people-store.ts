import type { Insertable } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { offeredAsAssignees } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

export const findUsersNamed = query("issues.findUsersNamed", (db, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("users").selectAll().where("lower_name", "in", p.names),
)

export const deleteAssignees = (tx: Transaction, { issueId, userIds }: { readonly issueId: number; readonly userIds: readonly number[] }) =>
  tx.deleteFrom("issue_assignees").where("issue_id", "=", issueId).where(inList("issue_assignees.user_id", userIds)).execute()

export const insertAssignees = (tx: Transaction, rows: readonly Insertable<Tables["issue_assignees"]>[]) =>
  tx.insertInto("issue_assignees").values(rows).execute()

export const findCandidates = query("issues.findAssignable", (db, p: Params<{ repositoryId: number; ownerId: number }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("kind", "=", "person")
    .where("is_active", "=", 1)
    .where("id", "!=", p.ownerId)
    // Those who have been granted anything: the others needn't be looked at.
    .where("id", "in", (eb) =>
      eb
        .selectFrom("collaborations")
        .select("user_id")
        .where("repository_id", "=", p.repositoryId)
        .union(
          eb
            .selectFrom("team_repositories")
            .innerJoin("team_members", "team_members.team_id", "team_repositories.team_id")
            .select("team_members.user_id")
            .where("team_repositories.repository_id", "=", p.repositoryId),
        ),
    )
    .where(offeredAsAssignees(p.repositoryId))
    .orderBy("lower_name"),
)

/** Active accounts of people, who can be notified. */
export const findPeopleNamed = query("references.findPeopleNamed", (db, p: Params<{ names: readonly string[] }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("lower_name", "in", p.names)
    .where("kind", "=", "person")
    .where("is_active", "=", 1)
    .where("prohibit_login", "=", 0)
    .orderBy("id"),
)

/** The members of those of an organisation's teams that have access to a repository's unit. */
export const findTeamPeople = query(
  "references.findTeamPeople",
  (db, p: Params<{ organizationId: number; repositoryId: number; teams: readonly string[]; unit: string }>) =>
    db
      .selectFrom("teams")
      .innerJoin("team_members", "team_members.team_id", "teams.id")
      .innerJoin("users", "users.id", "team_members.user_id")
      .selectAll("users")
      .where("teams.organization_id", "=", p.organizationId)
      .where("teams.lower_name", "in", p.teams)
      .where("users.is_active", "=", 1)
      .where("users.prohibit_login", "=", 0)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("team_repositories")
            .select("team_repositories.team_id")
            .whereRef("team_repositories.team_id", "=", "teams.id")
            .where("team_repositories.repository_id", "=", p.repositoryId),
        ),
      )
      .where((eb) =>
        eb.or([
          eb("teams.mode", ">=", Mode.admin),
          eb.exists(
            eb
              .selectFrom("team_units")
              .select("team_units.team_id")
              .whereRef("team_units.team_id", "=", "teams.id")
              .where("team_units.unit", "=", p.unit)
              .where("team_units.mode", ">=", Mode.read),
          ),
        ]),
      )
      .orderBy("users.id"),
)

/** Changes nothing for those who are mentioned already. */
export const insertMentions = (tx: Transaction, rows: readonly Insertable<Tables["issue_mentions"]>[]) =>
  tx
    .insertInto("issue_mentions")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["issue_id", "user_id"]).doNothing())
    .execute()

/** The assignees of these issues in the order of their assignment. */
/** Who is assigned to issues, in the order in which they were. */
export const findAssigneeIds = query("issues.findAssigneeIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("issue_assignees").select(["issue_id", "user_id"]).where("issue_id", "in", p.ids).orderBy("id"),
)

export const findAssignees = query("issues.findAssignees", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("issue_assignees")
    .innerJoin("users", "users.id", "issue_assignees.user_id")
    .selectAll("users")
    .select("issue_assignees.issue_id")
    .where("issue_assignees.issue_id", "in", p.ids)
    // By issue first: in the order of their ids alone, SQLite would read the assignments of all issues.
    .orderBy("issue_assignees.issue_id")
    .orderBy("issue_assignees.id"),
)

export const findTeamNamed = query("issues.findTeamNamed", (db, p: Params<{ organizationId: number; lowerName: string }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("lower_name", "=", p.lowerName),
)
