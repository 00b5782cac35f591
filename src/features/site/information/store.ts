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
