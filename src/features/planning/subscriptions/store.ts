import { sql } from "kysely"
import { type Issue, unitOf } from "../../../access/policies/issues.ts"
import { listedUsers, readableByUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

/** What makes the author of a timeline entry a participant. */
const COMMENTS = ["comment", "code", "review"] as const

interface Pair {
  readonly issueId: number
  readonly userId: number
}

/** A user's explicit subscription, or their refusal of one. */
export const findIssueWatch = query("issueSubscriptions.find", (db, p: Params<Pair>) =>
  db.selectFrom("issue_watches").select("is_watching").where("issue_id", "=", p.issueId).where("user_id", "=", p.userId),
)

/**
 * One row if a user is notified about an issue without an explicit subscription: as its author, assignee, commenter or requested reviewer,
 * or because they watch its repository.
 */
export const findImplicitWatch = query("issueSubscriptions.findImplicit", (db, p: Params<Pair>) =>
  db
    .selectFrom("issues")
    .select("issues.id")
    .where("issues.id", "=", p.issueId)
    .where((eb) =>
      eb.or([
        eb("issues.author_id", "=", p.userId),
        eb.exists(
          eb
            .selectFrom("comments")
            .select("comments.id")
            .whereRef("comments.issue_id", "=", "issues.id")
            .where("comments.kind", "in", COMMENTS)
            .where("comments.author_id", "=", p.userId),
        ),
        eb.exists(
          eb
            .selectFrom("issue_assignees")
            .select("issue_assignees.user_id")
            .whereRef("issue_assignees.issue_id", "=", "issues.id")
            .where("issue_assignees.user_id", "=", p.userId),
        ),
        eb.exists(
          eb
            .selectFrom("reviews")
            .select("reviews.id")
            .whereRef("reviews.issue_id", "=", "issues.id")
            .where("reviews.state", "=", sql.lit("REQUEST_REVIEW"))
            .where("reviews.reviewer_id", "=", p.userId),
        ),
        eb.exists(
          eb
            .selectFrom("watches")
            .select("watches.user_id")
            .whereRef("watches.repository_id", "=", "issues.repository_id")
            .where("watches.user_id", "=", p.userId)
            .where("watches.mode", "<>", "declined"),
        ),
      ]),
    ),
)

export const putIssueWatch = query("issueSubscriptions.put", (db, p: Params<Pair & { isWatching: Flag; now: number }>) =>
  db
    .insertInto("issue_watches")
    .values({ issue_id: p.issueId, user_id: p.userId, is_watching: p.isWatching, updated_at: p.now })
    .onConflict((conflict) =>
      conflict
        .columns(["issue_id", "user_id"])
        .doUpdateSet({ is_watching: p.isWatching, updated_at: p.now })
        .where("issue_watches.is_watching", "!=", p.isWatching),
    ),
)

/**
 * The people who are notified about an issue: what `isSubscribed` says of each of them, among those that can sign in, may read it, and whom the
 * caller may see; by name.
 */
export async function findSubscribers(
  db: Handle,
  actor: Actor,
  { id, repository_id, ...issue }: Pick<Issue, "id" | "repository_id" | "is_pull">,
  page: Page,
): Promise<Found<User>> {
  const subscribed = db
    .selectFrom("issue_watches")
    .select("user_id as id")
    .where("issue_id", "=", id)
    .where("is_watching", "=", 1)
    .union(db.selectFrom("issues").select("author_id as id").where("id", "=", id))
    .union(db.selectFrom("comments").select("author_id as id").where("issue_id", "=", id).where("kind", "in", COMMENTS))
    .union(db.selectFrom("issue_assignees").select("user_id as id").where("issue_id", "=", id))
    .union(db.selectFrom("reviews").select("reviewer_id as id").where("issue_id", "=", id).where("state", "=", sql.lit("REQUEST_REVIEW")))
    .union(db.selectFrom("watches").select("user_id as id").where("repository_id", "=", repository_id).where("mode", "<>", "declined"))
  const declined = db.selectFrom("issue_watches").select("user_id").where("issue_id", "=", id).where("is_watching", "=", 0)
  const shown = db
    .selectFrom("users")
    .innerJoin("repositories", (join) => join.on("repositories.id", "=", repository_id))
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .where("users.id", "in", subscribed)
    .where("users.id", "not in", declined)
    .where("users.kind", "=", "person")
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0)
    .where(readableByUsers(unitOf(issue)))
    .where(listedUsers(actor))
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .orderBy("users.lower_name")
    .orderBy("users.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}
