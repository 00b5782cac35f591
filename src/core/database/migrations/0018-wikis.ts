import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The git repositories of wikis, and which mirrors follow them. */
export const wikis = { id: 18, name: "wikis", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  await db.schema
    .alterTable("mirrors")
    .addColumn("wiki", types.flag, (column) => column.notNull().defaultTo(0))
    .execute()
  await table("wikis", { repository_id: "reference", git_size: "integer", created_at: "time" }, { repository_id: "repositories" }, [
    "repository_id",
  ])
}
