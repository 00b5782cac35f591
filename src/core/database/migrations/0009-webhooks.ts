import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Webhooks and what they delivered. */
export const webhooks = { id: 9, name: "webhooks", up }

async function up(_db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {}
