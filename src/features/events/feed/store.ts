import { type SqlBool, sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableByUsers } from "../../../access/visibility.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { ActivityKind } from "./kinds.ts"

interface Row {
  readonly kind: ActivityKind
  readonly unit: string
  readonly actorId: number
  readonly repositoryId: number
  readonly commentId: number
  readonly refName: string
  readonly content: string
  readonly now: number
}

/** One statement for any number of watchers. The rows are written in the order of the users, so that concurrent events don't deadlock. */
export const insertActivities = query("activity.tell", (db, p: Params<Row>) => {
  const receivers = db
    .selectFrom("users as doer")
    .select("doer.id")
    .where("doer.id", "=", p.actorId)
    .union(db.selectFrom("repositories as home").select("home.owner_id as id").where("home.id", "=", p.repositoryId))
    .union(db.selectFrom("watches").select("user_id as id").where("repository_id", "=", p.repositoryId).where("mode", "!=", "declined"))
  const watcher = sql<SqlBool>`(users.is_active = 1 and users.prohibit_login = 0 and (${p.unit} = '' or ${readableByUsers(sql`${p.unit}`)})
    and exists (select 1 from watches where watches.repository_id = repositories.id and watches.user_id = users.id and watches.mode <> 'declined'))`
  return db
    .insertInto("activities")
    .columns([
      "receiver_id",
      "actor_id",
      "op_type",
      "repository_id",
      "comment_id",
      "ref_name",
      "unit",
      "is_private",
      "is_hidden",
      "content",
      "created_at",
    ])
    .expression((eb) =>
      eb
        .selectFrom("users")
        .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.repositoryId))
        .innerJoin("users as owner", "owner.id", "repositories.owner_id")
        .select([
          "users.id",
          sql<number>`cast(${p.actorId} as bigint)`.as("actor_id"),
          sql<string>`cast(${p.kind} as text)`.as("op_type"),
          "repositories.id as repository_id",
          sql<number>`cast(${p.commentId} as bigint)`.as("comment_id"),
          sql<string>`cast(${p.refName} as text)`.as("ref_name"),
          sql<string>`cast(${p.unit} as text)`.as("unit"),
          sql<0 | 1>`case when repositories.is_private = 1 or owner.visibility = 'private' then 1 else 0 end`.as("is_private"),
          sql.lit<0>(0).as("is_hidden"),
          sql<string>`cast(${p.content} as text)`.as("content"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
        ])
        .where("users.id", "in", receivers)
        .where((where) =>
          where.or([
            where("users.id", "=", p.actorId),
            where.and([where("owner.kind", "=", "organization"), where("users.id", "=", where.ref("owner.id"))]),
            watcher,
          ]),
        )
        .orderBy("users.id"),
    )
})

const forgetActivitiesOfComments = query("activity.forgetComments", (db, p: Params<{ issueId: number }>) =>
  db
    .deleteFrom("activities")
    .where("comment_id", "in", (eb) => eb.selectFrom("comments").select("comments.id").where("comments.issue_id", "=", p.issueId))
    // The partial index covers only activities about a timeline entry.
    .where(sql<SqlBool>`comment_id <> 0`),
)

const forgetActivityOfCreation = query(
  "activity.forgetCreation",
  (db, p: Params<{ repositoryId: number; createdAt: number; start: string }>) =>
    db
      .deleteFrom("activities")
      .where("repository_id", "=", p.repositoryId)
      .where("created_at", "=", p.createdAt)
      .where("op_type", "in", [sql.lit("create_issue"), sql.lit("create_pull_request")])
      .where(sql<SqlBool>`substr(content, 1, length(${p.start})) = ${p.start}`),
)

/** Removes the activities of a deleted issue. Call it before its comments are deleted. */
export async function forgetIssueActivities(tx: Transaction, issue: Issue): Promise<void> {
  await forgetActivitiesOfComments(tx, { issueId: issue.id })
  await forgetActivityOfCreation(tx, { repositoryId: issue.repository_id, createdAt: issue.created_at, start: `${issue.number}|` })
}

/**
 * Takes the activities of a transferred issue to its new repository, with its new number, so that anyone who may see it there, and no one else, sees
 * them.
 */
export async function moveIssueActivities(
  tx: Transaction,
  { issue, from, number }: Pick<EventOf<"issue.transferred">, "issue" | "from" | "number">,
): Promise<void> {
  const start = `${number}|`
  const ofEntry = sql<SqlBool>`comment_id <> 0 and comment_id in (select id from comments where issue_id = ${issue.id})`
  const ofCreation = sql<SqlBool>`created_at = ${issue.created_at} and op_type = 'create_issue'`
  await sql`update activities set
      repository_id = ${issue.repository_id},
      content = ${`${issue.number}|`} || substr(content, ${start.length + 1}),
      is_private = (select case when repositories.is_private = 1 or owner.visibility = 'private' then 1 else 0 end
        from repositories join users as owner on owner.id = repositories.owner_id where repositories.id = ${issue.repository_id})
    where repository_id = ${from.id} and substr(content, 1, ${start.length}) = ${start} and ((${ofEntry}) or (${ofCreation}))`.execute(tx)
}

/** Hides a repository's activities when it becomes private: only those who may see it still see them. */
export async function hideActivities(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.updateTable("activities").set({ is_private: 1 }).where("repository_id", "=", repositoryId).execute()
}

/** Shows a repository's activities again when it becomes public. */
export async function showActivities(tx: Transaction, repositoryId: number): Promise<void> {
  await sql`update activities set is_private = 0 where repository_id = ${repositoryId}`.execute(tx)
}

export const forgetOld = query("activity.forgetOld", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .deleteFrom("activities")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("activities")
        .select("activities.id")
        .where("activities.created_at", "<", p.before)
        .orderBy("activities.id")
        .limit(p.limit),
    ),
)

/** The activities in the repositories of an organisation are private where it is, and as their repositories otherwise. */
export const changeActivitiesOfOwner = (tx: Transaction, { id, visibility }: Pick<User, "id" | "visibility">) =>
  tx
    .updateTable("activities")
    .set((eb) => ({
      is_private:
        visibility === "private"
          ? 1
          : eb.selectFrom("repositories").select("repositories.is_private").whereRef("repositories.id", "=", "activities.repository_id"),
    }))
    .where("repository_id", "in", tx.selectFrom("repositories").select("id").where("owner_id", "=", id))
    .execute()
