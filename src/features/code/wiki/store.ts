import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"

export const putWikiSize = query("maintenance.putWikiSize", (db, p: Params<{ id: number; size: number }>) =>
  db.updateTable("wikis").set({ git_size: p.size }).where("repository_id", "=", p.id),
)

export const findWikiRow = query("wiki.find", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("wikis").select("repository_id").where("repository_id", "=", p.repositoryId),
)

export const putWiki = query("wiki.insert", (db, p: Params<{ repositoryId: number; now: Seconds }>) =>
  db
    .insertInto("wikis")
    .values({ repository_id: p.repositoryId, created_at: p.now })
    .onConflict((conflict) => conflict.doNothing()),
)

export const growWiki = query("wiki.grow", (db, p: Params<{ repositoryId: number; base: number; added: number }>) =>
  db
    .updateTable("wikis")
    .set({ git_size: sql<number>`git_size * ${p.base} + ${p.added}` })
    .where("repository_id", "=", p.repositoryId),
)
