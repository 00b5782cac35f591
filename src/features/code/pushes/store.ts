import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

/** A repository with its owner's name. */
export const findRepository = query("transport.findRepository", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("repositories")
    .select("owner.name as owner_name")
    .where("repositories.id", "=", p.id),
)

/** Updates the repository's time of change, which also locks out other pushes until the transaction ends. */
export const touchRepository = query("transport.touchRepository", (db, p: Params<{ id: number; now: number }>) =>
  db.updateTable("repositories").set({ updated_at: p.now }).where("id", "=", p.id).returningAll(),
)

/** Stores the effects of a push on its repository's row. */
export const settleRepository = query(
  "transport.settleRepository",
  (db, p: Params<{ id: number; defaultBranch: string; base: number; added: number }>) =>
    db
      .updateTable("repositories")
      .set((eb) => ({
        default_branch: p.defaultBranch,
        is_empty: sql<0 | 1>`case when branches_count = 0 then 1 else 0 end`,
        // Added to the stored size unless it was measured: other pushes may have increased it meanwhile.
        git_size: sql<number>`git_size * ${p.base} + ${p.added}`,
        updated_at: eb.ref("updated_at"),
      }))
      .where("id", "=", p.id)
      .returningAll(),
)
