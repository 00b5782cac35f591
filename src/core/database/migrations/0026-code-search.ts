import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The index that code search asks: the texts of default branches, and which three characters in a row each of them has. */
export const codeSearch = { id: 26, name: "code_search", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "code_indexes",
    {
      repository_id: "reference",
      tree_id: "text",
      commit_id: "text",
      is_complete: "flag",
      version: "integer",
      files_count: "integer",
      indexed_at: "time",
    },
    { repository_id: "repositories" },
    ["repository_id"],
  )
  await table("code_blobs", { id: "id", repository_id: "reference", blob_id: "text", content: "text" }, { repository_id: "repositories" })
  await index("code_blobs_blob", "code_blobs", ["repository_id", "blob_id"], true)
  await table(
    "code_files",
    { repository_id: "reference", path: "text", code_blob_id: "reference", language: "text" },
    { repository_id: "repositories", code_blob_id: "code_blobs" },
    ["repository_id", "path"],
  )
  await index("code_files_blob", "code_files", ["code_blob_id", "path"])
  for (const statement of types.kind === "sqlite" ? sqlite : postgres) await sql.raw(statement).execute(db)
}

/** The index holds numbers of rows alone; a row that is deleted, also with its repository, takes its entry along. */
const sqlite = [
  `create virtual table code_grams using fts5(grams, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
  `create trigger code_grams_of_old_blob after delete on code_blobs begin
    delete from code_grams where rowid = old.id;
  end`,
]

/** Named as on SQLite, so that one statement serves both. The list of pending entries is read by every search: it is kept short. */
const postgres = [
  `create table code_grams (rowid bigint primary key references code_blobs (id) on delete cascade, grams integer[] not null)`,
  `create index code_grams_all on code_grams using gin (grams) with (gin_pending_list_limit = 512)`,
]
