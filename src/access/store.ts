import { type Params, query, quickQuery } from "../core/database/query.ts"

/** The rows that decisions are made from. They are read at every request, so that revoked access ends immediately. */

export const findUserByName = quickQuery(
  query("access.findUserByName", (db, p: Params<{ lowerName: string }>) =>
    db.selectFrom("users").selectAll().where("lower_name", "=", p.lowerName),
  ),
)

export const findUserById = quickQuery(
  query("access.findUserById", (db, p: Params<{ id: number }>) => db.selectFrom("users").selectAll().where("id", "=", p.id)),
)

export const findUserRedirect = query("access.findUserRedirect", (db, p: Params<{ lowerName: string }>) =>
  db
    .selectFrom("user_redirects")
    .innerJoin("users", "users.id", "user_redirects.user_id")
    .selectAll("users")
    .where("user_redirects.lower_name", "=", p.lowerName),
)

export const findRepositoryByName = quickQuery(
  query("access.findRepositoryByName", (db, p: Params<{ ownerId: number; lowerName: string }>) =>
    db.selectFrom("repositories").selectAll().where("owner_id", "=", p.ownerId).where("lower_name", "=", p.lowerName),
  ),
)

export const findRepositoryById = quickQuery(
  query("access.findRepositoryById", (db, p: Params<{ id: number }>) => db.selectFrom("repositories").selectAll().where("id", "=", p.id)),
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

/**
 * One row if the account has to do with one of these others, the caller and the account that they act for: one follows the other, has blocked
 * it, they are in the same organisation, or it works on the other's repositories or has done something in them.
 */
export const findAcquaintance = query("access.findAcquaintance", (db, p: Params<{ userId: number; others: readonly number[] }>) =>
  db
    .selectFrom("users")
    .select("users.id")
    .where("users.id", "=", p.userId)
    .where((eb) => {
      const theirs = eb.selectFrom("repositories").select("repositories.id").where("repositories.owner_id", "in", p.others)
      return eb.or([
        eb.exists(eb.selectFrom("follows").select("followed_id").where("follower_id", "in", p.others).where("followed_id", "=", p.userId)),
        eb.exists(eb.selectFrom("follows").select("follower_id").where("follower_id", "=", p.userId).where("followed_id", "in", p.others)),
        eb.exists(eb.selectFrom("blocks").select("blocked_id").where("blocker_id", "in", p.others).where("blocked_id", "=", p.userId)),
        eb.exists(
          eb
            .selectFrom("organization_members as theirs")
            .leftJoin("organization_members as mine", "mine.organization_id", "theirs.organization_id")
            .select("theirs.user_id")
            .where("theirs.user_id", "=", p.userId)
            .where(({ or, eb: in_ }) => or([in_("theirs.organization_id", "in", p.others), in_("mine.user_id", "in", p.others)])),
        ),
        eb.exists(eb.selectFrom("collaborations").select("user_id").where("user_id", "=", p.userId).where("repository_id", "in", theirs)),
        eb.exists(eb.selectFrom("issues").select("id").where("author_id", "=", p.userId).where("repository_id", "in", theirs)),
        eb.exists(eb.selectFrom("activities").select("id").where("actor_id", "=", p.userId).where("repository_id", "in", theirs)),
      ])
    }),
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

/** The issue that had this number before it was transferred. */
export const findMovedIssue = query("access.findMovedIssue", (db, p: Params<{ repositoryId: number; number: number }>) =>
  db
    .selectFrom("moved_issues")
    .innerJoin("issues", "issues.id", "moved_issues.issue_id")
    .selectAll("issues")
    .where("moved_issues.repository_id", "=", p.repositoryId)
    .where("moved_issues.number", "=", p.number),
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

export const findTeamMember = query("access.findTeamMember", (db, p: Params<{ teamId: number; userId: number }>) =>
  db.selectFrom("team_members").select("team_id").where("team_id", "=", p.teamId).where("user_id", "=", p.userId),
)

/** A deletion that was made since that time, without its rows. */
export const findDeletionById = query("access.findDeletion", (db, p: Params<{ id: number; since: number }>) =>
  db
    .selectFrom("deletions")
    .select([
      "id",
      "kind",
      "owner_id",
      "repository_id",
      "issue_id",
      "subject_id",
      "number",
      "name",
      "author_id",
      "actor_id",
      "commit_id",
      "row_bytes",
      "file_bytes",
      "created_at",
    ])
    .where("id", "=", p.id)
    .where("created_at", ">=", p.since),
)
