import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Pull requests whose commits were pushed to refs/for/… have no head branch. */
export const offeredPulls = { id: 47, name: "offered_pulls", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("pulls")
    .addColumn("is_offered", types.flag, (c) => c.notNull().defaultTo(0))
    .execute()
  // Those that were taken over from another server were stored without the name of their topic.
  await sql`update pulls set is_offered = 1, head_repository_id = null where head_branch = '' and head_repository_id = repository_id`.execute(
    db,
  )
}
