import { type Insertable, type SqlBool, sql, type Updateable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"

type Ids = Params<{ ids: readonly number[] }>

// --- what belongs to an issue ----------------------------------------------------------------------------------------------------

export const findIssuesByIds = query("issues.findByIds", (db, p: Ids) => db.selectFrom("issues").selectAll().where("id", "in", p.ids))

export const findIssueById = query("issues.findById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("issues").selectAll().where("id", "=", p.id),
)

/** The attachments of the bodies of these issues. */
export const findAttachmentsOf = query("issues.findAttachments", (db, p: Ids) =>
  db.selectFrom("attachments").selectAll().where("issue_id", "in", p.ids).where("comment_id", "=", 0).orderBy("id"),
)

// --- creating --------------------------------------------------------------------------------------------------------------------

/**
 * The next number of a repository. The row is locked until the transaction ends: other transactions that create an issue there wait, and a
 * rollback frees the number.
 */
export const takeNumber = query("issues.takeNumber", (db, p: Params<{ repositoryId: number }>) =>
  db
    .insertInto("issue_counters")
    .values({ repository_id: p.repositoryId, last_number: 1 })
    .onConflict((conflict) => conflict.column("repository_id").doUpdateSet({ last_number: sql<number>`issue_counters.last_number + 1` }))
    .returning("last_number"),
)

/** Adds an issue or pull request with the number that {@link takeNumber} has taken last, in this transaction. */
export const insertIssue = query(
  "issues.insert",
  (
    db,
    p: Params<{
      repositoryId: number
      isPull: Flag
      authorId: number
      title: string
      content: string
      ref: string
      dueAt: number
      madeWith: string
      now: number
    }>,
  ) =>
    db
      .insertInto("issues")
      .values({
        repository_id: p.repositoryId,
        number: db.selectFrom("issue_counters").select("last_number").where("repository_id", "=", p.repositoryId),
        is_pull: p.isPull,
        author_id: p.authorId,
        title: p.title,
        content: p.content,
        ref: p.ref,
        due_at: p.dueAt,
        made_with: p.madeWith,
        created_at: p.now,
        updated_at: p.now,
      })
      .returningAll(),
)

/** The merge times of those of the issues that are merged pull requests. */
export const findMerges = query("pulls.findMerges", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db.selectFrom("pulls").select(["issue_id", "merged_at"]).where("issue_id", "in", p.issueIds).where("is_merged", "=", 1),
)

export const updateIssue = (tx: Transaction, id: number, changes: Updateable<Tables["issues"]>) =>
  tx.updateTable("issues").set(changes).where("id", "=", id).execute()

/** The pinned issues or pull requests of a repository, in order. */
export const findPinned = query("issues.findPinned", (db, p: Params<{ repositoryId: number; isPull: Flag }>) =>
  db
    .selectFrom("issues")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", p.isPull)
    // Written out as in the index.
    .where(sql<SqlBool>`pin_order > 0`)
    .orderBy("pin_order")
    .orderBy("id"),
)

/** Gives no row where it is gone already. */
export const deleteIssueRow = (tx: Transaction, id: number) => tx.deleteFrom("issues").where("id", "=", id).returning("id").execute()

export interface NewState {
  readonly id: number
  readonly isClosed: Flag
  readonly closedAt: number
  readonly reason: CloseReason
  readonly duplicateOf: number | null
  readonly now: number
}

export const changeState = query("issues.changeState", (db, p: Params<NewState>) =>
  db
    .updateTable("issues")
    .set({ is_closed: p.isClosed, closed_at: p.closedAt, close_reason: p.reason, duplicate_of_id: p.duplicateOf, updated_at: p.now })
    .where("id", "=", p.id)
    .returningAll(),
)

/** Increments the version of an issue's text without changing it. */
export const touchContent = (tx: Transaction, { now, issueId }: { readonly now: number; readonly issueId: number }) =>
  tx
    .updateTable("issues")
    .set((eb) => ({ content_version: eb("content_version", "+", 1), updated_at: now }))
    .where("id", "=", issueId)
    .execute()

/** Adds issues that came from elsewhere, with their numbers; the caller sees to the counter and to all that depends on it. Gives their ids by their numbers. */
export async function insertOldIssues(
  tx: Transaction,
  rows: readonly Insertable<Tables["issues"]>[],
): Promise<ReadonlyMap<number, number>> {
  const ids = new Map<number, number>()
  for (const slice of slicesOf(rows))
    for (const { id, number } of await tx.insertInto("issues").values(slice).returning(["id", "number"]).execute()) ids.set(number, id)
  return ids
}

/** Makes the next number of a repository higher than this one. */
export const raiseNumber = (tx: Transaction, repositoryId: number, number: number) =>
  tx
    .insertInto("issue_counters")
    .values({ repository_id: repositoryId, last_number: number })
    .onConflict((conflict) =>
      conflict.column("repository_id").doUpdateSet({
        last_number: sql<number>`case when issue_counters.last_number < excluded.last_number then excluded.last_number else issue_counters.last_number end`,
      }),
    )
    .execute()

/** Makes somebody the author of issues and pull requests that came from elsewhere, of those that still name another. */
export const giveIssues = (tx: Transaction, ids: readonly number[], userId: number) =>
  tx
    .updateTable("issues")
    .set({ author_id: userId, original_author: "", original_author_id: 0 })
    .where(inList("issues.id", ids))
    .where("original_author", "<>", "")
    .execute()

/** Writes the text of an issue that came from elsewhere anew, unless it was edited here. */
export const rewriteIssue = (tx: Transaction, id: number, content: string) =>
  tx.updateTable("issues").set({ content }).where("id", "=", id).where("content_version", "=", 0).execute()
