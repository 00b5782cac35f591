import { type Insertable, type Kysely, sql } from "kysely"
import type { Handle, Transaction } from "../../../../core/database/database.ts"
import { deleteFound } from "../../../../core/database/deletion.ts"
import { contains, containsLower, inList } from "../../../../core/database/expressions.ts"
import { type Params, query, quickQuery } from "../../../../core/database/query.ts"
import type { Tables } from "../../../../core/database/tables/index.ts"

export const findTokenOwner = quickQuery(
  query("authentication.findTokenOwner", (db, p: Params<{ digest: string }>) =>
    db
      .selectFrom("access_tokens")
      .innerJoin("users", "users.id", "access_tokens.user_id")
      .selectAll("users")
      .select(["access_tokens.id as token_id", "access_tokens.scopes as token_scopes", "access_tokens.last_used_at as token_last_used_at"])
      .select(["access_tokens.is_limited as token_is_limited", "access_tokens.expires_at as token_expires_at"])
      .select(["access_tokens.name as token_name", "access_tokens.is_task as token_is_task", "access_tokens.writes as token_writes"])
      .select(["access_tokens.branches as token_branches", "access_tokens.operations as token_operations"])
      .where("access_tokens.digest", "=", p.digest),
  ),
)

/** What a token is limited to: the ids of repositories and of owners, one a row. */
export const findChosen = query("authentication.findChosen", (db, p: Params<{ tokenId: number }>) =>
  db
    .selectFrom("access_token_repositories")
    .select(["repository_id as id", sql<number>`0`.as("is_owner")])
    .where("token_id", "=", p.tokenId)
    .unionAll(
      db
        .selectFrom("access_token_owners")
        .select(["owner_id as id", sql<number>`1`.as("is_owner")])
        .where("token_id", "=", p.tokenId),
    ),
)

/** The same of many tokens. */
export const findChosenOfMany = query("authentication.findChosenOfMany", (db, p: Params<{ tokenIds: readonly number[] }>) =>
  db
    .selectFrom("access_token_repositories")
    .select(["token_id", "repository_id as id", sql<number>`0`.as("is_owner")])
    .where(inList("token_id", p.tokenIds))
    .unionAll(
      db
        .selectFrom("access_token_owners")
        .select(["token_id", "owner_id as id", sql<number>`1`.as("is_owner")])
        .where(inList("token_id", p.tokenIds)),
    ),
)

/** People by their ids, to look whether they may still act. */
export const findCallers = query("authentication.findCallers", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("users").selectAll().where(inList("id", p.ids)),
)

export const findTokensByIds = query("authentication.findTokensByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("access_tokens")
    .select(["id", "user_id", "name", "scopes", "is_limited", "expires_at", "is_task", "branches", "operations", "writes"])
    .where(inList("id", p.ids)),
)

/** The owners that tokens are limited to. */
export const findChosenOwners = query("authentication.findChosenOwners", (db, p: Params<{ tokenIds: readonly number[] }>) =>
  db
    .selectFrom("access_token_owners as chosen")
    .innerJoin("users as owner", "owner.id", "chosen.owner_id")
    .select(["chosen.token_id", "owner.name"])
    .where(inList("chosen.token_id", p.tokenIds))
    .orderBy("owner.lower_name"),
)

const applicationTokens = (db: Kysely<Tables>) =>
  db
    .selectFrom("oauth2_tokens")
    .innerJoin("oauth2_authorizations", "oauth2_authorizations.id", "oauth2_tokens.authorization_id")
    .innerJoin("oauth2_grants", "oauth2_grants.id", "oauth2_authorizations.grant_id")
    .innerJoin("users", "users.id", "oauth2_grants.user_id")
    .selectAll("users")

/** A token that an application got by OAuth2 and that is good now, with its user, as `findTokenOwner` of personal ones. */
export const findApplicationToken = query("authentication.findApplicationToken", (db, p: Params<{ digest: string; now: number }>) =>
  applicationTokens(db)
    .select([
      "oauth2_tokens.id as token_id",
      "oauth2_tokens.scopes as token_scopes",
      "oauth2_grants.id as grant_id",
      "oauth2_grants.application_id as application_id",
      "oauth2_grants.last_used_at as grant_last_used_at",
    ])
    .where("oauth2_tokens.digest", "=", p.digest)
    .where("oauth2_tokens.kind", "=", "access")
    .where("oauth2_tokens.expires_at", ">", p.now),
)

/** The same by its id. */
export const findApplicationTokenById = query("authentication.findApplicationTokenById", (db, p: Params<{ id: number; now: number }>) =>
  applicationTokens(db)
    .select(["oauth2_tokens.scopes as token_scopes", "oauth2_grants.application_id as application_id"])
    .where("oauth2_tokens.id", "=", p.id)
    .where("oauth2_tokens.kind", "=", "access")
    .where("oauth2_tokens.expires_at", ">", p.now),
)

/** Those of these tokens of applications that are good now. */
export const findApplicationTokensByIds = query(
  "authentication.findApplicationTokensByIds",
  (db, p: Params<{ ids: readonly number[]; now: number }>) =>
    db
      .selectFrom("oauth2_tokens")
      .innerJoin("oauth2_authorizations", "oauth2_authorizations.id", "oauth2_tokens.authorization_id")
      .innerJoin("oauth2_grants", "oauth2_grants.id", "oauth2_authorizations.grant_id")
      .select(["oauth2_tokens.id", "oauth2_tokens.scopes", "oauth2_grants.user_id", "oauth2_grants.application_id"])
      .where(inList("oauth2_tokens.id", p.ids))
      .where("oauth2_tokens.kind", "=", "access")
      .where("oauth2_tokens.expires_at", ">", p.now),
)

export const touchGrant = query("authentication.touchGrant", (db, p: Params<{ id: number; now: number; before: number }>) =>
  db.updateTable("oauth2_grants").set({ last_used_at: p.now }).where("id", "=", p.id).where("last_used_at", "<=", p.before),
)

/** By name, or by an activated address. */
export const findUserByLogin = query("authentication.findUserByLogin", (db, p: Params<{ login: string }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("id", "in", (eb) =>
      eb
        .selectFrom("users as named")
        .select("named.id")
        .where("named.lower_name", "=", p.login)
        .union(eb.selectFrom("emails").select("user_id as id").where("lower_email", "=", p.login).where("is_activated", "=", 1)),
    )
    .where("kind", "=", "person"),
)

export const findTwoFactor = query("authentication.findTwoFactor", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("two_factors").selectAll().where("user_id", "=", p.userId),
)

/** How many recovery codes the user has left. */
export const countRecoveryCodes = query("authentication.countRecoveryCodes", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("recovery_codes")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("user_id", "=", p.userId),
)

export const deleteRecoveryCodes = query("authentication.deleteRecoveryCodes", (db, p: Params<{ userId: number }>) =>
  db.deleteFrom("recovery_codes").where("user_id", "=", p.userId),
)

export const deleteRecoveryCode = query("authentication.deleteRecoveryCode", (db, p: Params<{ userId: number; digest: string }>) =>
  db.deleteFrom("recovery_codes").where("user_id", "=", p.userId).where("digest", "=", p.digest),
)

export const findTokensOf = query("authentication.findTokensOf", (db, p: Params<{ userId: number; limit: number; offset: number }>) =>
  db.selectFrom("access_tokens").selectAll().where("user_id", "=", p.userId).orderBy("id", "desc").limit(p.limit).offset(p.offset),
)

/** The tokens of all people, those used last first; with a keyword those where it is in a name, or that end in it. */
export async function listTokens(
  db: Handle,
  { keyword, neverExpires }: { readonly keyword: string; readonly neverExpires?: boolean | undefined },
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const base = db
    .selectFrom("access_tokens")
    .innerJoin("users", "users.id", "access_tokens.user_id")
    .$if(keyword !== "", (tokens) =>
      tokens.where((eb) =>
        eb.or([
          containsLower(eb.ref("users.lower_name"), keyword.toLowerCase()),
          contains(eb.ref("access_tokens.name"), keyword),
          eb("access_tokens.last_eight", "=", keyword.toLowerCase().slice(-8)),
        ]),
      ),
    )
    .$if(neverExpires !== undefined, (tokens) => tokens.where("access_tokens.expires_at", neverExpires ? "=" : ">", 0))
  const { total } = await base.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await base
    .selectAll("access_tokens")
    .select("users.name as user_name")
    .orderBy("access_tokens.last_used_at", "desc")
    .orderBy("access_tokens.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

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

export const noteTicketUse = query("authentication.noteTicketUse", (db, p: Params<{ id: string; expiresAt: number }>) =>
  db
    .insertInto("used_tickets")
    .values({ id: p.id, expires_at: p.expiresAt })
    .onConflict((conflict) => conflict.column("id").doNothing()),
)

export const deleteOldTickets = query("authentication.deleteOldTickets", (db, p: Params<{ now: number }>) =>
  db.deleteFrom("used_tickets").where("expires_at", "<=", p.now),
)

/** Notes when and from where a token was used, unless a use was noted since `before`. */
export const noteTokenUse = (
  tx: Transaction,
  { before, now, id, address }: { readonly before: number; readonly now: number; readonly id: number; readonly address: string },
) =>
  tx
    .updateTable("access_tokens")
    .set({ last_used_at: now, last_used_address: address })
    .where("id", "=", id)
    .where("last_used_at", "<=", before)
    .execute()

/** What a token is limited to. */
export async function insertChosen(
  tx: Transaction,
  tokenId: number,
  { repositoryIds, ownerIds }: { readonly repositoryIds: readonly number[]; readonly ownerIds: readonly number[] },
): Promise<void> {
  if (repositoryIds.length > 0)
    await tx
      .insertInto("access_token_repositories")
      .values(repositoryIds.map((id) => ({ token_id: tokenId, repository_id: id })))
      .execute()
  if (ownerIds.length > 0)
    await tx
      .insertInto("access_token_owners")
      .values(ownerIds.map((id) => ({ token_id: tokenId, owner_id: id })))
      .execute()
}

export const insertToken = (tx: Transaction, row: Insertable<Tables["access_tokens"]>) =>
  tx.insertInto("access_tokens").values(row).returningAll().executeTakeFirstOrThrow()

/** Refuses `notFound` where there is none. */
export const removeToken = (tx: Transaction, id: number) => deleteFound(tx.deleteFrom("access_tokens").where("id", "=", id))

/** Changes nothing where the person has a second factor already. */
export const insertTwoFactor = (
  tx: Transaction,
  {
    sealedSecret,
    now,
    userId,
    step,
  }: { readonly sealedSecret: string; readonly now: number; readonly userId: number; readonly step: number },
) =>
  tx
    .insertInto("two_factors")
    .values({
      user_id: userId,
      sealed_secret: sealedSecret,
      last_step: step,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .executeTakeFirst()

export const insertRecoveryCodes = (tx: Transaction, rows: readonly Insertable<Tables["recovery_codes"]>[]) =>
  tx.insertInto("recovery_codes").values(rows).execute()

export const deleteTwoFactor = (tx: Transaction, userId: number) =>
  tx.deleteFrom("two_factors").where("user_id", "=", userId).executeTakeFirstOrThrow()

/** Notes the time step of a code that was used; changes nothing for that step and those before it. */
export const noteStep = (tx: Transaction, { step, userId }: { readonly step: number; readonly userId: number }) =>
  tx.updateTable("two_factors").set({ last_step: step }).where("user_id", "=", userId).where("last_step", "<", step).executeTakeFirst()

/** Who has a second factor. */
export const findEnrolled = (db: Handle) => db.selectFrom("two_factors").select("user_id").execute()
