import { sql } from "kysely"
import { NOBODY_ID } from "../../../access/rules.ts"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"

/** How many people, organisations and repositories there are. */
export async function countsOf(db: Handle) {
  const { count } = db.fn
  const users = await db
    .selectFrom("users")
    .select(["kind", count<number>("id").as("total")])
    .groupBy("kind")
    .execute()
  const of = (kind: string) => users.find((each) => each.kind === kind)?.total ?? 0
  const { total } = await db
    .selectFrom("repositories")
    .select(count<number>("id").as("total"))
    .where("owner_id", "<>", NOBODY_ID)
    .executeTakeFirstOrThrow()
  return { people: of("person"), organizations: of("organization"), repositories: total }
}

/** The version of the database, and how large it is in bytes. */
export async function databaseFacts(db: Handle): Promise<{ readonly version: string; readonly size: number }> {
  const version = portable({ sqlite: sql<string>`sqlite_version()`, postgres: sql<string>`current_setting('server_version')` })
  const size = portable({
    sqlite: sql<number>`(select page_count * page_size from pragma_page_count(), pragma_page_size())`,
    postgres: sql<number>`pg_database_size(current_database())`,
  })
  return db.selectNoFrom([sql<string>`${version}`.as("version"), sql<number>`${size}`.as("size")]).executeTakeFirstOrThrow()
}

/** Since when the oldest job is due that nobody has taken; 0 where none is. */
export async function oldestDue(db: Handle, now: number): Promise<number> {
  const { at } = await db
    .selectFrom("jobs")
    .select((eb) => eb.fn.min("run_at").as("at"))
    .where("state", "=", "waiting")
    .where("run_at", "<=", now)
    .executeTakeFirstOrThrow()
  return at ?? 0
}

/** The jobs that failed last. */
export const findFailedJobs = (db: Handle) =>
  db
    .selectFrom("jobs")
    .select(["id", "kind", "attempts", "last_error", "finished_at"])
    .where("state", "=", "failed")
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(10)
    .execute()
