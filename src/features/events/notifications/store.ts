import { type SqlBool, sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { readableByUsers } from "../../../access/visibility.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { NotificationsTable } from "../../../core/database/tables/issues.ts"

interface IssueReceivers {
  readonly issueId: number
  readonly repositoryId: number
  readonly actorId: number
  readonly subject: NotificationsTable["subject"]
  /** The unit that a receiver must be able to read. */
  readonly unit: string
  /** Users who are notified whatever their subscriptions. */
  readonly direct: readonly number[]
  /** 1: every participant of the issue is notified too. */
  readonly broadcast: number
  /** 1: watchers of the repository are notified too. */
  readonly watchers: number
  readonly now: number
}

/**
 * Writes an event of an issue into the threads of all users that it concerns, and returns them: one statement, for any number of users. The
 * rows are written in the order of the users, so that concurrent events don't deadlock.
 */
export const insertIssueThreads = query("notifications.tellOfIssue", (db, p: Params<IssueReceivers>) => {
  const around = sql<SqlBool>`${p.broadcast} = 1`
  const people = db
    .selectFrom("users as named")
    .select("named.id")
    .where("named.id", "in", p.direct)
    .union(
      db
        .selectFrom("watches")
        .select("user_id as id")
        .where("repository_id", "=", p.repositoryId)
        .where("mode", "!=", "declined")
        .where(sql<SqlBool>`${p.watchers} = 1`),
    )
    .union(
      db.selectFrom("issue_watches").select("user_id as id").where("issue_id", "=", p.issueId).where("is_watching", "=", 1).where(around),
    )
    .union(db.selectFrom("issue_assignees").select("user_id as id").where("issue_id", "=", p.issueId).where(around))
    .union(db.selectFrom("issues").select("author_id as id").where("id", "=", p.issueId).where(around))
    .union(
      db
        .selectFrom("comments")
        .select("author_id as id")
        .where("issue_id", "=", p.issueId)
        .where(sql<SqlBool>`kind in ('comment', 'code', 'review')`)
        .where(around),
    )
    .union(
      db
        .selectFrom("reviews")
        .select("reviewer_id as id")
        .where("issue_id", "=", p.issueId)
        .where(sql<SqlBool>`state = 'REQUEST_REVIEW'`)
        .where(around),
    )
  return db
    .insertInto("notifications")
    .columns(["user_id", "repository_id", "subject", "issue_id", "status", "created_at", "updated_at"])
    .expression((eb) =>
      eb
        // SQLite runs a cross join in the order written: from the few users to their rows, never through all users.
        .selectFrom(people.as("told"))
        .crossJoin("users")
        .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.repositoryId))
        .innerJoin("users as owner", "owner.id", "repositories.owner_id")
        .select([
          "users.id",
          "repositories.id as repository_id",
          sql<NotificationsTable["subject"]>`cast(${p.subject} as text)`.as("subject"),
          sql<number>`cast(${p.issueId} as bigint)`.as("issue_id"),
          sql.lit<NotificationsTable["status"]>("unread").as("status"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
          sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
        ])
        .whereRef("users.id", "=", "told.id")
        .where("users.id", "!=", p.actorId)
        .where("users.kind", "=", "person")
        .where("users.is_active", "=", 1)
        .where("users.prohibit_login", "=", 0)
        .where((where) =>
          where.or([
            where("users.id", "in", p.direct),
            where.not(
              where.exists(
                where
                  .selectFrom("issue_watches")
                  .select("issue_watches.user_id")
                  .whereRef("issue_watches.user_id", "=", "users.id")
                  .where("issue_watches.issue_id", "=", p.issueId)
                  .where("issue_watches.is_watching", "=", 0),
              ),
            ),
          ]),
        )
        .where(readableByUsers(sql`${p.unit}`))
        .orderBy("users.id"),
    )
    .onConflict((conflict) =>
      conflict.columns(["issue_id", "user_id"]).doUpdateSet({
        status: sql`case when notifications.status = 'pinned' then 'pinned' else 'unread' end`,
        updated_at: (eb) => eb.ref("excluded.updated_at"),
      }),
    )
    .returning("user_id")
})

interface OfferReceivers {
  readonly repositoryId: number
  readonly recipientId: number
  readonly actorId: number
  readonly now: number
}

/** Writes a thread for each user who can accept or decline the offer of a repository, and returns them. */
export const insertOfferThreads = query("notifications.tellOfOffer", (db, p: Params<OfferReceivers>) =>
  db
    .insertInto("notifications")
    .columns(["user_id", "repository_id", "subject", "status", "created_at", "updated_at"])
    .expression((eb) =>
      eb
        .selectFrom(
          eb
            .selectFrom("users as named")
            .select("named.id")
            .where("named.id", "=", p.recipientId)
            .union(
              eb
                .selectFrom("team_members")
                .innerJoin("teams", "teams.id", "team_members.team_id")
                .select("team_members.user_id as id")
                .where("team_members.organization_id", "=", p.recipientId)
                .where((team) => team.or([team("teams.can_create_repositories", "=", 1), team("teams.mode", ">=", Mode.owner)])),
            )
            .as("told"),
        )
        .crossJoin("users")
        .select([
          "users.id",
          sql<number>`cast(${p.repositoryId} as bigint)`.as("repository_id"),
          sql.lit<NotificationsTable["subject"]>("repository").as("subject"),
          sql.lit<NotificationsTable["status"]>("unread").as("status"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
          sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
        ])
        .whereRef("users.id", "=", "told.id")
        .where("users.id", "!=", p.actorId)
        .where("users.kind", "=", "person")
        .where("users.is_active", "=", 1)
        .where("users.prohibit_login", "=", 0)
        .orderBy("users.id"),
    )
    .returning("user_id"),
)

/** The columns of an issue that a thread shows. */
export type IssueSubject = Awaited<ReturnType<typeof findSubjects>>[number]

/** These issues, each with its newest plain comment. */
export const findSubjects = query("notifications.findSubjects", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("issues")
    .leftJoin("pulls", "pulls.issue_id", "issues.id")
    .select(["issues.id", "issues.number", "issues.title", "issues.is_pull", "issues.is_closed", "pulls.is_merged"])
    .select((eb) =>
      eb
        .selectFrom("comments")
        .select("comments.id")
        .whereRef("comments.issue_id", "=", "issues.id")
        .where("comments.kind", "=", "comment")
        .orderBy("comments.created_at", "desc")
        .orderBy("comments.id", "desc")
        .limit(1)
        .as("latest_comment_id"),
    )
    .where("issues.id", "in", p.ids),
)

export const findThread = query("notifications.findThread", (db, p: Params<{ id: number }>) =>
  db.selectFrom("notifications").selectAll().where("id", "=", p.id),
)

export const setStatus = query(
  "notifications.setStatus",
  (db, p: Params<{ ids: readonly number[]; status: NotificationsTable["status"]; now: number }>) =>
    db.updateTable("notifications").set({ status: p.status, updated_at: p.now }).where("id", "in", p.ids),
)
