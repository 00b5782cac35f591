import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Application } from "./applications.ts"
import { OAuth2Error } from "./errors.ts"
import { adoptFormer, formerGrant } from "./former-tokens.ts"
import { writeIdToken } from "./id-tokens.ts"
import { isVerified } from "./requests.ts"
import { isWithin, readScopes, scopesOf, storedScopes } from "./scopes.ts"
import {
  deleteAuthorization,
  deleteTokenById,
  findCode,
  findTokenWithGrant,
  insertTokens,
  markCodeUsed,
  markTokenUsed,
  prolongAuthorization,
} from "./store.ts"
import { digestOf, newText } from "./texts.ts"

/** What the token endpoint answers. */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "bearer"
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
  readonly id_token?: string
}

export type Field = (name: string) => string | undefined

export const badGrant = (why: string) => new OAuth2Error("invalid_grant", why)
const BAD_CODE = "the code is unknown, too old, used, or not for this client"
const BAD_REFRESH = "the refresh token is unknown, too old, used, or not for this client"

/** Who an authorization is about, and what it allows. */
interface Issued {
  readonly authorizationId: number
  readonly user: User
  readonly scopes: readonly string[]
  readonly nonce: string
  readonly signedInAt: number
}

/** In a transaction: a refusal that writes something is returned, and thrown after the commit. */
export type Outcome =
  | { readonly tokens: { readonly access: string; readonly refresh: string }; readonly issued: Issued }
  | { readonly refused: OAuth2Error }

/**
 * Exchanges a code for tokens. Refuses `invalid_grant` for a code that is not good for this client, address and verifier; a wrong address or verifier
 * doesn't use it up. A second use ends everything that followed from the first.
 */
export async function redeemCode(services: Services, application: Application, field: Field): Promise<TokenAnswer> {
  const { config, database, now } = services
  const code = field("code")
  if (code === undefined) throw new OAuth2Error("invalid_request", "code is missing")
  const outcome = await database.write(async (tx): Promise<Outcome> => {
    const moment = now()
    const found = await findCode.first(tx, { digest: digestOf(code) })
    if (!found || found.application_id !== application.id) return { refused: badGrant(BAD_CODE) }
    if (found.code_used_at !== 0) return end(tx, found.id, BAD_CODE)
    if (found.code_expires_at <= moment) return { refused: badGrant(BAD_CODE) }
    if (field("redirect_uri") !== found.redirect_uri) return { refused: badGrant("redirect_uri is not that of the authorization") }
    if (!isVerified(found.challenge, field("code_verifier"))) return { refused: badGrant("code_verifier does not fit the code_challenge") }
    const user = await usableUser(tx, found.user_id)
    if (!user) return { refused: badGrant("the account can't be used") }
    const expiresAt = moment + config.oauth2.refreshTokenSeconds
    if ((await markCodeUsed.changes(tx, { id: found.id, now: moment, expiresAt })) === 0) return end(tx, found.id, BAD_CODE)
    const scopes = [...scopesOf(found.scopes)]
    const issued = { authorizationId: found.id, user, scopes, nonce: found.nonce, signedInAt: found.signed_in_at }
    return { tokens: await issueTokens(services, tx, found.id, { access: scopes, refresh: scopes }), issued }
  })
  return answer(services, application, outcome)
}

/**
 * Exchanges a refresh token for new tokens; it works once. A second use ends the whole authorization: either that one or the first was not by the client
 * that it was given to. Refuses `invalid_grant`, and `invalid_scope` for more than was granted.
 */
export async function refreshTokens(services: Services, application: Application, field: Field): Promise<TokenAnswer> {
  const { config, database, now } = services
  const text = field("refresh_token")
  if (text === undefined) throw new OAuth2Error("invalid_request", "refresh_token is missing")
  const former = await formerGrant(services, text)
  const outcome = await database.write(async (tx): Promise<Outcome> => {
    const moment = now()
    const digest = digestOf(text)
    const known = await findTokenWithGrant.first(tx, { digest })
    const isAdopted = !known && former !== undefined && (await adoptFormer(tx, application, text, former, moment))
    const found = isAdopted ? await findTokenWithGrant.first(tx, { digest }) : known
    if (found?.kind !== "refresh" || found.application_id !== application.id) return { refused: badGrant(BAD_REFRESH) }
    if (found.used_at !== 0) return end(tx, found.authorization_id, BAD_REFRESH)
    if (found.expires_at <= moment) return { refused: badGrant(BAD_REFRESH) }
    const user = await usableUser(tx, found.user_id)
    if (!user) return { refused: badGrant("the account can't be used") }
    const granted = scopesOf(found.granted_scopes)
    const asked = field("scope")
    const scopes = asked === undefined ? [...granted] : readScopes(asked)
    if (!scopes || !isWithin(scopes, granted))
      return { refused: new OAuth2Error("invalid_scope", "scope has a word that is unknown, or was not granted") }
    // First the authorization and then its tokens, in the order in which a deletion locks them.
    const expiresAt = moment + config.oauth2.refreshTokenSeconds
    if ((await prolongAuthorization.changes(tx, { id: found.authorization_id, expiresAt })) === 0) return { refused: badGrant(BAD_REFRESH) }
    if ((await markTokenUsed.changes(tx, { id: found.id, now: moment })) === 0) return end(tx, found.authorization_id, BAD_REFRESH)
    const issued = { authorizationId: found.authorization_id, user, scopes, nonce: found.nonce, signedInAt: found.signed_in_at }
    return { tokens: await issueTokens(services, tx, found.authorization_id, { access: scopes, refresh: [...granted] }), issued }
  })
  return answer(services, application, outcome)
}

async function end(tx: Transaction, id: number, why: string): Promise<Outcome> {
  await deleteAuthorization.changes(tx, { id })
  return { refused: badGrant(why) }
}

export async function answer(services: Services, application: Application, outcome: Outcome): Promise<TokenAnswer> {
  if ("refused" in outcome) throw outcome.refused
  const { tokens, issued } = outcome
  const idToken = issued.scopes.includes("openid") ? await writeIdToken(services, { ...issued, application }) : undefined
  return {
    access_token: tokens.access,
    token_type: "bearer",
    expires_in: services.config.oauth2.accessTokenSeconds,
    refresh_token: tokens.refresh,
    scope: issued.scopes.join(" "),
    ...(idToken !== undefined && { id_token: idToken }),
  }
}

export async function issueTokens(
  { config, now }: Services,
  tx: Transaction,
  authorizationId: number,
  scopes: { readonly access: readonly string[]; readonly refresh: readonly string[] },
): Promise<{ readonly access: string; readonly refresh: string }> {
  const moment = now()
  const seconds = { access: config.oauth2.accessTokenSeconds, refresh: config.oauth2.refreshTokenSeconds }
  const texts = { access: newText("access"), refresh: newText("refresh") }
  const kinds = ["access", "refresh"] as const
  await insertTokens(
    tx,
    kinds.map((kind) => ({
      authorization_id: authorizationId,
      kind,
      digest: digestOf(texts[kind]),
      scopes: storedScopes(scopes[kind]),
      created_at: moment,
      used_at: 0,
      expires_at: moment + seconds[kind],
    })),
  )
  return texts
}

export async function usableUser(db: Handle, id: number): Promise<User | undefined> {
  const user = await findUserById.first(db, { id })
  return user && user.prohibit_login === 0 && user.is_active === 1 && user.must_change_password === 0 ? user : undefined
}

/** What a client may know about a token that was given to it (RFC 7662). Any other token, and one that is not good now, is not active. */
export async function introspect({ database, site, now }: Services, application: Application, text: string): Promise<object> {
  const found = await findTokenWithGrant.first(database.read, { digest: digestOf(text) })
  const isGood = found && found.application_id === application.id && found.used_at === 0 && found.expires_at > now()
  const user = isGood ? await usableUser(database.read, found.user_id) : undefined
  if (!isGood || !user) return { active: false }
  return {
    active: true,
    scope: [...scopesOf(found.scopes)].join(" "),
    client_id: application.client_id,
    username: user.name,
    token_type: found.kind === "access" ? "bearer" : "refresh_token",
    exp: found.expires_at,
    iat: found.created_at,
    sub: String(user.id),
    aud: [application.client_id],
    iss: site.rootUrl,
  }
}

/**
 * Ends a token (RFC 7009): a refresh token with everything that follows from the same authorization, an access token alone. An unknown token is no error.
 * Refuses `unauthorized_client` for a token of another client.
 */
export async function revokeToken({ database }: Services, application: Application, text: string): Promise<void> {
  const isOthers = await database.write(async (tx) => {
    const found = await findTokenWithGrant.first(tx, { digest: digestOf(text) })
    if (!found) return false
    if (found.application_id !== application.id) return true
    if (found.kind === "access") await deleteTokenById.changes(tx, { id: found.id })
    else await deleteAuthorization.changes(tx, { id: found.authorization_id })
    return false
  })
  if (isOthers) throw new OAuth2Error("unauthorized_client", "the token was given to another client")
}
