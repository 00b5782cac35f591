import { hash, randomBytes } from "node:crypto"
import type { Selectable } from "kysely"
import { isScope, normalizeScopes, scopesWithin } from "../../../../access/scopes.ts"
import type { Credential } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { isUniqueViolation } from "../../../../core/database/failures.ts"
import type { AccessTokensTable } from "../../../../core/database/tables/people.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import { t } from "../../../../core/language/message.ts"
import type { Acting } from "../../users/accounts.ts"
import { forgetSignIns } from "../../users/store.ts"
import { insertToken, removeToken } from "./store.ts"

export type AccessToken = Selectable<AccessTokensTable>

/** The digest under which a token is stored and found. */
export const tokenDigest = (token: string): string => hash("sha256", token)

export interface NewToken {
  readonly userId: number
  readonly name: string
  readonly scopes: readonly string[]
  readonly now: number
  /** The token that the request was made with, which can't create one with more access. */
  readonly by?: Credential
  readonly actor?: Acting
}

/**
 * Creates a token of 160 random bits. The text is returned only here and stored nowhere.
 * Refuses `badRequest` without a scope, for an unknown scope and for a name that is taken, `forbidden` for more access than the caller has.
 */
export async function createToken(
  tx: Transaction,
  { userId, name, scopes, now, by, actor }: NewToken,
): Promise<{ readonly row: AccessToken; readonly token: string }> {
  if (scopes.length === 0) throw refuse.badRequest("access token must have a scope")
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw refuse.badRequest(t`[scopes]: invalid access token scope provided: ${unknown}`)
  const normal = normalizeScopes(scopes)
  if (by?.kind === "token" && !scopesWithin(by.scopes, normal))
    throw refuse.forbidden("cannot create an access token with a broader scope than the authenticating token")
  const token = randomBytes(20).toString("hex")
  try {
    const row = await insertToken(tx, {
      user_id: userId,
      name,
      digest: tokenDigest(token),
      last_eight: token.slice(-8),
      scopes: normal.join(","),
      created_at: now,
      last_used_at: 0,
    })
    publish(tx, { kind: "token.created", token: row, user: { id: userId }, actor, at: now })
    return { row, token }
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse.badRequest("[name]: access token name has been used already")
    throw error
  }
}

/** Deletes a token; it is invalid from the next request on. Refuses `notFound` if it doesn't exist. */
export async function deleteToken(tx: Transaction, token: Pick<AccessToken, "id" | "user_id">, actor?: Acting): Promise<void> {
  await removeToken(tx, token.id)
  await forgetSignIns(tx, token.user_id)
  publish(tx, { kind: "token.deleted", token, user: { id: token.user_id }, actor })
}
