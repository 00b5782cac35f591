import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Seconds } from "../../../core/database/tables/index.ts"

export const findIndex = query("codeSearch.findIndex", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("repositories")
    .leftJoin("code_indexes", "code_indexes.repository_id", "repositories.id")
    .select([
      "repositories.storage",
      "repositories.object_format",
      "repositories.default_branch",
      "code_indexes.tree_id",
      "code_indexes.is_complete",
      "code_indexes.version",
      "code_indexes.files_count",
    ])
    .where("repositories.id", "=", p.repositoryId),
)

export const startIndex = query("codeSearch.startIndex", (db, p: Params<{ repositoryId: number }>) =>
  db
    .insertInto("code_indexes")
    .values({ repository_id: p.repositoryId, tree_id: "", commit_id: "", is_complete: 0, version: 0, files_count: 0, indexed_at: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Changes nothing if someone else has changed the index since that version. */
export const claimIndex = query(
  "codeSearch.claimIndex",
  (
    db,
    p: Params<{
      repositoryId: number
      version: number
      treeId: string
      commitId: string
      isComplete: Flag
      filesCount: number
      now: Seconds
    }>,
  ) =>
    db
      .updateTable("code_indexes")
      .set((eb) => ({
        version: eb("version", "+", 1),
        tree_id: p.treeId,
        commit_id: p.commitId,
        is_complete: p.isComplete,
        files_count: p.filesCount,
        indexed_at: p.now,
      }))
      .where("repository_id", "=", p.repositoryId)
      .where("version", "=", p.version),
)

export const doubtIndexes = query("codeSearch.doubtIndexes", (db) => db.updateTable("code_indexes").set({ is_complete: 0 }))

export const findUnindexed = query("codeSearch.findUnindexed", (db, p: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom("repositories")
    .leftJoin("code_indexes", "code_indexes.repository_id", "repositories.id")
    .select("repositories.id")
    .where("repositories.is_empty", "=", 0)
    .where("repositories.id", ">", p.after)
    .where((eb) => eb.or([eb("code_indexes.is_complete", "is", null), eb("code_indexes.is_complete", "=", 0)]))
    .orderBy("repositories.id")
    .limit(p.limit),
)

export const findFiles = query("codeSearch.findFiles", (db, p: Params<{ repositoryId: number; after: string; limit: number }>) =>
  db
    .selectFrom("code_files")
    .innerJoin("code_blobs", "code_blobs.id", "code_files.code_blob_id")
    .select(["code_files.path", "code_blobs.blob_id"])
    .where("code_files.repository_id", "=", p.repositoryId)
    .where("code_files.path", ">", p.after)
    .orderBy("code_files.path")
    .limit(p.limit),
)

export const findBlobs = query("codeSearch.findBlobs", (db, p: Params<{ repositoryId: number; blobIds: readonly string[] }>) =>
  db.selectFrom("code_blobs").select(["id", "blob_id"]).where("repository_id", "=", p.repositoryId).where("blob_id", "in", p.blobIds),
)

export const insertBlob = query("codeSearch.insertBlob", (db, p: Params<{ repositoryId: number; blobId: string; content: string }>) =>
  db.insertInto("code_blobs").values({ repository_id: p.repositoryId, blob_id: p.blobId, content: p.content }).returning("id"),
)

export const insertGrams = query("codeSearch.insertGrams", (db, p: Params<{ id: number; grams: string }>) =>
  db.insertInto("code_grams").values({ rowid: p.id, grams: p.grams }),
)

export const putFile = query(
  "codeSearch.putFile",
  (db, p: Params<{ repositoryId: number; path: string; blob: number; language: string }>) =>
    db
      .insertInto("code_files")
      .values({ repository_id: p.repositoryId, path: p.path, code_blob_id: p.blob, language: p.language })
      .onConflict((conflict) =>
        conflict.columns(["repository_id", "path"]).doUpdateSet((eb) => ({ code_blob_id: eb.ref("excluded.code_blob_id") })),
      ),
)

export const findBlobsOfPaths = query("codeSearch.findBlobsOfPaths", (db, p: Params<{ repositoryId: number; paths: readonly string[] }>) =>
  db.selectFrom("code_files").select("code_blob_id").where("repository_id", "=", p.repositoryId).where("path", "in", p.paths),
)

export const removeFiles = query("codeSearch.removeFiles", (db, p: Params<{ repositoryId: number; paths: readonly string[] }>) =>
  db.deleteFrom("code_files").where("repository_id", "=", p.repositoryId).where("path", "in", p.paths),
)

/** Of these texts those that no file has any more. */
export const removeUnused = query("codeSearch.removeUnused", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .deleteFrom("code_blobs")
    .where("id", "in", p.ids)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("code_files").select(sql`1`.as("one")).whereRef("code_files.code_blob_id", "=", "code_blobs.id"))),
    ),
)

/** The same for all texts of a repository. */
export const removeAllUnused = query("codeSearch.removeAllUnused", (db, p: Params<{ repositoryId: number }>) =>
  db
    .deleteFrom("code_blobs")
    .where("repository_id", "=", p.repositoryId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("code_files").select(sql`1`.as("one")).whereRef("code_files.code_blob_id", "=", "code_blobs.id"))),
    ),
)

export const readTexts = query("codeSearch.readTexts", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("code_blobs").select(["id", "content"]).where("id", "in", p.ids),
)
