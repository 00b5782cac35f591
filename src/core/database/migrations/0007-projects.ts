import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Projects and their columns. */
export const projects = { id: 7, name: "projects", up }

async function up(_db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {}
