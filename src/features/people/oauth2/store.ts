import type { Insertable, Selectable, Updateable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { deleteFound } from "../../../core/database/deletion.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

export const findApplicationsOf = query("oauth2.findApplicationsOf", (db, p: Params<{ ownerId: number; limit: number; offset: number }>) =>
  db.selectFrom("oauth2_applications").selectAll().where("owner_id", "=", p.ownerId).orderBy("id", "desc").limit(p.limit).offset(p.offset),
)

export const countApplicationsOf = query("oauth2.countApplicationsOf", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("oauth2_applications")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("owner_id", "=", p.ownerId),
)

export const findApplicationOf = query("oauth2.findApplicationOf", (db, p: Params<{ id: number; ownerId: number }>) =>
  db.selectFrom("oauth2_applications").selectAll().where("id", "=", p.id).where("owner_id", "=", p.ownerId),
)

export const findApplicationByClient = query("oauth2.findApplicationByClient", (db, p: Params<{ clientId: string }>) =>
  db.selectFrom("oauth2_applications").selectAll().where("client_id", "=", p.clientId),
)

export const renewSecretDigest = query("oauth2.renewSecretDigest", (db, p: Params<{ id: number; before: string; digest: string }>) =>
  db.updateTable("oauth2_applications").set({ secret_digest: p.digest }).where("id", "=", p.id).where("secret_digest", "=", p.before),
)

export const findGrant = query("oauth2.findGrant", (db, p: Params<{ userId: number; applicationId: number }>) =>
  db.selectFrom("oauth2_grants").selectAll().where("user_id", "=", p.userId).where("application_id", "=", p.applicationId),
)

export const findGrantById = query("oauth2.findGrantById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("oauth2_grants").selectAll().where("id", "=", p.id),
)

/** What a person has granted, with the names of the applications and their owners. */
export const findGrantsOf = query("oauth2.findGrantsOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("oauth2_grants")
    .innerJoin("oauth2_applications", "oauth2_applications.id", "oauth2_grants.application_id")
    .leftJoin("users as owners", "owners.id", "oauth2_applications.owner_id")
    .selectAll("oauth2_grants")
    .select(["oauth2_applications.name as application_name", "owners.name as owner_name"])
    .where("oauth2_grants.user_id", "=", p.userId)
    .orderBy("oauth2_grants.application_id", "desc")
    .limit(200),
)

/** A token of any kind, good or not, with what it belongs to. */
export const findTokenWithGrant = query("oauth2.findTokenWithGrant", (db, p: Params<{ digest: string }>) =>
  db
    .selectFrom("oauth2_tokens")
    .innerJoin("oauth2_authorizations", "oauth2_authorizations.id", "oauth2_tokens.authorization_id")
    .innerJoin("oauth2_grants", "oauth2_grants.id", "oauth2_authorizations.grant_id")
    .selectAll("oauth2_tokens")
    .select([
      "oauth2_grants.application_id",
      "oauth2_grants.user_id",
      "oauth2_authorizations.scopes as granted_scopes",
      "oauth2_authorizations.nonce",
      "oauth2_authorizations.signed_in_at",
    ])
    .where("oauth2_tokens.digest", "=", p.digest),
)

export const findCode = query("oauth2.findCode", (db, p: Params<{ digest: string }>) =>
  db
    .selectFrom("oauth2_authorizations")
    .innerJoin("oauth2_grants", "oauth2_grants.id", "oauth2_authorizations.grant_id")
    .selectAll("oauth2_authorizations")
    .select(["oauth2_grants.application_id", "oauth2_grants.user_id"])
    .where("oauth2_authorizations.code_digest", "=", p.digest),
)

/** Changes nothing where the code has been used already. */
export const markCodeUsed = query("oauth2.markCodeUsed", (db, p: Params<{ id: number; now: number; expiresAt: number }>) =>
  db
    .updateTable("oauth2_authorizations")
    .set({ code_used_at: p.now, expires_at: p.expiresAt })
    .where("id", "=", p.id)
    .where("code_used_at", "=", 0),
)

/** Changes nothing where the token has been used already. */
export const markTokenUsed = query("oauth2.markTokenUsed", (db, p: Params<{ id: number; now: number }>) =>
  db.updateTable("oauth2_tokens").set({ used_at: p.now }).where("id", "=", p.id).where("used_at", "=", 0),
)

export const prolongAuthorization = query("oauth2.prolongAuthorization", (db, p: Params<{ id: number; expiresAt: number }>) =>
  db.updateTable("oauth2_authorizations").set({ expires_at: p.expiresAt }).where("id", "=", p.id),
)

/** Ends an authorization with all its tokens. */
export const deleteAuthorization = query("oauth2.deleteAuthorization", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("oauth2_authorizations").where("id", "=", p.id),
)

export const deleteTokenById = query("oauth2.deleteToken", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("oauth2_tokens").where("id", "=", p.id),
)

/** A grant of this person; all its authorizations and tokens end with it. */
export const deleteGrant = query("oauth2.deleteGrant", (db, p: Params<{ id: number; userId: number }>) =>
  db.deleteFrom("oauth2_grants").where("id", "=", p.id).where("user_id", "=", p.userId),
)

export const deleteOldTokens = query("oauth2.deleteOldTokens", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .deleteFrom("oauth2_tokens")
    .where("id", "in", (eb) => eb.selectFrom("oauth2_tokens as old").select("old.id").where("old.expires_at", "<=", p.now).limit(p.limit)),
)

export const deleteOldAuthorizations = query("oauth2.deleteOldAuthorizations", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .deleteFrom("oauth2_authorizations")
    .where("id", "in", (eb) =>
      eb.selectFrom("oauth2_authorizations as old").select("old.id").where("old.expires_at", "<=", p.now).limit(p.limit),
    ),
)

export const findKey = query("oauth2.findKey", (db) => db.selectFrom("oauth2_keys").selectAll().where("purpose", "=", "id token"))

/** The names of the organizations that a person is in, with those of the teams. */
export const findGroupsOf = query("oauth2.findGroupsOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("organization_members")
    .innerJoin("users", "users.id", "organization_members.organization_id")
    .leftJoin("team_members", (join) =>
      join
        .onRef("team_members.organization_id", "=", "organization_members.organization_id")
        .onRef("team_members.user_id", "=", "organization_members.user_id"),
    )
    .leftJoin("teams", "teams.id", "team_members.team_id")
    .select(["users.name as organization", "users.visibility", "teams.lower_name as team"])
    .where("organization_members.user_id", "=", p.userId)
    .orderBy("users.lower_name")
    .orderBy("teams.lower_name"),
)

export const insertApplication = (tx: Transaction, row: Insertable<Tables["oauth2_applications"]>) =>
  tx.insertInto("oauth2_applications").values(row).returningAll().executeTakeFirstOrThrow()

export const updateApplication = (
  tx: Transaction,
  { changes, id, ownerId }: { readonly changes: Updateable<Tables["oauth2_applications"]>; readonly id: number; readonly ownerId: number },
) =>
  tx.updateTable("oauth2_applications").set(changes).where("id", "=", id).where("owner_id", "=", ownerId).returningAll().executeTakeFirst()

export const deleteApplicationOf = (tx: Transaction, { id, ownerId }: { readonly id: number; readonly ownerId: number }) =>
  deleteFound(tx.deleteFrom("oauth2_applications").where("id", "=", id).where("owner_id", "=", ownerId))

/** What a person grants to an application; an earlier grant gets these scopes. */
export const saveGrant = (
  tx: Transaction,
  {
    applicationId,
    userId,
    scopes,
    now,
  }: { readonly applicationId: number; readonly userId: number; readonly scopes: string; readonly now: number },
) =>
  tx
    .insertInto("oauth2_grants")
    .values({ application_id: applicationId, user_id: userId, scopes, created_at: now, last_used_at: 0 })
    .onConflict((conflict) => conflict.columns(["user_id", "application_id"]).doUpdateSet({ scopes }))
    .returning("id")
    .executeTakeFirstOrThrow()

export const insertAuthorization = (tx: Transaction, row: Insertable<Tables["oauth2_authorizations"]>) =>
  tx.insertInto("oauth2_authorizations").values(row).execute()

/** Changes nothing where there is a key for that purpose already. */
export const insertKey = (tx: Transaction, row: Insertable<Tables["oauth2_keys"]>) =>
  tx
    .insertInto("oauth2_keys")
    .values(row)
    .onConflict((conflict) => conflict.column("purpose").doNothing())
    .execute()

export const insertTokens = (tx: Transaction, rows: readonly Insertable<Tables["oauth2_tokens"]>[]) =>
  tx.insertInto("oauth2_tokens").values(rows).execute()

interface SpentAuthorization {
  readonly grantId: number
  readonly scopes: string
  readonly signedInAt: number
  /** No digest, so that nothing can be presented for it. */
  readonly codeDigest: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** An authorization whose code is not to be used any more, or never was one of these. Gives its id. */
export async function insertSpentAuthorization(tx: Transaction, spent: SpentAuthorization): Promise<number> {
  const { id } = await tx
    .insertInto("oauth2_authorizations")
    .values({
      grant_id: spent.grantId,
      scopes: spent.scopes,
      redirect_uri: "",
      challenge: "",
      nonce: "",
      signed_in_at: spent.signedInAt,
      code_digest: spent.codeDigest,
      code_expires_at: 0,
      code_used_at: spent.createdAt || 1,
      created_at: spent.createdAt,
      expires_at: spent.expiresAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return id
}

/** An authorization of a server that was taken over, with its one refresh token. */
export async function insertFormerAuthorization(
  tx: Transaction,
  {
    grant,
    digest,
    expiresAt,
    now,
  }: { readonly grant: Selectable<Tables["oauth2_grants"]>; readonly digest: string; readonly expiresAt: number; readonly now: number },
): Promise<void> {
  const { id: grantId, scopes, created_at: createdAt } = grant
  const id = await insertSpentAuthorization(tx, {
    grantId,
    scopes,
    signedInAt: createdAt,
    codeDigest: `former ${digest}`,
    createdAt,
    expiresAt,
  })
  await insertTokens(tx, [{ authorization_id: id, kind: "refresh", digest, scopes, created_at: now, used_at: 0, expires_at: expiresAt }])
}
