import { sql } from "kysely"
import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag } from "../../../core/database/tables.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

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
            .where("comments.kind", "in", ["comment", "code", "review"])
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

/** The explicit subscribers of the issue that can sign in and that the caller may see, by name. */
export async function findSubscribers(db: Handle, actor: Actor, issueId: number, page: Page): Promise<Found<User>> {
  const shown = db
    .selectFrom("issue_watches")
    .innerJoin("users", "users.id", "issue_watches.user_id")
    .where("issue_watches.issue_id", "=", issueId)
    .where("issue_watches.is_watching", "=", 1)
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0)
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
