import { type Params, query } from "../../../core/database/query.ts"

export const listRepositories = query("backups.listRepositories", (db) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select([
      "repositories.id",
      "repositories.storage",
      "repositories.object_format",
      "repositories.name",
      "repositories.default_branch",
      "users.name as owner",
    ]),
)

export const listAdministrators = query("backups.listAdministrators", (db) =>
  db.selectFrom("users").select("id").where("is_admin", "=", 1).where("is_active", "=", 1).orderBy("id"),
)

export const listWikis = query("backups.listWikis", (db) => db.selectFrom("wikis").select("repository_id"))

export const findBranches = query("backups.findBranches", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("branches").select(["name", "commit_id"]).where("repository_id", "=", p.repositoryId),
)

export const findTags = query("backups.findTags", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("tags").select(["name", "object_id"]).where("repository_id", "=", p.repositoryId),
)

export const findPullHeads = query("backups.findPullHeads", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select(["issues.number", "pulls.head_id"])
    .where("pulls.repository_id", "=", p.repositoryId),
)

/** What has happened last, the newest first. */
export const findLastEvents = query("backups.findLastEvents", (db, p: Params<{ limit: number }>) =>
  db.selectFrom("events").select(["kind", "repository_id", "data"]).orderBy("id", "desc").limit(p.limit),
)

/** The state of a repository whose references are rows. */
export const findStored = query("backups.findStored", (db, p: Params<{ key: string }>) =>
  db.selectFrom("stored_repositories").select(["id", "head"]).where("key", "=", p.key),
)

export const findReferences = query("backups.findReferences", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repository_refs").select(["name", "object_id"]).where("stored_repository_id", "=", p.id),
)
