import { readableByUsers } from "../../../access/visibility.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** The people and teams that can be asked for a review. */

/** The active accounts of these names, given in lower case. */
export const findPeopleByName = query("reviews.findPeopleByName", (db, p: Params<{ names: readonly string[] }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("lower_name", "in", p.names)
    .where("is_active", "=", 1)
    .where("prohibit_login", "=", 0)
    .orderBy("id"),
)

/** The active accounts of these confirmed addresses, given in lower case, each with the address. */
export const findPeopleByAddress = query("reviews.findPeopleByAddress", (db, p: Params<{ addresses: readonly string[] }>) =>
  db
    .selectFrom("emails")
    .innerJoin("users", "users.id", "emails.user_id")
    .selectAll("users")
    .select("emails.lower_email")
    .where("emails.lower_email", "in", p.addresses)
    .where("emails.is_activated", "=", 1)
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0),
)

/** An organisation's teams of these names, given in lower case. */
export const findTeamsNamed = query("reviews.findTeamsNamed", (db, p: Params<{ organizationId: number; names: readonly string[] }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("lower_name", "in", p.names).orderBy("id"),
)

/**
 * The candidates that clients offer as reviewers, by name: people who can read the pull requests and are the repository's owner, members of its
 * organisation, collaborators, or watchers.
 */
export const findCandidates = query("reviews.findCandidates", (db, p: Params<{ repositoryId: number; ownerId: number }>) =>
  db
    .selectFrom("users")
    .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.repositoryId))
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("users")
    .where("users.id", "in", (eb) =>
      eb
        .selectFrom("users as itself")
        .select("itself.id")
        .where("itself.id", "=", p.ownerId)
        .union(eb.selectFrom("organization_members").select("user_id as id").where("organization_id", "=", p.ownerId))
        .union(eb.selectFrom("collaborations").select("user_id as id").where("repository_id", "=", p.repositoryId))
        .union(
          eb.selectFrom("watches").select("user_id as id").where("repository_id", "=", p.repositoryId).where("mode", "!=", "declined"),
        ),
    )
    .where("users.kind", "=", "person")
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0)
    .where(readableByUsers("repo.pulls"))
    .orderBy("users.lower_name")
    .orderBy("users.id"),
)
