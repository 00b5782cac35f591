import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Large files beside git: what is stored, which repositories have it, and what is locked there. */
export const lfs = { id: 13, name: "lfs", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("lfs_objects", { id: "id", oid: "text", size: "integer", file: "text", created_at: "time", linked_at: "time" })
  await index("lfs_objects_oid", "lfs_objects", ["oid"], true)
  await index("lfs_objects_file", "lfs_objects", ["file"], true)

  await table(
    "lfs_links",
    { repository_id: "reference", object_id: "reference", created_at: "time" },
    { repository_id: "repositories", object_id: "lfs_objects" },
    ["repository_id", "object_id"],
  )
  await index("lfs_links_object", "lfs_links", ["object_id"])

  await table(
    "lfs_locks",
    { id: "id", repository_id: "reference", path: "text", owner_id: "reference", created_at: "time" },
    { repository_id: "repositories", owner_id: "users" },
  )
  await index("lfs_locks_path", "lfs_locks", ["repository_id", "path"], true)
  await index("lfs_locks_repository", "lfs_locks", ["repository_id", "id"])
  await index("lfs_locks_owner", "lfs_locks", ["owner_id"])
}
