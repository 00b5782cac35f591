import { type Params, query } from "../../../core/database/query.ts"

export const findPlace = query("maintenance.findPlace", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").select(["storage", "object_format"]).where("id", "=", p.id),
)

export const findPlaces = query("maintenance.findPlaces", (db, p: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.storage", "repositories.object_format", "repositories.name", "users.name as owner_name"])
    .where("repositories.id", ">", p.after)
    .where("repositories.is_empty", "=", 0)
    .orderBy("repositories.id")
    .limit(p.limit),
)

export const findWikiPlaces = query("maintenance.findWikiPlaces", (db, p: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom("wikis")
    .innerJoin("repositories", "repositories.id", "wikis.repository_id")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.storage", "repositories.object_format", "repositories.name", "users.name as owner_name"])
    .where("wikis.repository_id", ">", p.after)
    .orderBy("wikis.repository_id")
    .limit(p.limit),
)

export const putSize = query("maintenance.putSize", (db, p: Params<{ id: number; size: number }>) =>
  db.updateTable("repositories").set({ git_size: p.size }).where("id", "=", p.id),
)

export const findRepositoriesAfter = query("missing.findRepositories", (db, p: Params<{ after: number; limit: number }>) =>
  db.selectFrom("repositories").selectAll().where("id", ">", p.after).orderBy("id").limit(p.limit),
)
