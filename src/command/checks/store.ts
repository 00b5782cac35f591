import { query } from "../../core/database/query.ts"

export const listKnown = query("doctor.listRepositories", (db) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select([
      "repositories.id",
      "repositories.storage",
      "repositories.object_format",
      "repositories.name",
      "repositories.git_size",
      "users.name as owner",
    ])
    .orderBy("repositories.id"),
)

export const listWikis = query("doctor.listWikis", (db) =>
  db
    .selectFrom("wikis")
    .innerJoin("repositories", "repositories.id", "wikis.repository_id")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select([
      "repositories.id",
      "repositories.storage",
      "repositories.object_format",
      "repositories.name",
      "wikis.git_size",
      "users.name as owner",
    ])
    .orderBy("wikis.repository_id"),
)

export type KnownRepository = Awaited<ReturnType<typeof listKnown>>[number]
