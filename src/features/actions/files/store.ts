import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

// Literal, because partial indexes are only used for the exact condition that they were created with.
const isFile = sql<SqlBool>`file <> ''`

const isLog = sql<SqlBool>`log_file <> ''`

export const findArtifactFiles = query("actions.findArtifactFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_artifacts").select("file").where("file", "in", p.files).where(isFile),
)

export const findLogFiles = query("actions.findLogFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_tasks").select("log_file as file").where("log_file", "in", p.files).where(isLog),
)

export const findLogPartFiles = query("actions.findLogPartFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_log_parts").select("file").where("file", "in", p.files).where(isFile),
)

export const findCacheFiles = query("actions.findCacheFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_caches").select("file").where("file", "in", p.files),
)

export const findPartFiles = query("actions.findPartFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_upload_parts").select("file").where("file", "in", p.files),
)
