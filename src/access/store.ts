import { sql } from "kysely"
import { type Params, query } from "../core/database/query.ts"
import { Mode } from "./modes.ts"

/** The rows that decisions are made from. They are read at every request: what was taken away is gone at once. */

export const findUserByName = query("access.findUserByName", (db, p: Params<{ lowerName: string }>) =>
  db.selectFrom("users").selectAll().where("lower_name", "=", p.lowerName),
)

export const findUserById = query("access.findUserById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("users").selectAll().where("id", "=", p.id),
)

export const findUserRedirect = query("access.findUserRedirect", (db, p: Params<{ lowerName: string }>) =>
  db
    .selectFrom("user_redirects")
    .innerJoin("users", "users.id", "user_redirects.user_id")
    .selectAll("users")
    .where("user_redirects.lower_name", "=", p.lowerName),
)

export const findRepositoryByName = query("access.findRepositoryByName", (db, p: Params<{ ownerId: number; lowerName: string }>) =>
  db.selectFrom("repositories").selectAll().where("owner_id", "=", p.ownerId).where("lower_name", "=", p.lowerName),
)

export const findRepositoryById = query("access.findRepositoryById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").selectAll().where("id", "=", p.id),
)

export const findRepositoryRedirect = query("access.findRepositoryRedirect", (db, p: Params<{ ownerId: number; lowerName: string }>) =>
  db
    .selectFrom("repository_redirects")
    .innerJoin("repositories", "repositories.id", "repository_redirects.repository_id")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select([
      "repositories.id as repository_id",
      "repositories.name as repository_name",
      "users.name as owner_name",
      "users.id as owner_id",
    ])
    .where("repository_redirects.owner_id", "=", p.ownerId)
    .where("repository_redirects.lower_name", "=", p.lowerName),
)

export const findTeam = query("access.findTeam", (db, p: Params<{ id: number }>) =>
  db.selectFrom("teams").selectAll().where("id", "=", p.id),
)

export const findAssignment = query("access.findAssignment", (db, p: Params<{ issueId: number; userId: number }>) =>
  db.selectFrom("issue_assignees").select("id").where("issue_id", "=", p.issueId).where("user_id", "=", p.userId),
)

export const findIssueByNumber = query("access.findIssueByNumber", (db, p: Params<{ repositoryId: number; number: number }>) =>
  db.selectFrom("issues").selectAll().where("repository_id", "=", p.repositoryId).where("number", "=", p.number),
)

export const findIssueById = query("access.findIssueById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("issues").selectAll().where("id", "=", p.id),
)

export const findPullByIssue = query("access.findPullByIssue", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("pulls").selectAll().where("issue_id", "=", p.issueId),
)

export const findReviewById = query("access.findReviewById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("reviews").selectAll().where("id", "=", p.id),
)

export const findCommentById = query("access.findCommentById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("comments").selectAll().where("id", "=", p.id),
)

/** One row if the user is a member of the organisation, with the highest mode among the user's teams there. */
export const findMembership = query("access.findMembership", (db, p: Params<{ organizationId: number; userId: number }>) =>
  db
    .selectFrom("organization_members as member")
    .leftJoin("team_members", (join) =>
      join.onRef("team_members.organization_id", "=", "member.organization_id").onRef("team_members.user_id", "=", "member.user_id"),
    )
    .leftJoin("teams", "teams.id", "team_members.team_id")
    .select((eb) => [
      eb.fn.max("teams.mode").as("mode"),
      eb.fn.max("teams.can_create_repositories").as("can_create_repositories"),
      eb.fn.max("member.is_public").as("is_public"),
    ])
    .where("member.organization_id", "=", p.organizationId)
    .where("member.user_id", "=", p.userId)
    .groupBy("member.user_id"),
)

/** The most that the user's teams give in a unit of the organisation itself; null where they give nothing. Administrators' teams need no unit. */
export const findTeamUnit = query("access.findTeamUnit", (db, p: Params<{ organizationId: number; userId: number; unit: string }>) =>
  db
    .selectFrom("team_members")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .leftJoin("team_units", (join) => join.onRef("team_units.team_id", "=", "teams.id").on("team_units.unit", "=", p.unit))
    .select((eb) =>
      eb.fn
        .max(eb.case().when("teams.mode", ">=", sql.lit(Mode.admin)).then(eb.ref("teams.mode")).else(eb.ref("team_units.mode")).end())
        .as("mode"),
    )
    .where("team_members.organization_id", "=", p.organizationId)
    .where("team_members.user_id", "=", p.userId),
)

export const findTeamMember = query("access.findTeamMember", (db, p: Params<{ teamId: number; userId: number }>) =>
  db.selectFrom("team_members").select("team_id").where("team_id", "=", p.teamId).where("user_id", "=", p.userId),
)

export const findCollaborations = query(
  "access.findCollaborations",
  (db, p: Params<{ userId: number; repositoryIds: readonly number[] }>) =>
    db
      .selectFrom("collaborations")
      .select(["repository_id", "mode"])
      .where("user_id", "=", p.userId)
      .where("repository_id", "in", p.repositoryIds),
)

/** What the user's teams give on repositories: one row for each team and unit. */
export const findTeamGrants = query("access.findTeamGrants", (db, p: Params<{ userId: number; repositoryIds: readonly number[] }>) =>
  db
    .selectFrom("team_members")
    .innerJoin("team_repositories", "team_repositories.team_id", "team_members.team_id")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .leftJoin("team_units", "team_units.team_id", "teams.id")
    .select(["team_repositories.repository_id", "teams.mode as team_mode", "team_units.unit", "team_units.mode as unit_mode"])
    .where("team_members.user_id", "=", p.userId)
    .where("team_repositories.repository_id", "in", p.repositoryIds),
)

export const findMemberOrganizations = query(
  "access.findMemberOrganizations",
  (db, p: Params<{ userId: number; organizationIds: readonly number[] }>) =>
    db
      .selectFrom("organization_members")
      .select("organization_id")
      .where("user_id", "=", p.userId)
      .where("organization_id", "in", p.organizationIds),
)

/** Offered to the actor, or to an organisation where the actor may create repositories: the offer lets him look. */
export const findTransferOffers = query(
  "access.findTransferOffers",
  (db, p: Params<{ userId: number; repositoryIds: readonly number[] }>) =>
    db
      .selectFrom("repository_transfers")
      .select("repository_id")
      .where("repository_id", "in", p.repositoryIds)
      .where((eb) =>
        eb.or([
          eb("recipient_id", "=", p.userId),
          eb.exists(
            eb
              .selectFrom("team_members")
              .innerJoin("teams", "teams.id", "team_members.team_id")
              .select("teams.id")
              .whereRef("team_members.organization_id", "=", "repository_transfers.recipient_id")
              .where("team_members.user_id", "=", p.userId)
              .where("teams.can_create_repositories", "=", 1),
          ),
        ]),
      ),
)

// --- many people, one repository -------------------------------------------------------------------------------------------------

type PeopleOn = Params<{ repositoryId: number; userIds: readonly number[] }>

export const findCollaborationsOn = query("access.findCollaborationsOn", (db, p: PeopleOn) =>
  db.selectFrom("collaborations").select(["user_id", "mode"]).where("repository_id", "=", p.repositoryId).where("user_id", "in", p.userIds),
)

export const findTeamGrantsOn = query("access.findTeamGrantsOn", (db, p: PeopleOn) =>
  db
    .selectFrom("team_repositories")
    .innerJoin("team_members", "team_members.team_id", "team_repositories.team_id")
    .innerJoin("teams", "teams.id", "team_repositories.team_id")
    .leftJoin("team_units", "team_units.team_id", "teams.id")
    .select(["team_members.user_id", "teams.mode as team_mode", "team_units.unit", "team_units.mode as unit_mode"])
    .where("team_repositories.repository_id", "=", p.repositoryId)
    .where("team_members.user_id", "in", p.userIds),
)

export const findMembersAmong = query("access.findMembersAmong", (db, p: Params<{ organizationId: number; userIds: readonly number[] }>) =>
  db.selectFrom("organization_members").select("user_id").where("organization_id", "=", p.organizationId).where("user_id", "in", p.userIds),
)
