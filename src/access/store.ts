import { sql } from "kysely"
import { type Params, query } from "../core/database/query.ts"
import { Mode } from "./modes.ts"

/** The rows that decisions are made from. They are read at every request, so that revoked access ends immediately. */

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

/** The highest mode that the user's teams grant in a unit of the organisation itself; null for none. Administrators' teams need no unit. */
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
