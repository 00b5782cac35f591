import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Tokens that end, and that are limited to some repositories; and who needs a second factor. */
export const restrictions = { id: 45, name: "restrictions", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const [rows, columns] of [
    ["access_tokens", ["expires_at", "expiry_told", "is_limited"]],
    ["users", ["has_second_factor", "lacks_required_factor", "second_factor_due_at", "requires_second_factor"]],
  ] as const)
    for (const column of columns)
      await db.schema
        .alterTable(rows)
        .addColumn(column, types.integer, (c) => c.notNull().defaultTo(0))
        .execute()
  await db.schema
    .alterTable("access_tokens")
    .addColumn("last_used_address", types.text, (c) => c.notNull().defaultTo(""))
    .execute()
  await sql`create index users_requiring on users (id) where kind = 'organization' and second_factor_due_at > 0`.execute(db)
  await sql`create index users_lacking on users (lacks_required_factor) where lacks_required_factor = 1`.execute(db)
  await sql`create index access_tokens_expires on access_tokens (expires_at) where expires_at > 0`.execute(db)
  for (const [rows, column, of] of [
    ["access_token_repositories", "repository_id", "repositories"],
    ["access_token_owners", "owner_id", "users"],
  ] as const) {
    await table(rows, { token_id: "reference", [column]: "reference" }, { token_id: "access_tokens", [column]: of }, ["token_id", column])
    await index(`${rows}_${column}`, rows, [column])
  }
  await sql`update users set has_second_factor = 1
    where id in (select user_id from two_factors) or id in (select user_id from passkeys)`.execute(db)
}
