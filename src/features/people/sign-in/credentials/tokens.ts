import { hash, randomBytes } from "node:crypto"
import type { Selectable } from "kysely"
import { isScope, normalizeScopes, scopesWithin } from "../../../../access/scopes.ts"
import type { Chosen, Credential, Task } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { isUniqueViolation } from "../../../../core/database/failures.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import type { AccessTokensTable } from "../../../../core/database/tables/people.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import { t } from "../../../../core/language/message.ts"
import type { Acting } from "../../users/accounts.ts"
import { forgetSignIns } from "../../users/store.ts"
import { insertChosen, insertToken, removeToken } from "./store.ts"

export type AccessToken = Selectable<AccessTokensTable>

/** The digest under which a token is stored and found. */
export const tokenDigest = (token: string): string => hash("sha256", token)

export interface NewToken {
  readonly userId: number
  readonly name: string
  readonly scopes: readonly string[]
  readonly now: number
  /** The repositories and owners that it is limited to; by default to none. */
  readonly chosen?: Chosen | undefined
  /** The one task that it is for, where it is; its name is the token's. */
  readonly task?: Omit<Task, "name"> | undefined
  /** When it ends, in seconds since 1970; 0, the default, for never. */
  readonly expiresAt?: number
  /** The token that the request was made with, which can't create one with more access. */
  readonly by?: Credential | undefined
  readonly actor?: Acting
}

/**
 * Creates a token of 160 random bits. The text is returned only here and stored nowhere.
 * Refuses `badRequest` without a scope, for an unknown scope and for a name that is taken, `forbidden` for more access than the caller has.
 */
export async function createToken(
  tx: Transaction,
  { userId, name, scopes, now, chosen, task, expiresAt = 0, by, actor }: NewToken,
): Promise<{ readonly row: AccessToken; readonly token: string }> {
  if (scopes.length === 0) throw refuse.badRequest("access token must have a scope")
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw refuse.badRequest(t`[scopes]: invalid access token scope provided: ${unknown}`)
  const normal = normalizeScopes(scopes)
  if (by?.kind === "token" && !scopesWithin(by.scopes, normal))
    throw refuse.forbidden("cannot create an access token with a broader scope than the authenticating token")
  if (by?.kind === "token" && by.chosen) throw refuse.forbidden("an access token that is limited to some repositories cannot create others")
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
      expires_at: expiresAt,
      // Who makes a token for some days knows when it ends.
      expiry_told: toldOf(expiresAt - now),
      is_limited: flag(chosen !== undefined),
      ...(task && {
        is_task: 1,
        branches: task.branches.join("\n"),
        operations: task.operations.join("\n"),
        ...(task.writes !== undefined && { writes: task.writes, writes_left: task.writes }),
      }),
    })
    if (chosen) await insertChosen(tx, row.id, chosen)
    publish(tx, { kind: "token.created", token: row, user: { id: userId }, actor, at: now })
    return { row, token }
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse.badRequest("[name]: access token name has been used already")
    throw error
  }
}

/** How many days before the end of a token its owner gets a mail, once each. */
export const EXPIRY_DAYS = [7, 1] as const

/** How many of the mails before its end are not to be sent to who makes a token that lives for so many seconds. */
const toldOf = (seconds: number): number => EXPIRY_DAYS.filter((days) => seconds <= days * 86_400).length

/** Deletes a token; it is invalid from the next request on. Refuses `notFound` if it doesn't exist. */
export async function deleteToken(tx: Transaction, token: Pick<AccessToken, "id" | "user_id">, actor?: Acting): Promise<void> {
  await removeToken(tx, token.id)
  await forgetSignIns(tx, token.user_id)
  publish(tx, { kind: "token.deleted", token, user: { id: token.user_id }, actor })
}
