import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Releases and tags, and the languages of repositories. */
export const releases = { id: 5, name: "releases", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "tags",
    {
      id: "id",
      repository_id: "reference",
      name: "text",
      object_id: "text",
      target_id: "text",
      message: "text",
      tagged_at: "time",
      sequence: "integer",
    },
    { repository_id: "repositories" },
  )
  await index("tags_name", "tags", ["repository_id", "name"], true)
  await sql`create index tags_newest on tags (repository_id, tagged_at desc, name)`.execute(db)

  await table(
    "releases",
    {
      id: "id",
      repository_id: "reference",
      tag_name: "text",
      target_commitish: "text",
      title: "text",
      note: "text",
      is_draft: "flag",
      is_prerelease: "flag",
      publisher_id: "integer",
      created_at: "time",
      sequence: "integer",
    },
    { repository_id: "repositories" },
  )
  await index("releases_tag", "releases", ["repository_id", "tag_name"], true)
  await index("releases_newest", "releases", ["repository_id", "created_at", "sequence", "id"])
  for (const name of ["tags", "releases"]) await index(`${name}_sequence`, name, ["repository_id", "sequence"])
  await sql`create index attachments_release on attachments (release_id) where release_id is not null`.execute(db)

  await table(
    "repository_languages",
    { repository_id: "reference", tree_id: "text", bytes: ["text", "{}"] },
    { repository_id: "repositories" },
    ["repository_id"],
  )
  // The tags and files of existing repositories are not recorded yet: a job reads each repository.
  await sql`insert into jobs (kind, payload) select kinds.kind, '{"repositoryId":' || repositories.id || '}' from repositories, (select 'repository.survey' as kind union all select 'tags.align') as kinds where repositories.is_empty = 0`.execute(
    db,
  )
}
