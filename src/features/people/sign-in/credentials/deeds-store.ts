import { type Kysely, sql } from "kysely"
import type { Handle } from "../../../../core/database/database.ts"
import { type Params, query } from "../../../../core/database/query.ts"
import type { Tables } from "../../../../core/database/tables/index.ts"
import type { Page } from "../../../../core/operation.ts"

/** Takes one of the changes that a token has left, where they are counted. Changes nothing where there are none, and where the token is gone or over. */
export const takeWrite = query("deeds.takeWrite", (db, p: Params<{ id: number; now: number }>) =>
  db
    .updateTable("access_tokens")
    .set({ writes_left: sql<number>`case when writes_left > 0 then writes_left - 1 else writes_left end` })
    .where("id", "=", p.id)
    .where("writes_left", "<>", 0)
    .where("expires_at", ">", p.now),
)

/** Gives one back. */
export const giveWriteBack = query("deeds.giveWriteBack", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("access_tokens")
    .set({ writes_left: sql<number>`writes_left + 1` })
    .where("id", "=", p.id)
    .where("writes_left", ">=", 0)
    .whereRef("writes_left", "<", "writes"),
)

export const insertDeed = query(
  "deeds.insert",
  (
    db,
    p: Params<{
      tokenId: number
      tokenName: string
      userId: number
      repositoryId: number
      ownerId: number
      operation: string
      path: string
      now: number
    }>,
  ) =>
    db
      .insertInto("token_deeds")
      .values({
        token_id: p.tokenId,
        token_name: p.tokenName,
        user_id: p.userId,
        repository_id: p.repositoryId,
        owner_id: p.ownerId,
        operation: p.operation,
        path: p.path,
        status: 0,
        created_at: p.now,
      })
      .returning("id"),
)

export const endDeed = query("deeds.end", (db, p: Params<{ id: number; status: number; path: string }>) =>
  db.updateTable("token_deeds").set({ status: p.status, path: p.path }).where("id", "=", p.id),
)

export const markCommit = query("deeds.markCommit", (db, p: Params<{ repositoryId: number; commitId: string; name: string }>) =>
  db
    .insertInto("token_commits")
    .values({ repository_id: p.repositoryId, commit_id: p.commitId, token_name: p.name })
    .onConflict((conflict) => conflict.columns(["repository_id", "commit_id"]).doNothing()),
)

/** The name of the token that made a commit through the API. */
export const findCommitMark = query("deeds.findCommitMark", (db, p: Params<{ repositoryId: number; commitId: string }>) =>
  db.selectFrom("token_commits").select("token_name").where("repository_id", "=", p.repositoryId).where("commit_id", "=", p.commitId),
)

export type DeedsOf = { readonly tokenId: number } | { readonly repositoryId: number } | { readonly ownerId: number }

const of = (db: Kysely<Tables>, whose: DeedsOf) => {
  const deeds = db.selectFrom("token_deeds")
  if ("tokenId" in whose) return deeds.where("token_deeds.token_id", "=", whose.tokenId)
  if ("repositoryId" in whose) return deeds.where("token_deeds.repository_id", "=", whose.repositoryId)
  return deeds.where("token_deeds.owner_id", "=", whose.ownerId)
}

/** A page of what tokens did, newest first, and how much there is. */
export async function listDeeds(db: Handle, whose: DeedsOf, { limit, offset }: Pick<Page, "limit" | "offset">) {
  const { total } = await of(db, whose)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  const rows = await of(db, whose)
    .innerJoin("users", "users.id", "token_deeds.user_id")
    .selectAll("token_deeds")
    .select("users.name as user_name")
    .orderBy("token_deeds.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

export type DeedRow = Awaited<ReturnType<typeof listDeeds>>["rows"][number]

export const forgetDeeds = query("deeds.forget", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .deleteFrom("token_deeds")
    .where("id", "in", (eb) => eb.selectFrom("token_deeds").select("id").where("created_at", "<", p.before).limit(p.limit)),
)
