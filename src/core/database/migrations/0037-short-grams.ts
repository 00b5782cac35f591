import { type Kysely, sql } from "kysely"

/** The index of code knows words of two characters, and symbols: what was indexed before is indexed anew, by the task `index_code`. */
export const shortGrams = { id: 37, name: "short grams", up }

async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["code_files", "code_blobs", "code_indexes"]) await sql`delete from ${sql.table(table)}`.execute(db)
}
