import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Releases and tags. */
export const releases = { id: 5, name: "releases", up }

async function up(_db: Kysely<unknown>, _types: ColumnTypes): Promise<void> {}
