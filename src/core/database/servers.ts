import { sql } from "kysely"
import type { Database } from "./database.ts"
import { LISTENER } from "./listener.ts"

/** Processes that serve from this database now: each listens for as long as it lives. Only PostgreSQL knows; with SQLite, see server-lock.ts. */
export async function countServers({ kind, read }: Database): Promise<number> {
  if (kind !== "postgres") return 0
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = ${LISTENER}`.execute(read)
  return rows[0]?.count ?? 0
}
