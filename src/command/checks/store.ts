import { type Params, query } from "../../core/database/query.ts"

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

export const listStored = query("doctor.listStored", (db) => db.selectFrom("stored_repositories").select("key"))

/** The packs whose files are in the object store. */
export const listPacks = query("doctor.listPacks", (db) =>
  db.selectFrom("packs").select(["file", "size", "files"]).where("files", "<>", ""),
)

/** The keys of the repositories that have a pack; none where the pack has been forgotten since. */
export const listOwnersOfPack = query("doctor.listOwnersOfPack", (db, p: Params<{ file: string }>) =>
  db
    .selectFrom("packs")
    .innerJoin("repository_packs", "repository_packs.pack_id", "packs.id")
    .innerJoin("stored_repositories", "stored_repositories.id", "repository_packs.stored_repository_id")
    .select("stored_repositories.key")
    .where("packs.file", "=", p.file),
)
