import { listedUsers, visibleRepositories } from "../../../access/visibility.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** How many users have an active account, and how many of them have signed in since the given times. */
export const countPeople = query("site.countPeople", (db, p: Params<{ halfYearAgo: number; monthAgo: number }>) =>
  db
    .selectFrom("users")
    .select((eb) => [
      eb.fn.countAll<number>().as("total"),
      eb.fn.countAll<number>().filterWhere("last_login_at", ">=", p.halfYearAgo).as("half_year"),
      eb.fn.countAll<number>().filterWhere("last_login_at", ">=", p.monthAgo).as("month"),
    ])
    .where("kind", "=", "person")
    .where("is_active", "=", 1)
    .where("prohibit_login", "=", 0),
)

export interface Slice {
  readonly offset: number
  readonly limit: number
}

const repositoriesIn = (db: Handle) => db.selectFrom("repositories").where(visibleRepositories(anonymous))

const accountsIn = (db: Handle) =>
  db
    .selectFrom("users")
    .where(listedUsers(anonymous))
    .where((eb) =>
      eb.or([eb("users.kind", "=", "organization"), eb.and([eb("users.is_active", "=", 1), eb("users.prohibit_login", "=", 0)])]),
    )

export const countMappedRepositories = async (db: Handle): Promise<number> =>
  (
    await repositoriesIn(db)
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow()
  ).total

export const countMappedAccounts = async (db: Handle): Promise<number> =>
  (
    await accountsIn(db)
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow()
  ).total

export const findMappedRepositories = (db: Handle, { offset, limit }: Slice) =>
  repositoriesIn(db)
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["repositories.name", "repositories.updated_at", "owner.name as owner_name"])
    .orderBy("repositories.id")
    .limit(limit)
    .offset(offset)
    .execute()

export const findMappedAccounts = (db: Handle, { offset, limit }: Slice) =>
  accountsIn(db).select(["users.name", "users.updated_at"]).orderBy("users.id").limit(limit).offset(offset).execute()
