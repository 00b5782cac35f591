import { type Expression, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { readableByUsers } from "../../../access/visibility.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { NotificationsTable } from "../../../core/database/tables/issues.ts"
import type { EventOf } from "../../../core/events/event.ts"
import { mayReadIssues } from "../../planning/issues/involvement-store.ts"
import type { Cause } from "./causes.ts"
import { UNIT_OF } from "./threads-store.ts"

interface IssueReceivers {
  readonly issueId: number
  readonly repositoryId: number
  readonly actorId: number
  /** The unit that a receiver must be able to read. */
  readonly unit: string
  /** Users who are notified whatever their subscriptions. */
  readonly direct: readonly number[]
  /** Why these are. */
  readonly directCause: Cause
  /** 1: every participant of the issue is notified too. */
  readonly broadcast: number
  /** 1: watchers of the repository are notified too. */
  readonly watchers: number
  /** What watchers are told of. */
  readonly watchedCause: Cause
}

type Medium = "in_list" | "by_mail"
type Values<P> = Params<P>
type Builder = Kysely<Tables>

/** Users with the cause for which they are told; 1 in `usual` where that is so unless they chose otherwise. */
const because = (id: string, cause: Expression<Cause>, usual = 1, isDirect = 0) =>
  [
    sql.ref<number>(id).as("id"),
    sql<Cause>`cast(${cause} as text)`.as("cause"),
    sql.lit(usual).as("usual"),
    sql.lit(isDirect).as("is_direct"),
  ] as const

/** Whether someone who did it themselves wants to be told, and no one wants to hear nothing of the repository. */
const isToldOwn = (medium: Medium, actorId: Expression<number>) =>
  sql<SqlBool>`(users.id <> ${actorId} or exists (
    select 1 from notification_choices where user_id = users.id and cause = ${sql.lit("own" satisfies Cause)} and ${sql.ref(medium)} = 1))`

const doesNotIgnore = (repositoryId: Expression<number>) =>
  sql<SqlBool>`not exists (select 1 from notification_levels
    where user_id = users.id and repository_id = ${repositoryId} and level = 'ignored')`

/** For what is usually told: whether they have not chosen otherwise. */
const wants = (cause: Cause, medium: Medium) =>
  sql<SqlBool>`not exists (select 1 from notification_choices
    where user_id = users.id and cause = ${sql.lit(cause)} and ${sql.ref(medium)} = 0)`

/** The users that an event of an issue concerns and who want to be told of it in that way, with the rows of the repository. */
function issueReceivers(db: Builder, p: Values<IssueReceivers>, medium: Medium) {
  const around = sql<SqlBool>`${p.broadcast} = 1`
  const takingPart = sql.lit<Cause>("participating")
  const named = db
    .selectFrom("users as direct")
    .select(because("direct.id", p.directCause, 1, 1))
    .where("direct.id", "in", p.direct)
    .unionAll(
      db
        .selectFrom("watches")
        .select(because("watches.user_id", p.watchedCause))
        .where("repository_id", "=", p.repositoryId)
        .where("mode", "!=", "declined")
        .where(sql<SqlBool>`${p.watchers} = 1`),
    )
    .unionAll(
      db
        .selectFrom("issue_watches")
        .select(because("issue_watches.user_id", takingPart))
        .where("issue_id", "=", p.issueId)
        .where("is_watching", "=", 1)
        .where(around),
    )
    .unionAll(
      db
        .selectFrom("issue_assignees")
        .select(because("issue_assignees.user_id", takingPart))
        .where("issue_id", "=", p.issueId)
        .where(around),
    )
    .unionAll(db.selectFrom("issues").select(because("issues.author_id", takingPart)).where("id", "=", p.issueId).where(around))
    .unionAll(
      db
        .selectFrom("comments")
        .select(because("comments.author_id", takingPart))
        .distinct()
        .where("issue_id", "=", p.issueId)
        .where(sql<SqlBool>`kind in ('comment', 'code', 'review')`)
        .where(around),
    )
    .unionAll(
      db
        .selectFrom("reviews")
        .select(because("reviews.reviewer_id", takingPart))
        .where("issue_id", "=", p.issueId)
        .where(sql<SqlBool>`state = 'REQUEST_REVIEW'`)
        .where(around),
    )
  return toldOf(db, named, medium, p)
    .where((where) =>
      where.or([
        where("told.is_direct", "=", 1),
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
    .orderBy("users.id")
}

interface Named {
  readonly id: number
  readonly cause: Cause
  readonly usual: number
  readonly is_direct: number
}

/** Those of the named people who chose that, or did not choose otherwise, each once; active ones, and not who did it. */
function toldOf(
  db: Builder,
  named: SelectQueryBuilder<Tables, never, Named>,
  medium: Medium,
  p: Values<Pick<IssueReceivers, "repositoryId" | "actorId">>,
) {
  const told = db
    .selectFrom(named.as("named"))
    .leftJoin("notification_choices as choice", (join) =>
      join.onRef("choice.user_id", "=", "named.id").onRef("choice.cause", "=", "named.cause"),
    )
    .select(["named.id", (eb) => eb.fn.max("named.is_direct").as("is_direct")])
    .where(sql<SqlBool>`coalesce(${sql.ref(`choice.${medium}`)}, named.usual) = 1`)
    .groupBy("named.id")
  return (
    db
      // SQLite runs a cross join in the order written: from the few users to their rows, never through all users.
      .selectFrom(told.as("told"))
      .crossJoin("users")
      .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.repositoryId))
      .innerJoin("users as owner", "owner.id", "repositories.owner_id")
      .whereRef("users.id", "=", "told.id")
      .where(isToldOwn(medium, p.actorId))
      .where("users.kind", "=", "person")
      .where("users.is_active", "=", 1)
      .where("users.prohibit_login", "=", 0)
      .where(doesNotIgnore(p.repositoryId))
  )
}

/** Takes the threads of a transferred issue along. Those of people who may not read it in its new place end: no one is told of that. */
export async function moveThreads(tx: Transaction, { issue }: Pick<EventOf<"issue.transferred">, "issue">): Promise<void> {
  const isHidden = sql<SqlBool>`not ${mayReadIssues(sql.ref("notifications.user_id"), issue.repository_id)}`
  await tx.deleteFrom("notifications").where("issue_id", "=", issue.id).where(isHidden).execute()
  await tx.updateTable("notifications").set({ repository_id: issue.repository_id }).where("issue_id", "=", issue.id).execute()
}

/**
 * Writes an event of an issue into the threads of all users that it concerns, and returns them: one statement, for any number of users. The
 * rows are written in the order of the users, so that concurrent events don't deadlock.
 */
export const insertIssueThreads = query(
  "notifications.tellOfIssue",
  (db, p: Params<IssueReceivers & { readonly subject: NotificationsTable["subject"]; readonly now: number }>) =>
    db
      .insertInto("notifications")
      .columns(["user_id", "repository_id", "subject", "issue_id", "status", "created_at", "updated_at"])
      .expression(
        issueReceivers(db, p, "in_list").select([
          "users.id",
          "repositories.id as repository_id",
          sql<NotificationsTable["subject"]>`cast(${p.subject} as text)`.as("subject"),
          sql<number>`cast(${p.issueId} as bigint)`.as("issue_id"),
          sql.lit<NotificationsTable["status"]>("unread").as("status"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
          sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
        ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["issue_id", "user_id"]).doUpdateSet({
          status: sql`case when notifications.status = 'pinned' then 'pinned' else 'unread' end`,
          updated_at: (eb) => eb.ref("excluded.updated_at"),
        }),
      ),
)

/** Whom an event of an issue is to be mailed to. */
export const findIssueMailReceivers = query("notifications.mailOfIssue", (db, p: Params<IssueReceivers>) =>
  issueReceivers(db, p, "by_mail").select("users.id"),
)

interface ReleaseReceivers {
  readonly repositoryId: number
  readonly actorId: number
}

/** Watchers are told of releases where they chose that; who wants nothing but releases of a repository, unless they chose otherwise. */
const releaseReceivers = (db: Builder, p: Values<ReleaseReceivers>, medium: Medium) =>
  toldOf(
    db,
    db
      .selectFrom("watches")
      .select(because("watches.user_id", sql.lit<Cause>("release"), 0))
      .where("repository_id", "=", p.repositoryId)
      .where("mode", "!=", "declined")
      .unionAll(
        db
          .selectFrom("notification_levels")
          .select(because("notification_levels.user_id", sql.lit<Cause>("release")))
          .where("repository_id", "=", p.repositoryId)
          .where("level", "=", "releases"),
      ),
    medium,
    p,
  )
    .where(readableByUsers(sql`${UNIT_OF.release}`))
    .orderBy("users.id")

/** Writes a new release into a thread of each user who wants to be told of it. */
export const insertReleaseThreads = query(
  "notifications.tellOfRelease",
  (db, p: Params<ReleaseReceivers & { readonly releaseId: number; readonly now: number }>) =>
    db
      .insertInto("notifications")
      .columns(["user_id", "repository_id", "subject", "release_id", "status", "created_at", "updated_at"])
      .expression(
        releaseReceivers(db, p, "in_list").select([
          "users.id",
          "repositories.id as repository_id",
          sql.lit<NotificationsTable["subject"]>("release").as("subject"),
          sql<number>`cast(${p.releaseId} as bigint)`.as("release_id"),
          sql.lit<NotificationsTable["status"]>("unread").as("status"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
          sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
        ]),
      )
      .onConflict((conflict) => conflict.columns(["release_id", "user_id"]).doNothing()),
)

export const findReleaseMailReceivers = query("notifications.mailOfRelease", (db, p: Params<ReleaseReceivers>) =>
  releaseReceivers(db, p, "by_mail").select("users.id"),
)

interface OfferReceivers {
  readonly repositoryId: number
  readonly recipientId: number
  readonly actorId: number
  readonly now: number
}

/** The users who can accept or decline the offer of a repository, and want to be told of it in that way. */
const offerReceivers = (db: Builder, p: Values<Pick<OfferReceivers, "recipientId" | "actorId">>, medium: Medium) =>
  db
    .selectFrom(
      db
        .selectFrom("users as named")
        .select("named.id")
        .where("named.id", "=", p.recipientId)
        .union(
          db
            .selectFrom("team_members")
            .innerJoin("teams", "teams.id", "team_members.team_id")
            .select("team_members.user_id as id")
            .where("team_members.organization_id", "=", p.recipientId)
            .where((team) => team.or([team("teams.can_create_repositories", "=", 1), team("teams.mode", ">=", Mode.owner)])),
        )
        .as("told"),
    )
    .crossJoin("users")
    .whereRef("users.id", "=", "told.id")
    .where("users.id", "!=", p.actorId)
    .where("users.kind", "=", "person")
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0)
    .where(wants("offer", medium))
    .orderBy("users.id")

export const findOfferMailReceivers = query("notifications.mailOfOffer", (db, p: Params<Pick<OfferReceivers, "recipientId" | "actorId">>) =>
  offerReceivers(db, p, "by_mail").select("users.id"),
)

/** Writes a thread for each user who can accept or decline the offer of a repository. */
export const insertOfferThreads = query("notifications.tellOfOffer", (db, p: Params<OfferReceivers>) =>
  db
    .insertInto("notifications")
    .columns(["user_id", "repository_id", "subject", "status", "created_at", "updated_at"])
    .expression(
      offerReceivers(db, p, "in_list").select([
        "users.id",
        sql<number>`cast(${p.repositoryId} as bigint)`.as("repository_id"),
        sql.lit<NotificationsTable["subject"]>("repository").as("subject"),
        sql.lit<NotificationsTable["status"]>("unread").as("status"),
        sql<number>`cast(${p.now} as bigint)`.as("created_at"),
        sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
      ]),
    ),
)

interface RunReceiver {
  readonly runId: number
  readonly repositoryId: number
  readonly receiverId: number
  readonly now: number
}

/** Writes a run into the thread of one user, if that user may read it. */
export const insertRunThread = query("notifications.tellOfRun", (db, p: Params<RunReceiver>) =>
  db
    .insertInto("notifications")
    .columns(["user_id", "repository_id", "subject", "run_id", "status", "created_at", "updated_at"])
    .expression((eb) =>
      eb
        .selectFrom("users")
        .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.repositoryId))
        .innerJoin("users as owner", "owner.id", "repositories.owner_id")
        .select([
          "users.id",
          "repositories.id as repository_id",
          sql.lit<NotificationsTable["subject"]>("run").as("subject"),
          sql<number>`cast(${p.runId} as bigint)`.as("run_id"),
          sql.lit<NotificationsTable["status"]>("unread").as("status"),
          sql<number>`cast(${p.now} as bigint)`.as("created_at"),
          sql<number>`cast(${p.now} as bigint)`.as("updated_at"),
        ])
        .where("users.id", "=", p.receiverId)
        .where("users.kind", "=", "person")
        .where("users.is_active", "=", 1)
        .where("users.prohibit_login", "=", 0)
        .where(wants("run", "in_list"))
        .where(doesNotIgnore(p.repositoryId))
        .where(readableByUsers(sql`${UNIT_OF.run}`)),
    )
    .onConflict((conflict) =>
      conflict.columns(["run_id", "user_id"]).doUpdateSet({
        status: sql`case when notifications.status = 'pinned' then 'pinned' else 'unread' end`,
        updated_at: (eb) => eb.ref("excluded.updated_at"),
      }),
    ),
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

/** Threads by their ids. */
export const findThreadRows = (db: Handle, ids: readonly number[]) =>
  db.selectFrom("notifications").selectAll().where(inList("notifications.id", ids)).execute()
