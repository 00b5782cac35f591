import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Packages of people and organisations, their versions and files, and the contents that files share. */
export const packages = { id: 22, name: "packages", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("package_blobs", {
    id: "id",
    file: "text",
    size: "integer",
    md5: "text",
    sha1: "text",
    sha256: "text",
    sha512: "text",
    created_at: "time",
    used_at: "time",
  })
  await index("package_blobs_sha256", "package_blobs", ["sha256"], true)
  await index("package_blobs_file", "package_blobs", ["file"], true)

  await table(
    "packages",
    {
      id: "id",
      owner_id: "reference",
      repository_id: "reference?",
      type: "text",
      name: "text",
      lower_name: "text",
      is_restricted: "flag",
      revision: "integer",
      created_at: "time",
    },
    { owner_id: "users", repository_id: "repositories" },
  )
  await index("packages_name", "packages", ["owner_id", "type", "lower_name"], true)
  await index("packages_repository", "packages", ["repository_id"])

  await table(
    "package_versions",
    {
      id: "id",
      package_id: "reference",
      creator_id: "reference?",
      version: "text",
      lower_version: "text",
      metadata: "text",
      created_at: "time",
    },
    { package_id: "packages", creator_id: "users" },
  )
  await index("package_versions_version", "package_versions", ["package_id", "lower_version"], true)
  await index("package_versions_newest", "package_versions", ["package_id", "id"])
  await index("package_versions_creator", "package_versions", ["creator_id"])

  await table(
    "package_files",
    { id: "id", version_id: "reference", blob_id: "reference", name: "text", lower_name: "text", created_at: "time" },
    { version_id: "package_versions", blob_id: "package_blobs" },
  )
  await index("package_files_name", "package_files", ["version_id", "lower_name"], true)
  await index("package_files_blob", "package_files", ["blob_id"])

  await table(
    "package_tags",
    { package_id: "reference", name: "text", version_id: "reference" },
    { package_id: "packages", version_id: "package_versions" },
    ["package_id", "name"],
  )
  await index("package_tags_version", "package_tags", ["version_id"])

  await table(
    "package_rules",
    {
      id: "id",
      owner_id: "reference",
      type: "text",
      is_enabled: ["flag", 1],
      keep_count: "integer",
      keep_pattern: "text",
      remove_days: "integer",
      remove_pattern: "text",
      failure: "text",
      checked_at: "time",
    },
    { owner_id: "users" },
  )
  await index("package_rules_type", "package_rules", ["owner_id", "type"], true)
}
