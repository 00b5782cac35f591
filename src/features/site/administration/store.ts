import { sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { NOBODY_ID } from "../../../access/rules.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { type Params, query } from "../../../core/database/query.ts"

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

/** Since when the oldest job is due that no one has taken; 0 where none is. */
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
    .select(["id", "kind", "payload", "attempts", "last_error", "finished_at"])
    .where("state", "=", "failed")
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(10)
    .execute()

/**
 * Accounts that were never activated: their primary address was never confirmed. Those that an administrator has deactivated have a confirmed one, and are
 * no one's to delete by the way.
 */
export const findNeverActivated = query(
  "administration.findNeverActivated",
  (db, p: Params<{ after: number; before: number; limit: number }>) =>
    db
      .selectFrom("users")
      .innerJoin("emails", (join) => join.onRef("emails.user_id", "=", "users.id").on("emails.is_primary", "=", 1))
      .selectAll("users")
      .where("users.id", ">", p.after)
      .where("users.kind", "=", "person")
      .where("users.is_active", "=", 0)
      .where("users.created_at", "<", p.before)
      .where("emails.is_activated", "=", 0)
      .orderBy("users.id")
      .limit(p.limit),
)

export const findIdsOfRepositories = (db: Handle, ownerId: number) =>
  db.selectFrom("repositories").select("id").where("owner_id", "=", ownerId).orderBy("id").execute()

export const findRepositoriesOf = (db: Handle, ownerId: number) =>
  db.selectFrom("repositories").selectAll().where("owner_id", "=", ownerId).orderBy("id").execute()

export const findOrganizationsOf = (tx: Transaction, user: User): Promise<User[]> =>
  tx
    .selectFrom("organization_members")
    .innerJoin("users", "users.id", "organization_members.organization_id")
    .selectAll("users")
    .where("organization_members.user_id", "=", user.id)
    .orderBy("users.id")
    .execute()

/** The owners of an organisation. */
export const findOwnersOf = (db: Handle, organizationId: number) =>
  db
    .selectFrom("team_members")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .select("team_members.user_id")
    .where("teams.organization_id", "=", organizationId)
    .where("teams.mode", "=", Mode.owner)
    .execute()
