import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

export const findRepositoryRow = query("copies.findRepository", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").selectAll().where("id", "=", p.id),
)

export const findAccountRow = query("copies.findAccount", (db, p: Params<{ id: number }>) =>
  db.selectFrom("users").selectAll().where("id", "=", p.id),
)

export const findOwned = query("copies.findOwned", (db, p: Params<{ ownerId: number; lowerName: string }>) =>
  db.selectFrom("repositories").select("id").where("owner_id", "=", p.ownerId).where("lower_name", "=", p.lowerName),
)

export const findRepositoryNamed = query("copies.findRepositoryNamed", (db, p: Params<{ owner: string; name: string }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select("repositories.id")
    .where("users.lower_name", "=", p.owner)
    .where("repositories.lower_name", "=", p.name),
)

export const findRepositoriesOf = query("copies.findRepositoriesOf", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("repositories")
    .select(["id", "name", "storage", "object_format", "default_branch"])
    .where("owner_id", "=", p.ownerId)
    .orderBy("id"),
)

export const peopleOf = (db: Handle) => db.selectFrom("users").select(["id", "name", "lower_name"]).orderBy("id").execute()

export const findUsersByNames = query("copies.findUsersByNames", (db, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("users").select(["id", "lower_name"]).where("lower_name", "in", p.names),
)

export const findAttached = query("copies.findAttached", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("attachments").select("uuid").where("repository_id", "=", p.repositoryId),
)

export const findTakenUuids = query("copies.findTakenUuids", (db, p: Params<{ uuids: readonly string[] }>) =>
  db.selectFrom("attachments").select("uuid").where("uuid", "in", p.uuids),
)

export const findLargeFiles = query("copies.findLargeFiles", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("lfs_objects")
    .innerJoin("lfs_links", "lfs_links.object_id", "lfs_objects.id")
    .select(["lfs_objects.oid", "lfs_objects.size", "lfs_objects.file"])
    .where("lfs_links.repository_id", "=", p.repositoryId),
)
