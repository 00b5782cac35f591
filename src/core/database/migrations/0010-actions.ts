import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Runners, runs and jobs. */
export const actions = { id: 10, name: "actions", up }

async function up(_db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {}
