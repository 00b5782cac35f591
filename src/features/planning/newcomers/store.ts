import { type Insertable, type Selectable, sql } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { HeldRequestsTable } from "../../../core/database/tables/newcomers.ts"
import type { Page } from "../../../core/operation.ts"

export type HeldRow = Selectable<HeldRequestsTable>

/** Whether the person has a verified address. */
export const findVerified = query("newcomers.findVerified", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("emails").select("id").where("user_id", "=", p.userId).where("is_activated", "=", 1).limit(1),
)

/** Something of theirs that was accepted in the repository: approved, or opened before a certain time. */
export const findAccepted = query("newcomers.findAccepted", (db, p: Params<{ repositoryId: number; authorId: number; before: number }>) =>
  db
    .selectFrom("issues")
    .select("issues.id")
    .where("issues.repository_id", "=", p.repositoryId)
    .where("issues.author_id", "=", p.authorId)
    .where("issues.created_at", "<", p.before)
    .unionAll(
      db
        .selectFrom("held_requests")
        .select("held_requests.id")
        .where("repository_id", "=", p.repositoryId)
        .where("author_id", "=", p.authorId)
        .where("state", "=", "approved"),
    )
    .limit(1),
)

/** How many issues and pull requests the person has opened or asked for since, in the repository and everywhere. */
export const countOpened = query("newcomers.countOpened", (db, p: Params<{ repositoryId: number; authorId: number; since: number }>) => {
  const issues = db.selectFrom("issues").where("author_id", "=", p.authorId).where("created_at", ">=", p.since)
  const held = db
    .selectFrom("held_requests")
    .where("author_id", "=", p.authorId)
    .where("created_at", ">=", p.since)
    // What was approved is counted as what it has become.
    .where("state", "<>", "approved")
  const many = sql<number>`count(*)`.as("total")
  return db.selectNoFrom([
    issues.where("repository_id", "=", p.repositoryId).select(many).as("issues_here"),
    held.where("repository_id", "=", p.repositoryId).select(many).as("held_here"),
    issues.select(many).as("issues"),
    held.select(many).as("held"),
  ])
})

/** How many of them wait, in the repository and of the person. */
export const countWaiting = query("newcomers.countWaiting", (db, p: Params<{ repositoryId: number; authorId: number }>) => {
  const waiting = db.selectFrom("held_requests").where("state", "=", "waiting")
  const many = sql<number>`count(*)`.as("total")
  return db.selectNoFrom([
    waiting.where("repository_id", "=", p.repositoryId).select(many).as("here"),
    waiting.where("author_id", "=", p.authorId).select(many).as("mine"),
  ])
})

/** Undefined where the same pull request waits already. */
export const insertHeld = (tx: Transaction, row: Insertable<HeldRequestsTable>): Promise<HeldRow | undefined> =>
  tx
    .insertInto("held_requests")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Only what waits is decided about, and once. */
export const decideHeld = query(
  "newcomers.decideHeld",
  (db, p: Params<{ id: number; state: HeldRow["state"]; number: number; decidedById: number; now: number }>) =>
    db
      .updateTable("held_requests")
      .set({ state: p.state, number: p.number, decided_by_id: p.decidedById, decided_at: p.now })
      .where("id", "=", p.id)
      .where("state", "=", "waiting")
      .returningAll(),
)

export const findHeld = query("newcomers.findHeld", (db, p: Params<{ id: number; repositoryId: number }>) =>
  db.selectFrom("held_requests").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

/** Takes back what waits. */
export const withdrawHeld = query("newcomers.withdrawHeld", (db, p: Params<{ id: number; authorId: number }>) =>
  db.deleteFrom("held_requests").where("id", "=", p.id).where("author_id", "=", p.authorId).where("state", "=", "waiting").returning("id"),
)

/** All of a person that waits there. */
export const rejectAllHeld = query(
  "newcomers.rejectAllHeld",
  (db, p: Params<{ repositoryId: number; authorId: number; decidedById: number; now: number }>) =>
    db
      .updateTable("held_requests")
      .set({ state: "rejected", decided_by_id: p.decidedById, decided_at: p.now })
      .where("repository_id", "=", p.repositoryId)
      .where("author_id", "=", p.authorId)
      .where("state", "=", "waiting"),
)

interface Listed {
  readonly rows: readonly HeldRow[]
  readonly total: number
}

/** What waits in a repository, of these kinds, oldest first. */
export async function findWaiting(db: Handle, repositoryId: number, kinds: readonly (0 | 1)[], { limit, offset }: Page): Promise<Listed> {
  const waiting = db
    .selectFrom("held_requests")
    .where("repository_id", "=", repositoryId)
    .where("state", "=", "waiting")
    .where("is_pull", "in", kinds)
  const rows = await waiting.selectAll().orderBy("id").limit(limit).offset(offset).execute()
  const { total } = await waiting.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** What a person asked for, newest first, in repositories that they may still see. */
export async function findHeldOf(db: Handle, actor: Actor, authorId: number, { limit, offset }: Page): Promise<Listed> {
  const own = db
    .selectFrom("held_requests")
    .innerJoin("repositories", "repositories.id", "held_requests.repository_id")
    .where("held_requests.author_id", "=", authorId)
    .where(visibleRepositories(actor))
  const rows = await own.selectAll("held_requests").orderBy("held_requests.id", "desc").limit(limit).offset(offset).execute()
  const { total } = await own.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** The oldest of those from before. */
export const findExpired = query("newcomers.findExpired", (db, p: Params<{ before: number; limit: number }>) =>
  db.selectFrom("held_requests").select("id").where("created_at", "<", p.before).orderBy("created_at").limit(p.limit),
)

export const deleteHeld = async (tx: Transaction, ids: readonly number[]): Promise<void> => {
  if (ids.length > 0) await tx.deleteFrom("held_requests").where("id", "in", ids).execute()
}
