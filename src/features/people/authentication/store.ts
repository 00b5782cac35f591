import { type Params, query } from "../../../core/database/query.ts"

export const findTokenOwner = query("authentication.findTokenOwner", (db, p: Params<{ digest: string }>) =>
  db
    .selectFrom("access_tokens")
    .innerJoin("users", "users.id", "access_tokens.user_id")
    .selectAll("users")
    .select(["access_tokens.id as token_id", "access_tokens.scopes as token_scopes", "access_tokens.last_used_at as token_last_used_at"])
    .where("access_tokens.digest", "=", p.digest),
)

/** By name, or by an activated address. */
export const findUserByLogin = query("authentication.findUserByLogin", (db, p: Params<{ login: string }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("kind", "=", "person")
    .where((eb) =>
      eb.or([
        eb("lower_name", "=", p.login),
        eb("id", "in", eb.selectFrom("emails").select("user_id").where("lower_email", "=", p.login).where("is_activated", "=", 1)),
      ]),
    ),
)

export const findTwoFactor = query("authentication.findTwoFactor", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("two_factors").selectAll().where("user_id", "=", p.userId),
)

export const findTokensOf = query("authentication.findTokensOf", (db, p: Params<{ userId: number; limit: number; offset: number }>) =>
  db.selectFrom("access_tokens").selectAll().where("user_id", "=", p.userId).orderBy("id", "desc").limit(p.limit).offset(p.offset),
)

export const countTokensOf = query("authentication.countTokensOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("access_tokens")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("user_id", "=", p.userId),
)

export const findTokenById = query("authentication.findTokenById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("access_tokens").selectAll().where("id", "=", p.id),
)

export const findTokenByName = query("authentication.findTokenByName", (db, p: Params<{ userId: number; name: string }>) =>
  db.selectFrom("access_tokens").selectAll().where("user_id", "=", p.userId).where("name", "=", p.name),
)
