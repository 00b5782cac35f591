import { type Params, query } from "../../../core/database/query.ts"

export const findAccountNames = query("adoption.findAccounts", (db, p: Params<{ lowerNames: readonly string[] }>) =>
  db.selectFrom("users").select("lower_name").where("lower_name", "in", p.lowerNames),
)

/** Repositories with one of these names of one of these accounts. */
export const findRepositoryNames = query(
  "adoption.findKnown",
  (db, p: Params<{ ownerNames: readonly string[]; lowerNames: readonly string[] }>) =>
    db
      .selectFrom("users")
      .innerJoin("repositories", "repositories.owner_id", "users.id")
      .select(["users.lower_name as owner", "repositories.lower_name as name"])
      .where("users.lower_name", "in", p.ownerNames)
      .where("repositories.lower_name", "in", p.lowerNames),
)
