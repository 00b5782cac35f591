import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Keys of people and repositories. */
export const keys = { id: 8, name: "keys", up }

async function up(_db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {}
