import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/**
 * Git repositories that are kept in the database: their references, and their objects in packs, of which the large ones are in an object store; and what all
 * servers of one site have to agree on.
 */
export const storedRepositories = { id: 40, name: "stored_repositories", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("stored_repositories", {
    id: "id",
    key: "text",
    object_format: "text",
    head: "text",
    refs_version: "integer",
    removed_version: "integer",
    packs_version: "integer",
    gc_epoch: "integer",
    size: "integer",
    packed_size: "integer",
    packs_count: "integer",
    has_left_behind: "flag",
    aside_since: "time",
    created_at: "time",
  })
  await index("stored_repositories_key", "stored_repositories", ["key"], true)
  const repository = { stored_repository_id: "stored_repositories" }
  await table("repository_refs", { stored_repository_id: "reference", name: "text", object_id: "text", version: "integer" }, repository, [
    "stored_repository_id",
    "name",
  ])
  await index("repository_refs_version", "repository_refs", ["stored_repository_id", "version"])
  await table("packs", { id: "id", file: "text", size: "integer", files: "text", created_at: "time", unused_since: "time" })
  await db.schema.alterTable("packs").addColumn("content", types.bytes).execute()
  await index("packs_file", "packs", ["file"], true)
  await index("packs_unused", "packs", ["unused_since"])
  await table(
    "repository_packs",
    { stored_repository_id: "reference", pack_id: "reference", version: "integer" },
    { ...repository, pack_id: "packs" },
    ["stored_repository_id", "pack_id"],
  )
  await index("repository_packs_version", "repository_packs", ["stored_repository_id", "version"])
  await index("repository_packs_pack", "repository_packs", ["pack_id"])
  await table("site_values", { name: "text", value: "text" }, {}, ["name"])
}
