import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { ReadableKinds } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { withinList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { type Flag, flag } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import type { TimelineEntry } from "../issues/timeline.ts"
import { COLUMNS_BESIDE_TEXT, COMMENT_COLUMNS } from "../issues/timeline-store.ts"
import type { Period } from "./records.ts"

export type CommentRow = Pick<
  TimelineEntry,
  "id" | "issue_id" | "author_id" | "content" | "created_at" | "updated_at" | "original_author" | "original_author_id" | "made_with"
>

/** A page of a list and the total number of its rows. */
export interface Found<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

// --- comments ----------------------------------------------------------------------------------------------------------------------

/** The comments of an issue, oldest first. They come all at once: long ones are cut where all together are too long. */
export const findComments = query("comments.findOfIssue", (db, p: Params<{ issueId: number; since: number; before: number }>) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("comments")
        .select(["id", sql<number>`sum(octet_length(content)) over (order by created_at, id)`.as("so_far")])
        .where("issue_id", "=", p.issueId)
        .where("kind", "=", "comment")
        .where("updated_at", ">=", p.since)
        .where("updated_at", "<=", p.before)
        .as("found"),
    )
    .innerJoin("comments", "comments.id", "found.id")
    .select(COLUMNS_BESIDE_TEXT)
    .select(withinList(sql.ref("comments.content"), sql.ref("found.so_far")).as("content"))
    .orderBy("comments.created_at")
    .orderBy("comments.id"),
)

export const findCommentsByIds = query("comments.findByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("comments").select(COMMENT_COLUMNS).where("comments.id", "in", p.ids),
)

/** A comment with the columns of its issue that its presentation needs. */
export type CommentWithIssue = CommentRow & { readonly number: number; readonly is_pull: Flag }

/** A page of the comments on those of a repository's issues and pull requests that the caller may read, oldest first. */
export async function findCommentsIn(
  db: Handle,
  repositoryId: number,
  { issues, pulls }: ReadableKinds,
  { since, before }: Period,
  page: Page,
): Promise<Found<CommentWithIssue>> {
  const isNarrowed = since > 0 || before < Number.MAX_SAFE_INTEGER
  const oneKind = !issues || !pulls
  const found = db
    .selectFrom("placed_comments")
    .where("placed_comments.repository_id", "=", repositoryId)
    .$if(oneKind, (some) => some.where("placed_comments.is_pull", "=", flag(pulls)))
    .$if(isNarrowed, (some) =>
      some
        .innerJoin("comments as dated", "dated.id", "placed_comments.comment_id")
        .where("dated.updated_at", ">=", since)
        .where("dated.updated_at", "<=", before),
    )
  const { total } = isNarrowed
    ? await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    : await db
        .selectFrom("comment_totals")
        .where("repository_id", "=", repositoryId)
        .$if(oneKind, (some) => some.where("is_pull", "=", flag(pulls)))
        .select(sql<number>`cast(coalesce(sum(total), 0) as bigint)`.as("total"))
        .executeTakeFirstOrThrow()
  if (total <= page.offset) return { rows: [], total }
  const ids = found
    .select("placed_comments.comment_id")
    .orderBy("placed_comments.created_at")
    .orderBy("placed_comments.comment_id")
    .limit(page.limit)
    .offset(page.offset)
  const rows = await db
    .selectFrom("comments")
    .innerJoin("issues", "issues.id", "comments.issue_id")
    .select([...COMMENT_COLUMNS, "issues.number", "issues.is_pull"])
    .where("comments.id", "in", ids)
    .orderBy("comments.created_at")
    .orderBy("comments.id")
    .execute()
  return { rows, total }
}

// --- timeline ----------------------------------------------------------------------------------------------------------------------

/** Entries about another issue are only shown to callers who may read that issue. */
const readsOther = (actor: Actor, column: "ref_issue_id" | "dependent_issue_id"): RawBuilder<SqlBool> => {
  const unit = sql<string>`case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end`
  return sql<SqlBool>`(${sql.ref(`comments.${column}`)} is null or exists (
    select 1 from issues as other join repositories on repositories.id = other.repository_id
    where other.id = ${sql.ref(`comments.${column}`)} and ${readableRepositories(actor, unit)}))`
}

/**
 * A page of an issue's timeline in order, without entries about issues that the caller may not read, comments on lines of code (shown with
 * their review) and drafts.
 */
export async function findTimeline(
  db: Handle,
  actor: Actor,
  issueId: number,
  { since, before }: Period,
  page: Page,
): Promise<Found<TimelineEntry>> {
  const found = db
    .selectFrom("comments")
    .where("comments.issue_id", "=", issueId)
    .where("comments.kind", "not in", ["code", "code_draft", "review_draft"])
    .where("comments.updated_at", ">=", since)
    .where("comments.updated_at", "<=", before)
    .where(readsOther(actor, "ref_issue_id"))
    .where(readsOther(actor, "dependent_issue_id"))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll("comments")
    .orderBy("comments.created_at")
    .orderBy("comments.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

type Ids = Params<{ ids: readonly number[] }>

export const findLabelsByIds = query("comments.findLabels", (db, p: Ids) => db.selectFrom("labels").selectAll().where("id", "in", p.ids))

export const findTimesByIds = query("comments.findTimes", (db, p: Ids) =>
  db.selectFrom("tracked_times").selectAll().where("id", "in", p.ids),
)

// --- changing ----------------------------------------------------------------------------------------------------------------------

/** Hides a comment's entries in feeds. */
export const hideActivitiesOf = query("comments.hideActivities", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("activities")
    .set({ is_hidden: 1 })
    .where("comment_id", "=", p.id)
    // The index contains only rows about a timeline entry.
    .where(sql<SqlBool>`comment_id <> 0`),
)
