import { Readable } from "node:stream"
import type { Database } from "../../../core/database/database.ts"
import { linesOf } from "./present.ts"
import { type EntryFilter, findEntriesAfter } from "./store.ts"

const PART = 500

/** All entries of an organisation that pass the filter, the oldest first, as JSON Lines: read as the receiver takes them. */
export const exportEntries = (database: Database, organizationId: number, filter: EntryFilter): Readable =>
  Readable.from(partsOf(database, organizationId, filter))

async function* partsOf({ read }: Database, organizationId: number, filter: EntryFilter): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await findEntriesAfter(read, organizationId, filter, { after, limit: PART })
    yield linesOf(rows)
    const last = rows.at(-1)
    if (!last || rows.length < PART) return
    after = last.id
  }
}
